"""What the documentation of each backend allows in a request: paths, parameters, bodies, headers.

The replay server refuses everything else, so that a client which invents a parameter fails its tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema
import promql_parser

Rule = Callable[[str], bool]


def _pattern(text: str) -> Rule:
    return lambda value: re.fullmatch(text, value) is not None


def _json_of_texts(value: str) -> bool:
    try:
        return all(isinstance(v, str) for v in json.loads(value).values())
    except (ValueError, AttributeError):
        return False


def _promql(value: str) -> bool:
    try:
        promql_parser.parse(value)
    except ValueError:
        return False
    return True


ANY = _pattern(r"(?s).+")
MICROS = _pattern(r"\d{16}")
SECONDS = _pattern(r"\d{10}(\.\d+)?")
RFC3339 = _pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
COUNT = _pattern(r"[1-9]\d{0,4}")
TRACEQL = _pattern(r"\{.*\}( \| select\([a-z.]+\))?")


@dataclass(frozen=True)
class Endpoint:
    """One documented call: which parameters it has, which are needed, what its body looks like."""

    method: str
    path: str
    params: Mapping[str, Rule] = field(default_factory=dict)
    needed: frozenset[str] = frozenset()
    body: Mapping[str, Any] | None = None

    def faults(self, params: list[tuple[str, str]], body: bytes) -> list[str]:
        """What is wrong with a request."""
        found = [f"parameter {n!r} is not documented" for n, _ in params if n not in self.params]
        found += [f"{n}={v!r} is not legal" for n, v in params if n in self.params and not self.params[n](v)]
        found += [f"parameter {n!r} is missing" for n in self.needed - {n for n, _ in params}]
        if self.body is None:
            return [*found, *(["a body where none belongs"] if body else [])]
        try:
            jsonschema.validate(json.loads(body), self.body)
        except (ValueError, jsonschema.ValidationError) as error:
            found.append(f"body: {str(error).splitlines()[0]}")
        return found


def _object(needed: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**needed, **optional},
        "required": list(needed),
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "minLength": 1}
_NUMBER = {"type": "integer", "minimum": 0}
_V3 = ("service_name", "start_time_min", "start_time_max", "num_traces", "attributes")
_V3_NEW = ("serviceName", "startTimeMin", "startTimeMax", "searchDepth", "attributes")
_V3_RULES = (ANY, RFC3339, RFC3339, COUNT, _json_of_texts)
_HC_FILTER = _object({"column": _TEXT, "op": {"enum": ["=", "!=", "exists"]}}, value={})
_HC_QUERY = _object(
    {"calculations": {"type": "array", "minItems": 1}},
    filters={"type": "array", "items": _HC_FILTER},
    filter_combination={"enum": ["AND", "OR"]},
    time_range={"type": "integer", "minimum": 1, "maximum": 604800},
)
_DD_SEARCH = _object(
    {
        "data": _object(
            {
                "type": {"const": "search_request"},
                "attributes": _object(
                    {"filter": _object({"query": _TEXT, "from": _TEXT, "to": _TEXT})},
                    page=_object({"limit": {"type": "integer", "minimum": 1, "maximum": 1000}}),
                    sort={"enum": ["timestamp", "-timestamp"]},
                ),
            }
        )
    }
)
_DS_QUERY = _object(
    {"refId": _TEXT, "datasource": _object({"uid": _TEXT}, type=_TEXT)},
    expr=_TEXT,
    instant={"type": "boolean"},
    range={"type": "boolean"},
)
_WEAVE = _object(
    {"project_id": {"type": "string", "pattern": "^[^/]+/[^/]+$"}},
    limit=_NUMBER,
    columns={"type": "array", "items": _TEXT},
    sort_by={"type": "array", "items": _object({"field": _TEXT, "direction": {"enum": ["asc", "desc"]}})},
    query=_object({"$expr": {"type": "object"}}),
)
_ES_QUERY = {"bool": {"type": "object", "required": ["filter"]}}

ENDPOINTS: dict[str, tuple[Endpoint, ...]] = {
    "jaeger": (
        Endpoint("GET", "/api/v3/services"),
        Endpoint("GET", "/api/services"),
        Endpoint(
            "GET",
            "/api/traces",
            {"service": ANY, "limit": COUNT, "start": MICROS, "end": MICROS, "tags": _json_of_texts},
            frozenset({"service"}),
        ),
        Endpoint(
            "GET",
            "/api/v3/trace-summaries",
            dict(zip((f"query.{n}" for n in _V3_NEW), _V3_RULES, strict=True)),
            frozenset({"query.startTimeMin", "query.startTimeMax"}),
        ),
        Endpoint(
            "GET",
            "/api/v3/traces",
            dict(zip((f"query.{n}" for n in _V3), _V3_RULES, strict=True)),
            frozenset({"query.start_time_min", "query.start_time_max"}),
        ),
        Endpoint("GET", "/api/v3/traces/[0-9a-f]{32}"),
    ),
    "prometheus": (
        Endpoint("GET", "/api/v1/status/buildinfo"),
        Endpoint("GET", "/api/v1/query", {"query": _promql, "time": SECONDS}, frozenset({"query"})),
        Endpoint(
            "GET",
            "/api/v1/label/[a-zA-Z_][a-zA-Z0-9_]*/values",
            {"match[]": _promql, "start": SECONDS, "end": SECONDS, "limit": COUNT},
        ),
        Endpoint("GET", "/api/v1/rules", {"type": _pattern("alert|record")}),
    ),
    "grafana": (
        Endpoint("GET", "/api/health"),
        Endpoint("GET", "/api/org"),
        Endpoint("GET", "/api/user"),
        Endpoint("GET", "/api/datasources"),
        Endpoint("GET", "/api/datasources/uid/[^/]+/health"),
        Endpoint("GET", "/api/dashboards/uid/[^/]+"),
        Endpoint(
            "GET",
            "/api/search",
            {
                "type": _pattern("dash-db|dash-folder"),
                "query": ANY,
                "limit": COUNT,
                "page": COUNT,
                "tag": ANY,
            },
        ),
        Endpoint(
            "POST",
            "/api/ds/query",
            body=_object(
                {"from": _TEXT, "to": _TEXT, "queries": {"type": "array", "minItems": 1, "items": _DS_QUERY}}
            ),
        ),
    ),
    "tempo": (
        Endpoint(
            "GET",
            "/api/search",
            {"q": TRACEQL, "limit": COUNT, "start": _pattern(r"\d{10}"), "end": _pattern(r"\d{10}")},
            frozenset({"q"}),
        ),
        Endpoint(
            "GET",
            r"/api/v2/search/tag/(resource|span)\.[a-z.]+/values",
            {"q": TRACEQL, "start": _pattern(r"\d{10}"), "end": _pattern(r"\d{10}")},
        ),
    ),
    "elasticsearch": (
        Endpoint("GET", "/"),
        Endpoint(
            "GET",
            "/[^/]+/_field_caps",
            {
                "fields": ANY,
                "ignore_unavailable": _pattern("true|false"),
                "allow_no_indices": _pattern("true|false"),
                "expand_wildcards": _pattern("open|all"),
            },
            frozenset({"fields"}),
        ),
        Endpoint("POST", "/[^/]+/_count", body=_object({"query": _object({}, **_ES_QUERY)})),
        Endpoint(
            "POST",
            "/[^/]+/_search",
            body=_object({"size": _NUMBER, "query": _object({}, **_ES_QUERY)}, aggs={"type": "object"}),
        ),
    ),
    "kibana": (
        Endpoint("GET", "/api/status"),
        Endpoint("GET", "/api/data_views"),
        Endpoint("GET", "/api/saved_objects/_find", {"type": ANY, "per_page": COUNT}, frozenset({"type"})),
    ),
    "honeycomb": (
        Endpoint("GET", "/1/auth"),
        Endpoint("GET", "/1/columns/[^/]+", {"key_name": ANY}),
        Endpoint("POST", "/1/queries/[^/]+", body=_HC_QUERY),
        Endpoint(
            "POST",
            "/1/query_results/[^/]+",
            body=_object({"query_id": _TEXT}, disable_series={"type": "boolean"}, limit=_NUMBER),
        ),
        Endpoint("GET", "/1/query_results/[^/]+/[^/]+"),
    ),
    "datadog": (
        Endpoint("GET", "/api/v1/validate"),
        Endpoint("POST", "/api/v2/spans/events/search", body=_DD_SEARCH),
        Endpoint("GET", "/api/v2/metrics/[^/]+/all-tags"),
    ),
    "weave": (
        Endpoint("POST", "/calls/query_stats", body=_object({"project_id": _TEXT})),
        Endpoint("POST", "/calls/stream_query", body=_WEAVE),
    ),
    "collector": (Endpoint("GET", "/"), Endpoint("GET", "/metrics")),
}

HEADERS = {
    "honeycomb": ("x-honeycomb-team",),
    "datadog": ("dd-api-key", "dd-application-key"),
    "weave": ("authorization",),
}
"""Headers without which a vendor answers 401."""


def faults(kind: str, method: str, path: str, params: list[tuple[str, str]], body: bytes) -> list[str]:
    """What is wrong with a request to a backend of a kind; empty for a documented one."""
    for endpoint in ENDPOINTS[kind]:
        if endpoint.method == method and re.fullmatch(endpoint.path, path):
            return endpoint.faults(params, body)
    return [f"{method} {path} is not documented"]
