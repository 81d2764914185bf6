"""Classic dashboards as schema v2 would hold them, as far as the corpora need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KINDS = {
    "query": "QueryVariable",
    "custom": "CustomVariable",
    "constant": "ConstantVariable",
    "textbox": "TextVariable",
    "datasource": "DatasourceVariable",
    "adhoc": "AdhocVariable",
}
REFRESH = {0: "never", 1: "onDashboardLoad", 2: "onTimeRangeChanged"}


def panels(model: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All panels but rows."""
    for raw in [*model.get("panels", []), *model.get("rows", [])]:
        if raw.get("type") == "row" or ("targets" not in raw and "panels" in raw):
            yield from panels(raw)
        else:
            yield raw


def query(raw: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """A DataQuery of v2beta1: the plug-in is the group, the rest of the target its spec."""
    own = raw.get("datasource") or source
    fields = {k: v for k, v in raw.items() if k not in ("refId", "hide", "datasource")}
    return {
        "kind": "DataQuery",
        "group": own.get("type", ""),
        "datasource": {"name": own.get("uid", "")},
        "spec": fields,
    }


def element(raw: dict[str, Any]) -> dict[str, Any]:
    """A Panel element."""
    targets = [
        {
            "kind": "PanelQuery",
            "spec": {
                "refId": target.get("refId", "A"),
                "hidden": target.get("hide", False),
                "query": query(target, raw.get("datasource") or {}),
            },
        }
        for target in raw.get("targets", [])
    ]
    group = {
        "queries": targets,
        "transformations": [
            {"kind": "Transformation", "group": one["id"], "spec": {"options": one["options"]}}
            for one in raw.get("transformations", [])
        ],
        "queryOptions": {"timeShift": raw["timeShift"]} if "timeShift" in raw else {},
    }
    defaults = raw.get("fieldConfig", {}).get("defaults", {})
    spec = {
        "id": raw["id"],
        "title": raw.get("title", ""),
        "data": {"kind": "QueryGroup", "spec": group},
        "vizConfig": {
            "kind": "VizConfig",
            "group": raw["type"],
            "spec": {"fieldConfig": {"defaults": defaults}},
        },
    }
    return {"kind": "Panel", "spec": spec}


def variable(raw: dict[str, Any]) -> dict[str, Any]:
    """A typed variable."""
    text = raw.get("query", "")
    text = text["query"] if isinstance(text, dict) else text
    spec: dict[str, Any] = {
        key: raw[key] for key in ("name", "regex", "multi", "includeAll", "allValue", "filters") if key in raw
    }
    if raw["type"] == "datasource":
        spec["pluginId"] = text
    else:
        own = raw.get("datasource") or {}
        spec["query"] = {
            "kind": "DataQuery",
            "group": own.get("type", "prometheus"),
            "datasource": {"name": own.get("uid", "")},
            "spec": {"query": text},
        }
    if raw.get("refresh") in REFRESH:
        spec["refresh"] = REFRESH[raw["refresh"]]
    return {"kind": KINDS[raw["type"]], "spec": spec}


def schema2(model: dict[str, Any]) -> dict[str, Any]:
    """The resource of v2beta1 for a classic model without library panels."""
    elements = {f"panel-{raw['id']}": element(raw) for raw in panels(model)}
    items = [
        {"kind": "GridLayoutItem", "spec": {"element": {"kind": "ElementReference", "name": name}}}
        for name in elements
    ]
    return {
        "apiVersion": "dashboard.grafana.app/v2beta1",
        "kind": "Dashboard",
        "metadata": {"name": "converted"},
        "spec": {
            "title": model.get("title", ""),
            "elements": elements,
            "layout": {"kind": "GridLayout", "spec": {"items": items}},
            "variables": [variable(raw) for raw in model.get("templating", {}).get("list", [])],
        },
    }
