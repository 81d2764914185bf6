"""Durations made of spans: where they are, and what is wrong with them."""

from __future__ import annotations

import pytest

from lens_preflight.core.finding import Location
from lens_preflight.dashboards.durations import Fault, durations
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.rules import PromRule

HIST = "traces_span_metrics_duration_milliseconds"


def rule(text: str, kind: str = "alert", name: str = "Slow") -> PromRule:
    """A rule with an expression."""
    return PromRule(kind, name, text, Location.file("r.yml", 1))


def faults(*rules: PromRule, namespaces: tuple[str, ...] = ()) -> list[Fault]:
    """The faults of some rules, in order."""
    return [d.fault for d in durations((), rules, Lineage.of(rules), namespaces)]


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (f'rate({HIST}_bucket{{nemo_span_truncated!="true"}}[5m])', [Fault.NONE]),
        (f'rate({HIST}_bucket{{nemo_span_truncated=~"|false"}}[5m])', [Fault.NONE]),
        (f'rate({HIST}_bucket{{nemo_span_truncated=""}}[5m])', [Fault.NONE]),
        (f'rate({HIST}_bucket{{nemo_span_truncated="false"}}[5m])', [Fault.ONLY_LABELLED]),
        (f'rate({HIST}_bucket{{nemo_span_truncated="true"}}[5m])', [Fault.ONLY_TRUNCATED]),
        (f'rate({HIST}_bucket{{nemo_span_truncated!="True"}}[5m])', [Fault.WRONG_TEXT]),
        (f'rate({HIST}_bucket{{nemo_span_truncated!="1"}}[5m])', [Fault.WRONG_TEXT]),
        (f'rate({HIST}_bucket{{nemo_span_truncated=~".*"}}[5m])', [Fault.UNFILTERED]),
        (f"rate({HIST}_bucket[5m])", [Fault.UNFILTERED]),
        (f"rate({HIST}_count[5m])", []),
        (f"histogram_count(rate({HIST}[5m]))", []),
        (f"absent({HIST}_bucket)", []),
        (f"histogram_quantile(0.9, rate({HIST}[5m]))", [Fault.UNFILTERED]),
        ("rate(traces_spanmetrics_latency_bucket[5m])", [Fault.UNFILTERED]),
        ('rate(latency_bucket{operation="x"}[5m])', [Fault.UNFILTERED]),
        ("rate(latency_bucket[5m])", []),
        ("sum by (le, span_name) (rate(latency_bucket[5m]))", [Fault.UNFILTERED]),
        ("rate(duration_milliseconds_bucket[5m])", [Fault.UNFILTERED]),
        ('rate({__name__=~"traces_span_metrics_.*_bucket"}[5m])', [Fault.UNFILTERED]),
        ("rate(megatron_training_step_duration_ms_milliseconds_bucket[5m])", []),
        (f'{HIST}_sum{{nemo_span_truncated!="true"}} / {HIST}_count', [Fault.NONE, Fault.HALF]),
        (f'{HIST}_sum{{nemo_span_truncated!="true"}} or {HIST}_sum', [Fault.NONE, Fault.BRANCH]),
        (f'{HIST}_sum unless {HIST}_sum{{nemo_span_truncated="true"}}', [Fault.WEAK]),
    ],
)
def test_what_is_wrong_with_an_expression(expression: str, found: list[Fault]) -> None:
    assert faults(rule(expression)) == found


def test_a_title_may_say_that_truncated_spans_are_meant() -> None:
    text = f'rate({HIST}_bucket{{nemo_span_truncated="true"}}[5m])'
    assert faults(rule(text, name="SpansCutOffAtShutdown")) == [Fault.NONE]


def test_the_namespace_of_the_connector_tells_its_series() -> None:
    text = "rate(site_spans_duration_milliseconds_bucket[5m])"
    assert faults(rule(text)) == []
    assert faults(rule(text), namespaces=("site.spans",)) == [Fault.UNFILTERED]


def test_recording_rules_are_followed_to_the_metric() -> None:
    drops = rule(f"sum by (le) (rate({HIST}_bucket[5m]))", "record", "a:rate")
    second = rule("a:rate", "record", "b:rate")
    reader = rule('histogram_quantile(0.9, b:rate{nemo_span_truncated!="true"})')
    assert faults(drops, second, reader) == [Fault.UNFILTERED, Fault.UPSTREAM, Fault.LABEL_GONE]


def test_a_recording_rule_may_keep_the_label_and_leave_the_filter_to_others() -> None:
    keeps = rule(f"sum by (le, nemo_span_truncated) (rate({HIST}_bucket[5m]))", "record", "a:rate")
    good = rule('histogram_quantile(0.9, a:rate{nemo_span_truncated!="true"})')
    bad = rule("histogram_quantile(0.9, a:rate)")
    assert faults(keeps, good, bad) == [Fault.PASSED_ON, Fault.NONE, Fault.UNFILTERED]


def test_a_recording_rule_that_filters_is_enough() -> None:
    clean = rule(f'sum by (le) (rate({HIST}_bucket{{nemo_span_truncated!="true"}}[5m]))', "record", "a:rate")
    assert faults(clean, rule("histogram_quantile(0.9, a:rate)")) == [Fault.NONE, Fault.UPSTREAM]


def test_rules_that_record_each_other_end() -> None:
    assert faults(rule("b:x", "record", "a:x"), rule("a:x", "record", "b:x")) == []
