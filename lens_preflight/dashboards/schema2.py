"""Grafana's dashboard resource, schema v2: elements, layouts that place them, typed variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.classic import conditions, data_source, values_of
from lens_preflight.dashboards.display import displayed
from lens_preflight.dashboards.languages import asked_truly, language_of, text_of
from lens_preflight.dashboards.model import Dashboard, DataSource, Document, Panel, Spot, Target, Variable

_REFRESH = {"never": "never", "onDashboardLoad": "load", "onTimeRangeChanged": "time"}
_KINDS = {
    "QueryVariable": "query",
    "CustomVariable": "custom",
    "ConstantVariable": "constant",
    "TextVariable": "textbox",
    "IntervalVariable": "interval",
    "DatasourceVariable": "datasource",
    "AdhocVariable": "adhoc",
    "GroupByVariable": "groupby",
}


def read_schema2(document: Document, spec: Mapping[str, Any], spot: Spot, form: str) -> Dashboard:
    """Read the ``spec`` that stands at ``spot``; ``form`` is v2alpha1, v2beta1 or v2."""
    placed = dict(_placed(spec.get("layout")))
    elements = _map(spec, "elements")
    panels = tuple(
        replace(_panel(raw, spot.below("elements", name), name in placed), repeats=placed.get(name, ()))
        for name, raw in elements.items()
        if isinstance(raw, Mapping)
    )
    listed = spec.get("variables")
    variables = tuple(
        _variable(raw, spot.below("variables", n, "spec"))
        for n, raw in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(raw, Mapping)
    )
    variables += tuple(_sections(spec.get("layout"), spot.below("layout")))
    panels = tuple(asked_truly(panel, variables) for panel in panels)
    return Dashboard(document.path, _word(spec, "title"), form, spot, panels, variables)


def _placed(layout: Any, outer: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of the elements that any layout refers to, however deep, and what repeats them."""
    if isinstance(layout, Mapping):
        repeated = _word(_map(layout, "repeat"), "value")
        outer = (*outer, repeated) if repeated else outer
        if layout.get("kind") == "ElementReference":
            yield _word(layout, "name"), outer
        for value in layout.values():
            yield from _placed(value, outer)
    elif isinstance(layout, list):
        for value in layout:
            yield from _placed(value, outer)


def _sections(layout: Any, spot: Spot) -> Iterator[Variable]:
    """Variables that belong to a row or a tab."""
    if isinstance(layout, Mapping):
        for n, raw in enumerate(_items(layout, "variables")):
            if isinstance(raw, Mapping):
                yield _variable(raw, spot.below("variables", n, "spec"))
        for key, value in layout.items():
            yield from _sections(value, spot.below(str(key)))
    elif isinstance(layout, list):
        for n, value in enumerate(layout):
            yield from _sections(value, spot.below(n))


def _panel(raw: Mapping[str, Any], spot: Spot, placed: bool) -> Panel:
    spec = _map(raw, "spec")
    identity, title = _word(spec, "id") or "?", _word(spec, "title")
    base = spot.below("spec").within(title, identity)
    if raw.get("kind") == "LibraryPanel":
        reference = _map(spec, "libraryPanel")
        uid = _word(reference, "uid") or _word(reference, "name")
        return Panel(
            identity,
            title or _word(reference, "name"),
            "",
            base.within(title or _word(reference, "name"), identity),
            unresolved=f"its queries are in library panel {uid or '(no uid)'}, which is not in the file",
            placed=placed,
        )
    group = _map(_map(spec, "data"), "spec")
    queries = group.get("queries")
    targets = tuple(
        _target(query, base.below("data", "spec", "queries", n, "spec"))
        for n, query in enumerate(queries if isinstance(queries, list) else [])
        if isinstance(query, Mapping)
    )
    viz = _map(spec, "vizConfig")
    kind = _word(viz, "group") or _word(viz, "kind")
    defaults = _map(_map(_map(viz, "spec"), "fieldConfig"), "defaults")
    panel = Panel(
        identity,
        title,
        kind,
        base,
        targets,
        placed=placed,
        unit=_word(defaults, "unit"),
    )
    return displayed(panel, group.get("transformations"), _map(group, "queryOptions").get("timeShift"))


def _target(raw: Mapping[str, Any], spot: Spot) -> Target:
    """A PanelQuery: the data source stands in the query (v2beta1 on) or beside it (v2alpha1)."""
    spec = _map(raw, "spec")
    query = _map(spec, "query")
    source = _source(query, spec.get("datasource"))
    fields = _map(query, "spec")
    language = language_of(source.kind, fields)
    key, text = text_of(language, fields)
    at = spot.below("query", "spec", key) if key else spot
    return Target(_word(spec, "refId"), text, language, source, at, spec.get("hidden") is True, fields)


def _source(query: Mapping[str, Any], beside: Any) -> DataSource:
    group = _word(query, "group")
    if not group and query.get("kind") not in (None, "DataQuery"):
        group = _word(query, "kind")
    inside = query.get("datasource")
    given = data_source(inside if isinstance(inside, Mapping) else beside)
    return DataSource("__expr__" if group == "__expr__" else given.kind or group, given.ref)


def _variable(raw: Mapping[str, Any], spot: Spot) -> Variable:
    spec = _map(raw, "spec")
    query: Any = spec.get("query")
    source = DataSource()
    at = spot.below("query") if "query" in spec else spot
    if isinstance(query, Mapping):
        source = _source(query, spec.get("datasource"))
        fields = _map(query, "spec")
        query = fields.get("query") or fields.get("expr") or fields.get("__legacyStringValue") or ""
        at = at.below("spec")
    if not query:
        query = spec.get("definition") or spec.get("pluginId")
    current = spec.get("current")
    options = spec.get("options")
    return Variable(
        name=_word(spec, "name"),
        kind=_KINDS.get(_word(raw, "kind"), _word(raw, "kind")),
        spot=at,
        query=query if isinstance(query, str) else "",
        regex=_word(spec, "regex"),
        multi=spec.get("multi") is True,
        include_all=spec.get("includeAll") is True,
        all_value=_word(spec, "allValue"),
        refresh=_REFRESH.get(_word(spec, "refresh"), ""),
        hidden=spec.get("hide") == "hideVariable",
        current=values_of(current.get("value") if isinstance(current, Mapping) else None),
        options=tuple(
            v
            for option in (options if isinstance(options, list) else [])
            if isinstance(option, Mapping)
            for v in values_of(option.get("value"))
        ),
        source=source,
        keys=conditions(_items(spec, "filters"), _items(spec, "baseFilters")),
    )


def _items(raw: Mapping[str, Any], key: str) -> list[Any]:
    value = raw.get(key)
    return value if isinstance(value, list) else []


def _map(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def _word(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
