"""collector-config: keys, values, names and addresses that a real collector of 0.148 was seen to refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.words import Status
from tests.checks.test_collector_config import blockers, say, weighty
from tests.collector.configs import GOOD, edited, processor, read

PROM = "resource_to_telemetry_conversion: {enabled: true}"


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("timeout: 2s}", "timeout: 2s, send_size: 4}", "unknown-key"),
        ("max_recv_msg_size_mib", "max_recv_msg_size_mb", "unknown-key"),
        ("      http:", "      https:", "unknown-key"),
        ("service:\n", "service:\n  pipeline: {}\n", "unknown-key"),
        ("level: normal", "verbosity: 1", "unknown-key"),
        ("{ca_file: /etc/ca.pem}", "{ca_file: /etc/ca.pem, verify: false}", "unknown-key"),
        ("max_elapsed_time: 0", "max_elapsed_time: 0, max_retries: 3", "unknown-key"),
        ("      receivers: [otlp]", "      receivers: [otlp]\n      priority: 1", "unknown-key"),
        (PROM, "resource_to_telemetry_conversion: {enabled: 'true'}", "wrong-type"),
        (PROM, "resource_to_telemetry_conversion: {enabled: yes}", "wrong-type"),
        (PROM, f"{PROM}\n    namespace: 5", "wrong-type"),
        (PROM, f"{PROM}\n    const_labels: {{a: 5}}", "wrong-type"),
        ("limit_mib: 2000", "limit_mib: '2000'", "wrong-type"),
        ("send_batch_size: 512", "send_batch_size: -1", "wrong-type"),
        ("tls: {ca_file: /etc/ca.pem}", "headers: [a]", "wrong-type"),
        ("tls: {ca_file: /etc/ca.pem}", "tls: on", "wrong-type"),
        ("endpoint: 0.0.0.0:4317", "endpoint: 4317", "wrong-type"),
        ("endpoint: 0.0.0.0:4317", "endpoint: 'http://0.0.0.0:4317'", "listen-form"),
        ("endpoint: 0.0.0.0:4317", "endpoint: 0.0.0.0", "listen-form"),
        ("endpoint: 0.0.0.0:4317", "endpoint: '${env:BIND:-}'", "listen-form"),
        ("endpoint: 0.0.0.0:4317", "endpoint: /run/otel.sock", "listen-form"),
        ("endpoint: 0.0.0.0:4318", "endpoint: 0.0.0.0:4317", "port-twice"),
        ("endpoint: 0.0.0.0:8889", "endpoint: 0.0.0.0:4318", "port-twice"),
        ("endpoint: 0.0.0.0:8889", "endpoint: localhost:8888", "port-twice"),
        ("queue_size: 2000", "queue_size: 2000, num_consumers: 0", "queue-invalid"),
        ("storage: file_storage/q", "storage: health_check", "not-a-storage"),
    ],
)
def test_what_does_not_start(tmp_path: Path, old: str, new: str, rule: str) -> None:
    assert rule in blockers(say(tmp_path, edited(old, new)))


@pytest.mark.parametrize("name", ["otlp/ja eger", "otlp/", "otlp/a+b"])
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    assert "bad-name" in blockers(say(tmp_path, GOOD.replace("otlp/store", f'"{name}"')))


@pytest.mark.parametrize("name", ["otlp/a.b:c", "otlp/a/b", "otlp_grpc/store", "otlp/düsseldorf"])
def test_names_that_are_right(tmp_path: Path, name: str) -> None:
    assert say(tmp_path, GOOD.replace("otlp/store", name)).status is Status.PASS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout: 2s}", "timeout: 2s, metadata_keys: [x-tenant]}"),
        ("timeout: 2s}", "timeout: 2s, metadata_keys: x-tenant}"),
        ("send_batch_size: 512", "send_batch_size: 512.0"),
        ("send_batch_size: 512", "send_batch_size: '${env:SIZE:-512}'"),
        (PROM, "resource_to_telemetry_conversion: {enabled: '${env:PROMOTE:-true}'}"),
        (PROM, f"{PROM}\n    namespace: '${{env:SPACE:-5}}'\n    tls: null"),
        ("endpoint: 0.0.0.0:4317", "endpoint: ':4317'"),
        ("endpoint: 0.0.0.0:4317", "endpoint: '[::]:4317'"),
        ("endpoint: 0.0.0.0:4317", "endpoint: '${env:MY_POD_IP}:4317'"),
        ("{endpoint: 0.0.0.0:4318}", "{endpoint: 0.0.0.0:4318, cors: {allowed_origins: ['*']}}"),
        ("level: normal", "views: []"),
    ],
)
def test_what_starts(tmp_path: Path, old: str, new: str) -> None:
    answer = say(tmp_path, edited(old, new))
    assert blockers(answer) == set() and answer.reason.startswith("it starts, and takes")


def test_a_type_that_nobody_ships(tmp_path: Path) -> None:
    text = edited("exporters:\n", "exporters:\n  acme: {x: 1}\n")
    answer = say(tmp_path, text)
    assert "unknown-type" in weighty(answer) and answer.reason.startswith("it takes")


def test_a_component_whose_keys_are_not_known_proves_no_start(tmp_path: Path) -> None:
    answer = say(tmp_path, processor("k8sattributes", "{auth_type: serviceAccount}"))
    assert (
        weighty(answer) == set() and "not shown that it starts with processor k8sattributes" in answer.reason
    )


def test_a_key_that_later_versions_have_proves_no_start(tmp_path: Path) -> None:
    answer = say(tmp_path, edited(PROM, "resource_constant_labels: {included: [nemo.run.id]}"))
    assert answer.status is Status.PASS
    assert "not shown that it starts with resource_constant_labels of prometheus" in answer.reason


def test_a_key_may_be_of_a_later_version(tmp_path: Path) -> None:
    config = "\n".join(
        f"      {line}" for line in edited("timeout: 2s}", "timeout: 2s, jitter: 4}").splitlines()
    )
    for tag, known in (("0.155.0", False), ("0.146.0", True)):
        text = f"services: {{c: {{image: 'otel/opentelemetry-collector-contrib:{tag}'}}}}\n"
        text += f"configs:\n  a:\n    content: |\n{config}\n"
        answer = say(tmp_path, text)
        assert ("unknown-key" in blockers(answer)) is known
        assert known or "not shown that it starts with jitter of batch" in answer.reason


def test_a_condition_that_is_not_read_proves_no_start_even_in_no_pipeline(tmp_path: Path) -> None:
    for condition, shown in (('name ==== "x"', False), ('attributes["http.route"] == "/healthz"', True)):
        unused = f"processors:\n  filter/q: {{traces: {{span: ['{condition}']}}}}\n"
        answer = say(tmp_path, edited("processors:\n", unused))
        assert blockers(answer) == set()
        assert ("not shown that it starts" in answer.reason) is not shown


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("scrub(datapoint.attributes)", "scrub"),
        ('set(resource.atributes["a"], "b")', "resource.atributes"),
        ("set(metric.description, Guess(metric.name))", "Guess"),
    ],
)
def test_words_of_ottl_that_are_not_known_prove_no_start(tmp_path: Path, statement: str, word: str) -> None:
    text = processor("transform", f"{{metric_statements: ['{statement}']}}", "metrics")
    answer = say(tmp_path, text)
    assert blockers(answer) == set()
    assert f"not shown that it starts with {word} in transform" in answer.reason


@pytest.mark.parametrize(
    "statement",
    [
        'set(metric.description, "scrub(x)") where metric.type == METRIC_DATA_TYPE_SUM and not IsMatch(metric.name, "a")',
        'replace_pattern(resource.attributes["cmd"], "p=[^ ]*", "p=x")',
        "set(datapoint.value_double, datapoint.value_double * 2)",
    ],
)
def test_words_of_ottl_that_are_known(tmp_path: Path, statement: str) -> None:
    text = processor("transform", f"{{metric_statements: ['{statement}']}}", "metrics")
    answer = say(tmp_path, text)
    assert answer.status is Status.PASS and answer.reason.startswith("it starts, and takes")


def test_texts_of_ottl_are_in_double_quotes(tmp_path: Path) -> None:
    text = processor("filter", "{traces: {span: [\"name == 'GET /'\"]}}")
    assert "bad-condition" in blockers(say(tmp_path, text))


@pytest.mark.parametrize(
    ("name", "body", "shown"),
    [
        ("filter", "{traces: {span: ['name == \"GET /healthz\"']}}", True),
        ("filter", '{traces: {span: [\'name in ["GET /healthz"] and name == "x"\']}}', False),
        ("filter", "{trace_conditions: ['span.name == \"GET /healthz\"']}", True),
        ("filter", "{trace_conditions: [{context: span, conditions: ['name == \"x\"']}]}", True),
        ("filter", "{trace_conditions: ['name == \"GET /healthz\"']}", False),
        ("transform", "{trace_statements: ['set(span.attributes[\"a\"], 1)']}", True),
        ("transform", "{trace_statements: ['set(attributes[\"a\"], 1)']}", False),
        (
            "transform",
            "{trace_statements: [{context: span, statements: ['set(attributes[\"a\"], 1)']}]}",
            True,
        ),
        (
            "transform",
            "{trace_statements: [{context: metric, statements: ['set(attributes[\"a\"], 1)']}]}",
            False,
        ),
        ("transform", "{trace_statements: [{statements: ['set(span.attributes[\"a\"], 1)']}]}", True),
        ("attributes", "{actions: [{pattern: '(', action: delete}]}", False),
        ("attributes", "{actions: [{pattern: '^x', action: delete}]}", True),
    ],
)
def test_it_starts_is_said_of_what_is_read_to_the_end(
    tmp_path: Path, name: str, body: str, shown: bool
) -> None:
    from lens_preflight.checks.collector_decoding import unproven

    assert (unproven(read(tmp_path, processor(name, body))) == ()) is shown
