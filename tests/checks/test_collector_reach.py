"""collector-config: what the job dials against what the receivers listen for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.collector_config import collector_config
from tests.collector.configs import GOOD, edited
from tests.making import outcome

GRPC = "grpc: {endpoint: 0.0.0.0:4317, max_recv_msg_size_mib: 16}"
HTTP = "http: {endpoint: 0.0.0.0:4318}"
BY_HTTP = {
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318",
}
SECURE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://localhost:4317"}
TLS = "grpc: {endpoint: 0.0.0.0:4317, tls: {cert_file: /a, key_file: /b}}"
TOKEN = edited(
    "extensions: [health_check",
    "extensions: [bearertokenauth, health_check",
    edited(
        "extensions:\n",
        "extensions:\n  bearertokenauth: {token: '${env:TOKEN}'}\n",
        edited(GRPC, "grpc: {endpoint: 0.0.0.0:4317, auth: {authenticator: bearertokenauth}}"),
    ),
)
SPLIT = edited(
    "receivers:\n",
    "receivers:\n  otlp/b: {protocols: {grpc: {endpoint: 0.0.0.0:5317}}}\n",
    edited("    metrics:\n      receivers: [otlp]", "    metrics:\n      receivers: [otlp/b]"),
)


def said(folder: Path, text: str, topology: str, **variables: str) -> dict[str, str]:
    """The rules about the way to the receivers, with their severities."""
    path = folder / "c.yaml"
    path.write_text(text, encoding="utf-8")
    given = {
        "NEMO_LENS_ENABLED": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317",
        **variables,
    }
    found = outcome(
        collector_config, given, offline=True, lens="0.2", topology=topology, collector=(str(path),)
    )
    mine = ("not-the-receiver", "receiver-differs", "no-credentials")
    return {
        j.finding.rule.name: j.finding.severity.word for j in found.findings if j.finding.rule.name in mine
    }


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        (edited("0.0.0.0:4317", "0.0.0.0:14317"), {}),
        (edited(GRPC, TLS), {}),
        (GOOD, SECURE),
        (GOOD, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}),
        (edited(GRPC, "grpc: {endpoint: /run/otel.sock, transport: unix}"), {}),
        (edited(HTTP, "http: {endpoint: 0.0.0.0:4318, traces_url_path: /otel/traces}"), BY_HTTP),
        (edited(GRPC, TLS.replace("key_file: /b", "key_file: /b, client_ca_file: /c")), SECURE),
        (SPLIT, {}),
    ],
)
def test_a_job_that_dials_something_else(tmp_path: Path, text: str, variables: dict[str, str]) -> None:
    assert said(tmp_path, text, "node-agent", **variables) == {"not-the-receiver": "blocker"}
    assert said(tmp_path, text, "gateway", **variables) == {"receiver-differs": "note"}


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        (GOOD, {}),
        (GOOD, BY_HTTP),
        (edited(GRPC, TLS), SECURE),
        (edited("0.0.0.0:4317", "${env:BIND}"), {}),
        (edited("0.0.0.0:4317", "${env:MY_POD_IP}:4317"), {}),
        (SPLIT, {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://localhost:5317"}),
        (TOKEN, {"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x"}),
    ],
)
def test_a_job_that_dials_the_receiver(tmp_path: Path, text: str, variables: dict[str, str]) -> None:
    for topology in ("node-agent", "gateway"):
        assert said(tmp_path, text, topology, **variables) == {}


@pytest.mark.parametrize("topology", ["node-agent", "gateway"])
def test_a_job_that_shows_no_credentials(tmp_path: Path, topology: str) -> None:
    assert said(tmp_path, TOKEN, topology) == {"no-credentials": "blocker"}


def test_a_job_without_an_address_says_nothing_of_a_gateway(tmp_path: Path) -> None:
    other = edited("0.0.0.0:4317", "0.0.0.0:14317")
    assert said(tmp_path, other, "gateway", OTEL_EXPORTER_OTLP_ENDPOINT="") == {}
    assert said(tmp_path, other, "node-agent", OTEL_EXPORTER_OTLP_ENDPOINT="") != {}
