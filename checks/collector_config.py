"""collector-config: the Collector starts, keeps this job's telemetry, and leaves its run id alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_care_rules, collector_delivery_rules, collector_start_rules
from lens_preflight.checks.collector_binds import refuse_unknown_transport
from lens_preflight.checks.collector_care import care_findings
from lens_preflight.checks.collector_decoding import unproven
from lens_preflight.checks.collector_delivery import delivery_parts
from lens_preflight.checks.collector_start import start_findings
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Proof
from lens_preflight.core.words import Need, Severity

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.context import Context
    from lens_preflight.lens.config import LensConfig

ID = "collector-config"
LANGUAGES = {
    "alloy": "this is Alloy's own language, which is not evaluated",
    "rotel": "rotel is configured by variables, which are not evaluated",
    "tempo": "this is a configuration of Tempo; its generator is judged by truncated-spans",
}


@check(
    ID,
    "The collector keeps the telemetry and the run id",
    needs=(Need.COLLECTOR,),
    uses=(Need.DASHBOARDS, Need.RULES),
    rules=(*collector_start_rules.RULES, *collector_delivery_rules.RULES, *collector_care_rules.RULES),
)
def collector_config(ctx: Context) -> Iterable[Said]:
    """Does the collector start with this file, take what the job sends, and keep it findable?

    The collector's own validate accepts much that loses data: a memory_limiter behind batch, a queue
    whose storage extension does not exist, a header from a variable that is not set, a receiver that
    only its own host can reach, metrics without the run id as a label.

    It fails what does not start, what refuses or loses the telemetry of this job, and what makes it
    unfindable by nemo.run.id. The rest warns or notes, and belongs to those who run the collector.

    Filters, samplers and transforms are asked about what every job sends: its spans, the metrics that
    panels are made of, its log records, the run id on the resource. A condition that names something
    else, such as the spans of a health check, passes; one that is not understood and may mean the job
    makes the answer unknown.

    Keys, values and texts in OTTL are compared with what a 0.148 build takes. Of components that are not
    listed here, and of texts that are not read to the end, it is not said that the collector starts with them.

    Several files are merged as the collector merges them: maps key by key, lists as a whole.
    Variables ${env:NAME} without a default are taken for set, since the unit that starts the
    collector sets them. The version is that of the image tag beside the configuration, else the one
    that NeMo Lens pins (0.146). Whether it is a gateway or a collector on every node is told by
    --topology.
    """
    config = ctx.collector
    if config is None:
        raise Skip("no collector configuration")
    if config.failure is not None:
        yield Finding(
            collector_start_rules.UNREADABLE,
            f"the collector cannot read it: {config.failure.reason}",
            config.failure.at,
            remedy=f"correct {config.failure.at}, then try: otelcol validate --config FILE",
        )
        return
    if config.dialect != "otelcol":
        raise Skip(LANGUAGES[config.dialect])
    signals = exported_signals(ctx)
    faults, doubts = list(start_findings(config)), list[Undecided]()
    for part in delivery_parts(config, ctx, signals):
        try:
            for fault in part:
                faults.append(fault)
        except Undecided as doubt:  # what else is found, and what needs care, is said all the same
            doubts.append(doubt)
    yield from faults
    yield from care_findings(config, ctx.topology)
    yield from _assumptions(config, ctx)
    if doubts:
        raise doubts[0]
    _refuse_open(config)
    _refuse_unknown_switch(config, ctx)
    refuse_unknown_transport(config, ctx, signals)
    if not ctx.stops(*faults):
        yield ctx.nothing_else if _blocked(faults) else _proof(config, signals)


def _blocked(faults: list[Finding]) -> bool:
    return any(fault.severity is Severity.BLOCKER for fault in faults)


def _proof(config: CollectorConfig, signals: tuple[str, ...]) -> Proof:
    """What is taken, and that it starts, where that is shown of everything in the file."""
    ends = {s: ", ".join(dict.fromkeys(r.end.id for r in config.routes if r.signal == s)) for s in signals}
    kept = "; ".join(f"{signal} to {end}" for signal, end in ends.items())
    open_to_doubt = unproven(config)
    if not open_to_doubt:
        return Proof(f"it starts, and takes {kept}", ends)
    return Proof(f"it takes {kept}; not shown that it starts with {', '.join(open_to_doubt)}", ends)


def exported_signals(ctx: Context) -> tuple[str, ...]:
    """The signals that any launch sends once telemetry is on, by what is in sight; never none."""
    from lens_preflight.context import SIGNALS
    from lens_preflight.lens.config import LensConfig

    configs = [LensConfig(ctx.env_of(one), one.framework, ctx.generation).in_sight for one in ctx.launches]
    found = tuple(signal for signal in SIGNALS if any(_sent(config, signal) for config in configs))
    return found or SIGNALS[:2]


def _sent(lens: LensConfig, signal: str) -> bool:
    """Whether a signal is switched on; the default holds where that is not known."""
    from lens_preflight.context import switched_on

    try:
        return switched_on(lens, signal)
    except (Undecided, LibraryFailure):
        return signal != "logs"


def _refuse_unknown_switch(config: CollectorConfig, ctx: Context) -> None:
    """A signal that may be exported must be taken too before anything passes."""
    from lens_preflight.context import SIGNALS, switched_on
    from lens_preflight.lens.config import LensConfig

    taken = {route.signal for route in config.routes}
    for launch in ctx.launches:
        lens = LensConfig(ctx.env_of(launch), launch.framework, ctx.generation).in_sight
        for signal in SIGNALS:
            if signal not in taken:
                with contextlib.suppress(LibraryFailure):  # that launch does not start
                    switched_on(lens, signal)


def _assumptions(config: CollectorConfig, ctx: Context) -> Iterable[Assumption]:
    if config.deployment.version is None:
        yield Assumption("collector version", f"0.{config.version[1]}", "no image tag stands beside the file")
    names = sorted({v.name for v in config.needed if v.scheme == "env"})
    if names:
        yield Assumption("set where the collector starts", ", ".join(names), "the file gives no default")
    if ctx.topology is None:
        yield Assumption("topology", "not said", "give --topology gateway or node-agent")


def _refuse_open(config: CollectorConfig) -> None:
    """A section or a component that comes from elsewhere may hold anything."""
    from lens_preflight.collector.types import KINDS
    from lens_preflight.documents import Mapping, Scalar

    root = config.root
    for keys in (*((kind,) for kind in KINDS), ("service",), ("service", "pipelines")):
        section = root.get(*keys) if root is not None else None
        nodes = [section, *section.entries.values()] if isinstance(section, Mapping) else [section]
        for node in nodes:
            if isinstance(node, Scalar) and node.open:
                raise Undecided(f"{'.'.join(keys)} comes from a variable: {node.text_value}", node.at)
    for pipeline in config.pipelines:
        for word, reference in pipeline.opened.items():
            raise Undecided(
                f"{word} of pipeline {pipeline.id} come from a variable: {reference.id}", reference.at
            )
