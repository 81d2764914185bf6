"""Variables in configurations, as confmap expands them."""

from __future__ import annotations

import pytest

from lens_preflight.collector.expand import Expander, Trouble
from lens_preflight.documents import Scalar, read_yaml


def expanded(text: str) -> tuple[Scalar, Expander]:
    """One value after expansion."""
    expander = Expander()
    node = expander.expand(read_yaml(f"v: {text}\n", "f.yaml")[0]).get("v")
    assert isinstance(node, Scalar)
    return node, expander


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${env:N:-host:4317}", "host:4317"),
        ("${env:N:-200}", 200),
        ("${env:N:-true}", True),
        ("'${env:N:-host}:4317'", "host:4317"),
        ("a$$b", "a$b"),
        ("$${env:N}", "${env:N}"),
        ("price $5", "price $5"),
        ("${env:A:-${env:B:-c}}", "c"),
    ],
)
def test_defaults_and_escapes(text: str, value: object) -> None:
    node, expander = expanded(text)
    assert node.value == value and not node.open and expander.problems == []


@pytest.mark.parametrize("text", ["${env:N}", "${N}", "'x-${env:N}'", "${file:/run/token}", "${vault:a/b}"])
def test_what_only_the_start_knows_is_open(text: str) -> None:
    node, expander = expanded(text)
    assert node.open and len(expander.needed) == 1 and expander.problems == []


@pytest.mark.parametrize(
    ("text", "trouble", "shown"),
    [
        ("${N:-secret}", Trouble.SHELL_DEFAULT, "${N:-...}"),
        ("${MY_NAME:-secret}", Trouble.SHELL_DEFAULT, "${MY_NAME:-...}"),
        ("$NAME", Trouble.BARE, "$NAME"),
        ("${env:A-B}", Trouble.BAD_NAME, "${A...}"),
        ("${HOST:4317}", Trouble.UNKNOWN_SCHEME, "${HOST:...}"),
        ("${env:N", Trouble.UNCLOSED, "${"),
    ],
)
def test_forms_that_do_something_else_are_named_without_their_value(
    text: str, trouble: Trouble, shown: str
) -> None:
    _, expander = expanded(text)
    (problem,) = expander.problems
    assert (problem.trouble, problem.text) == (trouble, shown)


def test_a_default_may_be_a_list() -> None:
    root = Expander().expand(read_yaml("v: ${env:N:-[a, b]}\n", "f.yaml")[0])
    assert root.data() == {"v": ["a", "b"]}
