"""Grafana's classic dashboard JSON: rows nested, collapsed or old, library panels, variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.display import displayed
from lens_preflight.dashboards.languages import asked_truly, language_of, text_of
from lens_preflight.dashboards.model import Dashboard, DataSource, Document, Panel, Spot, Target, Variable

NO_QUERIES = frozenset({"text", "news", "alertlist", "dashlist", "row", "welcome", "pluginlist", "annolist"})
_REFRESH = {0: "never", 1: "load", 2: "time"}


def read_classic(document: Document, model: Mapping[str, Any], spot: Spot) -> Dashboard:
    """Read the classic model that stands at ``spot``."""
    elements = model.get("__elements")
    library = elements if isinstance(elements, Mapping) else {}
    panels = [
        replace(
            _panel(raw, at, library), repeats=tuple(name for name in (*outer, _word(raw, "repeat")) if name)
        )
        for raw, at, outer in _flatten(model, spot)
    ]
    panels = [_reused(panel, panels) for panel in panels]
    templating = model.get("templating")
    listed = templating.get("list") if isinstance(templating, Mapping) else None
    variables = tuple(
        _variable(raw, spot.below("templating", "list", n))
        for n, raw in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(raw, Mapping)
    )
    panels = [asked_truly(panel, variables) for panel in panels]
    inputs = model.get("__inputs")
    declared = frozenset(
        str(i.get("name")) for i in (inputs if isinstance(inputs, list) else []) if isinstance(i, Mapping)
    )
    return Dashboard(
        document.path, _word(model, "title"), "classic", spot, tuple(panels), variables, declared
    )


def _flatten(
    model: Mapping[str, Any], spot: Spot, outer: tuple[str, ...] = ()
) -> Iterator[tuple[Mapping[str, Any], Spot, tuple[str, ...]]]:
    """All panels but rows, in reading order, each with the variables that its row is repeated for.

    ``rows[].panels[]`` of the oldest schema are read too. Behind a row that is open its panels follow.
    """
    row = outer
    for n, raw in enumerate(_list(model, "panels")):
        if not isinstance(raw, Mapping):
            continue
        if raw.get("type") == "row" or (isinstance(raw.get("panels"), list) and "targets" not in raw):
            row = (*outer, _word(raw, "repeat"))
            yield from _flatten(raw, spot.below("panels", n), row)
        else:
            yield raw, spot.below("panels", n), row
    for n, old in enumerate(_list(model, "rows")):
        if isinstance(old, Mapping):
            yield from _flatten(old, spot.below("rows", n), (*outer, _word(old, "repeat")))


def _panel(raw: Mapping[str, Any], spot: Spot, library: Mapping[str, Any]) -> Panel:
    """One panel; a library panel takes its queries from the export's ``__elements`` when they are there."""
    unresolved = ""
    reference = raw.get("libraryPanel")
    content: Mapping[str, Any] = raw
    if isinstance(reference, Mapping) and not raw.get("targets"):
        uid = str(reference.get("uid") or reference.get("name") or "")
        element = library.get(uid)
        model = element.get("model") if isinstance(element, Mapping) else None
        if isinstance(model, Mapping):
            content = {**model, **{k: raw[k] for k in ("id", "title") if k in raw}}
        else:
            unresolved = f"its queries are in library panel {uid or '(no uid)'}, which is not in the file"
    kind, identity = _word(content, "type"), str(raw.get("id", "?"))
    title = _word(content, "title") or _word(reference if isinstance(reference, Mapping) else {}, "name")
    spot = spot.within(title, identity)
    source = data_source(content.get("datasource"))
    targets = tuple(
        _target(t, spot.below("targets", n), source)
        for n, t in enumerate(_list(content, "targets"))
        if isinstance(t, Mapping)
    )
    if not targets and not unresolved and kind not in NO_QUERIES:
        unresolved = f"it is of type {kind or '(none)'} and holds no targets" if kind else ""
    unit = content.get("fieldConfig", {})
    unit = unit.get("defaults", {}) if isinstance(unit, Mapping) else {}
    panel = Panel(
        id=identity,
        title=title,
        kind=kind,
        spot=spot,
        targets=targets,
        source=source,
        unresolved=unresolved,
        unit=_word(unit if isinstance(unit, Mapping) else {}, "unit"),
    )
    return displayed(panel, content.get("transformations"), content.get("timeShift"))


