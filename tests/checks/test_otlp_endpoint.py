"""The check otlp-endpoint: vantage, wording, and what is not asked at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.otlp_endpoint import FROM_NODE, otlp_endpoint
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State, Status
from lens_preflight.otel.files import HostFiles
from lens_preflight.otel.view import OtelView
from tests import making
from tests.faultlab import servers
from tests.faultlab.tls import certificates

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES = {"NEMO_LENS_ENABLED": "1", "NEMO_LENS_METRICS_ENABLED": "0", "HOME": "/nonexistent"}
SECRET = "hunter2"


def run(env: dict[str, str], **inputs: Any) -> RunRecord:
    """The run of this check alone."""
    options = {"profile": "node", "offline": False, "lens": "0.1", **inputs}
    subject = making.subject(Environment.of({**TRACES, **env}), files=HostFiles(), **options)
    return making.record([otlp_endpoint], subject)


def judged(env: dict[str, str], **inputs: Any) -> Outcome:
    """The only outcome."""
    (only,) = run(env, **inputs).results
    return only


def at(port: int) -> dict[str, str]:
    """An endpoint on this host."""
    return {ENDPOINT: f"http://127.0.0.1:{port}"}


def test_on_a_node_a_pass_says_what_was_accepted_and_judges_the_item() -> None:
    record = run(at(servers.grpc()))
    (outcome,) = record.results
    assert outcome.status is Status.PASS
    assert "empty request accepted" in outcome.reason
    assert outcome.missing_input == ""
    assert record.items[5].status == "pass"
    assert outcome.evidence["stage connect"] == "ok: connected"


@pytest.mark.parametrize("profile", ["login", "ci"])
def test_elsewhere_a_pass_leaves_the_item_open(profile: str) -> None:
    record = run(at(servers.grpc()), profile=profile, wait=0.1)
    (outcome,) = record.results
    assert outcome.status is Status.PASS
    assert "not yet shown from a compute node" in outcome.reason
    assert outcome.missing_input == FROM_NODE
    assert (record.items[5].status, record.items[5].missing_input) == ("not-judged", FROM_NODE)


def test_elsewhere_a_closed_port_is_a_caution_and_the_other_protocol_a_fail() -> None:
    closed = judged(at(servers.closed_port()), profile="login")
    assert (closed.status, making.rules(closed)) == (Status.WARN, ["not-from-here"])
    assert "srun -N1 -n1 lens-preflight check --profile node" in closed.findings[0].finding.remedy
    wrong = judged(at(servers.otlp_http()), profile="login")
    assert (wrong.status, making.rules(wrong)) == (Status.FAIL, ["grpc-on-http-port"])
    assert wrong.findings[0].finding.settings == (("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),)


def test_what_to_type_on_a_node_names_the_same_job(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    script = tmp_path / "my train.sbatch"
    exports = "\n".join(f"export {name}={value}" for name, value in {**TRACES, **at(9)}.items())
    script.write_text(f"#!/bin/sh\n#SBATCH -n1\n{exports}\nsrun python {tmp_path}/train.py\n")
    (outcome, *_) = run({}, profile="login", targets=(str(script),)).results
    command = f"srun -N1 -n1 lens-preflight check '{script}' --profile node; "
    assert command in outcome.findings[0].finding.remedy


def test_an_agent_on_each_node_is_not_asked_for_elsewhere() -> None:
    seen: list[str] = []
    port = servers.grpc(seen=lambda signal, _: seen.append(signal))
    outcome = judged(at(port), profile="login", topology="node-agent")
    assert (outcome.status, outcome.missing_input, seen) == (Status.SKIP, FROM_NODE, [])
    assert judged(at(port), profile="node", topology="node-agent").status is Status.PASS
    assert judged(at(port), profile="login", topology="gateway").status is Status.PASS


def test_an_agent_under_another_name_is_asked_for() -> None:
    outcome = judged({ENDPOINT: "http://no-such-host.invalid:4317"}, profile="login", topology="node-agent")
    assert making.rules(outcome) == ["not-from-here"]


def test_each_signal_has_its_own_answer() -> None:
    good, bad = servers.grpc(), servers.closed_port()
    env = {**at(good), "NEMO_LENS_METRICS_ENABLED": "1"}
    env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] = f"http://127.0.0.1:{bad}"
    found = {o.targets[0].key: o for o in run(env).results}
    assert {k: o.status for k, o in found.items()} == {"traces": Status.PASS, "metrics": Status.FAIL}
    at_variable = found["metrics"].findings[0].finding.at
    assert at_variable.what == "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"


def test_the_path_of_another_signal_takes_only_an_empty_request() -> None:
    url = f"http://127.0.0.1:{servers.otlp_http()}"
    env = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", ENDPOINT: url, "NEMO_LENS_METRICS_ENABLED": "1"}
    env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] = f"{url}/v1/traces"
    found = {o.targets[0].key: o for o in run(env).results}
    assert {k: o.status for k, o in found.items()} == {"traces": Status.PASS, "metrics": Status.FAIL}
    (metrics,) = found["metrics"].findings
    assert (metrics.finding.rule.name, metrics.finding.at.what) == (
        "setting-invalid",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    )
    assert "/v1/metrics" in metrics.finding.remedy


def test_a_service_that_serves_one_signal_only() -> None:
    env = {**at(servers.grpc(services=("traces",))), "NEMO_LENS_METRICS_ENABLED": "1"}
    found = {o.targets[0].key: making.rules(o) for o in run(env).results}
    assert found == {"traces": [], "metrics": ["unimplemented"]}


@pytest.mark.parametrize(
    ("env", "inputs"),
    [
        ({"NEMO_LENS_ENABLED": "0"}, {}),
        ({"NEMO_LENS_EXPORTER": "console"}, {}),
        ({}, {"offline": True}),
        ({}, {"profile": "ci"}),
    ],
    ids=["off", "console", "offline", "in CI"],
)
def test_nothing_is_sent(env: dict[str, str], inputs: dict[str, Any]) -> None:
    seen: list[str] = []
    port = servers.grpc(seen=lambda signal, _: seen.append(signal))
    outcome = judged({**at(port), **env}, **inputs)
    assert (outcome.status, seen) == (Status.SKIP, [])


@pytest.mark.parametrize(
    ("env", "rule"),
    [
        ({ENDPOINT: "http://[::1"}, "endpoint-syntax"),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, "setting-invalid"),
        ({"OTEL_EXPORTER_OTLP_COMPRESSION": "none"}, "setting-invalid"),
        ({ENDPOINT: "https://c:1", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/"}, "ca-file-missing"),
    ],
)
def test_an_exporter_that_is_never_built_fails(env: dict[str, str], rule: str) -> None:
    outcome = judged(env)
    assert (outcome.status, making.rules(outcome)) == (Status.FAIL, [rule])
    assert outcome.findings[0].finding.evidence["stage"] == "configure"


def test_a_file_that_is_missing_here_may_be_there_on_a_node() -> None:
    files = certificates()
    env = {
        ENDPOINT: "https://localhost:1",
        "OTEL_EXPORTER_OTLP_CERTIFICATE": files.path("ca.pem"),
        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": files.path("client.pem"),
    }
    missing = {**env, "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/not/here.key"}
    elsewhere = run(missing, profile="login")
    assert making.rules(elsewhere.results[0]) == ["not-from-here"]
    assert (elsewhere.items[5].status, elsewhere.items[5].missing_input) == ("warn", FROM_NODE)
    assert making.rules(judged(missing)) == ["client-pair-incomplete"]
    assert making.rules(judged(env, profile="login")) == ["client-pair-incomplete"]


def test_a_warning_of_the_server_is_a_note() -> None:
    outcome = judged(at(servers.grpc(response=b"\x0a\x07\x12\x05hello")))
    assert (outcome.status, making.rules(outcome)) == (Status.PASS, ["server-message"])


def test_no_time_is_unknown_and_decisive() -> None:
    subject = making.subject(
        Environment.of({**TRACES, **at(servers.raw(servers.hang))}),
        files=HostFiles(),
        profile="node",
        offline=False,
        lens="0.1",
    )
    from lens_preflight.core.deadline import Deadline

    record = making.record([otlp_endpoint], subject, deadline=Deadline.after(0.7))
    assert record.exit_code == 3


def test_a_name_that_is_trusted_by_one_client_only() -> None:
    """A private CA without keyUsage: HTTP on Python 3.13 refuses it, gRPC does not."""
    files = certificates()
    ca = {"OTEL_EXPORTER_OTLP_CERTIFICATE": files.path("oldca.pem")}
    http = servers.otlp_http(tls=files.server("oldleaf"))
    grpc = servers.grpc(tls="oldleaf")
    env = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", ENDPOINT: f"https://localhost:{http}", **ca}
    assert making.rules(judged(env)) == ["tls-ca-without-key-usage"]
    assert judged({ENDPOINT: f"https://localhost:{grpc}", **ca}).status is Status.PASS


def test_findings_hold_no_secret_host_or_port() -> None:
    port = servers.http(401)
    env = {
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        ENDPOINT: f"http://user:{SECRET}@127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_HEADERS": f"authorization={SECRET}",
    }
    (found,) = judged(env).findings
    assert found.finding.rule.name == "unauthorized"
    assert str(port) not in found.finding.message
    assert SECRET not in repr(found)


def test_verification_that_the_settings_switch_off_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable does it today; an exporter that says so must not go unnoticed."""
    port = servers.otlp_http(tls=certificates().server("self"))
    real = OtelView.exporter
    monkeypatch.setattr(OtelView, "exporter", lambda self, signal: replace(real(self, signal), verify=False))
    env = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", ENDPOINT: f"https://localhost:{port}"}
    outcome = judged(env)
    assert (outcome.status, making.rules(outcome)) == (Status.WARN, ["verification-off"])


def test_a_switch_that_is_not_known_leaves_only_its_own_signal_open() -> None:
    """The other signals are asked for; nobody knows about the logs."""
    env = Environment.of({**TRACES, **at(servers.grpc())})
    unknown = Variable("NEMO_LENS_LOGS_ENABLED", State.UNKNOWN, reason="it depends on who submits")
    subject = making.subject(
        env.over([unknown]), files=HostFiles(), profile="node", offline=False, lens="0.1"
    )
    found = {t.key: o.status for o in making.record([otlp_endpoint], subject).results for t in o.targets}
    assert found == {"traces": Status.PASS, "logs": Status.UNKNOWN}
