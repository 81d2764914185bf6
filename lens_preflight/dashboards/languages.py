"""Which language a target speaks, judged by its data source's plug-in and its fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.model import DataSource, Panel, Target, Variable
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
_OTHER_PLUGINS = frozenset(
    {"influxdb", "mysql", "postgres", "grafana-postgresql-datasource", "mssql", "graphite", "opentsdb"}
    | {"cloudwatch", "jaeger", "zipkin", "grafana-clickhouse-datasource", "grafana-pyroscope-datasource"}
    | {"alertmanager", "parca", "stackdriver", "grafana-azure-monitor-datasource"}
)
"""Data sources that take no PromQL; of a plug-in that stands nowhere here that is not known."""

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


def refuses_promql(plugin: str) -> bool:
    """Whether a data source is known, and speaks another language."""
    return plugin in _OTHER_PLUGINS or _BY_PLUGIN.get(plugin, Language.PROMQL) is not Language.PROMQL


def asked_truly(panel: Panel, variables: Iterable[Variable]) -> Panel:
    """A panel whose targets speak the language of the data source that a variable of the dashboard chooses.

    Grafana finds the data source by its identifier; the type that stands beside it does not count.
    """
    plugins = {v.name: v.query for v in variables if v.kind == "datasource"}
    source = _chosen(panel.source, plugins)
    return replace(panel, source=source, targets=tuple(_asked(t, plugins) for t in panel.targets))


def _chosen(source: DataSource, plugins: Mapping[str, str]) -> DataSource:
    plugin = plugins.get(source.variable, "")
    known = plugin in _BY_PLUGIN or plugin in _OTHER_PLUGINS
    return replace(source, kind=plugin) if known and source.kind != plugin else source


def _asked(target: Target, plugins: Mapping[str, str]) -> Target:
    source = _chosen(target.source, plugins)
    language = language_of(source.kind, target.raw)
    if source == target.source or language is target.language or target.language is Language.EXPRESSION:
        return target
    return replace(target, source=source, language=language, text=text_of(language, target.raw)[1])


def text_of(language: Language, raw: Mapping[str, Any]) -> tuple[str, str]:
    """The field that holds the query, and the query; both empty when none does."""
    for key in _TEXT_KEYS.get(language, ()):
        value = raw.get(key)
        if isinstance(value, str) and value:
            return key, value
    return "", ""
