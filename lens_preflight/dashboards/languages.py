"""Which language a target speaks, judged by its data source's plug-in and its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.dashboards.selectors import Language

_BY_PLUGIN = {
    "prometheus": Language.PROMQL,
    "grafana-amazonprometheus-datasource": Language.PROMQL,
    "grafana-azureprometheus-datasource": Language.PROMQL,
    "victoriametrics-metrics-datasource": Language.PROMQL,
    "victoriametrics-datasource": Language.PROMQL,
    "loki": Language.LOGQL,
    "tempo": Language.TRACEQL,
    "elasticsearch": Language.LUCENE,
    "grafana-opensearch-datasource": Language.LUCENE,
    "__expr__": Language.EXPRESSION,
}
_TEXT_KEYS = {
    Language.PROMQL: ("expr", "query"),
    Language.LOGQL: ("expr",),
    Language.TRACEQL: ("query",),
    Language.LUCENE: ("query",),
    Language.EXPRESSION: ("expression",),
    Language.OTHER: ("query", "rawSql", "rawQuery", "expr", "q"),
}


def language_of(plugin: str, raw: Mapping[str, Any]) -> Language:
    """The language of a target; a plug-in that is not named is guessed from the fields."""
    known = _BY_PLUGIN.get(plugin)
    if known is not None:
        return known
    if raw.get("queryType") in ("traceql", "traceqlSearch", "traceId", "nativeSearch"):
        return Language.TRACEQL
    if isinstance(raw.get("bucketAggs"), list):
        return Language.LUCENE
    if not plugin or plugin.startswith("$"):
        if isinstance(raw.get("expr"), str):
            return Language.PROMQL
        if "expression" in raw and raw.get("type") in ("math", "reduce", "resample", "threshold", "sql"):
            return Language.EXPRESSION
    return Language.OTHER


def text_of(language: Language, raw: Mapping[str, Any]) -> tuple[str, str]:
    """The field that holds the query, and the query; both empty when none does."""
    for key in _TEXT_KEYS.get(language, ()):
        value = raw.get(key)
        if isinstance(value, str) and value:
            return key, value
    return "", ""
