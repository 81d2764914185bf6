"""What processors make of an item before a filter asks for it; seen in a 0.148 build."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.edits import edited
from lens_preflight.collector.items import STEP, items
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.ottl import Path as Field
from lens_preflight.collector.values import Partly, Value
from tests.collector.configs import processor, read
from tests.collector.test_losses import PLAIN, lost

MARK = "nemo.span.truncated"


def marked(folder: Path, name: str, body: str, *, closed: bool = False) -> Value:
    """What the mark of a truncated span is behind a processor."""
    config = read(folder, processor(name, body))
    component = config.find("processors", name)
    assert component is not None
    known: dict[tuple[str, str], Value] = {("attributes", MARK): True}
    known.update({("name", "value"): "a", ("span.name", "value"): "a"})
    found = edited(component, "traces", Facts(known, closed))
    return found.of(Field("attributes", MARK))


def actions(text: str, more: str = "") -> str:
    return f"{{actions: [{{{text}}}]{more}}}"


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        (actions(f"key: {MARK}, action: delete"), None),
        (actions("pattern: '^nemo[.]span', action: delete"), None),
        (actions("pattern: '^http', action: delete"), True),
        (actions(f"key: {MARK}, action: convert, converted_type: string"), "true"),
        (actions(f"key: {MARK}, action: convert, converted_type: int"), 1),
        (actions(f"key: {MARK}, action: upsert, value: false"), False),
        (actions(f"key: {MARK}, action: update, value: x"), "x"),
        (actions(f"key: {MARK}, action: insert, value: x"), True),
        (actions(f"key: {MARK}, action: upsert, from_attribute: other"), Partly.UNKNOWN),
        (actions(f"key: {MARK}, action: upsert, value: '${{env:V}}'"), Partly.UNKNOWN),
        (actions("key: other, action: delete"), True),
        (actions(f"key: {MARK}, action: delete", ", include: {match_type: strict, span_names: [b]}"), True),
        (actions(f"key: {MARK}, action: delete", ", include: {match_type: strict, span_names: [a]}"), None),
        (actions(f"key: {MARK}, action: delete", ", exclude: {match_type: regexp, span_names: [a]}"), True),
        (
            actions(f"key: {MARK}, action: delete", ", include: {match_type: strict, services: [web]}"),
            Partly.UNKNOWN,
        ),
        (
            actions(
                f"key: {MARK}, action: delete", ", exclude: {match_type: strict, libraries: [{name: x}]}"
            ),
            Partly.UNKNOWN,
        ),
    ],
)
def test_the_mark_behind_actions(tmp_path: Path, body: str, mark: Value) -> None:
    found = marked(tmp_path, "attributes", body)
    assert found == mark and type(found) is type(mark)


def test_a_hash_is_a_text(tmp_path: Path) -> None:
    assert isinstance(marked(tmp_path, "attributes", actions(f"key: {MARK}, action: hash")), str)


@pytest.mark.parametrize(
    ("statement", "mark"),
    [
        (f'delete_key(span.attributes, "{MARK}")', None),
        (f'delete_key(span.attributes, "{MARK}") where span.name == "b"', True),
        (f'delete_key(span.attributes, "{MARK}") where span.attributes["x"] == 1', Partly.UNKNOWN),
        (f'delete_key(resource.attributes, "{MARK}")', True),
        ('delete_matching_keys(span.attributes, "^nemo")', None),
        ('delete_matching_keys(span.attributes, "[[:alpha:]]")', Partly.UNKNOWN),
        ('keep_keys(span.attributes, ["a"])', None),
        (f'keep_keys(span.attributes, ["a", "{MARK}"])', True),
        ('keep_matching_keys(span.attributes, "^http")', None),
        ('keep_matching_keys(span.attributes, "^nemo")', True),
        ("limit(span.attributes, 5, [])", Partly.UNKNOWN),
        (f'limit(span.attributes, 5, ["{MARK}"])', True),
        ("limit(span.attributes, 128, [])", True),
        ("truncate_all(span.attributes, 2)", True),
        (f'set(span.attributes["{MARK}"], "true")', "true"),
        (f'set(span.attributes["{MARK}"], nil)', True),
        (f'set(span.attributes["{MARK}"], String(span.attributes["{MARK}"]))', "true"),
        (f'set(span.attributes["{MARK}"], span.attributes["x"])', Partly.UNKNOWN),
        ("set(span.attributes, resource.attributes)", Partly.UNKNOWN),
        ("set(span.attributes, span.attributes)", True),
        (f'replace_pattern(span.attributes["{MARK}"], "t", "x")', True),
        ('replace_all_patterns(span.attributes, "value", "t", "x")', True),
        ('replace_all_patterns(span.attributes, "key", "^nemo", "x")', None),
        ('replace_all_patterns(span.attributes, "key", "^http", "x")', True),
        (f'merge_maps(span.attributes, {{"{MARK}": "x"}}, "upsert")', Partly.UNKNOWN),
        (f'merge_maps(span.attributes, {{"{MARK}": "x"}}, "insert")', True),
        ('merge_maps(span.attributes, ParseJSON("x"), "upsert")', Partly.UNKNOWN),
        ("flatten(span.attributes)", True),
        ('flatten(span.attributes, "p")', Partly.UNKNOWN),
        ("something_new(span.attributes)", Partly.UNKNOWN),
        (f'set(spanevent.attributes["{MARK}"], "x")', True),
        ('set(span.name, "b")', True),
    ],
)
def test_the_mark_behind_a_statement(tmp_path: Path, statement: str, mark: Value) -> None:
    found = marked(tmp_path, "transform", f"{{trace_statements: ['{statement}']}}")
    assert found == mark and type(found) is type(mark)


@pytest.mark.parametrize(
    ("name", "body", "mark"),
    [
        ("redaction", "{allow_all_keys: true}", True),
        ("redaction", "{allowed_keys: [a]}", None),
        ("redaction", f"{{allowed_keys: [{MARK}]}}", True),
        ("redaction", f"{{allowed_keys: [{MARK}], blocked_values: [t]}}", Partly.UNKNOWN),
        ("redaction", f"{{ignored_keys: [{MARK}], blocked_values: [t]}}", True),
        ("groupbyattrs", f"{{keys: [{MARK}]}}", None),
        ("span", "{name: {to_attributes: {rules: ['(?P<x>.*)']}}}", Partly.UNKNOWN),
        ("resourcedetection", "{detectors: [env]}", True),
        ("somebody_elses", "{}", Partly.UNKNOWN),
    ],
)
def test_the_mark_behind_other_processors(tmp_path: Path, name: str, body: str, mark: Value) -> None:
    assert marked(tmp_path, name, body) is mark


def staged(first: str, body: str, condition: str, signal: str = "traces") -> str:
    """The good configuration with a processor in front of a filter."""
    kind = "span" if signal == "traces" else "metric"
    text = processor("filter", f"{{{signal}: {{{kind}: ['{condition}']}}}}", signal)
    text = text.replace("processors:\n", f"processors:\n  {first}: {body}\n", 1)
    return text.replace("filter, batch", f"{first}, filter, batch")


OUT = 'attributes["sampled.out"] == true'
SET = "{trace_statements: ['set(span.attributes[\"sampled.out\"], true)%s']}"
ACT = "{actions: [{key: sampled.out, value: true, action: upsert}]%s}"


@pytest.mark.parametrize(
    ("first", "body", "condition", "gone"),
    [
        ("transform", SET % "", OUT, True),
        ("transform", SET % ' where span.name == "GET /healthz"', OUT, None),
        ("transform", SET % ' where resource.attributes["nemo.user.id"] == "x"', OUT, False),
        ("transform", "{trace_statements: ['set(span.name, \"x\")']}", 'name == "x"', True),
        (
            "transform",
            "{trace_statements: ['set(span.kind, SPAN_KIND_SERVER)']}",
            'kind.string == "Server"',
            False,
        ),
        ("attributes", ACT % "", OUT, True),
        ("attributes", ACT % ", include: {match_type: strict, services: [checkout]}", OUT, None),
        ("attributes", ACT % ", include: {match_type: strict, services: [nemo]}", OUT, True),
        ("attributes", ACT % ", exclude: {match_type: strict, services: [checkout]}", OUT, True),
        ("attributes", ACT % ", include: {match_type: regexp, span_names: ['^GET']}", OUT, None),
        (
            "k8sattributes",
            "{}",
            'resource.attributes["k8s.namespace.name"] == "kube-system"',
            None,
        ),
        ("resourcedetection", "{detectors: [gcp]}", 'resource.attributes["cloud.region"] != nil', False),
    ],
)
def test_a_filter_is_asked_about_what_stands_in_front_of_it(
    tmp_path: Path, first: str, body: str, condition: str, gone: bool | None
) -> None:
    assert lost(tmp_path, staged(first, body, condition), "traces").get(STEP) is gone


@pytest.mark.parametrize(
    ("statement", "condition", "gone"),
    [
        ('set(resource.attributes["tier"], "x")', 'resource.attributes["tier"] == "x"', True),
        ('set(metric.unit, "x")', 'unit == "x"', True),
        ('convert_gauge_to_sum("cumulative", true)', "type == METRIC_DATA_TYPE_SUM", True),
        ('convert_gauge_to_sum("cumulative", true)', "metric.type == METRIC_DATA_TYPE_GAUGE", None),
        (
            'set(resource.attributes["tier"], "x") where metric.name == "up"',
            'resource.attributes["tier"] == "x"',
            None,
        ),
    ],
)
def test_the_same_of_metrics(tmp_path: Path, statement: str, condition: str, gone: bool | None) -> None:
    body = f"{{metric_statements: ['{statement}']}}"
    found = lost(tmp_path, staged("transform", body, condition, "metrics"), "metrics")
    assert found.get("megatron.training.loss") is gone


@pytest.mark.parametrize(
    ("resource", "condition", "gone"),
    [
        ({"deployment.environment": "production"}, '"deployment.environment"] == "production"', True),
        ({"deployment.environment": "production"}, '"deployment.environment"] == "staging"', None),
        ({"team": "llm"}, '"team"] == "llm"', True),
        ({"team": "llm"}, '"team"] != nil', True),
        ({}, '"team"] == "llm"', None),
        ({"slurm.job.id": "17"}, '"slurm.job.id"] != nil', True),
        ({}, '"slurm.job.id"] != nil', False),
        ({}, '"k8s.pod.name"] != nil', False),
        ({}, '"deployment.environment"] == "staging"', None),
        ({}, '"host.name"] != nil', True),
        ({}, '"host.name"] == "login01"', None),
        ({}, '"service.version"] != nil', True),
        ({}, '"service.version"] == "0.2.0"', False),
        ({}, '"process.pid"] > 0', True),
        ({}, '"telemetry.sdk.version"] != nil', True),
        ({}, '"service.instance.id"] == nil', None),
    ],
)
def test_attributes_that_every_job_has_or_this_one(
    tmp_path: Path, resource: dict[str, Value], condition: str, gone: bool | None
) -> None:
    from lens_preflight.collector.losses import losses

    text = processor("filter", f"{{traces: {{span: ['resource.attributes[{condition}']}}}}")
    found = {
        loss.item.name: loss.sure for loss in losses(read(tmp_path, text), items("traces", resource, PLAIN))
    }
    assert found.get(STEP) is gone


@pytest.mark.parametrize(
    ("pattern", "gone"), [(".*", True), ("^gpu-", False), (".+", True), ("^login", False)]
)
def test_patterns_of_host_names(tmp_path: Path, pattern: str, gone: bool) -> None:
    text = processor(
        "filter", f'{{traces: {{span: [\'IsMatch(resource.attributes["host.name"], "{pattern}")\']}}}}'
    )
    assert lost(tmp_path, text, "traces").get(STEP) is gone
