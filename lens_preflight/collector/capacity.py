"""What the sending queues of the traces hold.

Defaults of the exporter helper: 1000 requests; of the batch processor: 8192 spans; an SDK sends 512.
"""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.collector.amounts import is_off, whole
from lens_preflight.collector.flow import Route
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.types import PULLED
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location

QUEUE_SIZE = 1000
SDK_BATCH = 512


@dataclass(frozen=True)
class Queue:
    """The queue of one exporter; ``batch`` is the spans of one request, ``limit_mib`` 0 when unknown."""

    exporter: str
    requests: int
    batch: int
    persistent: bool
    limit_mib: int
    at: Location

    @property
    def spans(self) -> int:
        """The spans that it holds when full."""
        return self.requests * self.batch


def queues(config: CollectorConfig) -> Iterator[Queue]:
    """The queues of the exporters that traces of an OTLP receiver reach, each once."""
    seen: set[str] = set()
    for route in config.routes:
        exporter = config.find("exporters", route.end.id)
        if route.signal != "traces" or exporter is None or exporter.id in seen or exporter.type in PULLED:
            continue
        seen.add(exporter.id)
        if not is_off(exporter, "sending_queue", "enabled"):
            yield Queue(
                exporter.id,
                whole(exporter, "sending_queue", "queue_size") or QUEUE_SIZE,
                _batch(config, exporter, route),
                exporter.text("sending_queue", "storage") is not None,
                _limit(config, route),
                exporter.line_of("sending_queue"),
            )


def _batch(config: CollectorConfig, exporter: Component, route: Route) -> int:
    own = whole(exporter, "sending_queue", "batch", "min_size")
    if own:
        return own
    for reference in route.processors:
        component = config.find("processors", reference.id)
        if component is not None and component.type == "batch":
            return whole(component, "send_batch_size") or 8192
    return SDK_BATCH


def _limit(config: CollectorConfig, route: Route) -> int:
    for reference in route.processors:
        component = config.find("processors", reference.id)
        if component is not None and component.type == "memory_limiter":
            return whole(component, "limit_mib") or 0
    return 0
