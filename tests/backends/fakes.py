"""Small backends for tests: they know some runs, and answer by what they are asked."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from typing import Any

from tests.backends.replay import NO_ROUTE, Answers, Canned

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def body(value: Any, status: int = 200, **headers: str) -> Canned:
    """A JSON answer."""
    return Canned(json.dumps(value).encode(), status, headers=headers)


def jaeger(
    runs: Iterable[str] = (), *, ignores_filter: bool = False, age: float = 1.0, carries: str = ""
) -> Answers:
    """A Jaeger of the 1.x and early 2.x API. ``age``: seconds since the newest span of any run."""
    known = tuple(runs)

    def search(text: str) -> Canned:
        wanted = re.search(r'"nemo.run.id": ?"([^"]*)"', text)
        found = wanted is not None and (wanted[1] in known or ignores_filter)
        run = carries or (wanted[1] if wanted else "")
        start = int((time.time() - age) * 1e6)
        begin = re.search(r"[?&]start=(\d+)", text)
        since = int(begin[1]) if begin else 0
        if not found or start < since:
            return body({"data": [], "total": 0, "limit": 0, "offset": 0, "errors": None})
        span = {"traceID": TRACE, "startTime": start, "duration": 1000, "tags": [], "processID": "p1"}
        tags = [{"key": "nemo.run.id", "type": "string", "value": run}]
        trace = {
            "traceID": TRACE,
            "spans": [span],
            "processes": {"p1": {"serviceName": "megatron-lm", "tags": tags}},
        }
        return body({"data": [trace], "total": 0, "limit": 0, "offset": 0, "errors": None})

    return {
        "GET /api/services": body({"data": ["megatron-lm"], "errors": None}),
        "GET /api/traces": search,
        ".*": NO_ROUTE,
    }


def prometheus(
    runs: Iterable[str] = (), *, promoted: bool = True, moving: bool = True, samples: int = 20
) -> Answers:
    """A Prometheus with one training metric per run; not ``promoted``: ids on target_info alone."""
    known = tuple(runs)

    def query(text: str) -> Canned:
        wanted = re.search(r'nemo_run_id="([^"]*)"', text)
        run = wanted[1] if wanted else ""
        if run not in known:
            return _vector([])
        if "changes(" in text or "count_over_time(" in text:
            value = samples if "count_over_time" in text else 3 if moving else 0
            return _vector([({"family": "megatron_training_loss"}, value)])
        if "timestamp(" in text:
            return _vector([({"nemo_run_id": run}, 0.6)])
        if "count by (__name__)" in text:
            names = ["megatron_training_loss", "target_info"] if promoted else ["target_info"]
            return _vector([({"__name__": name}, 1) for name in names])
        return _vector([({"__name__": "megatron_training_loss", "nemo_run_id": run}, 2.31)])

    def values(text: str) -> Canned:
        listed = list(known) if promoted or "match[]" not in text else []
        return body({"status": "success", "data": listed})

    return {
        "GET /api/v1/status/buildinfo": body({"status": "success", "data": {"version": "2.42.0"}}),
        "GET /api/v1/query": query,
        "GET /api/v1/label/nemo_run_id/values": values,
    }


def _vector(series: list[tuple[dict[str, str], float]]) -> Canned:
    result = [{"metric": labels, "value": [time.time(), str(value)]} for labels, value in series]
    return body({"status": "success", "data": {"resultType": "vector", "result": result}})
