"""Where telemetry ends: distinct places, however many exporters lead to one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.types import NOWHERE
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Scalar

_ADDRESSES = (
    ("traces_endpoint",),
    ("metrics_endpoint",),
    ("logs_endpoint",),
    ("endpoint",),
    ("endpoints",),
    ("connection", "endpoint"),
    ("brokers",),
    ("api", "site"),
    ("resolver", "dns", "hostname"),
    ("resolver", "static", "hostnames"),
    ("resolver", "k8s", "service"),
    ("s3uploader", "s3_bucket"),
    ("url",),
    ("hosts",),
)
_LISTENING = frozenset({"prometheus"})
_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>\[[^\]]*\]|[^:/?#]*)")


@dataclass(frozen=True)
class Sink:
    """One place; ``key`` is equal for exporters that lead to the same one."""

    key: str
    shown: str
    exporter: str
    at: Location


def sink(component: Component) -> Sink | None:
    """Where an exporter delivers to; None when it keeps nothing (``debug``, ``nop``).

    Two exporters to one host are one place whatever their types, because they fail together; files
    are one place, the disk; an exporter that is scraped is a place of its own kind.
    """
    if component.type in NOWHERE:
        return None
    if component.type == "file":
        return Sink("disk", "the local disk", component.id, component.at)
    if component.type in _LISTENING:
        return Sink(component.type, component.type, component.id, component.at)
    host = host_of(address(component))
    if not host:
        return Sink(f"{component.type} {component.id}", component.id, component.id, component.at)
    return Sink(host, f"{host} ({component.id})", component.id, component.at)


def address(component: Component) -> str:
    """The first address that an exporter names; empty when it names none."""
    for keys in _ADDRESSES:
        node = component.get(*keys)
        items = component.body.children(*keys) if component.body is not None else ()
        if isinstance(node, Scalar) and node.text_value:
            return node.text_value
        if items and isinstance(items[0], Scalar):
            return items[0].text_value
    return ""


def host_of(address: str) -> str:
    """The host of an address with or without a scheme, in lower case; never its credentials."""
    match = _HOST.match(address.strip())
    return match["host"].lower().strip("[]") if match else ""


def sinks(config: CollectorConfig) -> Mapping[str, tuple[Sink, ...]]:
    """The distinct places that each signal of an OTLP receiver reaches."""
    table: dict[str, dict[str, Sink]] = {}
    for route in config.routes:
        component = config.find("exporters", route.end.id)
        if component is None or route.generates:
            continue
        place = sink(component)
        if place is not None:
            table.setdefault(route.pipelines[-1].signal, {}).setdefault(place.key, place)
    return {signal: tuple(places.values()) for signal, places in table.items()}
