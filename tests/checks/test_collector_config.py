"""collector-config: one fault at a time, with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.collector_config import collector_config
from lens_preflight.core.finding import Location
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.words import Status
from lens_preflight.dashboards.rules import RuleFile
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import GOOD, edited, processor, read
from tests.dashboards.boards import RUN, classic, panel
from tests.dashboards.boards import read as read_board
from tests.making import outcome


def say(folder: Path, *texts: str, **more: Any) -> Answer:
    """What the check says of a configuration."""
    return ask(collector_config, Asked(collector=read(folder, *texts), **more))


def weighty(answer: Answer) -> set[str]:
    """The rules that are more than notes."""
    return {f.rule.name for f in answer.findings if f.severity.word != "note"}


def blockers(answer: Answer) -> set[str]:
    """The rules that make it fail."""
    return {f.rule.name for f in answer.findings if f.severity.word == "blocker"}


def test_a_good_configuration_starts(tmp_path: Path) -> None:
    answer = say(tmp_path, GOOD)
    assert answer.status is Status.PASS and weighty(answer) == set()
    assert "traces to otlp/store, otlphttp/second" in answer.reason


STARTS = [
    ("receivers: [otlp]", "receivers: [otpl]", "undefined-reference", "receivers: [otpl]"),
    ("[memory_limiter, batch]", "[memory_limiter, batsh]", "undefined-reference", "batsh"),
    (
        "extensions: [health_check, file",
        "extensions: [pprof, health_check, file",
        "undefined-reference",
        "pprof",
    ),
    (
        "extensions: [health_check, file_storage/q]",
        "extensions: [health_check]",
        "extension-not-started",
        "storage: file",
    ),
    ("service:\n", "services: {}\nservice:\n", "unknown-section", "services:"),
    ("sending_queue: {queue", "sendng_queue: {queue", "unknown-key", "sendng_queue"),
    ("    traces:\n", "    trace:\n", "unknown-signal", "    trace:"),
    ("      exporters: [prometheus, otlphttp/second]\n", "", "empty-pipeline", "    metrics:\n      rec"),
    (
        "exporters: [otlp/store, otlp",
        "exporters: [prometheus, otlp",
        "wrong-signal",
        "exporters: [prometheus, otlphttp",
    ),
    ("limit_mib: 2000, spike_limit_mib: 400", "spike_limit_mib: 400", "limiter-invalid", "  memory_limiter:"),
    ("check_interval: 1s", "check_interval: 0s", "limiter-invalid", "  memory_limiter:"),
    ("    endpoint: store.example.invalid:4317\n", "", "endpoint-missing", "  otlp/store:"),
    ("store.example.invalid:4317", "store.example.invalid", "endpoint-form", "endpoint: store"),
    (
        "    endpoint: https://second",
        "    traces_endpoint: https://second",
        "endpoint-missing",
        "  otlphttp/second:",
    ),
    (
        "[memory_limiter, batch]",
        "[memory_limiter, batch, batch]",
        "named-twice",
        "processors: [memory_limiter, batch, batch]",
    ),
    ("receivers: [otlp]", "receivers: otlp", "wrong-shape", "receivers: otlp"),
    (
        "  batch: {send_batch_size: 512, send_batch_max_size: 1024, timeout: 2s}",
        "  batch: 5",
        "wrong-shape",
        "  batch: 5",
    ),
    ("timeout: 2s", "timeout: 2 sec", "bad-duration", "timeout: 2 sec"),
    ("level: normal", "level: bogus", "telemetry-level", "level: bogus"),
    (
        "limit_mib: 2000, spike_limit_mib: 400",
        "limit_percentage: 80, spike_limit_percentage: 90",
        "limiter-invalid",
        "  memory_limiter:",
    ),
    ("spike_limit_mib: 400", "spike_limit_mib: 2000", "limiter-invalid", "  memory_limiter:"),
    ("send_batch_max_size: 1024", "send_batch_max_size: 100", "batch-invalid", "send_batch_max_size: 100"),
    ("queue_size: 2000", "queue_size: 0", "queue-invalid", "queue_size: 0"),
    ("max_elapsed_time: 0", "max_elapsed_time: 10s", "retry-invalid", "max_elapsed_time: 10s"),
    ("storage: file_storage/q}", "storage: file_storage/q, blocking: true}", "removed-key", "blocking"),
    ("  prometheus:\n    end", "  logging: {}\n  prometheus:\n    end", "removed-component", "  logging:"),
    ("level: normal", "address: 0.0.0.0:8888", "telemetry-address", "address:"),
    ("endpoint: store.example.invalid:4317", "endpoint: ${STORE:-x:4317}", "shell-default", "${STORE"),
    ("endpoint: store.example.invalid:4317", "endpoint: ${STORE:4317}", "bad-variable", "${STORE"),
]
CARE = [
    ("[memory_limiter, batch]", "[batch, memory_limiter]", "limiter-late", "[batch, memory_limiter]"),
    ("[memory_limiter, batch]", "[batch]", "limiter-missing", "processors: [batch]"),
    ("spike_limit_mib: 400", "spike_limit_mib: 1500", "limiter-tight", "spike_limit_mib: 1500"),
    ("[memory_limiter, batch]", "[memory_limiter]", "no-batching", "processors: [memory_limiter]"),
    ("timeout: 2s", "timeout: 2", "duration-without-unit", "timeout: 2"),
    (
        "sending_queue: {queue_size: 2000, storage: file_storage/q}",
        "sending_queue: {enabled: false}",
        "queue-off",
        "enabled: false",
    ),
    (
        "{queue_size: 2000, storage: file_storage/q}",
        "{queue_size: 2000}",
        "queue-in-memory",
        "sending_queue: {queue_size: 2000}",
    ),
    ("directory: /var/lib/otelcol/q", "directory: /tmp/q", "queue-volatile", "/tmp/q"),
    ("directory: /var/lib/otelcol/q", "directory: spool", "queue-volatile", "spool"),
    ("{max_elapsed_time: 0}", "{enabled: false}", "retry-off", "retry_on_failure: {enabled: false}"),
    ("{max_elapsed_time: 0}", "{max_elapsed_time: 5m}", "retry-short", "max_elapsed_time: 5m"),
    ("tls: {ca_file: /etc/ca.pem}", "tls: {insecure: true}", "tls-off", "insecure: true"),
    ("https://second", "http://second", "tls-off", "http://second"),
    ("tls: {ca_file: /etc/ca.pem}", "headers: {api_key: abc}", "inline-secret", "api_key"),
    ("https://second.example", "https://u:p@second.example", "inline-secret", "u:p@"),
    ("level: normal", "level: none", "telemetry-off", "level: none"),
    (
        "      readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 8888}}}}]\n",
        "",
        "telemetry-local",
        "level: normal",
    ),
    ("host: 0.0.0.0", "host: localhost", "telemetry-local", "host: localhost"),
    ("extensions: [health_check, file", "extensions: [file", "health-not-listed", "  health_check:"),
    ("max_recv_msg_size_mib: 16", "max_recv_msg_size_mib: 1", "message-size", "max_recv_msg_size_mib"),
    ("send_batch_size: 512, send_batch_max_size: 1024", "send_batch_size: 20000", "message-size", "20000"),
    ("    resource_to_tele", "    metric_expiration: 3h\n    resource_to_tele", "stale-series", "3h"),
    (
        "endpoint: https://second",
        "headers: {x: $TOKEN}\n    endpoint: https://second",
        "bare-variable",
        "$TOKEN",
    ),
]
LOSES = [
    (
        "resource_to_telemetry_conversion: {enabled: true}",
        "send_timestamps: true",
        "run-id-not-a-label",
        "  prometheus:\n",
    ),
    (
        "https://second.example.invalid",
        "https://second.example.invalid/v1/traces",
        "doubled-path-only-sink",
        "/v1/traces",
    ),
]


def line_of(text: str, marker: str) -> int:
    """The line in which a marker begins."""
    return text[: text.index(marker)].count("\n") + 1


@pytest.mark.parametrize(("old", "new", "rule", "marker"), STARTS)
def test_what_does_not_start_fails(tmp_path: Path, old: str, new: str, rule: str, marker: str) -> None:
    text = edited(old, new)
    answer = say(tmp_path, text)
    assert answer.status is Status.FAIL and blockers(answer) == {rule}
    assert min(f.at.line or 0 for f in answer.findings if f.rule.name == rule) == line_of(text, marker)


@pytest.mark.parametrize(("old", "new", "rule", "marker"), CARE)
def test_what_is_only_careless_warns(tmp_path: Path, old: str, new: str, rule: str, marker: str) -> None:
    text = edited(old, new)
    answer = say(tmp_path, text)
    assert answer.status is Status.WARN and weighty(answer) == {rule}
    assert answer.one(rule).at.line == line_of(text, marker)


def test_what_hides_the_run_or_loses_a_signal_fails(tmp_path: Path) -> None:
    old, new, rule, marker = LOSES[0]
    text = edited(old, new)
    assert say(tmp_path, text).one(rule).at.line == line_of(text, marker)
    only = edited("[otlp/store, otlphttp/second]", "[otlphttp/second]", edited(*LOSES[1][:2]))
    assert weighty(say(tmp_path, only)) == {"doubled-path-only-sink"}
    assert weighty(say(tmp_path, edited(*LOSES[1][:2]))) == {"doubled-path"}


def test_an_address_without_a_scheme_starts_and_delivers_nothing(tmp_path: Path) -> None:
    text = edited("https://second.example.invalid", "second.example.invalid:4318")
    answer = say(tmp_path, text)
    assert blockers(answer) == {"endpoint-form"}
    assert answer.one("endpoint-form").remedy == "write endpoint: https://second.example.invalid:4318"


def test_remote_write_keeps_a_log_of_its_own(tmp_path: Path) -> None:
    text = GOOD.replace(
        "  prometheus:\n    endpoint: 0.0.0.0:8889", "  prometheusremotewrite:\n    endpoint: https://p/w"
    )
    text = text.replace("[prometheus,", "[prometheusremotewrite,")
    finding = say(tmp_path, text).one("queue-in-memory")
    assert finding.remedy == "write in prometheusremotewrite: wal: {directory: /var/lib/otelcol/wal}"
    kept = edited("    endpoint: https://p/w", "    endpoint: https://p/w\n    wal: {directory: /x}", text)
    assert "queue-in-memory" not in weighty(say(tmp_path, kept))


def test_a_condition_that_does_not_close(tmp_path: Path) -> None:
    text = processor("filter/x", "{traces: {span: ['attributes[']}}")
    assert blockers(say(tmp_path, text)) == {"bad-condition"}
    assert blockers(say(tmp_path, processor("filter/x", "{traces: {span: ['Int(a) % 2 == 1']}}"))) == set()


def test_two_missing_halves_of_a_connector(tmp_path: Path) -> None:
    assert weighty(say(tmp_path, GOOD + "connectors: {forward: }\n")) == set()
    text = edited("exporters: [otlp/store, otlphttp/second]", "exporters: [otlp/store, forward]")
    assert weighty(say(tmp_path, text + "connectors: {forward: }\n")) == {"one-sided-connector"}


@pytest.mark.parametrize(
    ("topology", "rule"),
    [("gateway", "bind-localhost"), (None, "bind-localhost-unsaid"), ("node-agent", None)],
)
def test_a_receiver_on_this_machine_only(tmp_path: Path, topology: str | None, rule: str | None) -> None:
    text = GOOD.replace("endpoint: 0.0.0.0:4317, ", "").replace("0.0.0.0:4318", "127.0.0.1:4318")
    answer = say(tmp_path, text, topology=topology)
    assert weighty(answer) == ({rule} if rule else set())


def test_one_protocol_on_this_machine_only(tmp_path: Path) -> None:
    finding = say(tmp_path, edited("0.0.0.0:4318", "localhost:4318")).one("bind-partly-local")
    assert finding.remedy == "write: http: {endpoint: 0.0.0.0:4318}"


def test_a_second_receiver_for_this_machine_is_no_fault(tmp_path: Path) -> None:
    second = "receivers:\n  otlp/own: {protocols: {grpc: {endpoint: 'localhost:14317'}}}\n"
    used = edited("receivers: [otlp]", "receivers: [otlp, otlp/own]", edited("receivers:\n", second))
    assert weighty(say(tmp_path, used)) == set()
    alone = GOOD.replace("receivers: [otlp]", "receivers: [otlp/own]")
    assert weighty(say(tmp_path, edited("receivers:\n", second, alone))) == {"bind-localhost"}


def test_the_operator_binds_to_all_interfaces(tmp_path: Path) -> None:
    text = GOOD.replace("{endpoint: 0.0.0.0:4317, max_recv_msg_size_mib: 16}", "{}").replace(
        "{endpoint: 0.0.0.0:4318}", "{}"
    )
    assert "bind-localhost" in weighty(say(tmp_path, text))
    wrapped = "kind: OpenTelemetryCollector\nspec:\n  config: |\n" + "".join(
        f"    {line}\n" for line in text.splitlines()
    )
    assert weighty(say(tmp_path, wrapped)) == set()


@pytest.mark.parametrize("signal", ["traces", "metrics"])
def test_a_signal_that_nobody_takes_or_keeps(tmp_path: Path, signal: str) -> None:
    other = "metrics" if signal == "traces" else "traces"
    gone = GOOD.replace(f"    {signal}:\n      receivers: [otlp]", f"    {other}/b:\n      receivers: [otlp]")
    found = say(tmp_path, gone).one("signal-not-received")
    assert signal in found.message
    exporters = "[otlp/store, otlphttp/second]" if signal == "traces" else "[prometheus, otlphttp/second]"
    debug = edited(exporters, "[debug]", edited("exporters:\n", "exporters:\n  debug: {}\n"))
    text = say(tmp_path, debug)
    assert "signal-to-nowhere" in weighty(text)


def test_logs_are_asked_for_only_when_the_job_exports_them(tmp_path: Path) -> None:
    assert not any("logs" in f.message for f in say(tmp_path, GOOD).findings)


@pytest.mark.parametrize(
    ("name", "body", "rule"),
    [
        ("resource", "{attributes: [{key: nemo.run.id, action: delete}]}", "run-id-removed"),
        ("resource", "{attributes: [{key: nv.dl.rank, action: delete}]}", "related-removed"),
        ("attributes", "{actions: [{key: nemo.run.id, action: delete}]}", "run-id-unwanted"),
        ("resourcedetection", "{detectors: [env]}", "resource-overridden"),
        ("probabilistic_sampler", "{sampling_percentage: 0}", "sampled-away"),
        ("tail_sampling", "{policies: [{name: e, type: status_code}]}", "tail-sampling-window"),
    ],
)
def test_processors_on_the_way(tmp_path: Path, name: str, body: str, rule: str) -> None:
    assert weighty(say(tmp_path, processor(name, body))) == {rule}


def test_a_pattern_of_go_that_cannot_be_read_here_hides_no_other_fault(tmp_path: Path) -> None:
    text = processor("resource", r"{attributes: [{pattern: '^\pL+[.]run', action: delete}]}")
    found = judged(tmp_path, text, {})
    assert (found.status, "read by Go alone" in found.reason) == (Status.UNKNOWN, True)
    broken = judged(tmp_path, text.replace("exporters: [otlp/store", "exporters: [otlp/none"), {})
    assert broken.status is Status.FAIL


def test_metrics_dropped_by_name(tmp_path: Path) -> None:
    text = processor("filter/n", "{metrics: {metric: ['name == \"megatron.training.loss\"']}}", "metrics")
    assert "megatron.training.loss" in say(tmp_path, text).one("metric-dropped").message


def test_batches_before_tail_sampling(tmp_path: Path) -> None:
    text = processor("tail_sampling", "{policies: [{name: a, type: always_sample}]}")
    swapped = edited("[memory_limiter, tail_sampling, batch]", "[memory_limiter, batch, tail_sampling]", text)
    assert weighty(say(tmp_path, swapped)) == {"batch-early"}


def test_panels_that_join_target_info_excuse_the_exporter(tmp_path: Path) -> None:
    join = (
        "megatron_training_loss * on (job, instance) group_left (nemo_run_id) "
        'target_info{nemo_run_id=~"$run_id"}'
    )
    board = read_board(classic(panel(1, "x", join), variables=[RUN]))
    text = edited("resource_to_telemetry_conversion: {enabled: true}", "send_timestamps: true")
    assert weighty(say(tmp_path, text, dashboards=(board,))) == set()


def test_prometheus_may_drop_the_run_id_itself(tmp_path: Path) -> None:
    pushed = edited("https://second.example.invalid", "https://prometheus.example.invalid/api/v1/otlp")
    assert "run-id-not-a-label" in weighty(
        say(tmp_path, pushed, rules=(RuleFile("prometheus.yml", promotes_run_id=False),))
    )


def test_prometheus_that_scrapes_promotes_nothing_itself(tmp_path: Path) -> None:
    answer = say(tmp_path, GOOD, rules=(RuleFile("prometheus.yml", promotes_run_id=False),))
    assert answer.status is Status.PASS


@pytest.mark.parametrize("word", ["receivers: [otlp]", "exporters: [otlp/store, otlphttp/second]"])
@pytest.mark.parametrize("form", ["'${env:LIST}'", "['${env:ONE}']"])
def test_a_list_that_comes_from_a_variable_is_unknown(tmp_path: Path, word: str, form: str) -> None:
    answer = say(tmp_path, edited(word, f"{word.partition(':')[0]}: {form}"))
    assert answer.status is Status.UNKNOWN and "comes from a variable" in answer.reason.replace(
        "come ", "comes "
    )


def test_versions_decide_what_is_removed(tmp_path: Path) -> None:
    text = edited("storage: file_storage/q}", "storage: file_storage/q, blocking: true}")
    compose = "services: {c: {image: 'otel/opentelemetry-collector-contrib:0.120.0'}}\n"
    assert "removed-key" in weighty(say(tmp_path, text))
    assert "removed-key" not in weighty(say(tmp_path, text, compose))
    latest = "services: {c: {image: 'otel/opentelemetry-collector-contrib:latest'}}\n"
    assert weighty(say(tmp_path, GOOD, latest)) == {"latest-tag"}


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    text = edited("tls: {ca_file: /etc/ca.pem}", "headers: {authorization: Bearer hunter2}")
    shown = repr(say(tmp_path, text).findings)
    assert "authorization" in shown and "hunter2" not in shown


def test_a_section_from_elsewhere_is_unknown(tmp_path: Path) -> None:
    text = edited("      exporters: [otlp/store, otlphttp/second]\n", "      exporters: [otlp/store]\n")
    head, _, _ = text.partition("extensions:\n")
    tail = text[text.index("service:\n") :]
    opened = head + "extensions: ${file:extensions.yaml}\n" + tail
    assert say(tmp_path, opened).status in (Status.UNKNOWN, Status.FAIL)
    processors = edited(
        "  batch: {send_batch_size: 512, send_batch_max_size: 1024, timeout: 2s}",
        "  batch: ${file:batch.yaml}",
    )
    answer = say(tmp_path, processors)
    assert answer.status is Status.UNKNOWN and answer.at is not None and answer.at.line == 8


@pytest.mark.parametrize("text", ['otelcol.receiver.otlp "x" { }', "ROTEL_X=1", "metrics_generator: {}"])
def test_other_languages_are_not_judged(tmp_path: Path, text: str) -> None:
    assert say(tmp_path, text).status is Status.SKIP


def test_what_was_taken_for_granted_is_said(tmp_path: Path) -> None:
    text = edited("tls: {ca_file: /etc/ca.pem}", "headers: {authorization: '${env:TOKEN}'}")
    assumed = {a.what: a.value for a in say(tmp_path, text).assumptions}
    assert assumed == {"collector version": "0.146", "set where the collector starts": "TOKEN"}


def test_an_unreadable_file_fails_at_its_line(tmp_path: Path) -> None:
    finding = say(tmp_path, GOOD + "service: {}\n").one("unreadable")
    assert "already defined" in finding.message
    assert finding.at == Location.file(finding.at.what, GOOD.count("\n") + 1)


def launched(folder: Path, text: str, **variables: str) -> set[str]:
    """The weighty rules for a process that runs in this environment."""
    path = folder / "c.yaml"
    path.write_text(text, encoding="utf-8")
    given = {"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://gateway:4317", **variables}
    said = outcome(
        collector_config, given, offline=True, lens="0.2", topology="gateway", collector=(str(path),)
    )
    return {j.finding.rule.name for j in said.findings if j.finding.severity.word != "note"}


def test_the_receiver_must_speak_the_protocol_of_the_job(tmp_path: Path) -> None:
    only_grpc = edited("      http: {endpoint: 0.0.0.0:4318}\n", "")
    assert launched(tmp_path, only_grpc) == set()
    http = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
    assert launched(tmp_path, only_grpc, **http) == {"protocol-not-received"}


def test_the_signals_of_the_job_are_asked_for(tmp_path: Path) -> None:
    assert launched(tmp_path, GOOD, NEMO_LENS_LOGS_ENABLED="1") == {"signal-not-received"}
    assert launched(tmp_path, GOOD, NEMO_LENS_LOGS_ENABLED="0") == set()


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("{queue_size: 2000,", "{enabled: False, queue_size: 2000,", "queue-off"),
        ("{max_elapsed_time: 0}", "{enabled: FALSE}", "retry-off"),
        ("{ca_file: /etc/ca.pem}", "{insecure_skip_verify: True}", "tls-off"),
        ("level: normal", "level: None", "telemetry-off"),
    ],
)
def test_a_switch_counts_however_it_is_spelt(tmp_path: Path, old: str, new: str, rule: str) -> None:
    assert rule in weighty(say(tmp_path, edited(old, new)))


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_a_promotion_counts_however_it_is_spelt(tmp_path: Path, word: str) -> None:
    assert blockers(say(tmp_path, edited("{enabled: true}", f"{{enabled: {word}}}"))) == set()


@pytest.mark.parametrize("share", ["0", "0.0", "0.00", "0e0"])
def test_a_sampler_that_keeps_nothing(tmp_path: Path, share: str) -> None:
    text = processor("probabilistic_sampler", f"{{sampling_percentage: {share}}}")
    assert blockers(say(tmp_path, text)) == {"sampled-away"}


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "localhost", "LOCALHOST", '"[::1]"', '"[::ffff:127.0.0.1]"', "ip6-localhost"],
)
def test_spellings_of_this_machine(tmp_path: Path, host: str) -> None:
    text = GOOD
    for port in (4317, 4318):
        quote = '"' if host.startswith('"') else ""
        text = edited(f"0.0.0.0:{port}", f"{quote}{host.strip(quote or None)}:{port}{quote}", text)
    assert blockers(say(tmp_path, text)) == {"bind-localhost"}


@pytest.mark.parametrize("host", ["[::]", "[0:0:0:0:0:0:0:0]", "0.0.0.0"])
def test_spellings_of_all_interfaces(tmp_path: Path, host: str) -> None:
    answer = say(tmp_path, edited("0.0.0.0:4317", f'"{host}:4317"'))
    assert answer.status is Status.PASS and "bind-open" in answer.rules()


def judged(folder: Path, text: str, env: dict[str, str]) -> Outcome:
    """What the check makes of a configuration and of the environment of a job."""
    path = folder / "c.yaml"
    path.write_text(text, encoding="utf-8")
    env = {"NEMO_LENS_ENABLED": "1", **env}
    return outcome(collector_config, env, collector=(str(path),), topology="gateway")


def test_each_signal_needs_a_receiver_of_its_protocol(tmp_path: Path) -> None:
    only_grpc = edited("      http: {endpoint: 0.0.0.0:4318}\n", "")
    (found,) = [
        j.finding
        for j in judged(
            tmp_path, only_grpc, {"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/protobuf"}
        ).findings
        if j.finding.rule.name == "protocol-not-received"
    ]
    assert "metrics over http" in found.message and "traces" not in found.message
    assert judged(tmp_path, only_grpc, {}).status is Status.PASS


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("NEMO_LENS_LOGS_ENABLED=1", {"logs"}),
        ("NEMO_LENS_LOGS_ENABLED=$WANTED", set()),
        ("NEMO_LENS_TRACES_ENABLED=0", set()),
        ("NEMO_LENS_ENABLED=$WANTED", set()),
    ],
)
def test_signals_of_a_job_of_which_the_submitter_may_set_more(
    tmp_path: Path, line: str, missing: set[str]
) -> None:
    script = f"#!/bin/bash\n#SBATCH -N1\nexport NEMO_LENS_ENABLED=1\nexport {line}\nsrun python train.py\n"
    (tmp_path / "job.sh").write_text(script)
    (tmp_path / "c.yaml").write_text(GOOD)
    found = outcome(
        collector_config, targets=(str(tmp_path / "job.sh"),), collector=(str(tmp_path / "c.yaml"),)
    )
    told = [j.finding for j in found.findings if j.finding.rule.name == "signal-not-received"]
    assert {f.message.split()[3] for f in told} == missing


@pytest.mark.parametrize(
    ("line", "text", "status"),
    [
        ("NEMO_LENS_LOGS_ENABLED=$WANTED", GOOD, Status.UNKNOWN),
        ("OTEL_EXPORTER_OTLP_PROTOCOL=$WANTED", GOOD, Status.PASS),
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL=$WANTED",
            edited("      http: {endpoint: 0.0.0.0:4318}\n", ""),
            Status.UNKNOWN,
        ),
    ],
)
def test_what_may_be_sent_must_be_taken_before_anything_passes(
    tmp_path: Path, line: str, text: str, status: Status
) -> None:
    script = f"#!/bin/bash\n#SBATCH -N1\nexport NEMO_LENS_ENABLED=1\nexport {line}\nsrun python train.py\n"
    (tmp_path / "job.sh").write_text(script)
    (tmp_path / "c.yaml").write_text(text)
    job, file = (str(tmp_path / "job.sh"),), (str(tmp_path / "c.yaml"),)
    assert outcome(collector_config, topology="gateway", targets=job, collector=file).status is status


def test_a_signal_that_is_off_needs_no_pipeline(tmp_path: Path) -> None:
    traces_only = GOOD[: GOOD.index("    metrics:\n      receivers")]
    assert judged(tmp_path, traces_only, {"NEMO_LENS_METRICS_ENABLED": "0"}).status is Status.PASS
    assert judged(tmp_path, traces_only, {}).status is Status.FAIL


def test_a_receiver_of_another_pipeline_does_not_help(tmp_path: Path) -> None:
    text = edited(
        "  otlp:\n    protocols:\n",
        "  otlp/h:\n    protocols: {http: {endpoint: 0.0.0.0:4319}}\n  otlp:\n    protocols:\n",
    )
    head, _, tail = text.rpartition("receivers: [otlp]")
    split = f"{head}receivers: [otlp/h]{tail}"
    found = judged(tmp_path, split, {})
    assert found.status is Status.FAIL
    assert [j.finding.message for j in found.findings if "over grpc" in j.finding.message]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("filter", "{traces: {span: ['attributes[\"a == 1']}}"),
        ("filter", "{trace_conditions: ['IsMatch(name, \"a\"']}"),
        ("transform", "{trace_statements: ['set(attributes[\"a\"], 1']}"),
        ("transform", "{trace_statements: [{context: span, statements: ['set(attributes[\"a, 1)']}]}"),
        (
            "tail_sampling",
            "{policies: [{name: a, type: ottl_condition, ottl_condition: {span: ['name == \"a']}}]}",
        ),
        (
            "tail_sampling",
            "{policies: [{name: a, type: and, and: {and_sub_policy: "
            "[{name: b, type: ottl_condition, ottl_condition: {spanevent: ['(name == 1']}}]}}]}",
        ),
    ],
)
def test_a_condition_that_does_not_close_stops_the_collector(tmp_path: Path, name: str, body: str) -> None:
    answer = say(tmp_path, processor(name, body))
    assert "bad-condition" in blockers(answer)


def test_brackets_inside_quotes_close_nothing(tmp_path: Path) -> None:
    text = processor("filter", "{traces: {span: ['IsMatch(name, \"^a[(]\")']}}")
    assert "bad-condition" not in say(tmp_path, text).rules()


@pytest.mark.parametrize(
    ("size", "protocol", "rule"),
    [
        ("100", "http/protobuf", "body-limit"),
        ("100", "grpc", "body-size"),
        ("100", None, "body-size"),
        ("65536", "http/protobuf", "body-size"),
        ("4194304", "http/protobuf", None),
        ("0", "http/protobuf", None),
        ("'${env:SIZE}'", "http/protobuf", None),
    ],
)
def test_a_receiver_that_takes_less_than_an_export(
    tmp_path: Path, size: str, protocol: str | None, rule: str | None
) -> None:
    text = edited("{endpoint: 0.0.0.0:4318}", f"{{endpoint: 0.0.0.0:4318, max_request_body_size: {size}}}")
    env = {"NEMO_LENS_ENABLED": "1", **({"OTEL_EXPORTER_OTLP_PROTOCOL": protocol} if protocol else {})}
    found = {f.finding.rule.name for f in judged(tmp_path, text, env).findings}
    assert {name for name in found if name.startswith("body-")} == ({rule} if rule else set())


def test_an_order_of_texts(tmp_path: Path) -> None:
    """In a 0.148 build nothing of a metric was left whose name is before zzz."""
    body = "{metrics: {metric: ['metric.name < \"zzz\"']}}"
    answer = say(tmp_path, processor("filter", body, "metrics"))
    assert "collector-config/metric-dropped" in {f.rule.id for f in answer.findings}


@pytest.mark.parametrize(
    ("word", "status"),
    [("base2_exponential_bucket_histogram", Status.UNKNOWN), ("explicit_bucket_histogram", Status.PASS)],
)
def test_exponential_histograms_have_no_buckets_for_panels(tmp_path: Path, word: str, status: Status) -> None:
    variable = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"
    assert judged(tmp_path, GOOD, {variable: word}).status is status


@pytest.mark.parametrize(
    ("env", "status"),
    [
        ({"DEPLOYMENT_ENV": "production"}, Status.FAIL),
        ({"DEPLOYMENT_ENV": "staging"}, Status.PASS),
        ({"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=production"}, Status.FAIL),
        ({"DEPLOYMENT_ENV": ""}, Status.PASS),
    ],
)
def test_a_filter_is_asked_about_what_the_environment_sets(
    tmp_path: Path, env: dict[str, str], status: Status
) -> None:
    body = '{traces: {span: [\'resource.attributes["deployment.environment"] == "production"\']}}'
    assert judged(tmp_path, processor("filter", body), env).status is status


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ('IsMatch(metric.name, "^gen_ai")', Status.UNKNOWN),
        ('metric.name == "megatron.training.loss"', Status.FAIL),
        ('metric.unit == "ms"', Status.FAIL),
        ('metric.unit == "By"', Status.PASS),
    ],
)
def test_metrics_that_another_framework_records(tmp_path: Path, condition: str, status: Status) -> None:
    text = processor("filter", f"{{metrics: {{metric: ['{condition}']}}}}", "metrics")
    assert judged(tmp_path, text, {}).status is status
