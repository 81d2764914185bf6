"""The list of runs of a dashboard, as dashboard-run-id judges it: which variable, and what it lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import dashboard_run_id_rules as rules
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.dashboards.families import Catalogue
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.model import Dashboard, Variable
    from lens_preflight.dashboards.training import RunUse


def run_list(
    board: Dashboard, uses: list[RunUse], catalogue: Catalogue, lineage: Lineage, doubts: list[Undecided]
) -> Iterator[Finding]:
    """What is wrong with the variables and presets by which a run is chosen; ``doubts`` is added to."""
    yield from _variable(board, uses)
    yield from _lists(board, uses, catalogue, lineage, doubts)
    yield from _presets(board, uses)


def _variable(board: Dashboard, uses: list[RunUse]) -> Iterator[Finding]:
    """The variable that the panels follow, or should follow."""
    from lens_preflight.dashboards.runs import lists_runs

    followed = {f.variable for use in uses for f in use.filters if f.variable in board.by_name}
    listing = [v for v in board.variables if lists_runs(v)]
    chosen = [v for v in listing if v.name in followed] or listing
    if not chosen:
        chosen = [v for v in board.variables if v.name in followed]
    if not chosen:
        if all(use.filtered_elsewhere for use in uses):
            return
        metric = _listed_metric(uses)
        if board.form == "kibana":
            remedy = (
                "add a control on the field nemo.run.id (resource.attributes.nemo.run.id in fixed indices)"
            )
        else:
            remedy = f"add a query variable run_id: label_values({metric}, nemo_run_id)"
        yield Finding(
            rules.NO_VARIABLE,
            "no variable lists nemo_run_id",
            board.spot.at,
            evidence={"dashboard": board.title, "variables": ", ".join(board.by_name) or "none"},
            remedy=remedy,
        )
        return
    for variable in chosen:
        yield from _judge_variable(variable, lists_runs(variable), uses)


def _judge_variable(variable: Variable, lists: bool, uses: list[RunUse]) -> Iterator[Finding]:
    query = f"label_values({_listed_metric(uses)}, nemo_run_id)"
    at = variable.spot.at
    if variable.kind in ("custom", "textbox", "constant") and not lists:
        rule = rules.HARD_CODED if variable.kind == "constant" else rules.TYPED
        yield Finding(
            rule,
            f"variable {variable.name} is of type {variable.kind}",
            at,
            remedy=f"make it a query: {query}",
        )
        return
    if not lists:
        label = variable.listing.label or "no label that can be told"
        yield Finding(
            rules.WRONG_LABEL,
            f"variable {variable.name} lists {label}, not nemo_run_id",
            at,
            evidence={"query": variable.query},
            remedy=f"write: {query}",
        )
        return
    yield from _source_metric(variable, uses, query)
    if variable.refresh == "never":
        yield Finding(
            rules.FROZEN,
            f"variable {variable.name} is never refreshed",
            at,
            remedy='write "refresh": 2 (on time range change)',
        )
    if variable.hidden:
        yield Finding(rules.HIDDEN, f"variable {variable.name} is hidden", at, remedy='write "hide": 0')
    if variable.include_all and variable.all_value == ".*":
        yield Finding(
            rules.ALL_VALUE, f"variable {variable.name} has allValue .*", at, remedy='write "allValue": ".+"'
        )


def _lists(
    board: Dashboard, uses: list[RunUse], catalogue: Catalogue, lineage: Lineage, doubts: list[Undecided]
) -> Iterator[Finding]:
    """What the variables that the panels follow really list."""
    from lens_preflight.dashboards.listings import Flaw, all_flaw, flaws
    from lens_preflight.dashboards.runs import lists_runs
    from lens_preflight.dashboards.selectors import Language

    severities = {
        Flaw.BROKEN: rules.BROKEN_LIST,
        Flaw.NARROW: rules.NARROW_LIST,
        Flaw.UNSURE: rules.UNSURE_METRIC,
    }
    shown = [use.use.metric for use in uses]
    for variable in board.variables:
        languages = {u.language for u in uses if any(f.variable == variable.name for f in u.filters)}
        if not languages or not lists_runs(variable):
            continue
        at = variable.spot.at
        try:
            found = list(flaws(variable, board, catalogue, lineage, shown))
            everything = all_flaw(variable) if Language.PROMQL in languages else None
        except Undecided as doubt:
            doubts.append(Undecided(f"variable {variable.name}: {doubt.reason}", at))
            continue
        for flaw, what in (*found, *((everything,) if everything else ())):
            remedy = f"write: label_values({_listed_metric(uses)}, nemo_run_id)"
            yield Finding(
                severities[flaw],
                f"variable {variable.name} {what}",
                at,
                evidence={"query": variable.query, "regex": variable.regex or "none"},
                remedy='write "allValue": ".+"' if (flaw, what) == everything else remedy,
            )


def _presets(board: Dashboard, uses: list[RunUse]) -> Iterator[Finding]:
    """An ad-hoc filter on the run: it holds for every panel, beside what the run variable chooses."""
    from lens_preflight.dashboards.runs import run_presets

    follow = any(f.variable in board.by_name for use in uses for f in use.filters)
    for variable, operator, value in run_presets(board):
        if variable.hidden:
            yield Finding(
                rules.HIDDEN,
                f"variable {variable.name} is hidden",
                variable.spot.at,
                remedy='write "hide": 0',
            )
        if follow and value and operator in ("=", "=|", "=~"):
            yield Finding(
                rules.HARD_CODED,
                f"the ad-hoc filter {variable.name} confines every panel to {value}",
                variable.spot.at,
                remedy="take the run id out of the ad-hoc filter; the panels follow the run variable",
            )


def _source_metric(variable: Variable, uses: list[RunUse], query: str) -> Iterator[Finding]:
    """Whether the metric that the variable asks carries the run id."""
    from lens_preflight.dashboards.infrastructure import exempt
    from lens_preflight.dashboards.training import listed_metrics

    for name in listed_metrics(variable):
        if name == "target_info":
            if any(not use.joined for use in uses):
                yield Finding(
                    rules.TARGET_INFO,
                    f"variable {variable.name} lists the runs of target_info",
                    variable.spot.at,
                    remedy=f"write: {query}",
                )
        elif exempt(name):
            yield Finding(
                rules.WRONG_METRIC,
                f"variable {variable.name} asks {name}, which has no nemo_run_id",
                variable.spot.at,
                remedy=f"write: {query}",
            )


def _listed_metric(uses: list[RunUse]) -> str:
    """A metric that label_values can ask: a gauge, else the count of a histogram."""
    names = [use.use.metric for use in uses if use.use.metric]
    plain = [name for name in names if not name.endswith(("_bucket", "_sum", "_count"))]
    if plain or not names:
        return plain[0] if plain else "<training metric>"
    return names[0].removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") + "_count"
