"""Traces as the three search surfaces of Jaeger return them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lens_preflight.backends.answers import items, path_in
from lens_preflight.backends.backend import RUN_ID
from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Found:
    """Traces of one answer.

    ``run_ids`` are the ids that they carry ("" for a trace without one), None when the answer does
    not say; ``newest`` is the end of the latest span, in Unix seconds.
    """

    trace_ids: tuple[str, ...]
    run_ids: frozenset[str] | None
    newest: float | None


def from_v1(answer: dict[str, Any]) -> Found | None:
    """``data`` of the JSON API: resource attributes are tags of the process, times in microseconds."""
    traces = items(answer.get("data"))
    if not traces:
        return None
    ids, ends = set(), []
    for trace in traces:
        processes = path_in(trace, "processes") or {}
        spans = items(path_in(trace, "spans"))
        carried = {_tag(p.get("tags")) for p in processes.values()}
        carried |= {_tag(span.get("tags")) for span in spans}
        ids |= (carried - {""}) or {""}
        ends += [(s["startTime"] + s.get("duration", 0)) / 1e6 for s in spans if "startTime" in s]
    return Found(tuple(str(t["traceID"]) for t in traces), frozenset(ids), max(ends, default=None))


def _tag(tags: Any) -> str:
    return next((str(t.get("value", "")) for t in items(tags) if t.get("key") == RUN_ID), "")


def from_v3(answer: dict[str, Any]) -> Found:
    """OTLP JSON, one ``result`` or several; 64-bit numbers are texts.

    A resource without spans says nothing; no span at all gives no trace ids.
    """
    traces: dict[str, set[str]] = {}
    ends = []
    for resource in _resources(answer):
        own = _attribute(path_in(resource, "resource", "attributes"))
        for scope in items(path_in(resource, "scopeSpans")):
            for span in items(path_in(scope, "spans")):
                carried = _attribute(span.get("attributes")) or own
                traces.setdefault(str(span["traceId"]), set()).add(carried)
                if "endTimeUnixNano" in span:
                    ends.append(int(span["endTimeUnixNano"]) / 1e9)
    ids = {i for carried in traces.values() for i in ((carried - {""}) or {""})}
    return Found(tuple(traces), frozenset(ids), max(ends, default=None))


def _resources(answer: dict[str, Any]) -> Iterator[Any]:
    results = answer.get("result", answer)
    for result in results if isinstance(results, list) else [results]:
        yield from items(path_in(result, "resourceSpans"))


def _attribute(attributes: Any) -> str:
    for pair in items(attributes):
        if pair.get("key") == RUN_ID:
            return str(next(iter((pair.get("value") or {}).values()), ""))
    return ""


def from_summaries(answer: dict[str, Any]) -> Found | None:
    """Summaries hold ids and times, and no attribute."""
    summaries = items(answer.get("summaries"))
    if not summaries:
        return None
    ends = [int(s["maxEndTimeUnixNano"]) / 1e9 for s in summaries if "maxEndTimeUnixNano" in s]
    return Found(tuple(str(s["traceId"]) for s in summaries), None, max(ends, default=None))
