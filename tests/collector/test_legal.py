"""Values that a 0.148 build refuses, and ones near to them that it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.keys import refused
from lens_preflight.collector.legal import illegal
from tests.collector.configs import GOOD, edited, processor, read


def wrong(folder: Path, text: str) -> bool:
    """Whether a value, or a type, is refused."""
    config = read(folder, text)
    return bool(list(illegal(config)) + list(refused(config)))


BLOCK = "{context: span, statements: ['true']}"

PROCESSORS = [
    ("attributes", "{actions: [{key: a, action: insert}]}", True),
    ("attributes", "{actions: [{key: a, value: '', action: insert}]}", False),
    ("attributes", "{actions: [{key: a, value: '${env:V}', action: insert}]}", False),
    ("attributes", "{actions: [{key: a, default_value: x, from_attribute: b, action: insert}]}", False),
    ("attributes", "{actions: [{key: a, value: x, from_context: b, action: insert}]}", True),
    ("attributes", "{actions: [{key: a, value: b}]}", True),
    ("attributes", "{actions: [{value: b, action: insert}]}", True),
    ("attributes", "{actions: [{key: a, action: foo}]}", True),
    ("attributes", "{actions: [{key: a, action: DELETE}]}", False),
    ("attributes", "{actions: [{pattern: b, action: hash}]}", False),
    ("attributes", "{actions: [{pattern: b, value: 1, action: upsert}]}", True),
    ("attributes", "{actions: [{key: a, pattern: x, action: extract}]}", True),
    ("attributes", "{actions: [{key: a, pattern: '(?P<x>.*)', action: extract}]}", False),
    ("attributes", "{actions: [{key: a, pattern: '(?P<x>.*)(y)', action: extract}]}", True),
    ("attributes", "{actions: [{key: a, action: convert}]}", True),
    ("attributes", "{actions: [{key: a, action: convert, converted_type: foo}]}", True),
    ("attributes", "{actions: [{key: a, action: convert, converted_type: int}]}", False),
    ("attributes", "{actions: [{key: a, action: delete}], include: {services: [x]}}", True),
    ("attributes", "{actions: [{key: a, action: delete}], include: {match_type: strict}}", True),
    (
        "attributes",
        "{actions: [{key: a, action: delete}], include: {match_type: strict, services: []}}",
        True,
    ),
    (
        "attributes",
        "{actions: [{key: a, action: delete}], include: {match_type: strict, services: [x]}}",
        False,
    ),
    ("resource", "{attributes: [{key: a, action: insert}]}", True),
    ("resource", "{attributes: [{key: a, from_attribute: b, action: upsert}]}", False),
    ("filter", "{traces: {span: ['true']}, trace_conditions: ['span.name == \"x\"']}", True),
    ("filter", "{traces: {span: ['true']}, spans: {exclude: {match_type: strict, services: [x]}}}", True),
    (
        "filter",
        "{traces: {span: ['true']}, metrics: {include: {match_type: strict, metric_names: [a]}}}",
        False,
    ),
    ("filter", "{spans: {exclude: {services: [x]}}}", True),
    ("filter", f"{{trace_conditions: ['true', {BLOCK.replace('statements', 'conditions')}]}}", True),
    ("filter", f"{{trace_conditions: [{BLOCK.replace('statements', 'conditions')}]}}", False),
    ("transform", f"{{trace_statements: ['set(span.name, \"a\")', {BLOCK}]}}", True),
    ("transform", f"{{trace_statements: [{BLOCK}, {BLOCK}]}}", False),
    ("transform", f"{{metric_statements: ['set(metric.unit, \"a\")'], trace_statements: [{BLOCK}]}}", False),
    ("filter", "{logs: {include: {severity_number: {min: INFO}}}}", False),
    ("filter", "{logs: {include: {match_type: strict, severity_number: {min: FOO}}}}", True),
    ("probabilistic_sampler", "{sampling_percentage: -1}", True),
    ("probabilistic_sampler", "{sampling_percentage: 15, mode: foo}", True),
    ("probabilistic_sampler", "{sampling_percentage: 15, mode: equalizing}", False),
    ("probabilistic_sampler", "{sampling_percentage: 15, attribute_source: foo}", True),
    ("probabilistic_sampler", "{sampling_percentage: 15, sampling_precision: 15}", True),
    ("probabilistic_sampler", "{sampling_percentage: 15, sampling_precision: 14}", False),
    ("tail_sampling", "{decision_wait: '10', policies: [{name: a, type: always_sample}]}", True),
    ("tail_sampling", "{decision_wait: 10, policies: [{name: a, type: always_sample}]}", False),
    ("tail_sampling", "{decision_wait: 1m30s, policies: [{name: a, type: always_sample}]}", False),
    ("tail_sampling", "{policies: [{name: a, type: latency, latency: {threshold_ms: x}}]}", True),
    ("batch/2", "{metadata_keys: [a, A]}", True),
    ("memory_limiter/2", "{check_interval: 1s, limit_percentage: 120}", True),
    ("memory_limiter/2", "{check_interval: '1', limit_mib: 100}", True),
    ("memory_limiter/2", "{check_interval: +1s, limit_mib: 100}", False),
]


@pytest.mark.parametrize(("name", "body", "bad"), PROCESSORS)
def test_processors(tmp_path: Path, name: str, body: str, bad: bool) -> None:
    assert wrong(tmp_path, processor(name, body)) is bad


OTHERS = [
    ("  prometheus:\n", "  file: {}\n  prometheus:\n", True),
    ("  prometheus:\n", "  file: {path: /x, format: foo}\n  prometheus:\n", True),
    ("  prometheus:\n", "  file: {path: /x, format: proto}\n  prometheus:\n", False),
    ("  prometheus:\n", "  file: {path: /x, append: true, rotation: {}}\n  prometheus:\n", True),
    ("  prometheus:\n", "  file: {path: /x, compression: gzip}\n  prometheus:\n", True),
    ("  prometheus:\n", "  file: {path: '${env:OUT}', compression: zstd}\n  prometheus:\n", False),
    ("  prometheus:\n", "  file: {path: /x, group_by: {enabled: true}}\n  prometheus:\n", True),
    ("  prometheus:\n", "  file: {path: /x, flush_interval: -1s}\n  prometheus:\n", True),
    ("{endpoint: 0.0.0.0:13133}", "{endpoint: 0.0.0.0:13133, path: health}", True),
    ("{endpoint: 0.0.0.0:13133}", "{endpoint: ''}", True),
    ("{endpoint: 0.0.0.0:4318}", "{endpoint: 0.0.0.0:4318, tls: {cert_file: /a}}", True),
    ("{endpoint: 0.0.0.0:4318}", "{endpoint: 0.0.0.0:4318, tls: {client_ca_file: /a}}", True),
    ("{endpoint: 0.0.0.0:4318}", "{endpoint: 0.0.0.0:4318, tls: {cert_file: /a, key_pem: b}}", False),
    ("{endpoint: 0.0.0.0:4318}", "{endpoint: 0.0.0.0:4318, idle_timeout: 1d}", True),
    ("max_recv_msg_size_mib: 16", "max_recv_msg_size_mib: -1", True),
    ("max_recv_msg_size_mib: 16", "transport: foo", True),
    ("max_recv_msg_size_mib: 16", "transport: tcp4", False),
    ("port: 8888", "port: '8888'", True),
    ("  telemetry:\n", "  telemetry:\n    logs: {level: foo}\n", True),
    ("  telemetry:\n", "  telemetry:\n    logs: {level: WARN}\n", False),
    ("  telemetry:\n", "  telemetry:\n    resource: {a: 1}\n", True),
]


@pytest.mark.parametrize(("old", "new", "bad"), OTHERS)
def test_other_parts(tmp_path: Path, old: str, new: str, bad: bool) -> None:
    assert wrong(tmp_path, edited(old, new)) is bad


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ("{}", False),
        ("{dimensions: [{name: service.name}]}", True),
        ("{dimensions: [{name: a}, {name: a}]}", True),
        ("{calls_dimensions: [{name: span.name}]}", False),
        ("{histogram: {dimensions: [{name: a}, {name: a}]}}", False),
        ("{histogram: {unit: m}}", True),
        ("{histogram: {explicit: {buckets: ['5']}}}", True),
        ("{histogram: {explicit: {buckets: [5ms, '0', 1m]}}}", False),
        ("{histogram: {explicit: {buckets: [5ms]}, exponential: {max_size: 5}}}", True),
        ("{histogram: {explicit: {buckets: [5ms]}, exponential: null}}", False),
        ("{events: {enabled: true}}", True),
        ("{events: {enabled: true, dimensions: [{name: a}]}}", False),
        ("{metrics_flush_interval: 0s}", True),
        ("{metrics_flush_interval: -1s}", True),
        ("{metrics_expiration: 0s}", False),
        ("{aggregation_cardinality_limit: -1}", True),
        ("{aggregation_temporality: AGGREGATION_TEMPORALITY_DELTA, metric_timestamp_cache_size: 0}", True),
        ("{metric_timestamp_cache_size: 0}", False),
    ],
)
def test_spanmetrics(tmp_path: Path, body: str, bad: bool) -> None:
    assert wrong(tmp_path, GOOD + f"connectors:\n  spanmetrics: {body}\n") is bad
