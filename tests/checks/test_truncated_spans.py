"""truncated-spans: what it says beyond the corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Status
from lens_preflight.dashboards.rules import PromRule, RuleFile
from lens_preflight.lens.generations import generation
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import GOOD, edited, processor, read
from tests.dashboards.boards import classic, panel
from tests.dashboards.boards import read as read_board

UNFILTERED = "histogram_quantile(0.9, rate(traces_span_metrics_duration_milliseconds_bucket[5m]))"
TEMPO = "histogram_quantile(0.9, rate(traces_spanmetrics_latency_bucket[5m]))"
CUT = "{error_mode: ignore, traces: {span: ['attributes[\"nemo.span.truncated\"] == true']}}"
MARK = "nemo.span.truncated"
CONNECTOR = """\
connectors:
  spanmetrics: {dimensions: [{name: nemo.run.id}]}
"""


def rules(*texts: str) -> tuple[RuleFile, ...]:
    """A file of alerts."""
    return (RuleFile("r.yml", tuple(PromRule("alert", "Slow", t, Location.file("r.yml", 7)) for t in texts)),)


def fed(processors: str, extra: str = "", dimensions: str = "") -> str:
    """The good configuration with a connector that some processors feed."""
    pipeline = f"    traces/d: {{receivers: [otlp], processors: [{processors}], exporters: [spanmetrics]}}\n"
    text = edited(
        "    metrics:\n      receivers: [otlp]\n",
        f"{pipeline}    metrics:\n      receivers: [otlp, spanmetrics]\n",
    )
    text = edited("processors:\n", f"processors:\n{extra}", text)
    return text + CONNECTOR.replace("{name: nemo.run.id}", f"{{name: nemo.run.id}}{dimensions}")


FILTERED = fed("memory_limiter, filter/cut", f"  filter/cut: {CUT}\n")
DIMENSION = fed("memory_limiter", dimensions=', {name: nemo.span.truncated, default: "false"}')


def say(folder: Path, *configs: str, alerts: tuple[str, ...] = ()) -> Answer:
    """What the check says of configurations and alerts."""
    config = read(folder, *configs) if configs else None
    return ask(truncated_spans, Asked(collector=config, rules=rules(*alerts) if alerts else ()))


def test_before_open_spans_are_closed_there_is_nothing_to_exclude() -> None:
    answer = ask(truncated_spans, Asked(rules=rules(UNFILTERED), generation=generation("0.1")))
    assert (answer.status, answer.reason) == (
        Status.SKIP,
        "under nemo-lens 0.1 open spans are lost, not truncated",
    )


def test_histograms_of_the_sdk_need_no_exclusion(tmp_path: Path) -> None:
    answer = say(tmp_path, alerts=("rate(megatron_training_step_duration_ms_milliseconds_bucket[5m])",))
    assert answer.status is Status.PASS and "histograms of the SDK" in answer.reason


@pytest.mark.parametrize(
    ("config", "alert", "status"),
    [
        (FILTERED, UNFILTERED, Status.PASS),
        (FILTERED, TEMPO, Status.FAIL),
        (DIMENSION, UNFILTERED, Status.FAIL),
        (GOOD, UNFILTERED, Status.FAIL),
    ],
)
def test_a_filter_before_the_connector_excuses_its_own_series_only(
    tmp_path: Path, config: str, alert: str, status: Status
) -> None:
    assert say(tmp_path, config, alerts=(alert,)).status is status


def test_a_dimension_leaves_the_exclusion_to_the_queries(tmp_path: Path) -> None:
    alone = say(tmp_path, DIMENSION)
    assert alone.status is Status.PASS and alone.rules() == {"queries-must-filter"}
    excluded = UNFILTERED.replace("[5m]", '{nemo_span_truncated!="true"}[5m]')
    assert say(tmp_path, DIMENSION, alerts=(excluded,)).rules() == set()


def test_a_dimension_may_be_filtered_behind_the_connector(tmp_path: Path) -> None:
    points = '{metrics: {datapoint: [\'attributes["nemo.span.truncated"] == "true"\']}}'
    assert (
        say(tmp_path, processor("filter/p", points, "metrics", DIMENSION), alerts=(UNFILTERED,)).status
        is Status.PASS
    )


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ('attributes["nemo.span.truncated"] != true', "inverted-filter"),
        ('attributes["nemo.span.truncated"] == "true"', "compares-with-text"),
        ('attributes["nemo_span_truncated"] == true', "misspelt-attribute"),
        ('resource.attributes["nemo.span.truncated"] == true', "misspelt-attribute"),
        ('name == "x"', "unfiltered-generator"),
    ],
)
def test_filters_that_do_something_else(tmp_path: Path, condition: str, rule: str) -> None:
    extra = f"  filter/x: {{error_mode: ignore, traces: {{span: ['{condition}']}}}}\n"
    answer = say(tmp_path, fed("memory_limiter, filter/x", extra))
    assert (answer.rules(), answer.status) == ({rule}, Status.FAIL)


def test_a_condition_beyond_our_reading_is_unknown(tmp_path: Path) -> None:
    condition = 'attributes["nemo.span.truncated"] == true and name != "job"'
    extra = f"  filter/x: {{error_mode: ignore, traces: {{span: ['{condition}']}}}}\n"
    assert say(tmp_path, fed("memory_limiter, filter/x", extra)).status is Status.UNKNOWN


def test_a_store_must_keep_truncated_spans(tmp_path: Path) -> None:
    answer = say(tmp_path, processor("filter/cut", CUT))
    assert answer.rules() == {"dropped-everywhere"}
    two = processor("filter/cut", CUT) + "    traces/all: {receivers: [otlp], exporters: [otlp/store]}\n"
    assert say(tmp_path, two).status is Status.PASS


def test_tail_sampling_by_latency_warns(tmp_path: Path) -> None:
    latency = "{policies: [{name: slow, type: latency, latency: {threshold_ms: 5000}}%s]}"
    assert say(tmp_path, processor("tail_sampling", latency % "")).rules() == {"latency-sampling"}
    drop = (
        ", {name: cut, type: drop, drop: {drop_sub_policy: [{name: c, type: boolean_attribute, "
        "boolean_attribute: {key: nemo.span.truncated, value: true}}]}}"
    )
    assert "latency-sampling" not in say(tmp_path, processor("tail_sampling", latency % drop)).rules()


@pytest.mark.parametrize(
    ("block", "status"),
    [
        ("{}", Status.FAIL),
        ("{dimensions: [nemo.run.id, nemo.span.truncated]}", Status.PASS),
        (
            "{filter_policies: [{exclude: {match_type: strict, attributes: "
            "[{key: span.nemo.span.truncated, value: true}]}}]}",
            Status.PASS,
        ),
        (
            "{filter_policies: [{exclude: {match_type: strict, attributes: "
            "[{key: nemo.span.truncated, value: true}]}}]}",
            Status.FAIL,
        ),
    ],
)
def test_the_generator_of_tempo(tmp_path: Path, block: str, status: Status) -> None:
    text = f"distributor: {{}}\nmetrics_generator:\n  processor:\n    span_metrics: {block}\n"
    assert say(tmp_path, text).status is status


def test_a_filter_in_tempo_excuses_its_series(tmp_path: Path) -> None:
    text = (
        "metrics_generator:\n  processor:\n    span_metrics: {filter_policies: [{exclude: {match_type: "
        "strict, attributes: [{key: span.nemo.span.truncated, value: true}]}}]}\n"
    )
    assert say(tmp_path, text, alerts=(TEMPO,)).status is Status.PASS


def test_the_corrected_expression_is_given(tmp_path: Path) -> None:
    finding = say(tmp_path, alerts=(UNFILTERED,)).one("unfiltered-duration")
    assert finding.remedy == (
        "write: histogram_quantile(0.9, rate(traces_span_metrics_duration_milliseconds_bucket"
        '{nemo_span_truncated!="true"}[5m]))'
    )
    assert finding.at == Location.file("r.yml", 7)


def test_what_cannot_be_read_is_no_pass(tmp_path: Path) -> None:
    library = {"id": 9, "title": "x", "libraryPanel": {"uid": "u"}}
    board = read_board(classic(panel(1, "x", "up"), library))
    assert ask(truncated_spans, Asked(dashboards=(board,))).status is Status.UNKNOWN
    assert ask(truncated_spans, Asked(dashboards=(read_board("{"),))).status is Status.UNKNOWN
    assert say(tmp_path, "a: [").status is Status.UNKNOWN
    assert say(tmp_path, 'otelcol.receiver.otlp "x" { }').status is Status.SKIP
    assert ask(truncated_spans, Asked(dashboards=(read_board("{}", "b.jsonnet"),))).status is Status.UNKNOWN
    foreign = panel(1, "x", {"refId": "A", "datasource": {"type": "datadog", "uid": "d"}, "query": "trace.x"})
    assert ask(truncated_spans, Asked(dashboards=(read_board(classic(foreign)),))).status is Status.UNKNOWN


def test_queries_do_not_speak_for_a_collector_that_is_not_evaluated(tmp_path: Path) -> None:
    alloy = read(tmp_path, 'otelcol.connector.spanmetrics "x" {\n  dimension { name = "a" }\n}\n')
    board = read_board(classic(panel(1, "Loss", "rate(train_loss[5m])")))
    answer = ask(truncated_spans, Asked(collector=alloy, dashboards=(board,)))
    assert answer.status is Status.UNKNOWN and "without --collector-config" in answer.reason
    assert ask(truncated_spans, Asked(collector=alloy)).status is Status.SKIP


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("attributes/x", "{actions: [{key: nemo.span.truncated, action: delete}]}", Status.FAIL),
        ("attributes/x", "{actions: [{key: nemo.span.truncated, action: hash}]}", Status.FAIL),
        (
            "attributes/x",
            "{actions: [{key: nemo.span.truncated, action: convert, converted_type: string}]}",
            Status.FAIL,
        ),
        ("attributes/x", "{actions: [{key: http.url, action: delete}]}", Status.PASS),
        ("transform/x", "{trace_statements: ['keep_keys(span.attributes, [\"a\"])']}", Status.FAIL),
        ("transform/x", "{trace_statements: ['limit(span.attributes, 9, [])']}", Status.UNKNOWN),
        ("redaction/x", "{allow_all_keys: false, allowed_keys: [a]}", Status.FAIL),
    ],
)
def test_a_filter_is_asked_about_the_mark_that_reaches_it(
    tmp_path: Path, name: str, body: str, status: Status
) -> None:
    text = fed(f"memory_limiter, {name}, filter/cut", f"  {name}: {body}\n  filter/cut: {CUT}\n")
    assert say(tmp_path, text).status is status


def test_a_filter_may_ask_for_the_text_that_the_mark_was_made(tmp_path: Path) -> None:
    action = "{actions: [{key: nemo.span.truncated, action: convert, converted_type: string}]}"
    cut = CUT.replace("== true", '== "true"')
    text = fed("memory_limiter, attributes/x, filter/cut", f"  attributes/x: {action}\n  filter/cut: {cut}\n")
    assert say(tmp_path, text).status is Status.PASS


def test_a_dimension_of_a_mark_that_is_gone_tells_nothing_apart(tmp_path: Path) -> None:
    action = "{actions: [{key: nemo.span.truncated, action: delete}]}"
    text = fed("memory_limiter, attributes/x", f"  attributes/x: {action}\n", ", {name: nemo.span.truncated}")
    assert say(tmp_path, text).status is Status.FAIL


@pytest.mark.parametrize(
    ("key", "status"), [("histogram: {dimensions", Status.PASS), ("calls_dimensions", Status.FAIL)]
)
def test_a_dimension_of_the_histogram_alone_is_one_of_durations(
    tmp_path: Path, key: str, status: Status
) -> None:
    """Seen in a 0.148 build: the label is on the duration's count, and for the other key it is not."""
    end = "}" if "{" in key else ""
    text = edited(
        "dimensions: [{name: nemo.run.id}]", f"{key}: [{{name: {MARK}}}]{end}", fed("memory_limiter")
    )
    assert say(tmp_path, text).status is status
