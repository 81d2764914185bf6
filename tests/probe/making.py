"""Small makers for probe tests: an exporter, a result, a trail."""

from __future__ import annotations

from collections.abc import Mapping

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.files import Files, HostFiles
from lens_preflight.probe.model import ProbeResult
from lens_preflight.probe.prober import Prober
from lens_preflight.probe.trail import Trail

GRPC = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
HTTP = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
CA = "OTEL_EXPORTER_OTLP_CERTIFICATE"


def made(env: Mapping[str, str], signal: str = "traces", files: Files | None = None) -> Exporter:
    """The exporter of a signal in an environment."""
    return exporter(Environment.of(env), signal, generation("0.1"), files or HostFiles())


def trail(env: Mapping[str, str], signal: str = "traces") -> Trail:
    """An empty trail for an exporter."""
    return Trail(made(env, signal), Deadline.after(5), 5.0)


def probed(env: Mapping[str, str], signal: str = "traces", seconds: float = 30.0) -> ProbeResult:
    """One probe in a whole prober."""
    full = {"HOME": "/nonexistent", **env}
    prober = Prober(Deadline.after(seconds), HostFiles())
    try:
        return prober.result(made(full, signal), Environment.of(full))
    finally:
        prober.close()


def decided(env: Mapping[str, str]) -> ProbeResult:
    """A probe that comes to a cause: on a busy machine the client may get no time, which is no verdict."""
    for _ in range(3):
        result = probed(env)
        if result.code:
            break
    return result
