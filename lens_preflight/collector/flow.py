"""The ways that telemetry takes from an OTLP receiver through pipelines and connectors."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.collector.model import CollectorConfig, Pipeline, Reference
from lens_preflight.collector.types import OTLP_RECEIVERS, PASSING
from lens_preflight.core.data import dataclass

MAX_ROUTES = 20_000
"""More ways than any configuration written by people has; beyond it nothing is followed."""


@dataclass(frozen=True)
class Gate:
    """A connector on the way that need not hand on everything: how many processors stand before it."""

    connector: str
    pipeline: str
    place: int


@dataclass(frozen=True)
class Route:
    """One way: the pipelines passed, the processors in order, and where it ends.

    ``signal`` is what enters. ``generates`` is the canonical type of the connector that ends the
    way by making something new of it; empty for an exporter.
    """

    signal: str
    pipelines: tuple[Pipeline, ...]
    processors: tuple[Reference, ...]
    end: Reference
    generates: str = ""
    gates: tuple[Gate, ...] = ()


def otlp_receivers(config: CollectorConfig) -> frozenset[str]:
    """The ids of the receivers that an application can send OTLP to."""
    return frozenset(
        identity for identity, component in config.of("receivers").items() if component.type in OTLP_RECEIVERS
    )


def routes(config: CollectorConfig) -> Iterator[Route]:
    """All ways that begin at an OTLP receiver, pipeline by pipeline."""
    receivers = otlp_receivers(config)
    fed = _fed_by(config)
    budget = [MAX_ROUTES]
    for pipeline in config.pipelines:
        if any(reference.id in receivers for reference in pipeline.receivers):
            yield from _follow(config, fed, pipeline, (), (), pipeline.signal, budget, ())


def _fed_by(config: CollectorConfig) -> dict[str, list[Pipeline]]:
    """The pipelines that each connector feeds."""
    table: dict[str, list[Pipeline]] = {}
    for pipeline in config.pipelines:
        for reference in pipeline.receivers:
            if reference.id in config.of("connectors"):
                table.setdefault(reference.id, []).append(pipeline)
    return table


def _follow(
    config: CollectorConfig,
    fed: dict[str, list[Pipeline]],
    pipeline: Pipeline,
    passed: tuple[Pipeline, ...],
    processors: tuple[Reference, ...],
    signal: str,
    budget: list[int],
    gates: tuple[Gate, ...],
) -> Iterator[Route]:
    """Depth first; a pipeline is entered once per way."""
    here = (*passed, pipeline)
    done = (*processors, *pipeline.processors)
    for end in pipeline.exporters:
        if budget[0] <= 0:
            return
        connector = config.find("connectors", end.id)
        if connector is None:
            budget[0] -= 1
            yield Route(signal, here, done, end, gates=gates)
        elif connector.type not in PASSING:
            budget[0] -= 1
            yield Route(signal, here, done, end, connector.type, gates)
        else:
            for following in fed.get(end.id, ()):
                if following not in here and following.signal == pipeline.signal:
                    gate = (Gate(end.id, following.id, len(done)),) if connector.type == "routing" else ()
                    yield from _follow(config, fed, following, here, done, signal, budget, (*gates, *gate))
