"""How panels are confined to a run."""

from __future__ import annotations

from typing import Any

import pytest

from lens_preflight.dashboards.families import Catalogue
from lens_preflight.dashboards.infrastructure import exempt
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.reading import dashboards_in
from lens_preflight.dashboards.rewrite import with_run_filter, with_run_label, without_truncated
from lens_preflight.dashboards.runs import Hold, lists_runs, run_filters
from lens_preflight.dashboards.selectors import Language
from lens_preflight.dashboards.training import training_uses
from lens_preflight.documents import Text
from tests.dashboards.boards import RUN, classic, panel, read
from tests.fuzz.engine import watchdog


def board(shown: str, /, **variable: Any) -> Dashboard:
    """A dashboard with one panel."""
    variables = [
        {**RUN, **variable},
        {"name": "service", "type": "query", "query": ("label_values(m, service_name)")},
        {**RUN, "name": "other_run"},
    ]
    return read(classic(panel(1, "x", shown), variables=variables))


def holds(query: str, **variable: Any) -> list[Hold]:
    """What the matchers of the only training selector do."""
    (use,) = list(training_uses(board(query, **variable), Catalogue(), Lineage()))
    return [f.hold for f in use.filters]


@pytest.mark.parametrize(
    ("matcher", "hold"),
    [
        ('nemo_run_id=~"$run_id"', [Hold.CHOSEN]),
        ('nemo_run_id="$run_id"', [Hold.CHOSEN]),
        ('nemo_run_id=~"^${run_id:regex}$"', [Hold.CHOSEN]),
        ('nemo_run_id=~"[[run_id]]"', [Hold.CHOSEN]),
        ('nemo_run_id=~"(${run_id:pipe})"', [Hold.CHOSEN]),
        ('"nemo.run.id"=~"$run_id"', [Hold.CHOSEN]),
        ('instance=~"$run_id-rank[0-9]+"', [Hold.CHOSEN]),
        ('nemo_run_id=~"$run_id.*"', [Hold.PREFIX]),
        ('nemo_run_id=~"$run_id|.*"', [Hold.OPEN]),
        ('nemo_run_id=~".*$run_id.*"', [Hold.PREFIX]),
        ('instance=~"$run_id.*"', []),
        ('instance=~"$run_id.*rank.*"', [Hold.PREFIX]),
        ('nemo_run_id!~"$run_id"', [Hold.INVERTED]),
        ('nemo_run_id=~"${run_id:pipe}|$other_run"', [Hold.CHOSEN]),
        ('nemo_run_id=~"${run_id:csv}"', [Hold.CHOSEN]),
        ('nemo_run_id=~".*$run_id"', [Hold.PREFIX]),
        ('nemo_run_id=~"|$run_id"', [Hold.PREFIX]),
        ('nemo_run_id=~"$run_id|baseline-7"', [Hold.PREFIX]),
        ('nemo_run_id=~"$run_id|base[0-9]"', [Hold.PREFIX]),
        ('nemo_run_id="job-$run_id"', [Hold.NEVER]),
        ('nemo_run_id=~"job-$run_id"', [Hold.NEVER]),
        ('nemo_run_id=~"$run_id-attempt.+"', [Hold.NEVER]),
        ('nemo_run_id="$run_id "', [Hold.NEVER]),
        ('nemo_run_id=~"$$run_id"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:queryparam}"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:singlequote}"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:doublequote}"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:sqlstring}"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:date}"', [Hold.NEVER]),
        ('nemo_run_id=~"${run_id:lucene}"', [Hold.NEVER]),
        ('nemo_run_id=~"$run_id|\\\\pL+"', [Hold.UNKNOWN]),
        ('nemo_run_id=~"$run_id",nemo_run_id="a"', [Hold.CHOSEN, Hold.FIXED]),
        ('instance=~"$run_id-rank(0|1)"', [Hold.CHOSEN]),
        ('nemo_run_id="llama3-a"', [Hold.FIXED]),
        ('nemo_run_id=~".+"', [Hold.OPEN]),
        ('nemo_run_id!=""', [Hold.OPEN]),
        ('service_name=~"$service"', []),
    ],
)
def test_what_a_matcher_does(matcher: str, hold: list[Hold]) -> None:
    assert holds(f"megatron_training_loss{{{matcher}}}") == hold


def test_an_exact_match_with_several_values() -> None:
    assert holds('megatron_training_loss{nemo_run_id="$run_id"}', multi=True) == [Hold.EXACT_LIST]
    assert holds('megatron_training_loss{nemo_run_id="$run_id"}', includeAll=True) == [Hold.EXACT_LIST]


@pytest.mark.parametrize("shape", ["csv", "raw", "glob", "distributed", "text", "json", "percentencode"])
def test_a_list_that_no_pattern_reads(shape: str) -> None:
    query = f'megatron_training_loss{{nemo_run_id=~"${{run_id:{shape}}}"}}'
    assert holds(query, multi=True) == [Hold.EXACT_LIST]
    assert holds(query) == [Hold.CHOSEN]


@pytest.mark.parametrize("shape", ["", ":regex", ":pipe", ":join:|"])
def test_a_list_that_a_pattern_reads(shape: str) -> None:
    assert holds(f'megatron_training_loss{{nemo_run_id=~"${{run_id{shape}}}"}}', multi=True) == [Hold.CHOSEN]


