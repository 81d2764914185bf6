"""Queries to Elasticsearch and OpenSearch: a KQL or Lucene filter, and aggregations over fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.dashboards.kql import read_condition
from lens_preflight.dashboards.lucene import read_lucene
from lens_preflight.dashboards.selectors import Language, Query, Use


def read_elastic(text: str, raw: Mapping[str, Any], language: Language = Language.LUCENE) -> Query:
    """One use per aggregated field (``metrics[]`` as Grafana writes them), else one for the whole query."""
    try:
        condition = read_lucene(text) if language is Language.LUCENE else read_condition(text)
    except ValueError as error:
        return Query(language, text, error=str(error))
    matchers = condition.matchers()
    metrics = raw.get("metrics")
    uses = [
        Use(str(metric.get("field") or ""), matchers, (str(metric.get("type") or ""),))
        for metric in (metrics if isinstance(metrics, list) else [])
        if isinstance(metric, Mapping) and metric.get("hide") is not True
    ]
    return Query(language, text, tuple(uses) or (Use("", matchers),), condition=condition)
