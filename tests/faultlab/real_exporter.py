"""Runs the real NeMo Lens exporter once per environment, each in a forked process (Python 3.13).

Standard input: a JSON list of objects with ``env``, ``signal`` (traces, metrics or both), ``token`` (the
name of the spans and the counter) and, if need be, ``spans`` (how many, else one). What arrives is seen
by the servers; printed is a JSON list of the seconds that each shutdown took (null: it did not end).
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any

AT_ONCE = 8
PATIENCE = 20.0


def main() -> None:
    """Run all, a few at a time."""
    import grpc  # noqa: F401 - loaded once, before the forks; no channel exists yet
    import nemo.lens  # noqa: F401
    import opentelemetry.exporter.otlp.proto.grpc.metric_exporter
    import opentelemetry.exporter.otlp.proto.grpc.trace_exporter
    import opentelemetry.exporter.otlp.proto.http.metric_exporter
    import opentelemetry.exporter.otlp.proto.http.trace_exporter  # noqa: F401
    import requests  # noqa: F401

    cases: list[dict[str, Any]] = json.load(sys.stdin)
    seconds: list[float | None] = [None] * len(cases)
    running: dict[int, tuple[int, int, float]] = {}
    todo = list(enumerate(cases))
    while todo or running:
        while todo and len(running) < AT_ONCE:
            number, case = todo.pop(0)
            child, pipe = _start(case)
            running[pipe] = (number, child, time.monotonic() + PATIENCE)
        ready, _, _ = select.select(list(running), [], [], 0.2)
        for pipe in list(running):
            number, child, until = running[pipe]
            if pipe in ready:
                text = os.read(pipe, 100)
                seconds[number] = float(text) if text else None
            elif time.monotonic() < until:
                continue
            else:
                os.kill(child, 9)
            os.close(pipe)
            os.waitpid(child, 0)
            del running[pipe]
    print(json.dumps(seconds))


def _start(case: dict[str, Any]) -> tuple[int, int]:
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        return child, read
    try:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.environ.clear()
        os.environ.update(case["env"])
        took = _export(case["signal"], case["token"], case.get("spans", 1))
        os.write(write, f"{took:.3f}".encode())
    finally:
        os._exit(0)


def _export(signal: str, token: str, spans: int) -> float:
    from nemo.lens import NemoLensConfig, setup_telemetry

    handle = setup_telemetry(NemoLensConfig.from_env())
    if signal in ("metrics", "both"):
        handle.meter.create_counter(token).add(1)
    for _ in range(spans if signal in ("traces", "both") else 0):
        with handle.tracer.start_as_current_span(token):
            pass
    started = time.monotonic()
    handle.shutdown()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
