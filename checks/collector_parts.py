"""collector-config, first part: keys and numbers inside one component that the collector refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_start_rules as rules
from lens_preflight.core.finding import Finding, Rule

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component


HEAP = 4
"""MiB that a collector of a few components has in use before anything arrives (measured)."""


def part_findings(config: CollectorConfig) -> Iterator[Finding]:
    """What is refused inside single components."""
    for component in every_component(config):
        yield from _removed(config, component)
    for component in config.of("processors").values():
        if component.type == "memory_limiter":
            yield from _limiter(component)
        elif component.type == "batch":
            yield from _batch(component)
        elif component.type in _OBLIGATORY:
            yield from _without(component, _OBLIGATORY[component.type])
    for component in config.of("exporters").values():
        yield from _endpoint(config, component)
        yield from _queue_and_retry(component)
    yield from _durations(config)
    for component in config.of("receivers").values():
        if component.type == "otlp":
            yield from _listen_form(component)
        if component.type == "otlp" and not _protocols(component):
            yield Finding(
                rules.RECEIVER_WITHOUT_PROTOCOL,
                f"{component.id} has no protocol",
                component.at,
                remedy="write: protocols: {grpc: {endpoint: 0.0.0.0:4317}, http: {endpoint: 0.0.0.0:4318}}",
            )


def every_component(config: CollectorConfig) -> Iterator[Component]:
    """The components of all kinds."""
    for components in config.components.values():
        yield from components.values()


def _protocols(component: Component) -> bool:
    node = component.get("protocols")
    return bool(getattr(node, "entries", {}))


def _listen_form(component: Component) -> Iterator[Finding]:
    """A receiver listens on host:port, or on a socket; validate is silent about it."""
    from lens_preflight.documents import Scalar

    for protocol in getattr(component.get("protocols"), "entries", {}):
        keys = ("protocols", protocol, "endpoint")
        node = component.get(*keys)
        if not isinstance(node, Scalar) or node.open or not (isinstance(node.value, str) or node.quoted):
            continue
        socket = component.text("protocols", protocol, "transport") == "unix"
        if not socket and not re.fullmatch(r"[^/]*:[^/:]+", node.text_value):
            yield Finding(
                rules.LISTEN_FORM,
                f"{component.id}: {protocol} has no address to listen on",
                component.line_of(*keys),
                evidence={"endpoint": node.text_value},
                remedy=f"write endpoint: 0.0.0.0:{4318 if protocol == 'http' else 4317}",
            )


def _removed(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.types import REMOVED

    gone = REMOVED.get((component.kind, component.type))
    if gone is not None and config.version >= gone[0]:
        yield Finding(
            rules.REMOVED_COMPONENT,
            f"{component.kind[:-1]} {component.id} no longer exists",
            component.at,
            evidence={"removed in": f"0.{gone[0][1]}", "judged for": f"0.{config.version[1]}"},
            remedy=f"use {gone[1]}",
        )
    for keys, since, instead in (
        (("sending_queue", "blocking"), (0, 129), "block_on_overflow"),
        (("batcher",), (0, 130), "sending_queue.batch"),
    ):
        if component.kind == "exporters" and component.get(*keys) is not None and config.version >= since:
            yield Finding(
                rules.REMOVED_KEY,
                f"{'.'.join(keys)} of {component.id} no longer exists",
                component.line_of(*keys),
                evidence={"removed in": f"0.{since[1]}", "judged for": f"0.{config.version[1]}"},
                remedy=f"use {instead}",
            )


def _limiter(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_open, seconds, whole

    limit, share = whole(component, "limit_mib"), whole(component, "limit_percentage")
    spike = whole(component, "spike_limit_mib")
    interval = seconds(component.text("check_interval"))
    pairs = ((limit, spike), (share, whole(component, "spike_limit_percentage")))
    unknown = any(is_open(component, key) for key in ("limit_mib", "limit_percentage", "check_interval"))
    fault = ""
    if not unknown and not limit and not share:
        fault = "has no limit"
    elif not unknown and not interval:
        fault = "has no check_interval"
    elif any(most and least is not None and least >= most for most, least in pairs):
        fault = "has a spike as large as its limit"
    soft = (limit or 0) - (limit // 5 if spike is None else spike) if limit else 0
    if limit and not fault and soft < HEAP:
        yield Finding(
            rules.LIMITER_STARVES,
            f"{component.id} refuses everything",
            component.line_of("limit_mib"),
            evidence={"refuses above": f"{soft} MiB"},
            remedy="write: {check_interval: 1s, limit_mib: 2000, spike_limit_mib: 400}",
        )
    if fault:
        yield Finding(
            rules.LIMITER_INVALID,
            f"{component.id} {fault}",
            component.at,
            remedy="write: {check_interval: 1s, limit_mib: 2000, spike_limit_mib: 400}",
        )


_OBLIGATORY = {"resource": "attributes", "attributes": "actions"}


def _without(component: Component, key: str) -> Iterator[Finding]:
    node = component.get(key)
    if node is None or (isinstance(getattr(node, "items", None), tuple) and not component.body.children(key)):  # type: ignore[union-attr]
        yield Finding(
            rules.WRONG_SHAPE,
            f"{component.id} has no {key}",
            component.line_of(key),
            remedy=f"write {key}: [{{key: KEY, value: VALUE, action: upsert}}], or take {component.id} out",
        )


def _batch(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import whole

    size = whole(component, "send_batch_size")
    most = whole(component, "send_batch_max_size")
    if most and most < (size if size is not None else 8192):
        yield Finding(
            rules.BATCH_INVALID,
            f"{component.id}: send_batch_max_size is below send_batch_size",
            component.line_of("send_batch_max_size"),
            evidence={"send_batch_size": str(size or 8192), "send_batch_max_size": str(most)},
            remedy="raise send_batch_max_size, or lower send_batch_size to it",
        )


def _endpoint(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    """Exporters that do not start without an address, or with one of another form."""
    from lens_preflight.collector.amounts import is_open

    if component.type not in ("otlp", "otlphttp", "prometheus", "prometheusremotewrite"):
        return
    endpoint = component.text("endpoint")
    if not endpoint:
        signals = sorted(
            {p.signal for p in config.pipelines if any(r.id == component.id for r in p.exporters)}
        )
        own = [signal for signal in signals if not component.text(f"{signal}_endpoint")]
        if component.type != "otlphttp" or own or not signals:
            what = f" for {own[0]}" if component.type == "otlphttp" and own else ""
            yield Finding(
                rules.ENDPOINT_MISSING,
                f"{component.id} has no endpoint{what}",
                component.at,
                remedy=f"write in {component.id}: endpoint: "
                + ("https://HOST" if component.type == "otlphttp" else "HOST:PORT"),
            )
    elif not is_open(component, "endpoint"):
        yield from _form(component, endpoint)


def _form(component: Component, endpoint: str) -> Iterator[Finding]:
    """gRPC does not start without a port."""
    scheme = "://" in endpoint or endpoint.startswith(("unix:", "dns:", "passthrough:"))
    if component.type == "otlp" and not scheme and not re.search(r":\d+$", endpoint):
        yield Finding(
            rules.ENDPOINT_FORM,
            f"{component.id} has an address without a port",
            component.line_of("endpoint"),
            remedy=f"write endpoint: {endpoint}:4317",
        )


def _queue_and_retry(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_off, seconds, whole

    if not is_off(component, "sending_queue", "enabled"):
        size = whole(component, "sending_queue", "queue_size")
        least = whole(component, "sending_queue", "batch", "min_size")
        items = component.text("sending_queue", "sizer") == "items"
        if size == 0 or (size is not None and least is not None and items and least > size):
            yield _invalid(
                rules.QUEUE_INVALID, component, ("sending_queue", "queue_size"), "queue_size: 1000"
            )
        if whole(component, "sending_queue", "num_consumers") == 0:
            yield _invalid(
                rules.QUEUE_INVALID, component, ("sending_queue", "num_consumers"), "num_consumers: 10"
            )
    elapsed = seconds(component.text("retry_on_failure", "max_elapsed_time"))
    interval = seconds(component.text("retry_on_failure", "max_interval"))
    interval = 30.0 if interval is None else interval
    if elapsed and elapsed < interval and not is_off(component, "retry_on_failure", "enabled"):
        keys = ("retry_on_failure", "max_elapsed_time")
        yield _invalid(rules.RETRY_INVALID, component, keys, "max_elapsed_time: 0")


def _invalid(rule: Rule, component: Component, keys: tuple[str, ...], write: str) -> Finding:
    value = component.text(*keys) or ""
    return Finding(
        rule,
        f"{component.id}: {'.'.join(keys)} is refused",
        component.line_of(*keys),
        evidence={keys[-1]: value},
        remedy=f"write {write}",
    )


_DURATIONS = (
    ("processors", "batch", ("timeout",)),
    ("processors", "memory_limiter", ("check_interval",)),
    ("exporters", "", ("timeout",)),
    ("exporters", "", ("sending_queue", "batch", "flush_timeout")),
    ("exporters", "", ("retry_on_failure", "initial_interval")),
    ("exporters", "", ("retry_on_failure", "max_interval")),
    ("exporters", "", ("retry_on_failure", "max_elapsed_time")),
    ("exporters", "prometheus", ("metric_expiration",)),
)


def _durations(config: CollectorConfig) -> Iterator[Finding]:
    """Texts that are no duration of Go; a bare number is one, in nanoseconds."""
    from lens_preflight.collector.amounts import is_open, seconds

    for kind, type_, keys in _DURATIONS:
        for component in config.of(kind).values():
            text = component.text(*keys)
            if text is None or (type_ and component.type != type_) or is_open(component, *keys):
                continue
            if seconds(text) is None:
                yield Finding(
                    rules.BAD_DURATION,
                    f"{'.'.join(keys)} of {component.id} is no duration",
                    component.line_of(*keys),
                    evidence={keys[-1]: text},
                    remedy=f"write {keys[-1]}: 5s",
                )
