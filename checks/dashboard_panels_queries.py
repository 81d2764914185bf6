"""What is wrong with single queries of a dashboard, as dashboard-panels judges it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import dashboard_panels_rules as rules
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.dashboards.families import Catalogue
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.model import Dashboard


def queries_of(board: Dashboard, catalogue: Catalogue, lineage: Lineage) -> Iterator[Finding]:
    """Queries that have no result, that nobody understands, or that ask for what is no longer there."""
    yield from _broken_quantiles(board)
    yield from _no_result(board, catalogue, lineage)
    yield from _wrong_language(board, catalogue, lineage)
    yield from _stale_spans(board)


def _broken_quantiles(board: Dashboard) -> Iterator[Finding]:
    for panel, target, query in board.queries:
        if any("histogram_quantile without le" in use.within for use in query.uses):
            yield Finding(
                rules.QUANTILE,
                f"{panel.shown}, target {target.ref}: histogram_quantile gets no le and returns nothing",
                target.spot.at,
                evidence={"query": query.text},
                remedy="write: sum by (le, nemo_run_id) (rate(..._bucket[$__rate_interval]))",
            )


def _no_result(board: Dashboard, catalogue: Catalogue, lineage: Lineage) -> Iterator[Finding]:
    from lens_preflight.dashboards.training import is_training

    for panel, target, query in board.queries:
        asked = [use for use in query.uses if is_training(query, use, catalogue, lineage)]
        why = next((use.empty for use in asked if use.empty), "")
        if why:
            yield Finding(
                rules.NO_RESULT,
                f"{panel.shown}, target {target.ref}: the query {why}",
                target.spot.at,
                evidence={"query": query.text},
                remedy="try it in Explore over a time in which a run was recorded",
            )


def _wrong_language(board: Dashboard, catalogue: Catalogue, lineage: Lineage) -> Iterator[Finding]:
    from lens_preflight.dashboards.training import promql_elsewhere

    for panel, target in promql_elsewhere(board, catalogue, lineage):
        yield Finding(
            rules.LANGUAGE,
            f"{panel.shown}, target {target.ref}: a query of Prometheus is sent to {target.source.kind}",
            target.spot.at,
            evidence={"query": str(target.raw.get("expr"))},
            remedy='give the variable of the data source "query": "prometheus", or the panel such a data source',
        )


def _stale_spans(board: Dashboard) -> Iterator[Finding]:
    from lens_preflight.dashboards.spans import STALE_SPANS

    for panel, target, query in board.queries:
        for old, new in STALE_SPANS.items():
            words = query.text.replace('"', " ").replace("(", " ").replace(")", " ").split()
            if old in words:
                yield Finding(
                    rules.STALE,
                    f"{panel.shown} names the span {old}, which is now {new}",
                    target.spot.at,
                    remedy=f"write {new}",
                )