def test_a_repeated_panel_has_one_run_at_a_time() -> None:
    query = 'avg(megatron_training_loss{nemo_run_id="$run_id"})'
    several = [{**RUN, "multi": True}]
    shown = [
        read(classic(panel(1, "x", query, repeat="run_id"), variables=several)),
        read(
            classic({"type": "row", "repeat": "run_id", "panels": [panel(1, "x", query)]}, variables=several)
        ),
        read(classic({"type": "row", "repeat": "run_id"}, panel(1, "x", query), variables=several)),
    ]
    for one in shown:
        (use,) = training_uses(one, Catalogue(), Lineage())
        assert [f.hold for f in use.filters] == [Hold.CHOSEN] and not use.mixes
    other_row = classic(
        {"type": "row", "repeat": "run_id"}, {"type": "row"}, panel(1, "x", query), variables=several
    )
    (use,) = training_uses(read(other_row), Catalogue(), Lineage())
    assert [f.hold for f in use.filters] == [Hold.EXACT_LIST]


@pytest.mark.parametrize(
    ("query", "mixes"),
    [
        ('sum(megatron_training_loss{nemo_run_id=~"$run_id"})', True),
        ('sum by (nemo_run_id) (megatron_training_loss{nemo_run_id=~"$run_id"})', False),
        ('megatron_training_loss{nemo_run_id=~"$run_id"}', False),
    ],
)
def test_an_aggregation_over_several_runs(query: str, mixes: bool) -> None:
    (several,) = training_uses(board(query, multi=True), Catalogue(), Lineage())
    (single,) = training_uses(board(query), Catalogue(), Lineage())
    assert several.mixes is mixes and not single.mixes


def test_infrastructure_is_not_asked_for_a_run() -> None:
    assert [
        exempt(m) for m in ("DCGM_FI_DEV_GPU_UTIL", "node_load1", "up", "upload_seconds", "train_loss")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]
    shown = read(classic(panel(1, "GPU", "avg(DCGM_FI_DEV_GPU_UTIL)"), panel(2, "Other", "my_queue_length")))
    assert list(training_uses(shown, Catalogue(), Lineage())) == []


@pytest.mark.parametrize(
    ("variable", "lists"),
    [
        ({"query": "label_values(m, nemo_run_id)"}, True),
        ({"query": 'label_values(m, "nemo.run.id")'}, True),
        ({"query": "label_values(m, instance)", "regex": "/(.*)-rank\\d+/"}, True),
        ({"query": "label_values(m, instance)"}, False),
        ({"query": "label_values(m, run_id)"}, False),
        ({"query": "resource.nemo.run.id"}, True),
    ],
)
def test_a_run_variable_is_known_by_what_it_lists(variable: dict[str, Any], lists: bool) -> None:
    assert lists_runs(board("up", **variable).by_name["run_id"]) is lists


@pytest.mark.parametrize(
    ("query", "corrected"),
    [
        ("megatron_training_loss", 'megatron_training_loss{nemo_run_id=~"$run_id"}'),
        ('m_x{a="b"}', 'm_x{a="b",nemo_run_id=~"$run_id"}'),
        ('m_x{nemo_run_id="c"}', 'm_x{nemo_run_id=~"$run_id"}'),
        ("sum by (le, a_b) (rate(m_x[5m]))", 'sum by (le, a_b) (rate(m_x{nemo_run_id=~"$run_id"}[5m]))'),
        ("rate(m_x[$__rate_interval])", 'rate(m_x{nemo_run_id=~"$run_id"}[$__rate_interval])'),
        ('m_x{a="{x_y}"}', 'm_x{a="{x_y}",nemo_run_id=~"$run_id"}'),
        ("m_x / node_load_x", 'm_x{nemo_run_id=~"$run_id"} / node_load_x'),
    ],
)
def test_the_corrected_query(query: str, corrected: str) -> None:
    shown = board(query)
    target = shown.panels[0].targets[0]
    assert with_run_filter(target, shown) == corrected


def test_the_corrected_aggregation() -> None:
    assert with_run_label(board("sum by (le) (m_x)").panels[0].targets[0]) == "sum by (le, nemo_run_id) (m_x)"
    assert with_run_label(board("sum(m_x)").panels[0].targets[0]) == "sum by (nemo_run_id) (m_x)"


def test_the_corrected_exclusion() -> None:
    text = 'rate(a_sum{nemo_span_truncated="True"}[5m]) / rate(b_x[5m])'
    corrected = without_truncated(text, Language.PROMQL, lambda name: name == "a_sum")
    assert corrected == 'rate(a_sum{nemo_span_truncated!="true"}[5m]) / rate(b_x[5m])'


def test_a_long_sum_is_judged_at_once() -> None:
    """Each term is joined with each other one, and those with theirs: more ways than can be walked."""
    query = read_promql(" + ".join(f'metric_{n}{{nemo_run_id=~"$run_id"}}' for n in range(60)))
    (board,) = dashboards_in(Text("d.json", '{"panels": []}'))
    with watchdog(20):
        assert all(run_filters(use, board) for use in query.uses)
