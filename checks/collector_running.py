"""collector-config, fourth part: the collector as a program: its own metrics, extensions, secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_care_rules as rules
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.documents import Node


_SECRET_KEY = re.compile(
    r"(^|[_.-])(password|passwd|secret|token|api[_-]?key|apikey|authorization|access[_-]?key|"
    r"x-honeycomb-team|wandb-api-key|private[_-]?key)$",
    re.I,
)


_CREDENTIALS = re.compile(r"://[^/@\s:]+:[^/@\s]+@")


LEVELS = ("none", "basic", "normal", "detailed")
_DURATION_KEYS = frozenset(
    {"timeout", "check_interval", "flush_timeout", "initial_interval", "max_interval", "metric_expiration"}
    | {"decision_wait", "scrape_interval", "collection_interval", "metrics_flush_interval"}
)


def running_findings(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """What is said of the collector itself."""
    yield from _telemetry(config, topology)
    yield from _extensions(config)
    yield from _unused(config)
    yield from _secrets(config)
    yield from _bare_durations(config)


def _telemetry(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """The collector's own metrics: on, and where a Prometheus can reach them."""
    from lens_preflight.collector.amounts import is_loopback
    from lens_preflight.documents import Mapping, Scalar

    root = config.root
    metrics = root.get("service", "telemetry", "metrics") if root is not None else None
    at = metrics.at if metrics is not None else config.at
    write = "write: readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 8888}}}}]"
    level = metrics.text("level") if isinstance(metrics, Mapping) else None
    if isinstance(metrics, Mapping) and level is not None and "${" not in level:
        where, remedy = metrics.key_at("level"), "write level: normal"
        if level.lower() == "none":
            yield Finding(rules.TELEMETRY_OFF, "telemetry.metrics.level is none", where, remedy=remedy)
            return
        if level.lower() not in LEVELS:
            yield Finding(rules.TELEMETRY_LEVEL, f"{level} is no level", where, remedy=remedy)
            return
    address = metrics.get("address") if isinstance(metrics, Mapping) else None
    if isinstance(metrics, Mapping) and address is not None and config.version >= (0, 123):
        gone = config.version >= (0, 135)
        yield Finding(
            rules.TELEMETRY_ADDRESS if gone else rules.TELEMETRY_ADDRESS_IGNORED,
            "telemetry.metrics.address is " + ("refused" if gone else "ignored"),
            metrics.key_at("address"),
            remedy=write,
        )
        return
    if topology != "gateway" or config.deployment.operator or _scrapes_itself(config):
        return
    readers = metrics.children("readers") if metrics is not None else ()
    hosts = [reader.get("pull", "exporter", "prometheus", "host") for reader in readers]
    local = [h for h in hosts if isinstance(h, Scalar) and is_loopback(h.text_value)]
    if not readers or (local and len(local) == len(readers)):
        place = local[0].at if local else at
        yield Finding(
            rules.TELEMETRY_LOCAL, "the collector's own metrics stay on its machine", place, remedy=write
        )


def _scrapes_itself(config: CollectorConfig) -> bool:
    for component in config.of("receivers").values():
        if (
            component.type == "prometheus"
            and component.body is not None
            and ":8888" in str(component.body.data())
        ):
            return True
    return False


def _extensions(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import bind_host, is_everywhere

    listed = {reference.id for reference in config.listed}
    health = [c for c in config.of("extensions").values() if c.type in ("health_check", "healthcheckv2")]
    if not health:
        yield Finding(
            rules.NO_HEALTH_CHECK,
            "no extension health_check",
            config.at,
            remedy="add: extensions: {health_check: {endpoint: 0.0.0.0:13133}}, and list it",
        )
    for component in health:
        if component.id not in listed:
            yield Finding(
                rules.HEALTH_NOT_LISTED,
                f"{component.id} is not in service.extensions",
                component.at,
                remedy=f"add {component.id} to service.extensions",
            )
    for component in config.of("extensions").values():
        endpoint = component.text("endpoint")
        open_page = endpoint is not None and is_everywhere(bind_host(endpoint))
        if component.type in ("zpages", "pprof") and component.id in listed and open_page:
            yield Finding(
                rules.DEBUG_OPEN,
                f"{component.id} is open to the network",
                component.line_of("endpoint"),
                remedy="bind it to localhost",
            )


def _unused(config: CollectorConfig) -> Iterator[Finding]:
    used = {r.id for p in config.pipelines for r in (*p.receivers, *p.processors, *p.exporters)}
    used |= {reference.id for reference in config.listed}
    for kind, components in config.components.items():
        for component in components.values():
            ours = not component.at.what.startswith("<")  # not of the chart's own values
            if (
                ours
                and component.id not in used
                and kind != "connectors"
                and component.type != "health_check"
            ):
                yield Finding(
                    rules.UNUSED_COMPONENT,
                    f"{kind[:-1]} {component.id} is used nowhere",
                    component.at,
                    remedy=f"use it in a pipeline, list it in service.extensions, or remove {component.id}",
                )


def _secrets(config: CollectorConfig) -> Iterator[Finding]:
    """Keys that hold a secret in the open; the value is never shown."""
    for key, node in _texts(config.root, ""):
        text = getattr(node, "text_value", "")
        if getattr(node, "value", None) is None or "${" in text or not text:
            continue
        inside = bool(_CREDENTIALS.search(text))
        if inside or (_SECRET_KEY.search(key) and not getattr(node, "open", False)):
            what = "an address with a password" if inside else key
            name = re.sub(r"[^A-Z0-9]+", "_", key.upper()).strip("_")
            yield Finding(
                rules.INLINE_SECRET,
                f"{what} is written out",
                node.at,
                remedy=f"write: {key}: ${{env:{name}}}",
            )


def _texts(node: Node | None, key: str) -> Iterator[tuple[str, Node]]:
    """Every scalar with the key above it."""
    from lens_preflight.documents import Mapping, Scalar, Sequence

    if isinstance(node, Mapping):
        for inner, value in node.entries.items():
            yield from _texts(value, inner)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, key)
    elif isinstance(node, Scalar):
        yield key, node


def _bare_durations(config: CollectorConfig) -> Iterator[Finding]:
    for kind in ("processors", "exporters"):
        for component in config.of(kind).values():
            for key, node in _texts(component.body, ""):
                value = getattr(node, "value", None)
                if key in _DURATION_KEYS and type(value) is int and value > 0:
                    yield Finding(
                        rules.DURATION_WITHOUT_UNIT,
                        f"{key} of {component.id} is {value} nanoseconds",
                        node.at,
                        remedy=f"write {key}: {value}s",
                    )
