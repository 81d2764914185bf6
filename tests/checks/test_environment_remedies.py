"""What is proposed instead of a text that is not taken as meant."""

from __future__ import annotations

import pytest

from lens_preflight.checks.environment_remedies import remedy
from lens_preflight.core.variable import Variable
from lens_preflight.core.words import State

X = "OTEL_EXPORTER_OTLP_"


@pytest.mark.parametrize(
    ("problem", "name", "text", "proposed"),
    [
        ("tls-implied", f"{X}ENDPOINT", "collector:4317", "http://collector:4317"),
        ("UNAVAILABLE", f"{X}ENDPOINT", "http:c:4317", "http://c:4317"),
        ("UNAVAILABLE", f"{X}ENDPOINT", "", "http://localhost:4317"),
        ("UNAVAILABLE", f"{X}ENDPOINT", '"http://c:4317"', "http://c:4317"),
        ("port-missing", f"{X}ENDPOINT", "https://c", "https://c:4317"),
        ("InvalidSchema", f"{X}ENDPOINT", "c:4318", "http://c:4318"),
        ("MissingSchema", f"{X}ENDPOINT", "c", "http://c:4318"),
        ("path-doubled", f"{X}ENDPOINT", "http://c:4318/otlp/v1/traces", "http://c:4318/otlp"),
        ("path-missing", f"{X}TRACES_ENDPOINT", "http://c:4318/", "http://c:4318/v1/traces"),
        ("path-missing", f"{X}METRICS_ENDPOINT", "http://c:4318", "http://c:4318/v1/metrics"),
        ("path-missing", f"{X}TRACES_ENDPOINT", "http://c:4318//v1/trace/", "http://c:4318/v1/traces"),
        ("400", f"{X}METRICS_ENDPOINT", "http://c:4318/a/v1/traces?x=1", "http://c:4318/a/v1/metrics"),
        ("400", f"{X}ENDPOINT", "http://c:4318/v1/traces?x=1", "http://c:4318"),
        ("protocol-unknown", f"{X}PROTOCOL", "http/proto", "http/protobuf"),
        ("protocol-unknown", f"{X}PROTOCOL", "gprc", "grpc"),
        ("ValueError", f"{X}TIMEOUT", "10s", "10"),
        ("timeout-long", f"{X}TIMEOUT", "10000", "10"),
        ("hangs", f"{X}TIMEOUT", "inf", "3"),
        ("insecure-word", f"{X}INSECURE", "1", "true"),
        ("ValueError", "NEMO_LENS_ENABLED", "yeah", "1"),
        ("ValueError", "NEMO_LENS_ENABLED", "never", "0"),
        ("ValueError", "NEMO_LENS_EXPORTER", "CONSOLE", "console"),
        ("InvalidCompressionValueException", f"{X}COMPRESSION", "none", None),
        ("ValueError", "OTEL_BSP_MAX_QUEUE_SIZE", "256", None),
        ("SIGABRT", f"{X}CLIENT_KEY", "/k", None),
        ("value-long", "OTEL_BSP_MAX_QUEUE_SIZE", "7 items", "7"),
        ("value-long", "OTEL_BSP_MAX_QUEUE_SIZE", "9" * 5000, None),
        ("value-long", "OTEL_BSP_MAX_QUEUE_SIZE", "٣", None),
        ("timeout-long", f"{X}TIMEOUT", "9" * 5000, "3"),
    ],
)
def test_proposals(problem: str, name: str, text: str, proposed: str | None) -> None:
    said, settings = remedy(problem, Variable(name, State.VALUE, text))
    assert settings == ((name, proposed),)
    assert said == (f"unset {name}" if proposed is None else f"export {name}={proposed}")


@pytest.mark.parametrize(
    ("name", "text"), [(f"{X}HEADERS", "a=hunter2"), (f"{X}ENDPOINT", "http://u:hunter2@c:4317")]
)
def test_secrets_are_not_repeated(name: str, text: str) -> None:
    said, settings = remedy("UNAVAILABLE", Variable(name, State.VALUE, text))
    assert "hunter2" not in said
    assert settings == ()
