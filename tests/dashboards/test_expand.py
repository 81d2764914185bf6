"""What Grafana puts in place of a variable."""

from __future__ import annotations

import pytest

from lens_preflight.dashboards.expand import expand
from lens_preflight.dashboards.selectors import Language

ONE, TWO = {"r": ("a-1",)}, {"r": ("a-1", "b-2")}


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("$r", "a-1", "(a-1|b-2)"),
        ("[[r]]", "a-1", "(a-1|b-2)"),
        ("^${r}$", "^a-1$", "^(a-1|b-2)$"),
        ("${r:regex}", "a-1", "(a-1|b-2)"),
        ("${r:pipe}", "a-1", "a-1|b-2"),
        ("${r:csv}", "a-1", "a-1,b-2"),
        ("${r:raw}", "a-1", "a-1,b-2"),
        ("${r:glob}", "a-1", "{a-1,b-2}"),
        ("${r:no_such}", "a-1", "{a-1,b-2}"),
        ("${r:json}", "a-1", '["a-1","b-2"]'),
        ("${r:text}", "a-1", "a-1 + b-2"),
        ("${r.text}", "a-1", "a-1 + b-2"),
        ("${r:distributed}", "a-1", "a-1,r=b-2"),
        ("${r:percentencode}", "a-1", "%7Ba-1%2Cb-2%7D"),
        ("${r:queryparam}", "var-r=a-1", "var-r=a-1&var-r=b-2"),
        ("${r:singlequote}", "'a-1'", "'a-1','b-2'"),
        ("${r:doublequote}", '"a-1"', '"a-1","b-2"'),
        ("${r:join:|}", "a-1", "a-1|b-2"),
        ("${r:date}", "NaN", "NaN"),
        ("x-$other", "x-$other", "x-$other"),
        ("$r_1", "$r_1", "$r_1"),
    ],
)
def test_formats(text: str, one: str, two: str) -> None:
    assert (expand(text, ONE), expand(text, TWO)) == (one, two)


def test_lucene_has_its_own_list() -> None:
    assert expand("$r", TWO, Language.LUCENE) == r'("a\-1" OR "b\-2")'
    assert expand("${r:lucene}", ONE, Language.LUCENE) == r"a\-1"
    assert expand("${r:lucene}", ONE) == r"a\\-1"
