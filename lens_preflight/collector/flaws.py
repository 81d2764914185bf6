"""What is wrong with the exclusion of truncated spans in a configuration."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from lens_preflight.collector.filters import DropStage
from lens_preflight.collector.model import CollectorConfig, Component, Reference
from lens_preflight.collector.passing import stages_reached
from lens_preflight.collector.truncated import (
    CUT,
    KEY,
    WHOLE,
    Feed,
    drops_cut,
    generators,
    misspelt_dimension,
    storing_routes,
)
from lens_preflight.collector.values import Truth
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location


class Fault(enum.Enum):
    """What is wrong with the exclusion in a configuration."""

    UNFILTERED = "unfiltered"
    INVERTED = "inverted"
    TEXT = "text"
    EVERYWHERE = "everywhere"
    ERROR_MODE = "error mode"
    LATENCY = "latency"
    MISSPELT = "misspelt"
    TOO_LATE = "too late"


@dataclass(frozen=True)
class Flaw:
    """One fault: the component to correct, its place, and the word that is wrong."""

    fault: Fault
    component: str
    at: Location
    word: str = ""


def flaws(config: CollectorConfig) -> Iterator[Flaw]:
    """All faults of the exclusion; a generator has at most one."""
    bad = dict(_bad_conditions(config))
    yield from bad.values()
    for stage in _stages_of_traces(config):
        if stage.reads((KEY,)) and stage.error_mode == "propagate":
            yield Flaw(Fault.ERROR_MODE, stage.component.id, stage.component.at)
    seen: set[str] = set()
    for generator in generators(config):
        component = generator.component
        if generator.feed is not Feed.UNFILTERED or component.id in seen or component.type == "datadog":
            continue
        seen.add(component.id)
        if any(stage.component.id in bad for stage in generator.stages):
            continue
        wrong = misspelt_dimension(component)
        late = _late_filter(config)
        if wrong:
            yield Flaw(Fault.MISSPELT, component.id, component.line_of("dimensions"), wrong)
        elif late is not None:
            yield Flaw(Fault.TOO_LATE, late.id, late.at, component.id)
        else:
            yield Flaw(Fault.UNFILTERED, component.id, generator.route.end.at)
    stored = storing_routes(config)
    drops = [drops_cut(config, route.processors) for route in stored]
    if drops and drops[0] is not None and None not in drops:
        identity = drops[0].component.id
        at = next(r.at for r in stored[0].processors if r.id == identity)
        yield Flaw(Fault.EVERYWHERE, identity, at, stored[0].pipelines[-1].id)
    yield from _latency_policies(config)


def _stages_of_traces(config: CollectorConfig) -> tuple[DropStage, ...]:
    used = dict.fromkeys(
        r.id for route in config.routes if route.signal == "traces" for r in route.processors
    )
    return tuple(config.drops[identity] for identity in used if identity in config.drops)


def _bad_conditions(config: CollectorConfig) -> Iterator[tuple[str, Flaw]]:
    """Conditions on the attribute that are never true, or true for all other spans."""
    useful = {
        one.stage.component.id
        for route in config.routes
        for one in stages_reached(config, route.processors, "traces", CUT)
        if route.signal == "traces" and one.drops
    }
    for stage in _stages_of_traces(config):
        mine = [c for c in stage.conditions if c.signal == "traces"]
        if stage.drops("traces", CUT) or stage.component.id in useful:
            continue
        for condition in mine:
            identity = stage.component.id
            if condition.parsed is None:
                continue
            if condition.parsed.judged(WHOLE) is Truth.YES:
                yield identity, Flaw(Fault.INVERTED, identity, condition.at, condition.text)
            elif any(
                path.key == KEY and isinstance(word, str) for _, path, word in condition.parsed.compares()
            ):
                yield identity, Flaw(Fault.TEXT, identity, condition.at, condition.text)
            elif any(_is_misspelt(path.root, path.key) for path in condition.parsed.paths()):
                yield identity, Flaw(Fault.MISSPELT, identity, condition.at, condition.text)


def _is_misspelt(root: str, key: str) -> bool:
    flat = key.replace("_", ".").lower()
    if key == KEY:
        return root == "resource"
    return flat.endswith(KEY) or flat in ("nemo.truncated", "span.truncated")


def _late_filter(config: CollectorConfig) -> Component | None:
    """A processor behind the connector that speaks of the attribute, which is no label there."""
    for pipeline in config.of_signal("metrics"):
        for reference in pipeline.processors:
            component = config.find("processors", reference.id)
            if component is not None and component.body is not None:
                text = str(component.body.data())
                if KEY in text or KEY.replace(".", "_") in text:
                    return component
    return None


def _latency_policies(config: CollectorConfig) -> Iterator[Flaw]:
    """Tail sampling by latency keeps every trace with a truncated span, unless those are told apart."""
    for route in config.routes:
        before: list[Reference] = []
        for reference in route.processors:
            component = config.find("processors", reference.id)
            if component is not None and component.type == "tail_sampling" and component.body is not None:
                text = str(component.body.data())
                cut = drops_cut(config, tuple(before)) is not None
                if "'latency'" in text and KEY not in text and not cut:
                    yield Flaw(Fault.LATENCY, component.id, component.line_of("policies"))
                    return
            before.append(reference)
