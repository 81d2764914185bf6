"""Escape sequences go, and none comes about where one has gone."""

from __future__ import annotations

import pytest

from lens_preflight.core.escapes import inert, without_ansi


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x9b31mred", "red"),
        ("\x1b(Bx", "x"),
        ("\x1b", "\x1b"),
    ],
)
def test_escape_sequences_go(raw: str, clean: str) -> None:
    assert without_ansi(raw) == clean


def test_none_comes_about_where_one_has_gone() -> None:
    nested = "a\x1b\x1b[31m[31mb\x9b\x1b[0m1mc"
    assert inert(nested) == "a\\x1b[31mb\\x9b1mc"
    assert without_ansi(inert(nested)) == inert(inert(nested)) == inert(nested)
