"""Numbers in texts: what int() takes or refuses by surprise is no number."""

from __future__ import annotations

import pytest

from lens_preflight.core.numbers import MOST, whole


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        (str(MOST), MOST),
        (str(MOST + 1), None),
        ("9" * 5000, None),
        ("²", None),
        ("٣", None),
        ("-1", None),
        (" 1", None),
        ("1_0", None),
        ("", None),
        (None, None),
    ],
)
def test_only_ascii_digits_within_bounds_are_a_number(text: str | None, number: int | None) -> None:
    assert whole(text) == number
