"""The project's data classes behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import pickle
from typing import Any, ClassVar

import pytest

from lens_preflight.core import data_methods as ours

BOTH = pytest.mark.parametrize("maker", [ours, dataclasses], ids=["ours", "standard"])


def plain(maker: Any, **options: Any) -> Any:
    """A class with a required field, defaults, a factory, and one that does not count."""

    @maker.dataclass(**options)
    class Span:
        """A span."""

        kind: ClassVar[str] = "span"
        name: str
        steps: int = 1
        tags: list[str] = maker.field(default_factory=list, hash=False)
        note: str = maker.field(default="", compare=False, repr=False)

        @property
        def long(self) -> bool:
            """A method of its own stays."""
            return self.steps > 9

    return Span


OPTIONS = pytest.mark.parametrize(
    "options",
    [{}, {"frozen": True}, {"frozen": True, "slots": True}, {"slots": True}, {"frozen": True, "eq": False}],
)


@BOTH
@OPTIONS
def test_values_by_place_and_name(maker: Any, options: dict[str, Any]) -> None:
    span = plain(maker, **options)
    for made in (
        span("a", 2, ["x"], "n"),
        span("a", note="n", tags=["x"], steps=2),
        span(name="a", steps=2, tags=["x"]),
    ):
        assert (made.name, made.steps, made.tags, made.long, made.kind) == ("a", 2, ["x"], False, "span")
    assert span("a").tags is not span("a").tags
    assert span("a").note == ""


@BOTH
@OPTIONS
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((), {}),
        (("a", 1, [], "", 5), {}),
        (("a",), {"name": "b"}),
        (("a",), {"nmae": "b"}),
        ((), {"steps": 3}),
    ],
)
def test_calls_that_do_not_fit(
    maker: Any, options: dict[str, Any], values: tuple[Any, ...], words: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match=r"Span|__init__"):
        plain(maker, **options)(*values, **words)


@BOTH
@OPTIONS
def test_equality_hash_and_text(maker: Any, options: dict[str, Any]) -> None:
    span = plain(maker, **options)
    one, two = span("a", note="x"), span("a", note="y")
    assert (one == two) is options.get("eq", True)
    assert one != span("b")
    assert one != "a"
    assert repr(one).endswith("Span(name='a', steps=1, tags=[])")
    if options.get("frozen") and options.get("eq", True):
        assert hash(one) == hash(two) == hash(span("a", tags=["x"]))
    elif options.get("eq", True):
        with pytest.raises(TypeError):
            hash(one)


@BOTH
@pytest.mark.parametrize("options", [{"frozen": True}, {"frozen": True, "slots": True}])
def test_frozen(maker: Any, options: dict[str, Any]) -> None:
    made = plain(maker, **options)("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made.name
    assert copy.copy(made) == copy.deepcopy(made) == made


@BOTH
def test_bases_come_first_and_methods_of_the_class_stay(maker: Any) -> None:
    scalar, node = line_and_value(maker)
    made = scalar(1, value=4)
    assert (made.line, made.text, made.value, made.twice) == (1, "", 4, 8)
    assert (hash(made), repr(made)) == (7, "scalar")
    assert made == scalar(1, "", 4)
    assert made != node(1)


def line_and_value(maker: Any) -> tuple[Any, Any]:
    """A class that adds a field and methods to another."""

    @maker.dataclass(frozen=True)
    class Node:
        line: int
        text: str = ""

    @maker.dataclass(frozen=True)
    class Scalar(Node):
        value: int = 3

        @functools.cached_property
        def twice(self) -> int:
            return 2 * self.value

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "scalar"

    return Scalar, Node


@BOTH
def test_a_class_may_do_more_when_it_is_made(maker: Any) -> None:
    @maker.dataclass(frozen=True)
    class Checked:
        value: int

        def __post_init__(self) -> None:
            if self.value < 0:
                raise ValueError("negative")

    checked: Any = Checked
    assert checked(1).value == 1
    with pytest.raises(ValueError, match="negative"):
        checked(-1)


@ours.dataclass(frozen=True, slots=True)
class Kept:
    """Can be sent to another process."""

    name: str
    size: int = 0


@ours.dataclass(frozen=True)
class Open:
    """The same without slots."""

    name: str
    size: int = 0


@pytest.mark.parametrize("kind", [Kept, Open])
def test_the_standard_library_takes_them_for_its_own(kind: Any) -> None:
    made: Any = kind("a", 2)
    assert pickle.loads(pickle.dumps(made)) == made
    assert dataclasses.is_dataclass(kind)
    assert [f.name for f in dataclasses.fields(made)] == ["name", "size"]
    assert dataclasses.asdict(made) == {"name": "a", "size": 2}
    assert dataclasses.replace(made, size=3) == ours.replace(made, size=3) == type(made)("a", 3)
    assert str(inspect.signature(type(made))).startswith("(name: 'str', size: 'int' = 0)")
    assert type(made).__match_args__ == ("name", "size")


def test_a_standard_one_is_replaced_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Standard:
        value: int

    assert ours.replace(Standard(1), value=2) == Standard(2)


def test_what_a_data_object_is_made_from() -> None:
    @dataclasses.dataclass
    class Standard:
        value: int
        length: int = dataclasses.field(default=0, init=False)

    made: Any = Open
    assert ours.names_of(Standard(1)) == ("value",)
    assert ours.names_of(made("a")) == ("name", "size")
    assert ours.names_of(Open) == ours.names_of({"name": "a"}) == ours.names_of("a") == ()


def test_a_standard_class_may_extend_one_of_ours() -> None:
    base: Any = Open

    @dataclasses.dataclass(frozen=True)
    class More(base):  # type: ignore[misc]
        unit: str = "MB"

    made: Any = More("a", unit="GB")
    assert dataclasses.asdict(made) == {"name": "a", "size": 0, "unit": "GB"}
    assert ours.replace(made, size=1) == dataclasses.replace(made, size=1) != made
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.unit = "kB"