def _reused(panel: Panel, panels: list[Panel]) -> Panel:
    """A panel on the data source ``-- Dashboard --`` shows the queries of another panel."""
    if panel.source.ref != "-- Dashboard --" or not panel.targets:
        return panel
    other = str(panel.targets[0].raw.get("panelId", ""))
    found = next((p for p in panels if p.id == other and p.source.ref != "-- Dashboard --"), None)
    if found is None:
        return Panel(
            panel.id, panel.title, panel.kind, panel.spot,
            unresolved=f"it shows the queries of panel {other or '?'}, which is not there",
        )  # fmt: skip
    return Panel(
        panel.id, panel.title, panel.kind, panel.spot, found.targets, found.source, found.unresolved,
        unit=panel.unit, elsewhen=found.elsewhen,
    )  # fmt: skip


def _target(raw: Mapping[str, Any], spot: Spot, outer: DataSource) -> Target:
    own = data_source(raw.get("datasource"))
    source = outer if own.default and "Mixed" not in outer.ref else own
    if own.kind == "__expr__" or own.ref == "__expr__":
        source = DataSource("__expr__", "__expr__")
    language = language_of(source.kind, raw)
    key, text = text_of(language, raw)
    return Target(
        ref=_word(raw, "refId"),
        text=text,
        language=language,
        source=source,
        spot=spot.below(key) if key else spot,
        hidden=raw.get("hide") is True,
        raw=raw,
    )


def data_source(raw: Any) -> DataSource:
    """A data source reference in any of its forms: name, ``{type, uid}``, null."""
    if isinstance(raw, str):
        kind = "__expr__" if raw == "__expr__" else ""
        return DataSource(kind, raw, by_name=True)
    if isinstance(raw, Mapping):
        return DataSource(_word(raw, "type"), _word(raw, "uid") or _word(raw, "name"))
    return DataSource()


def _variable(raw: Mapping[str, Any], spot: Spot) -> Variable:
    query = raw.get("query")
    key = "query"
    if isinstance(query, Mapping):
        query = query.get("query") or query.get("expr") or query.get("label") or ""
    if not query and raw.get("definition"):
        query, key = raw["definition"], "definition"
    current = raw.get("current")
    value = current.get("value") if isinstance(current, Mapping) else None
    return Variable(
        name=_word(raw, "name"),
        kind=_word(raw, "type"),
        spot=spot.below(key) if key in raw else spot,
        query=query if isinstance(query, str) else "",
        regex=_word(raw, "regex"),
        multi=raw.get("multi") is True,
        include_all=raw.get("includeAll") is True,
        all_value=_word(raw, "allValue"),
        refresh=_REFRESH.get(raw["refresh"], "") if isinstance(raw.get("refresh"), int) else "",
        hidden=raw.get("hide") == 2,
        current=values_of(value),
        options=tuple(
            v for o in _list(raw, "options") if isinstance(o, Mapping) for v in values_of(o.get("value"))
        ),
        source=data_source(raw.get("datasource")),
        keys=conditions(_list(raw, "filters"), _list(raw, "baseFilters")),
    )


def conditions(*filters: list[Any]) -> tuple[tuple[str, str, str], ...]:
    """The conditions of an ad-hoc variable: label, operator, value."""
    return tuple(
        (_word(f, "key"), _word(f, "operator") or "=", _word(f, "value"))
        for entries in filters
        for f in entries
        if isinstance(f, Mapping)
    )


def values_of(raw: Any) -> tuple[str, ...]:
    """The chosen values of a variable, without the marker for All."""
    items = raw if isinstance(raw, list) else [raw]
    return tuple(
        str(item) for item in items if item not in (None, "", "$__all") and not isinstance(item, (dict, list))
    )


def _list(raw: Mapping[str, Any], key: str) -> list[Any]:
    value = raw.get(key)
    return value if isinstance(value, list) else []


def _word(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
