"""YAML as Go reads it, with lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.documents import Malformed, Mapping, Node, Scalar, read_yaml
from lens_preflight.documents.yaml_reader import resolve


def one(text: str) -> Node:
    """The only document of a text."""
    (root,) = read_yaml(text, "f.yaml")
    return root


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("on", "on"),
        ("~", None),
        ("", None),
        ("0o17", 15),
        ("0755", 493),
        ("0x1F", 31),
        ("1_000", 1000),
        ("-3", -3),
        ("1.5e3", 1500.0),
        ("1.2.3", "1.2.3"),
        ("5s", "5s"),
        ("09", 9.0),
        ("9" * 400, "9" * 400),
        ("-0x" + "f" * 3900, "-0x" + "f" * 3900),
    ],
)
def test_unquoted_scalars_mean_what_go_makes_of_them(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_values_and_keys_know_their_lines() -> None:
    root = one("a: 1\nb:\n  c: 'x'\n  d: |\n    first\n    second\n")
    assert isinstance(root, Mapping)
    assert root.key_at("b").line == 2
    inner = root.get("b", "c")
    assert isinstance(inner, Scalar) and inner.line == 3 and inner.quoted
    block = root.get("b", "d")
    assert block is not None and block.line == 5 and block.data() == "first\nsecond\n"


def test_a_quoted_number_is_a_text() -> None:
    assert one("a: '1'\nb: 1\n").data() == {"a": "1", "b": 1}


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", 'mapping key "a" is already defined at line 1', 3),
        ("a: &x [*x]\n", "an anchor contains itself", 1),
        ("a: 1\nb: : [\n", "mapping values are not allowed in this context", 2),
        ("a:\n\t- 1\n", "found character that cannot start any token", 2),
        ("? [a, b]\n: 1\n", "a key must be a single value", 1),
        ("a:\n  <<: 1\n", "map merge requires map or sequence of maps as the value", 2),
        ("[" * 5000, "nested too deeply", 1),
    ],
)
def test_what_is_no_configuration_is_refused_with_its_line(text: str, reason: str, line: int) -> None:
    with pytest.raises(Malformed) as caught:
        read_yaml(text, "f.yaml")
    assert caught.value.reason == reason
    assert caught.value.at.line == line


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(Malformed, match="excessive aliasing"):
        read_yaml("\n".join(lines), "f.yaml")


def test_a_few_aliases_are_no_bomb() -> None:
    root = one("a: &x [one, two]\nb: *x\nc: *x\n")
    assert root.data() == {"a": ["one", "two"], "b": ["one", "two"], "c": ["one", "two"]}


def test_merge_keys_do_not_override() -> None:
    root = one("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  x: 9\n")
    used = root.get("use")
    assert used is not None and used.data() == {"x": 9, "y": 2}


def test_blocks_nested_beyond_reason_are_refused() -> None:
    with pytest.raises(Malformed):
        read_yaml("a:\n" + "".join("  " * n + f"k{n}:\n" for n in range(1, 1200)), "f.yaml")


def test_several_documents() -> None:
    assert [root.data() for root in read_yaml("a: 1\n---\nb: 2\n", "f.yaml")] == [{"a": 1}, {"b": 2}]


@given(st.text(alphabet="ab:{}[]-&*<# \n'\"|>!%@?,", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        for root in read_yaml(text, "f.yaml"):
            root.data()
    except Malformed as error:
        assert error.reason and "\n" not in error.reason


@pytest.mark.parametrize("text", ["0x_", "0b_", "0o_", "-0x__", "9" * 5000, "1." + "0" * 5000])
def test_what_only_looks_like_a_number_stays_a_text(text: str) -> None:
    assert resolve(text) == text


def test_a_lone_surrogate_out_of_another_document_is_malformed() -> None:
    with pytest.raises(Malformed, match="no text"):
        read_yaml("a: \ud800", "f.yaml", 7)
