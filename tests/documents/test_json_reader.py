"""JSON with lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.documents import Malformed, read_json

TEXT = '{"a":\n [1,\n  {"b": "x\\ny",\n   "c": null}],\n "d": {}}'


@pytest.mark.parametrize(
    ("keys", "line"),
    [((), 1), (("a",), 2), (("a", 0), 2), (("a", 1), 3), (("a", 1, "c"), 4), (("d",), 5), (("d", "no"), 5)],
)
def test_a_value_knows_its_line(keys: tuple[str | int, ...], line: int) -> None:
    assert read_json(TEXT, "f.json").line(keys) == line
    assert read_json(TEXT, "f.json", first_line=11).line(keys) == line + 10


def test_a_text_in_one_line_of_another_file_has_that_line() -> None:
    assert read_json(TEXT, "f.ndjson", first_line=7, one_line=True).line(("a", 1, "c")) == 7


def test_broken_json_is_refused_with_its_place() -> None:
    with pytest.raises(Malformed) as caught:
        read_json('{"a": 1\n "b": 2}', "f.json")
    assert (caught.value.at.line, caught.value.at.column) == (2, 2)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(Malformed, match="nested too deeply"):
        read_json("[" * 200_000, "f.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(values, st.sampled_from([None, 1, 3]))
def test_lines_point_to_the_values(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    document = read_json(text, "f.json")
    lines = text.splitlines()

    def visit(node: object, keys: tuple[str | int, ...]) -> None:
        line = lines[document.line(keys) - 1]
        if isinstance(node, dict):
            assert "{" in line
            for key, inner in node.items():
                visit(inner, (*keys, key))
        elif isinstance(node, list):
            assert "[" in line
            for number, inner in enumerate(node):
                visit(inner, (*keys, number))
        else:
            assert json.dumps(node) in line

    visit(value, ())


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_too_large_is_infinite_as_in_a_browser(digits: int) -> None:
    assert read_json(f'{{"refresh": {"9" * digits}}}', "f.json").data == {"refresh": float("inf")}


@pytest.mark.parametrize(
    ("text", "line"),
    [("[" * 201 + "]" * 201, 1), ('{"a":\n' * 201 + "1" + "}" * 201, 201), ("[" * 500_000, 1)],
)
def test_brackets_nested_beyond_any_use_are_refused_before_a_reader_recurses(text: str, line: int) -> None:
    with pytest.raises(Malformed, match="nested too deeply") as caught:
        read_json(text, "f.json")
    assert caught.value.at.line == line


def test_brackets_in_strings_are_none() -> None:
    assert read_json('["' + "[" * 1000 + '"]', "f.json").data == ["[" * 1000]
    assert read_json("[" * 200 + "]" * 200, "f.json").data
