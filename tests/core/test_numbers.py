"""Numbers in texts: what int() takes or refuses by surprise is no number."""

from __future__ import annotations

import sys

import pytest

from lens_preflight.core.numbers import BITS, MOST, huge, json_integer, whole


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


def test_what_is_not_huge_can_be_written_and_reckoned_with() -> None:
    largest = (1 << BITS) - 1
    for number in (largest, -largest):
        assert not huge(number)
        assert (float(number) < 0, str(number).startswith("-")) == (number < 0, number < 0)
        assert huge(number * 2)
    assert not huge("9" * 5000) and not huge(1e308)


def test_json_has_no_number_that_is_too_large() -> None:
    assert json_integer("-12") == -12
    assert json_integer("9" * 300) == 10**300 - 1
    assert json_integer("9" * 5000) == float("inf")
    assert json_integer("-" + "9" * 5000) == float("-inf")


@pytest.mark.parametrize(
    "items",
    [
        range(10**30),
        range(0, 10**30, 2),
        range(10**30, 0, -3),
        range(sys.maxsize),
        range(sys.maxsize + 1),
        range(0),
        range(5, -(10**40)),
        range(0, 10**40, 10**39),
    ],
)
def test_a_range_is_huge_where_len_refuses_it(items: range) -> None:
    try:
        refused = len(items) < 0
    except OverflowError:
        refused = True
    assert huge(items) is refused
