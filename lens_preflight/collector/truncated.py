"""Whether spans cut off at shutdown reach what computes durations from spans, and the store."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

from lens_preflight.collector.filters import DropStage
from lens_preflight.collector.flow import Route
from lens_preflight.collector.model import CollectorConfig, Component, Reference
from lens_preflight.collector.ottl import Facts, Path
from lens_preflight.collector.passing import Reached, behind, stages_reached
from lens_preflight.collector.types import NOWHERE
from lens_preflight.collector.values import Partly
from lens_preflight.core.data import dataclass
from lens_preflight.documents import Mapping as Block
from lens_preflight.documents import Node, Scalar

KEY = "nemo.span.truncated"
GENERATORS = ("spanmetrics", "datadog")
"""Connectors that turn the durations of spans into metrics."""

CUT = Facts({("attributes", KEY): True})
WHOLE = Facts({("attributes", KEY): None})


class Feed(enum.Enum):
    """What a generator is fed with."""

    FILTERED = "filtered"
    DIMENSION = "dimension"
    """Everything, with the attribute as a label: queries must exclude it."""
    UNFILTERED = "unfiltered"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Generator:
    """One connector (or old processor) that makes durations, and what reaches it on one way."""

    component: Component
    route: Route
    feed: Feed
    stages: tuple[DropStage, ...]


def generators(config: CollectorConfig) -> Iterator[Generator]:
    """Every generator on every way of the traces."""
    for route in config.routes:
        if route.signal != "traces":
            continue
        component = config.find("connectors", route.end.id)
        if component is not None and component.type in GENERATORS:
            yield _judge(config, component, route, route.processors)
        for position, reference in enumerate(route.processors):
            old = config.find("processors", reference.id)
            if old is not None and old.type == "spanmetrics":
                yield _judge(config, old, route, route.processors[:position])


def _judge(
    config: CollectorConfig, component: Component, route: Route, processors: tuple[Reference, ...]
) -> Generator:
    reached = tuple(stages_reached(config, processors, "traces", CUT))
    mark = behind(config, processors, "traces", CUT).of(Path("attributes", KEY))
    if any(one.drops for one in reached):
        feed = Feed.FILTERED
    elif KEY in dimensions(component) and mark is Partly.UNKNOWN:
        feed = Feed.UNKNOWN
    elif KEY in dimensions(component) and mark in (True, "true"):
        feed = Feed.DIMENSION
    elif _undecided(config, route, reached):
        feed = Feed.UNKNOWN
    else:
        feed = Feed.UNFILTERED
    return Generator(component, route, feed, tuple(one.stage for one in reached))


def _undecided(config: CollectorConfig, route: Route, reached: tuple[Reached, ...]) -> bool:
    """Whether something on the way speaks of the attribute in a manner that is beyond our reading."""
    stage = any(one.drops is None and one.stage.reads((KEY,)) for one in reached)
    return stage or any(_mentions(config.find("connectors", c)) for c in _connectors(config, route))


def drops_cut(config: CollectorConfig, processors: tuple[Reference, ...]) -> DropStage | None:
    """The stage that keeps truncated spans out, of those that stand among some processors."""
    found = stages_reached(config, processors, "traces", CUT)
    return next((one.stage for one in found if one.drops), None)


def _connectors(config: CollectorConfig, route: Route) -> Iterator[str]:
    for pipeline in route.pipelines[1:]:
        for reference in pipeline.receivers:
            if reference.id in config.of("connectors"):
                yield reference.id


def _mentions(component: Component | None) -> bool:
    return component is not None and component.body is not None and KEY in str(component.body.data())


def dimensions(component: Component) -> Mapping[str, str | None]:
    """The dimensions of durations that a generator adds, with their defaults (None: no default)."""
    found: dict[str, str | None] = {}
    body = component.body
    places = (("dimensions",), ("histogram", "dimensions"))
    for item in (item for keys in places for item in body.children(*keys)) if body is not None else ():
        name = (
            item.text("name")
            if isinstance(item, Block)
            else item.text_value
            if isinstance(item, Scalar)
            else None
        )
        if name is not None:
            found[name] = item.text("default") if isinstance(item, Block) else None
    return found


def misspelt_dimension(component: Component) -> str:
    """A dimension that means the attribute and is not its name; empty when there is none."""
    for name in dimensions(component):
        flat = name.replace("_", ".").lower()
        if name != KEY and (flat.endswith(KEY) or flat in ("nemo.truncated", "span.truncated", "truncated")):
            return name
    return ""


def storing_routes(config: CollectorConfig) -> tuple[Route, ...]:
    """The ways of the traces that end in an exporter which keeps them."""
    found = []
    for route in config.routes:
        exporter = config.find("exporters", route.end.id)
        if (
            route.signal == "traces"
            and not route.generates
            and exporter is not None
            and exporter.type not in NOWHERE
        ):
            found.append(route)
    return tuple(found)


def namespaces(config: CollectorConfig) -> tuple[str, ...]:
    """The metric namespaces of the span-metrics connectors, as they are written."""
    return tuple(
        component.text("namespace") or "traces.span.metrics"
        for component in config.of("connectors").values()
        if component.type == "spanmetrics"
    )


def excluded_by_collector(config: CollectorConfig) -> bool:
    """Whether every duration made in the pipelines is free of truncated spans; False when none is made."""
    found = list(generators(config))
    return bool(found) and all(f.feed is Feed.FILTERED or _dropped_behind(config, f) for f in found)


def excluded_by_tempo(config: CollectorConfig) -> bool:
    """The same for the metrics generator of Tempo, when its configuration was given."""
    feeds = [feed for root in config.tempo if (feed := tempo_feed(root)) is not None]
    return bool(feeds) and all(feed is Feed.FILTERED for feed in feeds)


def _dropped_behind(config: CollectorConfig, generator: Generator) -> bool:
    """With the attribute as a dimension, data points can be dropped by it behind the connector."""
    if generator.feed is not Feed.DIMENSION:
        return False
    point = Facts({("attributes", KEY): "true"})
    behind = [p for p in config.pipelines if any(r.id == generator.component.id for r in p.receivers)]
    return bool(behind) and all(
        any(one.drops for one in stages_reached(config, p.processors, "metrics", point)) for p in behind
    )


def tempo_feed(root: Node) -> Feed | None:
    """What Tempo's metrics generator does with truncated spans; None when it makes no span metrics."""
    blocks = list(_span_metrics(root))
    if not blocks and "span-metrics" not in str(root.data()):
        return None
    for block in blocks:
        for policy in block.children("filter_policies"):
            for attribute in policy.children("exclude", "attributes"):
                if attribute.text("key") == f"span.{KEY}" and attribute.flag("value"):
                    return Feed.FILTERED
        names = [i.text_value for i in block.children("dimensions") if isinstance(i, Scalar)]
        if KEY in names:
            return Feed.DIMENSION
    return Feed.UNFILTERED


def _span_metrics(node: Node) -> Iterator[Node]:
    """Every ``span_metrics`` block, of the generator itself or of an override."""
    if isinstance(node, Block):
        for key, value in node.entries.items():
            if key == "span_metrics" and isinstance(value, Block):
                yield value
            else:
                yield from _span_metrics(value)
