"""What Python reads of Go's regular expressions, and what it leaves open."""

from __future__ import annotations

import pytest

from lens_preflight.core.go_patterns import found_in, is_whole


@pytest.mark.parametrize(
    ("pattern", "found", "whole"),
    [
        ("run", True, False),
        ("nemo.run.id", True, True),
        ("nemo|run", True, False),
        ("nemo.*|x", True, True),
        ("(?i)NEMO.*", True, True),
        ("user", False, False),
        ("[[:alpha:]]+", None, None),
        (r"\pL+", None, None),
        ("(", None, None),
    ],
)
def test_patterns(pattern: str, found: bool | None, whole: bool | None) -> None:
    assert found_in(pattern, "nemo.run.id") is found
    assert is_whole(pattern, "nemo.run.id") is whole


def test_a_dot_takes_line_ends_in_prometheus() -> None:
    assert is_whole("a.b", "a\nb") is True
    assert is_whole("a", "a\n") is False
