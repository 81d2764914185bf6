"""Kibana saved objects (NDJSON): searches, Lens and older visualisations, dashboards that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.dashboards.model import Dashboard, DataSource, Document, Panel, Spot, Target, Variable
from lens_preflight.dashboards.selectors import Language

KINDS = frozenset({"search", "lens", "visualization", "dashboard", "index-pattern", "map", "canvas-workpad"})
_LENS_TYPES = {
    "percentile": "percentiles",
    "percentile_rank": "percentile_ranks",
    "average": "avg",
    "median": "percentiles",
}


def is_saved_object(data: Any) -> bool:
    """Whether a JSON value is a saved object."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("type"), str)
        and data["type"] in KINDS
        and isinstance(data.get("attributes"), Mapping)
    )


def read_kibana(documents: list[tuple[Document, Mapping[str, Any]]]) -> Dashboard:
    """All objects of one export as one dashboard: what is exported together is used together."""
    spot = Spot(documents[0][0])
    panels: list[Panel] = []
    variables: list[Variable] = []
    title = ""
    for document, data in documents:
        at = Spot(document)
        attributes = data["attributes"]
        kind = str(data["type"])
        if kind == "dashboard":
            title = title or str(attributes.get("title") or "")
            variables += _controls(attributes, at)
            for n, (inner_kind, inner) in enumerate(_by_value(attributes)):
                panels.append(_panel(f"{data.get('id', '?')}#{n}", inner_kind, inner, at))
        elif kind in ("search", "lens", "visualization"):
            panels.append(_panel(str(data.get("id", "?")), kind, attributes, at))
    return Dashboard(spot.document.path, title, "kibana", spot, tuple(panels), tuple(variables))


def _panel(identity: str, kind: str, attributes: Mapping[str, Any], at: Spot) -> Panel:
    state = _json(attributes.get("state")) if kind == "lens" else {}
    source = _json(_map(attributes.get("kibanaSavedObjectMeta")).get("searchSourceJSON"))
    query = _map(state.get("query")) or _map(source.get("query"))
    text = str(query.get("query") or "")
    clauses = [f"({text})"] if text.strip() else []
    lucene = query.get("language") == "lucene"
    filters = (*_list(state.get("filters")), *_list(source.get("filter")))
    clauses += [_filter_text(f, "NOT" if lucene else "not") for f in filters]
    metrics = list(_lens_metrics(state)) if kind == "lens" else list(_vis_metrics(attributes))
    raw = {"metrics": metrics, "columns": attributes.get("columns")}
    title = str(attributes.get("title") or "")
    at = at.within(title, identity)
    joined = (" AND " if lucene else " and ").join(c for c in clauses if c)
    language = Language.LUCENE if lucene else Language.KQL
    target = Target("A", joined, language, DataSource("elasticsearch"), at, raw=raw)
    return Panel(identity, title, kind, at, (target,))


def _by_value(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Panels kept inside the dashboard itself: ``panelsJSON`` is a string in a string."""
    for panel in _list(_json(attributes.get("panelsJSON"))):
        if isinstance(panel, Mapping):
            inner = _map(_map(panel.get("embeddableConfig")).get("attributes"))
            if inner:
                yield str(panel.get("type") or "lens"), {"title": panel.get("title"), **inner}


def _controls(attributes: Mapping[str, Any], at: Spot) -> Iterator[Variable]:
    """The controls above a dashboard; each filters every panel by one field."""
    group = _map(attributes.get("controlGroupInput"))
    for raw in _map(_json(group.get("panelsJSON"))).values():
        field = str(_map(_map(raw).get("explicitInput")).get("fieldName") or "")
        if field:
            yield Variable(field, "control", at, keys=((field, "=", ""),))


def _lens_metrics(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sources = _map(state.get("datasourceStates"))
    for source in sources.values():
        for layer in _map(_map(source).get("layers")).values():
            for column in _map(_map(layer).get("columns")).values():
                operation = str(_map(column).get("operationType") or "")
                field = str(_map(column).get("sourceField") or "")
                if field and operation not in ("date_histogram", "terms", "filters", "range"):
                    yield {"type": _LENS_TYPES.get(operation, operation), "field": field}


def _vis_metrics(attributes: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Aggregations of the older visualisations and of TSVB."""
    state = _json(attributes.get("visState"))
    for agg in _list(state.get("aggs")):
        field = _map(_map(agg).get("params")).get("field")
        if field and _map(agg).get("schema") == "metric":
            yield {"type": agg.get("type"), "field": field}
    for series in _list(_map(state.get("params")).get("series")):
        for metric in _list(_map(series).get("metrics")):
            if _map(metric).get("field"):
                yield {"type": metric.get("type"), "field": metric.get("field")}


def _filter_text(raw: Any, no: str) -> str:
    """A filter pill as KQL or Lucene; one that is switched off or of a form not known is left out."""
    meta = _map(_map(raw).get("meta"))
    if meta.get("disabled") is True:
        return ""
    key, params = meta.get("key"), meta.get("params")
    value = params.get("query") if isinstance(params, Mapping) else meta.get("value")
    phrase = _map(_map(_map(raw).get("query")).get("match_phrase"))
    if not key and phrase:
        key, value = next(iter(phrase.items()))
    if not key:
        return ""
    text = f"{key} : *" if meta.get("type") == "exists" else f"{key} : {json.dumps(_word(value))}"
    return f"{no} {text}" if meta.get("negate") is True else text


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(value: Any) -> Any:
    """A JSON text inside a JSON text; an empty mapping when it is none."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, (Mapping, list)) else {}


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
