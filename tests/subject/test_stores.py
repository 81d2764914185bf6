"""The backends of a run, asked about jobs whose settings are wrong."""

from __future__ import annotations

import pytest

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.subject.builder import build
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.stores import Stores


@pytest.mark.parametrize(
    ("endpoint", "asked"),
    [
        ("http://otel.example:4318", ["collector at otel.example"]),
        ("http://[2001:db8::1]:4318", ["collector at [2001:db8::1]"]),
        ("http://[::1", []),
        ("http://[x]:4318", []),
    ],
)
def test_an_endpoint_that_is_no_url_has_no_collector_to_ask(endpoint: str, asked: list[str]) -> None:
    variables = {
        "NEMO_LENS_ENABLED": "1",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
    }
    subject = build(Inputs(process=Environment.of(variables)))
    pages = Stores(subject, Deadline.after(5)).telemetry(generation("0.1"))
    assert [page.name for page in pages] == asked
