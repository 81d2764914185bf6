"""Where telemetry ends: distinct places, however many exporters lead to one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lens_preflight.collector.amounts import is_loopback
from lens_preflight.collector.listening import listeners
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.types import NOWHERE, OTLP_RECEIVERS
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
_PORT = re.compile(r":([0-9]{1,5})(?:/|$)")
_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>\[[^\]]*\]|[^:/?#]*)")


@dataclass(frozen=True)
class Sink:
    """One place; ``key`` is equal for exporters that lead to the same one."""

    key: str
    shown: str
    exporter: str
    at: Location


def keeps_nothing(component: Component) -> bool:
    """Whether an exporter takes everything and throws it away."""
    return component.type in NOWHERE or (
        component.type == "file" and component.text("path") in ("/dev/null", "/dev/zero")
    )


def sink(component: Component) -> Sink | None:
    """Where an exporter delivers to; None when it keeps nothing (``debug``, ``nop``).

    Two exporters to one host are one place whatever their types, because they fail together; files
    are one place, the disk; an exporter that is scraped is a place of its own kind.
    """
    if keeps_nothing(component):
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


def feeds_itself(config: CollectorConfig, component: Component) -> bool:
    """Whether an exporter sends to an OTLP receiver that feeds it, on a port that is written out."""
    if component.type not in ("otlp", "otlphttp"):
        return False
    to = address(component)
    number = _PORT.search(to)
    if number is None or not is_loopback(host_of(to)):
        return False
    sending = config.routes_by_end.get(component.id, ())
    fed = {reference.id for route in sending for reference in route.pipelines[0].receivers}
    return any(
        one.port == int(number[1]) and not one.socket
        for identity, receiver in config.of("receivers").items()
        if identity in fed and receiver.type in OTLP_RECEIVERS
        for one in listeners(receiver)
    )


def sinks(config: CollectorConfig) -> Mapping[str, tuple[Sink, ...]]:
    """The distinct places that each signal of an OTLP receiver reaches."""
    table: dict[str, dict[str, Sink]] = {}
    for route in config.routes:
        component = config.find("exporters", route.end.id)
        if component is None or route.generates:
            continue
        place = None if feeds_itself(config, component) else sink(component)
        if place is not None:
            table.setdefault(route.pipelines[-1].signal, {}).setdefault(place.key, place)
    return {signal: tuple(places.values()) for signal, places in table.items()}
