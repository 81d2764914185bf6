"""What a sink has received: spans, metrics and log records, found again by run id."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.core.data import dataclass, field

SIGNALS = ("traces", "metrics", "logs")
RUN_ID = "nemo.run.id"

LIMIT = 100_000
"""Records kept per signal; the oldest go first."""


@dataclass(frozen=True)
class Record:
    """One span, metric or log record.

    ``name`` is the name of the span or metric, empty for a log record; ``resource`` holds the
    attributes of the resource, ``attributes`` those of the span or log record; ``item`` is the
    protobuf message itself; ``transport`` is ``grpc`` or ``http``.
    """

    signal: str
    name: str
    resource: Mapping[str, Any]
    attributes: Mapping[str, Any]
    scope: str
    transport: str
    item: Any = field(repr=False, compare=False)

    @property
    def run_id(self) -> str:
        """The run that it belongs to, empty when it does not say."""
        return str(self.resource.get(RUN_ID, ""))


class Store:
    """Everything received, in order of arrival; safe to use from several threads."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._records: dict[str, deque[Record]] = {s: deque(maxlen=limit) for s in SIGNALS}
        self._requests: Counter[str] = Counter()

    def add(self, signal: str, request: Any, transport: str) -> int:
        """Keep the items of one Export request; returns how many there were."""
        records = list(_records(signal, request, transport))
        with self._arrived:
            self._records[signal].extend(records)
            self._requests[signal] += 1
            self._arrived.notify_all()
        return len(records)

    def records(self, signal: str, run_id: str | None = None) -> tuple[Record, ...]:
        """The records of a signal, those of one run when ``run_id`` is given."""
        with self._lock:
            return tuple(r for r in self._records[signal] if run_id is None or r.run_id == run_id)

    def requests(self, signal: str) -> int:
        """The number of Export requests of a signal, empty ones included."""
        with self._lock:
            return self._requests[signal]

    def run_ids(self) -> tuple[str, ...]:
        """The runs seen, sorted."""
        with self._lock:
            return tuple(sorted({r.run_id for kept in self._records.values() for r in kept} - {""}))

    def wait(self, signal: str, count: int, seconds: float, run_id: str | None = None) -> bool:
        """Wait until ``count`` records are there, at most ``seconds``; returns whether they are."""

        def enough() -> bool:
            return sum(run_id is None or r.run_id == run_id for r in self._records[signal]) >= count

        with self._arrived:
            return self._arrived.wait_for(enough, seconds)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            for kept in self._records.values():
                kept.clear()
            self._requests.clear()

    def summary(self) -> dict[str, Any]:
        """Counts as plain data: requests and records per signal, and per run the names with counts."""
        runs: dict[str, dict[str, dict[str, int]]] = {}
        with self._lock:
            for signal, kept in self._records.items():
                for record in kept:
                    names = runs.setdefault(record.run_id, {}).setdefault(signal, {})
                    names[record.name] = names.get(record.name, 0) + 1
            records = {signal: len(kept) for signal, kept in self._records.items()}
            return {"requests": dict(self._requests), "records": records, "runs": runs}


def _records(signal: str, request: Any, transport: str) -> Iterator[Record]:
    groups, scopes, items = {
        "traces": ("resource_spans", "scope_spans", "spans"),
        "metrics": ("resource_metrics", "scope_metrics", "metrics"),
        "logs": ("resource_logs", "scope_logs", "log_records"),
    }[signal]
    for group in getattr(request, groups):
        resource = attributes(group.resource.attributes)
        for scope in getattr(group, scopes):
            for item in getattr(scope, items):
                own = attributes(item.attributes) if signal != "metrics" else {}
                name = item.name if signal != "logs" else ""
                yield Record(signal, name, resource, own, scope.scope.name, transport, item)


def attributes(pairs: Any) -> dict[str, Any]:
    """Protobuf key-value pairs as plain data."""
    return {pair.key: _plain(pair.value) for pair in pairs}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_plain(v) for v in value.array_value.values]
    if kind == "kvlist_value":
        return attributes(value.kvlist_value.values)
    return getattr(value, kind)
