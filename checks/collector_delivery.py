"""collector-config, second part: what refuses or loses this job's telemetry, or hides its run id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_delivery_rules as rules
from lens_preflight.checks.collector_binds import bind_findings
from lens_preflight.checks.collector_losses import loss_findings
from lens_preflight.checks.collector_reach import reach_findings
from lens_preflight.checks.collector_start_rules import ENDPOINT_FORM
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Location

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component
    from lens_preflight.collector.run_id import Removal
    from lens_preflight.context import Context


def delivery_parts(
    config: CollectorConfig, ctx: Context, signals: tuple[str, ...]
) -> tuple[Iterator[Finding], ...]:
    """Everything that keeps the job's telemetry from arriving, or from being found; a doubt ends one part."""
    return (
        _signals(config, signals),
        bind_findings(config, ctx, signals),
        reach_findings(config, ctx, signals),
        _labels(config, ctx),
        _removals(config),
        loss_findings(config, ctx, signals),
        _doubled_paths(config),
        _loops(config),
    )


def _signals(config: CollectorConfig, signals: Iterable[str]) -> Iterator[Finding]:
    from lens_preflight.collector.distributed import is_shipped
    from lens_preflight.collector.sinks import keeps_nothing

    for signal in signals:
        mine = [route for route in config.routes if route.signal == signal]
        if not mine and _said_already(config, signal):
            continue
        if not mine:
            others = config.of_signal(signal)
            yield Finding(
                rules.SIGNAL_NOT_RECEIVED,
                f"no pipeline takes {signal} from an OTLP receiver",
                others[0].at if others else config.at,
                remedy=f"add: service: {{pipelines: {{{signal}: {{receivers: [otlp], processors: "
                "[memory_limiter, batch], exporters: [...]}}}",
            )
            continue
        ends = [config.find("exporters", route.end.id) for route in mine if not route.generates]
        known = [component for component in ends if component is not None]
        strange = [route for route in mine if not is_shipped("connectors", route.generates or "forward")]
        if not ends and len(strange) == len(mine):
            raise Undecided(f"what connector {mine[0].end.id} makes of {signal} is not known", mine[0].end.at)
        if known and len(known) == len(ends) and all(keeps_nothing(c) for c in known):
            yield Finding(
                rules.SIGNAL_TO_NOWHERE,
                f"{signal} end in {', '.join(dict.fromkeys(c.id for c in known))} and are kept nowhere",
                mine[0].end.at,
                remedy=f"add an exporter that keeps {signal}"
                + (": prometheus: {endpoint: 0.0.0.0:8889}" if signal == "metrics" else ""),
            )


def _said_already(config: CollectorConfig, signal: str) -> bool:
    """Whether the cause is reported: no pipeline at all, a misspelt signal, a receiver that is not there."""
    near = any(p.signal not in ("traces", "metrics", "logs", "profiles") for p in config.pipelines)
    known = {**config.of("receivers"), **config.of("connectors")}
    broken = any(r.id not in known for p in config.of_signal(signal) for r in p.receivers)
    empty = any(not p.receivers or not p.exporters for p in config.of_signal(signal))
    return not config.pipelines or near or broken or empty


def _loops(config: CollectorConfig) -> Iterator[Finding]:
    """Exporters that lead back into the collector."""
    from lens_preflight.collector.sinks import feeds_itself

    for identity in dict.fromkeys(route.end.id for route in config.routes):
        component = config.find("exporters", identity)
        if component is not None and feeds_itself(config, component):
            yield Finding(
                rules.FEEDS_ITSELF,
                f"{identity} sends to a receiver of this collector",
                component.line_of("endpoint"),
                remedy=f"write in {identity} the address of the place that keeps the telemetry",
            )


def _labels(config: CollectorConfig, ctx: Context) -> Iterator[Finding]:
    """Whether series in Prometheus can be found by the run id."""
    from lens_preflight.collector.promotion import promotes

    said: set[str] = set()
    for route in config.routes:
        exporter = config.find("exporters", route.end.id)
        if exporter is None or exporter.type not in ("prometheus", "prometheusremotewrite"):
            continue
        fixed = [key for key in ("const_labels", "external_labels") if _has_run_id(exporter, key)]
        if fixed and exporter.id not in said and route.signal == "metrics":
            said.add(exporter.id)
            yield Finding(
                rules.RUN_ID_CONSTANT,
                f"{fixed[0]} of {exporter.id} writes nemo_run_id itself",
                exporter.line_of(fixed[0]),
                remedy=f"take nemo_run_id out of {fixed[0]}",
            )
        if route.signal != "metrics" or exporter.id in said or promotes(config, exporter, route.processors):
            continue
        said.add(exporter.id)
        joined = _panels_join(ctx)
        yield Finding(
            rules.RUN_ID_BY_JOIN if joined else rules.RUN_ID_NOT_A_LABEL,
            f"series of {exporter.id} carry no nemo_run_id",
            exporter.at,
            remedy=f"add to {exporter.id}: resource_to_telemetry_conversion: {{enabled: true}}",
        )
    for file in ctx.rules if _otlp_into_prometheus(config) else ():
        if file.promotes_run_id is False:
            yield Finding(
                rules.RUN_ID_NOT_A_LABEL,
                "Prometheus does not promote nemo.run.id from the resource",
                Location.file(file.path),
                remedy="add: otlp: {promote_resource_attributes: [nemo.run.id]}",
            )


