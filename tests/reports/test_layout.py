"""Wrapping keeps every word and never breaks one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.reports.layout import columns, cut, pad, paint, wrap

PIECES = st.sampled_from(
    ["a", "word", "longer-word", "`code with blanks`", "export A='b c'", "漢字", "e\u0301"]
)


@given(st.lists(PIECES, min_size=1, max_size=30), st.integers(10, 60))
def test_no_piece_is_broken_or_lost(pieces: list[str], width: int) -> None:
    lines = wrap(" ".join(pieces), width, first="> ", rest="  ")
    assert lines[0].startswith("> ")
    assert " ".join(line[2:] for line in lines) == " ".join(pieces)
    for line in lines:
        alone = line[2:] in pieces
        assert alone or columns(line) <= width


def test_lines_are_as_full_as_can_be() -> None:
    assert wrap("aa bb cc dd", 8, first="- ") == ["- aa bb", "  cc dd"]


def test_an_indented_line_is_taken_as_it_is() -> None:
    text = "do:\n    srun    a  b   c   d   e   f\n$ x    y"
    assert wrap(text, 12) == ["do:", "    srun    a  b   c   d   e   f", "$ x    y"]


def test_an_empty_text_is_one_line() -> None:
    assert wrap("", 10, first="  ") == [""]


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width
    assert columns(pad(text, 9)) == 9


@given(st.text(st.characters(codec="utf-8"), max_size=50), st.integers(1, 30))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width
    assert cut(text, 10**6) == text


def test_paint_without_colour_is_the_text() -> None:
    assert paint("x", "bad", color=False) == "x"
    assert paint("x", "bad", color=True) == "\x1b[1;31mx\x1b[0m"
    assert paint("x", "no such kind", color=True) == "x"
