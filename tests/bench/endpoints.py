"""Sixty-four dead endpoints at once against the longest single time-out (wall time: it is all waiting)."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.files import HostFiles
from lens_preflight.probe.prober import Prober

COUNT, TIMEOUT = 64, 3.0


def silent() -> socket.socket:
    """A port that accepts and never answers."""
    return socket.create_server(("127.0.0.1", 0), backlog=256)


def target(port: int) -> Exporter:
    """The exporter of a job with that endpoint and a time-out of TIMEOUT seconds."""
    env = Environment.of(
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_TIMEOUT": str(TIMEOUT),
        }
    )
    return exporter(env, "traces", generation("0.1"), HostFiles())


def wall(count: int) -> float:
    """Seconds until all are judged, each from a thread of its own."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(silent()) for _ in range(count)]
        exporters = [target(one.getsockname()[1]) for one in listeners]
        prober = Prober(Deadline.after(60), HostFiles())
        threads = [threading.Thread(target=prober.result, args=(e,)) for e in exporters]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spent = time.monotonic() - started
        prober.close()
        return spent


def main() -> bool:
    """Measure; True when the bar (1.05 x the slowest single one + 0.1 s) holds."""
    single = wall(1)
    many = wall(COUNT)
    bar = 1.05 * single + 0.1
    good = many <= bar
    print(
        f"{COUNT} dead endpoints{'':<28} {many / single:7.2f} x one of them ({single:.1f} s)  "
        f"bar {bar / single:.2f} {'ok' if good else 'BROKEN'}"
    )
    return good
