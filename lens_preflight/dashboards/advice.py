"""What to type: corrected expressions, and the places where a dashboard needs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lens_preflight.core.finding import Location
from lens_preflight.dashboards.families import Catalogue, frameworks_seen, hinted, near_misses, spellings
from lens_preflight.dashboards.model import Dashboard, DataSource, Panel, Spot, Target
from lens_preflight.dashboards.naming import Strategy, part, prometheus_name
from lens_preflight.dashboards.runs import lists_runs
from lens_preflight.dashboards.selectors import Language
from lens_preflight.lens.metrics import METRICS, Family, Instrument, Metric

_OWN_KIND = {Family.STEP_DURATION: Instrument.HISTOGRAM}


def run_variable(board: Dashboard) -> str:
    """The name of the variable that lists runs; the usual one when there is none."""
    return next((v.name for v in board.variables if lists_runs(v)), "run_id")


def expression(family: Family, catalogue: Catalogue, board: Dashboard) -> str:
    """A query that shows a family, filtered by the run."""
    own = next((name for f, name in catalogue.own if f is family), "")
    seen = frameworks_seen(query for _, _, query in board.queries)
    near = [m for framework in METRICS if framework in seen for m in METRICS[framework]]
    metric = next((m for m in (*near, *catalogue.metrics()) if m.family is family), None)
    if own or metric is None:
        kind = _OWN_KIND.get(family, Instrument.GAUGE)
        unit = "ms" if own.endswith("_ms") else ""
        metric = Metric(own or f"your.{family.name.lower()}", unit, kind, family)
    front = catalogue.namespaces[0] if catalogue.exact else ""
    name = prometheus_name(metric.name, metric.unit, metric.instrument.value, namespace=front)
    by_run = f'{{nemo_run_id=~"${run_variable(board)}"}}'
    if metric.rate:
        return f"sum by (nemo_run_id) (rate({name}_count{by_run}[$__rate_interval]))"
    if metric.instrument is Instrument.HISTOGRAM:
        buckets = f"rate({name}_bucket{by_run}[$__rate_interval])"
        return f"histogram_quantile(0.95, sum by (le, nemo_run_id) ({buckets}))"
    return f"{name}{by_run}"


def near_title(boards: list[Dashboard], family: Family) -> tuple[Dashboard, str]:
    """The dashboard to blame for a missing family, and why a panel that is called after it does not count."""
    for board in boards:
        for panel in board.panels:
            if family in hinted(panel.title):
                return board, f"{panel.shown} {_why_not(panel)}"
    return boards[0], ""


def _why_not(panel: Panel) -> str:
    if not panel.placed:
        return "is placed in no layout"
    if panel.targets and all(target.hidden for target in panel.targets):
        return "hides its query"
    return "is called so and asks for something else"


def data_source_uses(board: Dashboard) -> dict[str, list[tuple[Spot, DataSource]]]:
    """The data sources that panels and variables name, with the places; Grafana's own are left out."""
    found: dict[str, list[tuple[Spot, DataSource]]] = {}

    def add(source: DataSource, spot: Spot) -> None:
        if not source.default and not source.internal and not source.variable.startswith("__"):
            found.setdefault(source.ref, []).append((spot, source))

    if board.form == "kibana":
        return found
    for variable in board.variables:
        add(variable.source, variable.spot)
    for panel in board.panels:
        add(panel.source, panel.spot.below("datasource", "uid"))
        for target in panel.targets:
            if target.source != panel.source:
                add(target.source, target.spot)
    return found


def misspelt(
    board: Dashboard, catalogue: Catalogue, strategies: Iterable[str]
) -> Iterator[tuple[str, str, Location, str]]:
    """Series names that the exporters do not make: the name, the right one, its place, and why.

    ``strategies`` are those of the exporters; empty when they are not known, and then the default
    one is taken for granted.
    """
    expected = frozenset(Strategy(s) for s in strategies if s in _STRATEGIES)
    seen: set[str] = set()
    for _, target, query in board.queries:
        if query.language is not Language.PROMQL:
            continue
        for name in sorted(query.metrics - seen):
            seen.add(name)
            fault = _fault(name, catalogue, expected)
            if fault is not None:
                yield name, fault[0], target.spot.at, fault[1]


def wrong_units(board: Dashboard, catalogue: Catalogue) -> Iterator[tuple[Panel, Target, str]]:
    """Panels whose unit is seconds for a metric in milliseconds, or the reverse; one per panel.

    A query that computes with a number may convert, and is left alone.
    """
    seen: set[str] = set()
    for panel, target, query in board.queries:
        if panel.unit not in ("s", "ms") or panel.id in seen or re.search(r"[*/]\s*[\d(]", query.text):
            continue
        units = {
            s.metric.unit
            for name in query.metrics
            for s in spellings(name, catalogue)
            if part(name) != "count"
        }
        if units and units <= {"s", "ms"} and panel.unit not in units:
            seen.add(panel.id)
            yield panel, target, units.pop()


_STRATEGIES = frozenset(s.value for s in Strategy)


def _fault(name: str, catalogue: Catalogue, expected: frozenset[Strategy]) -> tuple[str, str] | None:
    """The right name and the reason, None when the name is right."""
    wanted = expected or frozenset({Strategy.SUFFIXES, Strategy.UTF8_SUFFIXES, Strategy.UNTOUCHED})
    found = spellings(name, catalogue)
    if found:
        if any(s.strategies & wanted for s in found):
            dotted = "." in name
            if dotted or expected or any(Strategy.SUFFIXES in s.strategies for s in found):
                return None
        metric = found[0].metric
        why = (
            "not how this exporter spells it" if expected else "right only with suffixes off in the exporter"
        )
    else:
        near = near_misses(name, catalogue)
        if not near:
            return None
        metric = near[0]
        why = f"a name that no exporter makes of {metric.name}"
    histogram = metric.instrument is Instrument.HISTOGRAM
    ending = f"_{part(name)}" if part(name) and histogram else ""
    strategy = next(iter(sorted(expected, key=lambda s: s.value)), Strategy.SUFFIXES)
    front = catalogue.namespaces[0] if catalogue.exact else ""
    return prometheus_name(metric.name, metric.unit, metric.instrument.value, strategy, front) + ending, why
