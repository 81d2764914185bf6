"""What filters and samplers on the way leave of the items that a job sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from lens_preflight.collector.edits import edited
from lens_preflight.collector.filters import DropStage
from lens_preflight.collector.items import RANKS, RANKS_ASKED, Item
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.samplers import SAMPLERS, drops_all
from lens_preflight.collector.sinks import keeps_nothing
from lens_preflight.collector.values import Truth
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location

Way: TypeAlias = tuple[str, ...]
"""The processors that are passed, by id."""

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
            if found:
                sure = all(loss.sure for loss in found)
                yield next(loss for loss in found if loss.sure is sure)


def _keeping(config: CollectorConfig, signal: str) -> tuple[Way, ...]:
    """The ways that end where the signal is kept; of metrics those to Prometheus, if there are any."""
    kept: dict[Way, None] = {}
    series: dict[Way, None] = {}
    for route in config.routes:
        exporter = config.find("exporters", route.end.id)
        if route.signal == signal and not route.generates and exporter is not None:
            way = tuple(reference.id for reference in route.processors)
            if not keeps_nothing(exporter):
                kept[way] = None
            if signal == "metrics" and exporter.type in SERIES:
                series[way] = None
    return tuple(series or kept)


def _on(config: CollectorConfig, way: Way, item: Item) -> Loss | None:
    """The first stage of a way that drops the item; one that may when none does."""
    ranks = RANKS_ASKED if _asks_for_rank(config, way) else RANKS_ASKED[:1]
    seen = [item.facts(rank) for rank in ranks]
    doubt: Loss | None = None
    for identity in way:
        component = config.find("processors", identity)
        if component is None:
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


def _asks_for_rank(config: CollectorConfig, way: Way) -> bool:
    return any(config.drops[identity].reads(RANKS) for identity in way if identity in config.drops)


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
