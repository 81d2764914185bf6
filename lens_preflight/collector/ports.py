"""The addresses that a Collector listens on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.collector.amounts import is_everywhere, is_loopback
from lens_preflight.collector.listening import listeners
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.types import OTLP_RECEIVERS
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Scalar

_ADDRESS = re.compile(r"(?P<host>.*):(?P<port>[0-9]{1,5})$")
_EXTENSIONS = {"health_check": 13133, "zpages": 55679, "pprof": 1777}
TELEMETRY = 8888


@dataclass(frozen=True)
class Port:
    """One address; ``owner`` is what listens there."""

    owner: str
    host: str
    number: int
    at: Location

    def clashes(self, other: Port) -> bool:
        """Whether both cannot listen on one host."""
        if self.number != other.number or not self.number:
            return False
        if is_everywhere(self.host) or is_everywhere(other.host):
            return True
        return self.host == other.host or (is_loopback(self.host) and is_loopback(other.host))


def ports(config: CollectorConfig) -> Iterator[Port]:
    """Those that are known: OTLP receivers, Prometheus exporters, extensions, the own metrics."""
    receiving = {r.id for p in config.pipelines for r in p.receivers}
    exporting = {r.id for p in config.pipelines for r in p.exporters}
    listed = {reference.id for reference in config.listed}
    for identity, component in config.of("receivers").items():
        if identity in receiving and component.type in OTLP_RECEIVERS:
            for one in listeners(component):
                if not one.socket and one.port:
                    yield Port(one.shown, one.host or "localhost", one.port, one.at)
    for identity, component in config.of("exporters").items():
        if identity in exporting and component.type == "prometheus":
            yield from _of(component, 0)
    for identity, component in config.of("extensions").items():
        if identity in listed and component.type in _EXTENSIONS:
            yield from _of(component, _EXTENSIONS[component.type])
    yield from _telemetry(config)


def _of(component: Component, by_default: int) -> Iterator[Port]:
    endpoint = component.text("endpoint")
    match = _ADDRESS.match(endpoint or "")
    if match is not None and "${" not in match["host"]:
        yield Port(component.id, match["host"].strip("[]"), int(match["port"]), component.line_of("endpoint"))
    elif endpoint is None and by_default:
        yield Port(component.id, "localhost", by_default, component.at)


def _telemetry(config: CollectorConfig) -> Iterator[Port]:
    root = config.root
    metrics = root.get("service", "telemetry", "metrics") if root is not None else None
    if metrics is not None and metrics.text("level") == "none":
        return
    readers = metrics.get("readers") if metrics is not None else None
    if readers is None:
        yield Port("the collector's own metrics", "localhost", TELEMETRY, config.at)
        return
    for reader in metrics.children("readers") if metrics is not None else ():
        block = reader.get("pull", "exporter", "prometheus")
        port = block.get("port") if block is not None else None
        if block is not None and isinstance(port, Scalar) and isinstance(port.value, int):
            host = block.text("host") or "localhost"
            if "${" not in host:
                yield Port("the collector's own metrics", host, port.value, port.at)
