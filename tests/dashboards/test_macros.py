"""Grafana's variables in PromQL."""

from __future__ import annotations

import pytest

from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.variables import Listing, listing, mentions


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("rate(x[$__rate_interval])", "rate(x[5m])"),
        ("rate(x[${__interval}])", "rate(x[5m])"),
        ("rate(x[$step])", "rate(x[5m])"),
        ("x offset $shift", "x offset 5m"),
        ("x * $__interval_ms", "x * 300000"),
        ("$metric{a='b'}", "var_metric{a='b'}"),
        ("sum by ($dim) (x)", "sum by (var_dim) (x)"),
        ("topk($n, x)", "topk(1, x)"),
        ("x > $threshold", "x > 1"),
        ("job_${what}_total", "job_var_what_total"),
        ('x{nemo_run_id=~"$run"}', 'x{nemo_run_id=~"$run"}'),
        ("[[metric]]{a='b'}", "var_metric{a='b'}"),
    ],
)
def test_variables_become_what_their_place_asks_for(text: str, plain: str) -> None:
    assert substitute(text, {}) == plain
    assert read_promql(plain).error == ""


def test_known_values_are_used_where_they_fit() -> None:
    assert substitute("$metric{}", {"metric": "loss"}) == "loss{}"
    assert substitute("x > $limit", {"limit": "0.5"}) == "x > 0.5"
    assert substitute("$metric{}", {"metric": "not a name"}) == "var_metric{}"


def test_mentions_in_all_spellings() -> None:
    found = [(m.name, m.format, m.deprecated) for m in mentions("a$b ${c:regex} [[d]] ${e.text}")]
    assert found == [("b", "", False), ("c", "regex", False), ("d", "", True), ("e", "", False)]


@pytest.mark.parametrize(
    ("query", "regex", "found"),
    [
        ("label_values(m, nemo_run_id)", "", Listing("nemo_run_id", "m")),
        ("label_values(nemo_run_id)", "", Listing("nemo_run_id")),
        ('label_values(m{a=~"x,y"}, "nemo.run.id")', "", Listing("nemo.run.id", 'm{a=~"x,y"}')),
        (
            "query_result(count by (nemo_run_id) (m))",
            '/nemo_run_id="([^"]+)"/',
            Listing("nemo_run_id", "count by (nemo_run_id) (m)", "query_result"),
        ),
        ("m", '/.*nemo_run_id="(.*)".*/', Listing("nemo_run_id", "m", "series")),
        ("resource.nemo.run.id", "", Listing("nemo.run.id", "", "tag values")),
        ("label_names(m)", "", Listing("", "", "label_names")),
        ("up", "", Listing("", "up", "unknown")),
    ],
)
def test_what_a_variable_lists(query: str, regex: str, found: Listing) -> None:
    assert listing(query, regex) == found
