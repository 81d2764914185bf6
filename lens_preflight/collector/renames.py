"""Processors that give metrics and spans of a job other names than the panels ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lens_preflight.collector.items import Item
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.ottl_parser import ENUMS
from lens_preflight.collector.patterns import finds
from lens_preflight.collector.statements import Statement, statements
from lens_preflight.collector.translation import translations
from lens_preflight.collector.values import OURS, Truth
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Node, Scalar

_NAMES = {"metrics": "metric.name", "traces": "span.name"}


@dataclass(frozen=True)
class Rename:
    """An item that gets another name, or may get one; what does it, and where."""

    item: Item
    component: Component
    at: Location
    text: str


def renames(config: CollectorConfig, items: Iterable[Item]) -> Iterator[Rename]:
    """The first renaming of each item with a name, on any way.

    Raises:
        Undecided: a pattern is read by Go alone.
    """
    named = [item for item in items if item.name and item.signal in _NAMES]
    spellings = translations(config)
    suffixes = not spellings or any("Without" not in one.strategy for one in spellings)
    used: dict[tuple[str, str], None] = {}
    for route in config.routes:
        used.update({(route.signal, reference.id): None for reference in route.processors})
    for item in named:
        for signal, identity in used:
            component = config.find("processors", identity)
            if component is None or signal != item.signal:
                continue
            found = _renamed(component, item, suffixes=suffixes)
            if found is not None:
                yield found
                break


def _renamed(component: Component, item: Item, *, suffixes: bool) -> Rename | None:
    if component.type == "transform":
        for statement in statements(component, item.signal):
            named = _gives_name(statement, item) or (suffixes and _gives_suffix(statement, item))
            if named and statement.runs(item.facts(0)) not in (
                Truth.NO,
                Truth.UNLIKELY,
            ):
                return Rename(item, component, statement.at, statement.text)
    elif component.type == "metricstransform" and item.signal == "metrics":
        for rule in component.body.children("transforms") if component.body is not None else ():
            if _moves(rule, item.name):
                return Rename(item, component, rule.at, f"new_name: {rule.text('new_name')}")
    elif component.type == "span" and item.signal == "traces" and _from_attributes(component):
        return Rename(item, component, component.line_of("name"), "name.from_attributes")
    return None


def _from_attributes(component: Component) -> bool:
    """Whether a name is made of attributes; none is made where one of them is missing."""
    body = component.body
    if body is None or component.get("include") is not None or component.get("exclude") is not None:
        return False
    keys = [k.text_value for k in body.children("name", "from_attributes") if isinstance(k, Scalar)]
    return bool(keys) and all(OURS.search(key) is not None for key in keys)


def _gives_name(statement: Statement, item: Item) -> bool:
    target = statement.target
    if target is None or target.path != _NAMES[item.signal]:
        return False
    if statement.editor == "set":
        source = statement.field(1)
        same = source is not None and source.path == target.path and not source.key
        return not same and statement.string(1) != item.name
    pattern = statement.string(1)
    if statement.editor == "replace_pattern" and pattern is not None:
        return finds(pattern, item.name, statement.at)
    return True


def _gives_suffix(statement: Statement, item: Item) -> bool:
    """Whether a metric gets another unit or type, which Prometheus appends to its name (seen in a 0.148 build)."""
    target, unit = statement.target, item.known.get(("unit", "value"), "")
    kind = item.known.get(("type", "value"))
    if item.signal != "metrics":
        return False
    if statement.editor == "set":
        asked = target is not None and target.path in ("metric.unit", "unit") and not target.key
        return asked and statement.string(1) != unit
    if statement.editor == "scale_metric":
        return len(statement.arguments) > 1 and statement.string(1) != unit
    if statement.editor == "convert_gauge_to_sum" and kind == ENUMS["METRIC_DATA_TYPE_GAUGE"]:
        return [argument.strip() for argument in statement.arguments] != ['"cumulative"', "false"]
    return statement.editor == "convert_sum_to_gauge" and kind == ENUMS["METRIC_DATA_TYPE_SUM"]


def _moves(rule: Node, name: str) -> bool:
    include = rule.text("include") or ""
    if rule.text("match_type") == "regexp":
        hit = finds(include, name, rule.at)
    else:
        hit = include == name
    return hit and rule.text("new_name") is not None and rule.text("action") != "insert"
