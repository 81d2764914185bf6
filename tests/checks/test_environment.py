"""The environment check: names that nobody reads, texts that kill, invert, hang or are ignored."""

from __future__ import annotations

import pytest

from lens_preflight.checks.environment import environment
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State, Status
from lens_preflight.otel.files import Kind, MadeUpFiles
from tests.making import outcome, outcomes, rules, subject

ON = {"NEMO_LENS_ENABLED": "1"}
X = "OTEL_EXPORTER_OTLP_"
HTTP = {f"{X}PROTOCOL": "http/protobuf"}
FILES = MadeUpFiles({"/ca": Kind.PEM, "/dir": Kind.DIRECTORY})


def reported(env: dict[str, str], **inputs: str) -> list[str]:
    return rules(outcome(environment, env, **{"lens": "0.1", **inputs}))


@pytest.mark.parametrize(
    ("name", "rule", "meant"),
    [
        ("NEMO_LENS_ENABLE", "unknown-variable", "NEMO_LENS_ENABLED"),
        ("OTEL_EXPORTER_OTEL_ENDPOINT", "unknown-variable", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ("OTEL_EXPORTER_ENDPOINT", "unknown-variable", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ("OTEL_TRACE_SAMPLER", "unknown-variable", "OTEL_TRACES_SAMPLER"),
        ("otel_traces_sampler", "unknown-variable", "OTEL_TRACES_SAMPLER"),
        ("NEMO_LENS_RUN_NAME", "unknown-variable", "NEMO_LENS_RUN_ID"),
        ("NEMO_LENS_SERVICE_NAME", "unknown-variable", "OTEL_SERVICE_NAME"),
        ("OTEL_ENDPOINT", "unread", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ("NEMO_LENS_COLOUR", "unread", ""),
        ("OTEL_GATEWAY_HOST", "stray", ""),
        ("OTEL_TRACES_EXPORTER", "unread", ""),
        ("MEGATRON_OTEL_ENABLED", "stray", ""),
    ],
)
def test_names_that_nothing_reads(name: str, rule: str, meant: str) -> None:
    other = {"NEMO_RL_OTEL_RUN_ID": "r"} if name.startswith("MEGATRON") else {}
    env = {"NEMO_LENS_TRACES_ENABLED": "1", **other, name: "none"}
    findings = [j.finding for j in outcome(environment, env, lens="0.1").findings]
    (found,) = [f for f in findings if f.at.what == name]
    assert found.rule.name == rule
    assert meant in found.message


@pytest.mark.parametrize(
    "name", ["PATH", "NEMO_HOME", "OTEL_PYTHON_LOG_CORRELATION", "NEMO_RUN_ID", "WANDB_MODE"]
)
def test_names_that_are_none_of_our_business(name: str) -> None:
    assert reported({**ON, name: "x"}) == []


def test_a_slip_beside_the_right_name_is_only_a_warning() -> None:
    assert reported({**ON, "NEMO_LENS_ENABLE": "1"}) == ["unread"]


@pytest.mark.parametrize(
    ("env", "rule"),
    [
        ({"NEMO_LENS_ENABLED": "enabled"}, "fatal"),
        ({**ON, "NEMO_LENS_METRICS_ENABLED": "2"}, "fatal"),
        ({**ON, "NEMO_LENS_EXPORT_RANK": "last"}, "fatal"),
        ({**ON, "NEMO_LENS_EXPORT_SAMPLE_RATE": "1.5"}, "fatal"),
        ({**ON, "NEMO_LENS_EXPORT_STRATEGY": "first"}, "fatal"),
        ({**ON, "NEMO_LENS_EXPORTER": "CONSOLE"}, "fatal"),
        ({**ON, f"{X}COMPRESSION": "none"}, "fatal"),
        ({**ON, f"{X}TIMEOUT": "10s"}, "fatal"),
        ({**ON, f"{X}ENDPOINT": "http://[::1"}, "fatal"),
        ({**ON, f"{X}ENDPOINT": "https://c:4317", f"{X}CERTIFICATE": "/ca", f"{X}CLIENT_KEY": "/k"}, "fatal"),
        ({**ON, "OTEL_METRIC_EXPORT_INTERVAL": "10s"}, "fatal"),
        ({**ON, "OTEL_BSP_MAX_QUEUE_SIZE": "256"}, "fatal"),
        ({**ON, "OTEL_SPAN_EVENT_COUNT_LIMIT": "-1"}, "fatal"),
        ({**ON, "OTEL_METRICS_EXEMPLAR_FILTER": "on"}, "fatal"),
        ({**ON, "OTEL_PROPAGATORS": "tracecontext,b3"}, "plug-in"),
        ({**ON, "OTEL_PROPAGATORS": "acme"}, "plug-in"),
        ({**ON, "OTEL_PROPAGATORS": "Tracecontext"}, "fatal"),
        ({**ON, "OTEL_PROPAGATORS": "trace_context,baggage"}, "fatal"),
        ({**ON, "OTEL_PROPAGATORS": "tracecontext,"}, "fatal"),
        ({**ON, "OTEL_PYTHON_METER_PROVIDER": "sdk_meter_provider"}, "nothing-arrives"),
        ({**ON, **HTTP, f"{X}METRICS_ENDPOINT": "http://c:4318/v1/traces"}, "nothing-arrives"),
        ({**ON, **HTTP, "http_proxy": "http:///proxy"}, "nothing-arrives"),
        ({**ON, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "0"}, "attributes-lost"),
        (
            {**ON, "NEMO_LENS_LOGS_ENABLED": "1", "OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT": "0"},
            "attributes-lost",
        ),
        ({**ON, **HTTP, f"{X}HEADERS": "content-encoding=gzip"}, "nothing-arrives"),
        ({**ON, **HTTP, f"{X}HEADERS": "Content-Type=application/json"}, "nothing-arrives"),
        ({**ON, f"{X}TIMEOUT": "inf"}, "hangs"),
        ({**ON, f"{X}TIMEOUT": "1e10"}, "hangs"),
        ({**ON, f"{X}TIMEOUT": "0"}, "nothing-arrives"),
        ({**ON, f"{X}ENDPOINT": ""}, "nothing-arrives"),
        ({**ON, f"{X}ENDPOINT": "http:c:4317"}, "nothing-arrives"),
        ({**ON, **HTTP, f"{X}ENDPOINT": "c:4318"}, "nothing-arrives"),
        ({**ON, f"{X}HEADERS": "a%20b=1"}, "nothing-arrives"),
        ({**ON, f"{X}ENDPOINT": "http://c:4317", f"{X}INSECURE": "1"}, "inverted"),
        ({**ON, **HTTP, f"{X}ENDPOINT": "http://c:4318/v1/traces"}, "inverted"),
        ({**ON, "OTEL_SDK_DISABLED": "true"}, "sdk-disabled"),
    ],
)
def test_texts_that_break_the_job_or_its_telemetry(env: dict[str, str], rule: str) -> None:
    found = outcome(environment, env, lens="0.1")
    assert rule in rules(found)
    assert found.status is (Status.WARN if rule == "plug-in" else Status.FAIL)
    assert all(j.finding.remedy for j in found.findings)


@pytest.mark.parametrize(
    ("env", "rule"),
    [
        ({f"{X}PROTOCOL": "http"}, "misread"),
        ({f"{X}ENDPOINT": "collector:4317"}, "misread"),
        ({f"{X}ENDPOINT": "http://c:4318"}, "misread"),
        ({f"{X}ENDPOINT": "http://c"}, "misread"),
        ({f"{X}TIMEOUT": "10000"}, "misread"),
        ({f"{X}HEADERS": "authorization=Basic a,b"}, "misread"),
        ({"OTEL_BSP_SCHEDULE_DELAY": "5s"}, "misread"),
        ({**HTTP, f"{X}COMPRESSION": "zstd"}, "misread"),
        ({**HTTP, f"{X}TRACES_ENDPOINT": "http://c:4318"}, "misread"),
        ({f"{X}ENDPOINT": "http://c:4317/v1/traces"}, "ignored"),
        ({**HTTP, f"{X}INSECURE": "true"}, "ignored"),
        ({f"{X}PROTOCOL": "http/json"}, "ignored"),
    ],
)
def test_texts_that_are_read_as_something_else(env: dict[str, str], rule: str) -> None:
    assert reported({**ON, **env}) == [rule]


@pytest.mark.parametrize(
    "env",
    [
        {},
        {f"{X}ENDPOINT": "http://gateway:4317", "OTEL_TRACES_SAMPLER": "always_on", "SLURM_JOB_ID": "7"},
        {f"{X}ENDPOINT": "https://gateway:4318", **HTTP, f"{X}CERTIFICATE": "/etc/ca.pem"},
        {f"{X}ENDPOINT": "https://g:4317", f"{X}HEADERS": "authorization=Bearer%20t"},
        {f"{X}ENDPOINT": "collector:4317", f"{X}INSECURE": "true"},
        {"NEMO_LENS_METRICS_ENABLED": "1 ", "NEMO_LENS_SPAN_GROUPS": "default"},
        {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "256"},
    ],
)
def test_a_good_environment_has_nothing_to_say(env: dict[str, str]) -> None:
    found = outcome(environment, {**ON, **env}, lens="0.1")
    assert (found.status, rules(found)) == (Status.PASS, [])


def test_what_matters_only_when_telemetry_is_on_is_a_warning_while_it_is_off() -> None:
    assert reported({f"{X}TIMEOUT": "10s"}) == ["once-enabled", "off"]
    assert reported({"NEMO_LENS_LOGS_ENABLED": "maybe"}) == ["fatal", "off"]


def test_a_generation_without_ranks_does_not_read_the_rank_settings() -> None:
    env = {**ON, "NEMO_LENS_EXPORT_RANK": "0"}
    assert reported(env) == []
    assert reported(env, lens="nightly") == ["other-generation"]


def test_all_faults_are_told_not_only_the_first() -> None:
    env = {"NEMO_LENS_ENABLED": "y", "NEMO_LENS_LOGS_ENABLED": "x", "OTEL_METRIC_EXPORT_INTERVAL": "1e4"}
    found = [j.finding.at.what for j in outcome(environment, env, lens="0.1").findings]
    assert found == ["NEMO_LENS_ENABLED", "NEMO_LENS_LOGS_ENABLED", "OTEL_METRIC_EXPORT_INTERVAL"]


@pytest.mark.parametrize(("profile", "status"), [("node", Status.FAIL), ("ci", Status.PASS)])
def test_files_are_looked_at_only_on_a_node(profile: str, status: Status) -> None:
    env = {**ON, f"{X}ENDPOINT": "https://c:4317", f"{X}CERTIFICATE": "/dir"}
    (found,) = outcomes(environment, subject(env, files=FILES, profile=profile, lens="0.1"))
    assert found.status is status


def test_a_text_that_only_the_start_tells_is_a_note() -> None:
    at = Origin("line 4", Location.file("job.sh", 4))
    open_ = Variable(f"{X}HEADERS", State.UNKNOWN, origin=at, reason="OTLP_TOKEN comes from who submits")
    env = Environment(
        {"NEMO_LENS_ENABLED": Variable("NEMO_LENS_ENABLED", State.VALUE, "1"), open_.name: open_}
    )
    found = outcome(environment, env, lens="0.1")
    assert (found.status, rules(found)) == (Status.PASS, ["not-known"])
    assert str(found.findings[0].finding.at) == "job.sh:4"


def test_no_secret_is_repeated() -> None:
    env = {
        **ON,
        f"{X}HEADERS": "authorization=Bearer hunter2,;hunter2",
        f"{X}ENDPOINT": "http://user:hunter2@c:4317",
        "OTEL_EXPORTER_OTLP_HEADER": "x=hunter2",
    }
    assert "hunter2" not in repr(outcome(environment, env, lens="0.1"))


def test_remedies_are_what_was_meant() -> None:
    env = {
        "NEMO_LENS_ENABLED": "enabled",
        f"{X}TIMEOUT": "5000ms",
        f"{X}INSECURE": "1",
        f"{X}ENDPOINT": "http://c:4317",
    }
    settings: dict[str, str | None] = {}
    for judged in outcome(environment, env, lens="0.1").findings:
        settings.update(judged.finding.settings)
    assert settings == {"NEMO_LENS_ENABLED": "1", f"{X}TIMEOUT": "5", f"{X}INSECURE": "true"}


def test_an_environment_of_ten_thousand_variables_is_judged() -> None:
    env = {f"MY_SETTING_{n}": "x" * 10 for n in range(10_000)}
    assert outcome(environment, {**ON, **env}, lens="0.1").status is Status.PASS