def _has_run_id(exporter: Component, key: str) -> bool:
    node = exporter.get(key)
    return any(name.replace(".", "_") == "nemo_run_id" for name in getattr(node, "entries", {}))


def _otlp_into_prometheus(config: CollectorConfig) -> bool:
    """Whether Prometheus may get OTLP of this collector, which alone its promotion is for."""
    from lens_preflight.collector.losses import SERIES
    from lens_preflight.collector.sinks import address

    ends = {route.end.id for route in config.routes if route.pipelines[-1].signal == "metrics"}
    exporters = [c for c in map(config.of("exporters").get, ends) if c is not None]
    pushed = [address(c) for c in exporters if c.type == "otlphttp"]
    scraped = any(c.type in SERIES for c in exporters)
    return not scraped or any(word in to for to in pushed for word in ("/otlp", "prometheus", ":9090", "${"))


def _panels_join(ctx: Context) -> bool:
    """Whether every training panel that was given finds the run through target_info."""
    from lens_preflight.checks.dashboard_panels import catalogue_of
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules
    from lens_preflight.dashboards.training import training_uses

    lineage = Lineage.of(all_rules(ctx.rules))
    boards = [board for board in ctx.dashboards if board.failure is None and not board.opaque]
    uses = [use for board in boards for use in training_uses(board, catalogue_of(ctx), lineage)]
    return bool(uses) and all(use.joined for use in uses)


def _removals(config: CollectorConfig) -> Iterator[Finding]:
    """Processors on the way that take the id, or its relatives, from the resource."""
    from lens_preflight.collector.run_id import RUN_ID, Loss, misses

    used: dict[str, set[str]] = {}
    for route in config.routes:
        for reference in route.processors:
            used.setdefault(reference.id, set()).add(route.signal)
    doubts: list[Undecided] = []
    for identity, signals in used.items():
        component = config.find("processors", identity)
        if component is None:
            continue
        others = []
        for removal in _taken(component, signals, doubts):
            if removal.key == RUN_ID:
                yield Finding(
                    rules.RUN_ID_REMOVED,
                    f"{identity} {removal.loss.value} {RUN_ID}",
                    removal.at,
                    evidence={"when": "a condition holds" if removal.conditional else "always"},
                    remedy=f"take {RUN_ID} out of {identity}",
                )
            elif removal.loss is Loss.REMOVED:
                others.append(removal)
        if others:
            names = ", ".join(dict.fromkeys(o.key for o in others))
            yield Finding(
                rules.RELATED_REMOVED,
                f"{identity} removes {names}",
                others[0].at,
                remedy=f"keep {names} in {identity}",
            )
        missed = misses(component)
        if missed is not None:
            yield Finding(
                rules.RUN_ID_UNWANTED,
                f"{identity} deletes {RUN_ID} from spans and points",
                missed,
                remedy=f"take {RUN_ID} out of {identity}",
            )
        if component.type == "resourcedetection" and component.flag("override") is not False:
            yield Finding(
                rules.RESOURCE_OVERRIDDEN,
                f"{identity} overwrites what the job says of itself",
                component.line_of("override"),
                remedy=f"add to {identity}: override: false",
            )
    if doubts:
        raise doubts[0]


def _taken(component: Component, signals: Iterable[str], doubts: list[Undecided]) -> Iterator[Removal]:
    """What a processor takes away; a doubt about it is kept for later."""
    from lens_preflight.collector.run_id import removals

    try:
        yield from removals(component, signals)
    except Undecided as doubt:
        doubts.append(doubt)


def _doubled_paths(config: CollectorConfig) -> Iterator[Finding]:
    """otlphttp appends the path of the signal to ``endpoint``."""
    from lens_preflight.collector.sinks import sinks

    ways: dict[str, set[str]] = {}
    for route in config.routes:
        ways.setdefault(route.end.id, set()).add(route.pipelines[-1].signal)
    for identity, component in config.of("exporters").items():
        endpoint = (component.text("endpoint") or "").rstrip("/")
        if component.type != "otlphttp" or identity not in ways:
            continue
        if endpoint and "://" not in endpoint and "${" not in endpoint:
            yield Finding(
                ENDPOINT_FORM,
                f"{identity} has an address without http:// or https://",
                component.line_of("endpoint"),
                remedy=f"write endpoint: https://{endpoint}",
            )
        if endpoint.endswith(("/v1/traces", "/v1/metrics", "/v1/logs")):
            places = sinks(config)
            alone = any(len(places.get(signal, ())) < 2 for signal in ways[identity])
            signal = endpoint.rpartition("/")[2]
            yield Finding(
                rules.DOUBLED_PATH_ONLY_SINK if alone else rules.DOUBLED_PATH,
                f"{identity} will ask for {endpoint.rpartition('/v1/')[1]}{signal} twice",
                component.line_of("endpoint"),
                remedy=f"rename the key to {signal}_endpoint, or end the address before /v1/{signal}",
            )
