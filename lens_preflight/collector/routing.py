"""To which pipelines a ``routing`` connector hands an item on.

Source: opentelemetry-collector-contrib v0.148, connector/routingconnector/README.md, read: rows are asked in
their order, what fits one is not asked further unless it is copied, and what fits none goes to
``default_pipelines``; without those it is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable

from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.ottl_parser import parse
from lens_preflight.collector.statements import in_context, read_statement
from lens_preflight.collector.values import Truth
from lens_preflight.documents import Mapping, Node, Scalar

_ORDER = (Truth.NO, Truth.UNLIKELY, Truth.UNKNOWN, Truth.YES)


def handed_to(component: Component, pipeline: str, facts: Facts) -> Truth:
    """Whether a connector hands an item to a pipeline; those without a table hand on everything."""
    if component.type != "routing" or component.body is None:
        return Truth.YES
    if any(
        isinstance(v, Scalar) and v.open for v in (component.get("table"), component.get("default_pipelines"))
    ):
        return Truth.UNKNOWN
    found, left = Truth.NO, Truth.YES
    for row in component.body.children("table"):
        asked = _asked(row, facts)
        if pipeline in _names(row.children("pipelines")):
            found = max(found, min(left, asked, key=_ORDER.index), key=_ORDER.index)
        if (row.text("action") or "move") != "copy":
            left = min(left, _OTHERWISE[asked], key=_ORDER.index)
    if pipeline in _names(component.body.children("default_pipelines")):
        found = max(found, left, key=_ORDER.index)
    return found


def whichever(component: Component) -> frozenset[str]:
    """The pipelines to one of which everything is handed; empty when that may be none."""
    default = _names(component.body.children("default_pipelines")) if component.body is not None else []
    rows = component.body.children("table") if component.body is not None and default else ()
    return frozenset([*default, *(name for row in rows for name in _names(row.children("pipelines")))])


_OTHERWISE = {
    Truth.YES: Truth.NO,
    Truth.NO: Truth.YES,
    Truth.UNLIKELY: Truth.YES,
    Truth.UNKNOWN: Truth.UNKNOWN,
}
"""Whether the rows behind one are asked; a row for others leaves the job to them."""


def _names(nodes: Iterable[Node]) -> list[str]:
    return [node.text_value for node in nodes if isinstance(node, Scalar)]


def _asked(row: Node, facts: Facts) -> Truth:
    context = row.text("context") or "resource"
    if not isinstance(row, Mapping) or context == "request":
        return Truth.UNKNOWN
    statement = row.get("statement")
    if isinstance(statement, Scalar):
        return read_statement(statement, context, "", ()).runs(facts)
    try:
        return in_context(parse(row.text("condition") or ""), context).judged(facts)
    except ValueError:
        return Truth.UNKNOWN
