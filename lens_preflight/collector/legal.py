"""Values that a component refuses although their type is right: words, bounds, and what excludes each other.

Read off a 0.148 build: each was offered to its validate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lens_preflight.collector import legal_processors as processors
from lens_preflight.collector.amounts import whole
from lens_preflight.collector.legal_values import Found, least, one_of, positive, scalars, written
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Node, Scalar

_FIXED = ("service.name", "span.name", "span.kind", "status.code")
"""Dimensions that spanmetrics always has."""


@dataclass(frozen=True)
class Illegal:
    """One value: ``what`` ends a sentence about the component."""

    owner: str
    what: str
    at: Location
    write: str


def illegal(config: CollectorConfig) -> Iterator[Illegal]:
    """All of them, of components that are used or not."""
    for (kind, type_), judge in _JUDGES.items():
        for component in config.of(kind).values():
            if component.type == type_:
                for what, at, write in judge(component):
                    yield Illegal(component.id, what, at, write)
    root = config.root
    telemetry = root.get("service", "telemetry") if root is not None else None
    if telemetry is not None:
        for what, at, write in _telemetry(telemetry):
            yield Illegal("service.telemetry", what, at, write)


def _file(component: Component) -> Found:
    path = component.get("path")
    text = written(path)
    if path is None or text == "":
        yield "it has no path", component.line_of("path"), "path: /var/log/telemetry.json"
    yield from one_of(component, ("format",), ("json", "proto"))
    yield from one_of(component, ("compression",), ("", "zstd"))
    appends = component.flag("append") is True
    for key in ("rotation", "compression"):
        if appends and component.get(key) is not None and written(component.get(key)) != "":
            yield f"append and {key} exclude each other", component.line_of("append"), f"append or {key}"
    if component.flag("group_by", "enabled") and text is not None and text.count("*") != 1:
        yield "group_by needs one * in path", component.line_of("path"), "path: /var/log/*.json"
    yield from positive(component, "flush_interval", zero=True)


def _spanmetrics(component: Component) -> Found:
    yield from one_of(component, ("histogram", "unit"), ("ms", "s"))
    if all(isinstance(component.get("histogram", word), Mapping) for word in ("explicit", "exponential")):
        yield "explicit and exponential exclude each other", component.line_of("histogram"), "one of the two"
    for keys in (("dimensions",), ("events", "dimensions")):
        items = component.body.children(*keys) if component.body is not None else ()
        names = [item.text("name") or "" for item in items]
        twice = [n for k, n in enumerate(names) if n and (n in names[:k] or n in _FIXED)]
        if twice:
            yield f"{'.'.join(keys)} has {twice[0]} twice", component.line_of(*keys), "each dimension once"
    events = component.body.children("events", "dimensions") if component.body is not None else ()
    if component.flag("events", "enabled") and not events:
        yield "events have no dimensions", component.line_of("events"), "dimensions: [{name: NAME}]"
    yield from least(component, ("aggregation_cardinality_limit",), 0)
    yield from positive(component, "metrics_flush_interval", zero=False)
    yield from positive(component, "metrics_expiration", zero=True)
    size = whole(component, "metric_timestamp_cache_size")
    if (
        (component.text("aggregation_temporality") or "").endswith("_DELTA")
        and size is not None
        and size <= 0
    ):
        yield (
            f"metric_timestamp_cache_size is {size}",
            component.line_of("metric_timestamp_cache_size"),
            "1000",
        )
    for bucket in scalars(component, "histogram", "explicit", "buckets"):
        if isinstance(bucket.value, str) and not bucket.open and not re.search(r"[a-zµ]$|^0$", bucket.value):
            yield f"the bucket {bucket.value} has no unit", bucket.at, "durations such as 5ms"


def _health(component: Component) -> Found:
    path = written(component.get("path"))
    if path is not None and not path.startswith("/"):
        yield f"path is {path}", component.line_of("path"), "a path that begins with /"
    if written(component.get("endpoint")) == "":
        yield "it has no endpoint", component.line_of("endpoint"), "endpoint: 0.0.0.0:13133"


def _otlp(component: Component) -> Found:
    networks = (
        "tcp",
        "tcp4",
        "tcp6",
        "udp",
        "udp4",
        "udp6",
        "ip",
        "ip4",
        "ip6",
        "unix",
        "unixgram",
        "unixpacket",
    )
    for protocol in ("grpc", "http"):
        tls = ("protocols", protocol, "tls")
        yield from one_of(component, ("protocols", protocol, "transport"), networks)
        halves = [
            any(_filled(component.get(*tls, f"{part}_{form}")) for form in ("file", "pem"))
            for part in ("cert", "key")
        ]
        if isinstance(component.get(*tls), Mapping) and not all(halves):
            yield (
                f"tls of {protocol} has no certificate with a key",
                component.line_of(*tls),
                "cert_file and key_file",
            )
    yield from least(component, ("protocols", "grpc", "max_recv_msg_size_mib"), 0)


def _filled(node: Node | None) -> bool:
    return isinstance(node, Scalar) and (node.open or bool(node.text_value))


def _telemetry(telemetry: Node) -> Found:
    level = written(telemetry.get("logs", "level"))
    levels = ("", "debug", "info", "warn", "error", "dpanic", "panic", "fatal")
    if level is not None and level.lower() not in levels:
        yield f"logs.level is {level}", telemetry.at, "one of: " + ", ".join(levels[1:])
    resource = telemetry.get("resource")
    for key, value in resource.entries.items() if isinstance(resource, Mapping) else ():
        if isinstance(value, Scalar) and value.value is not None and not isinstance(value.value, str):
            yield f"resource.{key} is no text", value.at, "a text (in quotes)"
    for reader in telemetry.children("metrics", "readers"):
        port = reader.get("pull", "exporter", "prometheus", "port")
        if isinstance(port, Scalar) and isinstance(port.value, str) and not port.open:
            yield "the port of a reader is a text", port.at, "port: 8888"


_JUDGES: dict[tuple[str, str], Callable[[Component], Found]] = {
    ("processors", "attributes"): processors.actions,
    ("processors", "resource"): processors.actions,
    ("processors", "filter"): processors.filters,
    ("processors", "transform"): processors.styles,
    ("processors", "probabilistic_sampler"): processors.sampler,
    ("processors", "tail_sampling"): processors.policies,
    ("processors", "memory_limiter"): processors.limiter,
    ("processors", "batch"): processors.batch,
    ("exporters", "file"): _file,
    ("connectors", "spanmetrics"): _spanmetrics,
    ("extensions", "health_check"): _health,
    ("receivers", "otlp"): _otlp,
}
