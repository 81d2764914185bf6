"""collector-config: where the OTLP receivers listen, and what they speak."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_delivery_rules as rules
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.finding import Finding, Location, Rule

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component
    from lens_preflight.context import Context


SPAN = 400
"""Bytes; a single span with the resource of a job has some more (435 measured with the SDK 1.45)."""
EXPORT = 1_048_576
"""Bytes that one export of the SDK may have: 512 spans with their attributes."""
TRANSPORTS = frozenset(("grpc", "http"))


@dataclass(frozen=True)
class Bind:
    """One protocol of a receiver, and whether it is ``local``, ``open`` or something ``other``."""

    component: Component
    protocol: str
    at: Location
    where: str


def bind_findings(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> Iterator[Finding]:
    """What keeps the job from reaching the receivers."""
    yield from _protocols(config, ctx, signals)
    yield from _binds(config, ctx.topology)
    yield from _bodies(config, ctx, signals)


def _bodies(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> Iterator[Finding]:
    """A receiver of HTTP that takes less than one span with its resource, or than one export."""
    from lens_preflight.collector.amounts import whole
    from lens_preflight.collector.listening import receivers

    keys = ("protocols", "http", "max_request_body_size")
    for component in dict.fromkeys(c for signal in signals for c in receivers(config, signal)):
        size = whole(component, *keys)
        if size is None or not 0 < size < EXPORT:
            continue
        asked = any("http" in _transports(ctx, signal) for signal in signals)
        yield Finding(
            rules.BODY_LIMIT if size < SPAN and asked else rules.BODY_SIZE,
            f"{component.id} answers 400 to requests over HTTP of more than {size} bytes",
            component.line_of(*keys),
            remedy="write max_request_body_size: 20971520, or take it out (20 MiB)",
        )


def _protocols(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> Iterator[Finding]:
    """Whether the receivers of each signal speak what the job's exporters of that signal speak."""
    from lens_preflight.collector.listening import receivers

    unheard: dict[str, list[str]] = {}
    places: dict[str, Location] = {}
    for signal in signals:
        heard = receivers(config, signal)
        spoken = {p for c in heard for p in getattr(c.get("protocols"), "entries", {})}
        for transport in _transports(ctx, signal) - spoken if spoken else ():
            unheard.setdefault(transport, []).append(signal)
            places.setdefault(transport, heard[0].line_of("protocols"))
    for transport, lost in sorted(unheard.items()):
        yield Finding(
            rules.PROTOCOL_NOT_RECEIVED,
            f"the job exports {' and '.join(lost)} over {transport}, which no OTLP receiver there speaks",
            places[transport],
            remedy=f"write: {transport}: {{endpoint: 0.0.0.0:{_port(transport)}}}",
        )


def refuse_unknown_transport(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> None:
    """A launch whose transport is not known is answered only by receivers that speak both.

    Raises:
        Undecided: it may send what nobody there understands.
    """
    from lens_preflight.collector.listening import receivers

    for signal in signals:
        heard = receivers(config, signal)
        spoken = {p for c in heard for p in getattr(c.get("protocols"), "entries", {})}
        if heard and not spoken >= TRANSPORTS:
            for transport in _each_transport(ctx, signal):
                if isinstance(transport, Undecided):
                    raise transport


def _transports(ctx: Context, signal: str) -> set[str]:
    """What the launches send a signal over, as far as it is known."""
    return {t for t in _each_transport(ctx, signal) if isinstance(t, str) and t in TRANSPORTS}


def _each_transport(ctx: Context, signal: str) -> Iterator[str | Undecided]:
    """What each launch sends a signal over, or why that is not known; a launch that cannot start sends nothing."""
    from lens_preflight.otel.view import OtelView

    for launch in ctx.launches:
        view = OtelView(ctx.env_of(launch), ctx.generation, ctx.files, launch.framework.prefixes)
        try:
            yield view.in_sight.with_all_files.exporter(signal).transport
        except Undecided as doubt:
            yield doubt
        except LibraryFailure:
            continue


def _binds(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """Where the OTLP receivers listen."""
    from lens_preflight.collector.types import OTLP_RECEIVERS

    if topology == "node-agent" or config.deployment.mode in ("daemonset", "sidecar"):
        return
    used = {reference.id for pipeline in config.pipelines for reference in pipeline.receivers}
    binds = [
        Bind(component, *found)
        for identity, component in config.of("receivers").items()
        if component.type in OTLP_RECEIVERS and identity in used
        for found in _listening(config, component)
    ]
    reached = {bind.protocol for bind in binds if bind.where != "local"}
    local = [bind for bind in binds if bind.where == "local"]
    if local and not reached:
        rule = rules.BIND_LOCALHOST if topology == "gateway" else rules.BIND_LOCALHOST_UNSAID
        message = f"{local[0].component.id} listens on this machine only"
        yield _local(rule, message, local[0], "" if topology else ", or say --topology node-agent")
    for bind in local if reached else ():
        if bind.protocol not in reached:
            message = f"{bind.component.id}: {bind.protocol} listens on this machine only"
            yield _local(rules.BIND_PARTLY_LOCAL, message, bind, "")
    yield from _open([bind for bind in binds if bind.where == "open"])


def _local(rule: Rule, message: str, bind: Bind, otherwise: str) -> Finding:
    remedy = f"write: {bind.protocol}: {{endpoint: 0.0.0.0:{_port(bind.protocol)}}}{otherwise}"
    return Finding(rule, message, bind.at, remedy=remedy)


def _port(protocol: str) -> int:
    return 4318 if protocol == "http" else 4317


def _listening(config: CollectorConfig, component: Component) -> Iterator[tuple[str, Location, str]]:
    """Each protocol with its place and ``local``, ``open`` or ``other``."""
    from lens_preflight.collector.amounts import bind_host, is_everywhere, is_loopback, is_open

    protocols = getattr(component.get("protocols"), "entries", {})
    for protocol in protocols:
        keys = ("protocols", protocol, "endpoint")
        endpoint = component.text(*keys)
        at = component.line_of(*keys)
        if is_open(component, *keys):
            yield protocol, at, "other"
        elif component.text("protocols", protocol, "transport") == "unix" or (endpoint or "")[:1] == "/":
            yield protocol, at, "local"
        elif endpoint is None:
            by_default = "open" if config.version < (0, 104) or config.deployment.operator else "local"
            yield protocol, at, by_default
        else:
            host = bind_host(endpoint)
            yield protocol, at, "local" if is_loopback(host) else "open" if is_everywhere(host) else "other"


def _open(binds: list[Bind]) -> Iterator[Finding]:
    """One note for all protocols that have neither TLS nor authentication."""
    bare = [
        bind
        for bind in binds
        if bind.component.get("protocols", bind.protocol, "tls") is None
        and bind.component.get("protocols", bind.protocol, "auth") is None
    ]
    if bare:
        yield Finding(
            rules.BIND_OPEN,
            f"{bare[0].component.id} takes telemetry from everybody",
            bare[0].at,
            evidence={"protocols": ", ".join(bind.protocol for bind in bare)},
            remedy="add tls and auth to the protocol, or bind to the address of the cluster's own network",
        )
