"""What filters and samplers leave of a job's items; the losses were seen in a real collector."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.items import STEP, items
from lens_preflight.collector.losses import losses
from tests.collector.configs import edited, processor, read

PLAIN = frozenset({"plain"})


def lost(folder: Path, text: str, signal: str, service: str | None = "nemo") -> dict[str, bool]:
    """The items that get nowhere, by name; True when that is sure."""
    return {
        loss.item.name: loss.sure
        for loss in losses(
            read(folder, text), items(signal, {"service.name": service} if service else {}, PLAIN)
        )
    }


def spans(condition: str) -> str:
    """The good configuration with a condition on spans."""
    return processor("filter", f"{{traces: {{span: ['{condition}']}}}}")


def metrics(condition: str, context: str = "metric") -> str:
    """The good configuration with a condition on metrics."""
    return processor("filter", f"{{metrics: {{{context}: ['{condition}']}}}}", "metrics")


@pytest.mark.parametrize(
    "condition",
    [
        "true",
        'name != ""',
        'IsMatch(name, ".*")',
        'resource.attributes["nemo.run.id"] != nil',
        'IsMatch(resource.attributes["nemo.run.id"], ".+")',
        'resource.attributes["service.name"] == "nemo"',
        "kind == SPAN_KIND_INTERNAL",
        "(end_time_unix_nano - start_time_unix_nano) > 1",
        'not (resource.attributes["service.name"] == "web")',
        'attributes["nemo.span.truncated"] == nil',
        'resource.attributes["telemetry.sdk.language"] == "python"',
    ],
)
def test_conditions_that_drop_every_span(tmp_path: Path, condition: str) -> None:
    found = lost(tmp_path, spans(condition), "traces")
    assert len(found) == len(items("traces", {"service.name": "nemo"}, PLAIN)) and all(found.values())


@pytest.mark.parametrize(
    "condition",
    [
        'attributes["http.route"] == "/healthz"',
        'attributes["http.target"] == "/metrics" and kind == SPAN_KIND_SERVER',
        'IsMatch(name, "^GET /health.*")',
        'name == "GET /healthz"',
        'resource.attributes["service.name"] == "checkout"',
        'resource.attributes["k8s.namespace.name"] == "kube-system"',
        'attributes["nemo.span.truncated"] == true',
        "kind == SPAN_KIND_SERVER",
        "(end_time_unix_nano - start_time_unix_nano) < 1000",
        'resource.attributes["nv.dl.rank"] != 0',
        'resource.attributes["nv.dl.rank"] != "0"',
        'resource.attributes["nemo.run.id"] == "sweep-2024-old"',
        'instrumentation_scope.name == "io.opentelemetry.jdbc"',
        'attributes["url.path"] != nil',
    ],
)
def test_conditions_that_name_something_else(tmp_path: Path, condition: str) -> None:
    assert lost(tmp_path, spans(condition), "traces") == {}


@pytest.mark.parametrize(
    "condition",
    [
        'resource.attributes["deployment.environment"] != "prod"',
        'attributes["tenant"] == nil',
        'resource.attributes["nemo.user.id"] != nil',
        "(end_time_unix_nano - start_time_unix_nano) < 5000000000",
        "trace_id.string > name",
        "${env:DROP}",
        'resource.attributes["service.name"] == "${env:SERVICE}"',
        'instrumentation_scope.name == "nemo.lens"',
    ],
)
def test_conditions_of_which_nobody_knows(tmp_path: Path, condition: str) -> None:
    found = lost(tmp_path, spans(condition), "traces")
    assert STEP in found and not any(found.values())


def test_some_spans_may_go(tmp_path: Path) -> None:
    assert lost(tmp_path, spans('name == "megatron.checkpoint.save"'), "traces") == {
        "megatron.checkpoint.save": True
    }


@pytest.mark.parametrize(
    ("condition", "gone"),
    [
        ('name == "rl.weight_sync"', None),
        ('IsMatch(name, "^rl[.]")', False),
        ('IsMatch(name, "^GET ")', None),
        ('IsMatch(name, ".*")', True),
        ('name != "x"', False),
    ],
)
def test_spans_of_a_framework_whose_names_are_not_listed(
    tmp_path: Path, condition: str, gone: bool | None
) -> None:
    sent = items("traces", None, frozenset({"nemo-rl"}))
    found = list(losses(read(tmp_path, spans(condition)), sent))
    assert [loss.sure for loss in found] == ([] if gone is None else [gone])


@pytest.mark.parametrize(
    ("text", "some"),
    [
        (metrics("metric.type == METRIC_DATA_TYPE_HISTOGRAM"), {"megatron.training.step_duration_ms"}),
        (metrics('metric.unit == "ms"'), {"megatron.training.step_duration_ms"}),
        (metrics('resource.attributes["nemo.run.id"] != nil'), {"megatron.training.loss"}),
        (metrics('attributes["nemo.run.id"] != nil', "resource"), {"megatron.training.loss"}),
        (metrics('name == "megatron.training.loss"'), {"megatron.training.loss"}),
        (
            processor(
                "filter", "{metrics: {exclude: {match_type: regexp, metric_names: [training]}}}", "metrics"
            ),
            {"megatron.training.loss"},
        ),
        (
            processor(
                "filter",
                "{metrics: {include: {match_type: strict, resource_attributes: "
                "[{key: service.name, value: other}]}}}",
                "metrics",
            ),
            {"megatron.training.loss"},
        ),
        (metrics('IsMatch(name, "^node_.*") or metric.unit == "By"'), set()),
        (metrics("type == METRIC_DATA_TYPE_SUMMARY"), set()),
        (metrics('HasAttrKeyOnDatapoint("http.route")'), set()),
        (
            processor(
                "filter",
                "{metrics: {include: {match_type: regexp, metric_names: [megatron, rl, gym, gen_ai]}}}",
                "metrics",
            ),
            set(),
        ),
    ],
)
def test_metrics(tmp_path: Path, text: str, some: set[str]) -> None:
    found = lost(tmp_path, text, "metrics")
    assert some <= set(found) and bool(found) is bool(some) and all(found.values())


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("{spans: {include: {match_type: strict, services: [web]}}}", True),
        ("{spans: {exclude: {match_type: strict, services: [web]}}}", None),
        ("{spans: {include: {match_type: regexp, services: [ne.o]}}}", None),
        ("{trace_conditions: ['span.kind == SPAN_KIND_INTERNAL']}", True),
        ("{trace_conditions: ['spanevent.name == \"x\"']}", None),
    ],
)
def test_other_forms_of_the_filter(tmp_path: Path, body: str, gone: bool | None) -> None:
    assert lost(tmp_path, processor("filter", body), "traces").get(STEP) is gone


def policy(text: str) -> str:
    """The good configuration with tail sampling."""
    return processor("tail_sampling", f"{{decision_wait: 1s, policies: [{text}]}}")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        (processor("probabilistic_sampler", "{}"), True),
        (processor("probabilistic_sampler", "{sampling_percentage: 0}"), True),
        (processor("probabilistic_sampler", "{sampling_percentage: 10}"), None),
        (processor("probabilistic_sampler", "{sampling_percentage: '${env:PCT}'}"), False),
        (policy(""), True),
        (policy("{name: p, type: probabilistic, probabilistic: {sampling_percentage: 0}}"), True),
        (policy("{name: p, type: probabilistic, probabilistic: {sampling_percentage: 5}}"), None),
        (
            policy("{name: a, type: string_attribute, string_attribute: {key: service.name, values: [web]}}"),
            True,
        ),
        (
            policy(
                "{name: a, type: string_attribute, string_attribute: {key: service.name, values: [nemo]}}"
            ),
            None,
        ),
        (policy("{name: a, type: always_sample}"), None),
        (policy("{name: a, type: latency, latency: {threshold_ms: 500}}"), None),
        (policy("{name: a, type: and, and: {and_sub_policy: [{name: b, type: always_sample}]}}"), None),
        (policy("{name: a, type: somebody_elses}"), False),
    ],
)
def test_samplers(tmp_path: Path, text: str, gone: bool | None) -> None:
    assert lost(tmp_path, text, "traces").get(STEP) is gone


def test_a_second_way_keeps_what_the_first_one_drops(tmp_path: Path) -> None:
    text = edited(
        "    metrics:\n      receivers",
        "    traces/2: {receivers: [otlp], exporters: [otlp/store]}\n    metrics:\n      receivers",
        spans("true"),
    )
    assert lost(tmp_path, text, "traces") == {}


def test_what_a_processor_before_it_writes_is_known(tmp_path: Path) -> None:
    text = edited(
        "processors:\n",
        "processors:\n  resource: {attributes: [{key: site, value: prod, action: upsert}]}\n",
        spans('resource.attributes["site"] != "prod"'),
    )
    assert lost(tmp_path, text.replace("filter, batch", "resource, filter, batch"), "traces") == {}
    assert lost(tmp_path, text, "traces").get(STEP) is False


LOGS = edited(
    "    metrics:\n      receivers: [otlp]\n",
    "    logs:\n      receivers: [otlp]\n      processors: [memory_limiter, batch]\n"
    "      exporters: [otlphttp/second]\n    metrics:\n      receivers: [otlp]\n",
)


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("{logs: {log_record: ['true']}}", {"INFO records": True, "ERROR records": True}),
        ("{logs: {log_record: ['severity_number < SEVERITY_NUMBER_INFO']}}", {}),
        ("{logs: {log_record: ['severity_number < SEVERITY_NUMBER_WARN']}}", {"INFO records": True}),
        ("{logs: {include: {match_type: strict, severity_number: {min: INFO}}}}", {}),
        ("{logs: {log_record: ['IsMatch(body, \".*healthz.*\")']}}", {}),
    ],
)
def test_log_records(tmp_path: Path, body: str, gone: dict[str, bool]) -> None:
    assert lost(tmp_path, processor("filter", body, "logs", LOGS), "logs") == gone
