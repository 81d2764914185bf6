"""Conditions on spans, evaluated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.collector.ottl_parser import parse
from lens_preflight.collector.values import Value

CUT = 'attributes["nemo.span.truncated"]'
RANK = 'resource.attributes["nv.dl.rank"]'


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        (f"{CUT} == true", True, False),
        (f"span.{CUT} == true", True, False),
        (f"{CUT} != true", False, True),
        (f'{CUT} == "true"', False, False),
        (f"{CUT} != nil", True, False),
        (f"not ({CUT} != true)", True, False),
        (f'IsMatch({CUT}, "^true$")', True, False),
        (f'{CUT} == true and name == "x"', None, False),
        (f'{CUT} == true or name == "x"', True, None),
        (f"IsBool({CUT})", True, False),
        ('name == "x"', None, None),
        ('String(attributes["nemo.span.truncated"]) == "true"', True, None),
        ('duration > Duration("5s")', None, None),
    ],
)
def test_a_condition_on_truncated_and_on_whole_spans(text: str, cut: bool | None, whole: bool | None) -> None:
    key = ("attributes", "nemo.span.truncated")
    condition = parse(text)
    assert condition.holds({key: True}) is cut
    assert (
        condition.holds({key: None}) in (whole, False)
        if whole is None
        else condition.holds({key: None}) is whole
    )


@pytest.mark.parametrize(
    ("text", "rank", "holds"),
    [
        (f"{RANK} != 0", 3, True),
        (f"{RANK} != 0", 0, False),
        (f"{RANK} >= 8", 8, True),
        (f'{RANK} != "0"', 0, True),
        (f"{RANK} * 2 == 4", 2, None),
        (f'IsMatch({RANK}, "^(0|8)$")', 8, True),
    ],
)
def test_a_condition_on_the_rank(text: str, rank: Value, holds: bool | None) -> None:
    assert parse(text).holds({("resource", "nv.dl.rank"): rank}) is holds


@pytest.mark.parametrize("text", ["", "a ==", "a == b c", "(a == 1", "§"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


@given(st.text(alphabet='ab.[]"=!()<> andornot1', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text).holds({})
    except ValueError:
        return
