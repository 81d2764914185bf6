"""What to do about each cause: something to type, and no secret."""

from __future__ import annotations

import pytest

from lens_preflight.checks.otlp_endpoint_rules import BY_CODE
from lens_preflight.core.words import Severity
from lens_preflight.probe.address import http_destination
from lens_preflight.probe.advice import advice, blamed
from lens_preflight.probe.causes import CAUSES
from lens_preflight.probe.model import Verdict
from lens_preflight.probe.trail import Trail
from tests.probe.making import ENDPOINT, GRPC, HTTP, trail

SECRET = "hunter2"


@pytest.mark.parametrize("code", [code for code in CAUSES if code != "ok"])
@pytest.mark.parametrize("env", [HTTP, GRPC])
@pytest.mark.parametrize("signal", ["traces", "logs"])
def test_every_cause_has_advice_without_secrets(code: str, env: dict[str, str], signal: str) -> None:
    way = trail(
        {
            **env,
            ENDPOINT: f"http://user:{SECRET}@collector:4318",
            "OTEL_EXPORTER_OTLP_HEADERS": f"authorization={SECRET}",
            "http_proxy": f"http://user:{SECRET}@proxy:3128",
        },
        signal,
    )
    said = advice(code, way)
    assert said.text
    assert SECRET not in said.text + repr(said.settings) + blamed(code, way)


def test_each_cause_has_one_rule_that_weighs_the_same() -> None:
    weights = {Verdict.WARN: Severity.CAUTION, Verdict.FAIL: Severity.BLOCKER}
    expected = {code: weights[c.verdict] for code, c in CAUSES.items() if c.verdict is not Verdict.PASS}
    assert {code: rule.severity for code, rule in BY_CODE.items()} == expected


@pytest.mark.parametrize(
    ("code", "env", "name", "text"),
    [
        ("tls-on-plaintext-port", {**GRPC, ENDPOINT: "collector:4317"}, ENDPOINT, "http://collector:4317"),
        ("tls-on-plaintext-port", {**HTTP, ENDPOINT: "https://c:4318"}, ENDPOINT, "http://c:4318"),
        ("plaintext-on-tls-port", {**GRPC, ENDPOINT: "http://c:4317"}, ENDPOINT, "https://c:4317"),
        ("endpoint-no-scheme", {**HTTP, ENDPOINT: "c:4318"}, ENDPOINT, "http://c:4318"),
        ("endpoint-no-port", {**GRPC, ENDPOINT: "http://c"}, ENDPOINT, "http://c:4317"),
        ("endpoint-no-port", {**HTTP, ENDPOINT: "http://c/otlp"}, ENDPOINT, "http://c:4318/otlp"),
        ("path-not-found", {**HTTP, ENDPOINT: "http://c:4318/v1/traces"}, ENDPOINT, "http://c:4318"),
        (
            "path-not-found",
            {**HTTP, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"},
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "http://c:4318/v1/traces",
        ),
        ("endpoint-syntax", {**GRPC, ENDPOINT: ""}, ENDPOINT, None),
        (
            "tls-on-plaintext-port",
            {**GRPC, ENDPOINT: "http://c:4317", "OTEL_EXPORTER_OTLP_INSECURE": "1"},
            "OTEL_EXPORTER_OTLP_INSECURE",
            "true",
        ),
        ("http-on-grpc-port", {**HTTP, ENDPOINT: "http://c:4317"}, "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        (
            "grpc-on-http-port",
            {**GRPC, ENDPOINT: "http://c:4318"},
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "http/protobuf",
        ),
    ],
)
def test_the_assignment_that_helps(code: str, env: dict[str, str], name: str, text: str | None) -> None:
    said = advice(code, trail(env))
    assert said.settings == ((name, text),)
    assert (f"{name}={text}" if text is not None else f"unset {name}") in said.text


def test_going_around_a_proxy_names_the_host() -> None:
    way: Trail = trail({**HTTP, ENDPOINT: "http://c:4318", "http_proxy": "http://p:3128"})
    way.destination = http_destination(way.exporter.target)
    assert "no_proxy=c" in advice("proxy-down", way).text
    assert blamed("proxy-down", way) == "http_proxy"
