"""What filters and samplers on the way leave of the items that a job sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from lens_preflight.collector.edits import edited
from lens_preflight.collector.filters import DropStage
from lens_preflight.collector.flow import Route
from lens_preflight.collector.items import RANKS, RANKS_ASKED, Item
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.routing import handed_to, whichever
from lens_preflight.collector.samplers import SAMPLERS, drops_all
from lens_preflight.collector.sinks import keeps_nothing
from lens_preflight.collector.values import Truth
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location

Way: TypeAlias = tuple[tuple[str, str], ...]
"""The processors that are passed, by id; a connector is named with the pipeline that it hands on to."""

SERIES = ("prometheus", "prometheusremotewrite")
"""Exporters whose series panels are made of."""


@dataclass(frozen=True)
class Loss:
    """An item that gets nowhere, or may not (``sure`` is False); what drops it on the first way, and where."""

    item: Item
    component: Component
    at: Location
    text: str
    sure: bool


def losses(config: CollectorConfig, items: Iterable[Item]) -> Iterator[Loss]:
    """The items that are dropped, or may be, on every way to a place that keeps them."""
    ways: dict[str, tuple[Way, ...]] = {}
    for item in items:
        if item.signal not in ways:
            ways[item.signal] = _keeping(config, item.signal)
        found: list[Loss] = []
        for way in ways[item.signal]:
            loss = _on(config, way, item)
            if loss is None:
                break
            found.append(loss)
        else:
            if found and not _kept_whichever(config, ways[item.signal], item):
                sure = all(loss.sure for loss in found)
                yield next(loss for loss in found if loss.sure is sure)


def _keeping(config: CollectorConfig, signal: str) -> tuple[Way, ...]:
    """The ways that end where the signal is kept; of metrics those to Prometheus, if there are any."""
    kept: dict[Way, None] = {}
    series: dict[Way, None] = {}
    for route in config.routes:
        exporter = config.find("exporters", route.end.id)
        if route.signal == signal and not route.generates and exporter is not None:
            way = _steps(route)
            if not keeps_nothing(exporter):
                kept[way] = None
            if signal == "metrics" and exporter.type in SERIES:
                series[way] = None
    return tuple(series or kept)


def _kept_whichever(config: CollectorConfig, ways: Sequence[Way], item: Item) -> bool:
    """Whether each pipeline that a connector may choose leads to a place that keeps the item."""
    for identity in dict.fromkeys(step for way in ways for step, pipeline in way if pipeline):
        component = config.find("connectors", identity)
        wanted = whichever(component) if component is not None else frozenset()
        kept = {
            pipeline
            for way in ways
            for step, pipeline in way
            if step == identity and pipeline in wanted
            if _on(config, tuple(s for s in way if s != (identity, pipeline)), item) is None
        }
        if wanted and kept == wanted:
            return True
    return False


def _steps(route: Route) -> Way:
    steps: list[tuple[str, str]] = []
    for place in range(len(route.processors) + 1):
        steps += [(gate.connector, gate.pipeline) for gate in route.gates if gate.place == place]
        steps += [(reference.id, "") for reference in route.processors[place : place + 1]]
    return tuple(steps)


def _on(config: CollectorConfig, way: Way, item: Item) -> Loss | None:
    """The first stage of a way that drops the item; one that may when none does."""
    ranks = RANKS_ASKED if _asks_for_rank(config, way) else RANKS_ASKED[:1]
    seen = [item.facts(rank) for rank in ranks]
    doubt: Loss | None = None
    for identity, pipeline in way:
        component = config.find("connectors" if pipeline else "processors", identity)
        if component is None:
            continue
        if pipeline:
            handed = min((handed_to(component, pipeline, facts) for facts in seen), key=_HANDED.index)
            if handed is Truth.YES:
                continue
            loss = Loss(item, component, component.at, "", handed is Truth.NO)
            if loss.sure:
                return loss
            doubt = doubt or loss
            continue
        if component.type not in SAMPLERS and identity not in config.drops:
            seen = [edited(component, item.signal, facts) for facts in seen]
            continue
        truth, at, text = _stage(config, component, item, seen)
        if truth is Truth.YES:
            return Loss(item, component, at, text, True)
        if truth is Truth.UNKNOWN and doubt is None:
            doubt = Loss(item, component, at, text, False)
    return doubt


_HANDED = (Truth.YES, Truth.UNKNOWN, Truth.UNLIKELY, Truth.NO)
"""One rank that is handed on is enough."""


def _asks_for_rank(config: CollectorConfig, way: Way) -> bool:
    """Whether a filter looks at the rank; for a connector every rank is asked."""
    return any(pipeline or (i in config.drops and config.drops[i].reads(RANKS)) for i, pipeline in way)


def _stage(
    config: CollectorConfig, component: Component, item: Item, seen: Sequence[Facts]
) -> tuple[Truth, Location, str]:
    """Whether one processor drops the item on every rank."""
    stage = config.drops.get(component.id)
    if component.type in SAMPLERS:
        truth, at = drops_all(component, seen[0])
        if truth is Truth.YES or stage is None:
            return truth, at, ""
    if stage is None:
        return Truth.NO, component.at, ""
    answers = [_filtered(stage, item.signal, facts) for facts in seen]
    order = {Truth.NO: 0, Truth.UNLIKELY: 0, Truth.UNKNOWN: 1, Truth.YES: 2}
    return min(answers, key=lambda answer: order[answer[0]])


def _filtered(stage: DropStage, signal: str, facts: Facts) -> tuple[Truth, Location, str]:
    """The condition that decides, or the one that is not understood."""
    found = (Truth.NO, stage.component.at, "")
    for condition in stage.conditions:
        if condition.signal != signal:
            continue
        truth = condition.parsed.judged(facts) if condition.parsed is not None else Truth.UNKNOWN
        if truth is Truth.YES:
            return truth, condition.at, condition.text
        if truth is Truth.UNKNOWN:
            found = (truth, condition.at, condition.text)
    return found
