"""dashboard-run-id: a variable lists the runs, and every training panel follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need, Owner, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.dashboards.model import Dashboard, Panel, Target, Variable
    from lens_preflight.dashboards.training import RunUse

ID = "dashboard-run-id"


def _rule(name: str, severity: Severity, summary: str, help: str) -> Rule:
    return Rule(f"{ID}/{name}", summary, severity, Owner.PLATFORM, help)


NO_VARIABLE = _rule(
    "no-variable",
    Severity.BLOCKER,
    "No variable of the dashboard lists the runs",
    "Without it nobody can pick a run. Add a variable of type query: label_values(<training metric>, "
    "nemo_run_id).",
)
WRONG_LABEL = _rule(
    "wrong-label",
    Severity.BLOCKER,
    "The run variable lists another label than nemo_run_id",
    "NeMo Lens sets the resource attribute nemo.run.id, which Prometheus spells nemo_run_id. A variable over "
    "run_id or job stays empty, and with it every panel.",
)
WRONG_METRIC = _rule(
    "wrong-metric",
    Severity.BLOCKER,
    "The run variable asks a metric that does not carry the run id",
    "Metrics of nodes and GPUs come from other exporters and have no nemo_run_id: the list stays "
    "empty. Ask a training metric.",
)
TARGET_INFO = _rule(
    "lists-target-info",
    Severity.CAUTION,
    "The run variable lists target_info, and the panels filter the metrics themselves",
    "target_info carries the run id even when the exporter does not promote it to the metrics. The "
    "list is then full and every panel empty. List a training metric, or join the panels with "
    "target_info.",
)
FROZEN = _rule(
    "never-refreshed",
    Severity.BLOCKER,
    "The list of runs is never refreshed",
    "With refresh: never the list is the one of the day on which the dashboard was saved: a new run "
    "is not in it.",
)
TYPED = _rule(
    "not-a-list",
    Severity.CAUTION,
    "The run is typed or picked from fixed values, not listed",
    "A text box or a custom list does not know the runs that exist. Make it a query variable.",
)
HIDDEN = _rule(
    "hidden-variable",
    Severity.CAUTION,
    "The run variable is hidden",
    "A hidden variable can be set only in the address of the page; the run is not visible on the dashboard.",
)
UNFILTERED = _rule(
    "unfiltered",
    Severity.BLOCKER,
    "A training panel is not filtered by the run",
    "The panel mixes all runs that the store knows, and nobody sees it: curves of two runs in one panel look "
    'like noise. Add nemo_run_id=~"$run_id" to each selector.',
)
HARD_CODED = _rule(
    "hard-coded",
    Severity.BLOCKER,
    "A panel shows one fixed run",
    "The id in the query belongs to a run of the past; the next run is not shown. Use the variable.",
)
BROKEN = _rule(
    "broken-filter",
    Severity.BLOCKER,
    "The filter on the run cannot match the chosen run",
    "A variable that may hold several values is expanded to (a|b), which = takes literally; != and "
    "!~ show every run but the chosen one; a variable that does not exist stays as text. Write "
    'nemo_run_id=~"$run_id".',
)
PREFIX = _rule(
    "prefix",
    Severity.CAUTION,
    "The filter also matches longer run ids",
    'nemo_run_id=~"$run_id.*" shows run-10 when run-1 is chosen. Leave the pattern out: =~ is anchored.',
)
MIXED = _rule(
    "mixed-runs",
    Severity.CAUTION,
    "An aggregation mixes the runs that are chosen together",
    "With All or several runs chosen, an aggregation without nemo_run_id computes one value over all "
    "of them. Add nemo_run_id to its by, or let only one run be chosen.",
)
LOST_LABEL = _rule(
    "label-lost",
    Severity.BLOCKER,
    "A recording rule drops the run id before the panel filters by it",
    "The recorded series have no nemo_run_id any more, so the filter matches nothing. Add "
    "nemo_run_id to the by of the rule.",
)
ALL_VALUE = _rule(
    "all-value",
    Severity.NOTE,
    "All also matches series without a run id",
    "allValue .* matches the empty text, and with it series of other programs. Use .+ instead.",
)
RULES = (
    NO_VARIABLE,
    WRONG_LABEL,
    WRONG_METRIC,
    TARGET_INFO,
    FROZEN,
    TYPED,
    HIDDEN,
    UNFILTERED,
    HARD_CODED,
    BROKEN,
    PREFIX,
    MIXED,
    LOST_LABEL,
    ALL_VALUE,
)


@check(
    ID,
    "Dashboards can be filtered by nemo.run.id",
    items=(4, 5),
    needs=(Need.DASHBOARDS,),
    uses=(Need.RULES,),
    rules=RULES,
    decisive=True,
)
def dashboard_run_id(ctx: Context) -> Iterable[Said]:
    """Can somebody pick a run, and does every training panel then show that run only?

    The run id is the partition key of everything that a training campaign records. A dashboard that
    cannot be narrowed to one run shows the average of all of them and looks healthy.

    The run variable is recognised by the label it lists or filters, never by its name. It must list
    nemo_run_id (nemo.run.id where names keep their dots) from a metric that carries it, and be
    refreshed. Every selector of a training metric must be confined to the variable: by a matcher, by
    a join with target_info, or by an ad-hoc filter. Panels of nodes, GPUs and the collector are
    exempt, because their exporters know nothing of runs; a panel of a metric that belongs to neither
    is not judged.

    Dashboards without a training panel are not asked for a variable.
    """
    from lens_preflight.checks.dashboard_panels import catalogue_of
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules
    from lens_preflight.dashboards.training import training_uses

    boards = [d for d in ctx.dashboards if d.failure is None and not d.opaque]
    if not boards:
        raise Skip("no dashboard could be read; see dashboard-panels")
    catalogue, lineage = catalogue_of(ctx), Lineage.of(all_rules(ctx.rules))
    judged = 0
    for board in boards:
        uses = list(training_uses(board, catalogue, lineage))
        if uses:
            judged += len({id(use.panel) for use in uses})
            yield from _variable(board, uses)
            yield from _panels(board, uses)
    if not judged:
        raise Skip("no panel of these dashboards shows a training metric")
    yield Proof(f"all {judged} training panels follow a variable that lists the runs")


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
        metric = uses[0].use.metric or "<training metric>"
        yield Finding(
            NO_VARIABLE,
            "no variable lists nemo_run_id",
            board.spot.at,
            evidence={"dashboard": board.title, "variables": ", ".join(board.by_name) or "none"},
            remedy=f"add a query variable run_id: label_values({_listable(metric)}, nemo_run_id)",
        )
        return
    for variable in chosen:
        yield from _judge_variable(variable, lists_runs(variable), uses)


def _judge_variable(variable: Variable, lists: bool, uses: list[RunUse]) -> Iterator[Finding]:
    metric = _listable(next((u.use.metric for u in uses if u.use.metric), "<training metric>"))
    query = f"label_values({metric}, nemo_run_id)"
    at = variable.spot.at
    if variable.kind in ("custom", "textbox", "constant") and not lists:
        rule = HARD_CODED if variable.kind == "constant" else TYPED
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
            WRONG_LABEL,
            f"variable {variable.name} lists {label}, not nemo_run_id",
            at,
            evidence={"query": variable.query},
            remedy=f"write: {query}",
        )
        return
    yield from _source_metric(variable, uses, query)
    if variable.refresh == "never":
        yield Finding(
            FROZEN,
            f"variable {variable.name} is never refreshed",
            at,
            remedy='write "refresh": 2 (on time range change)',
        )
    if variable.hidden:
        yield Finding(HIDDEN, f"variable {variable.name} is hidden", at, remedy='write "hide": 0')
    if variable.include_all and variable.all_value == ".*":
        yield Finding(
            ALL_VALUE, f"variable {variable.name} has allValue .*", at, remedy='write "allValue": ".+"'
        )


def _source_metric(variable: Variable, uses: list[RunUse], query: str) -> Iterator[Finding]:
    """Whether the metric that the variable asks carries the run id."""
    from lens_preflight.dashboards.training import exempt, listed_metrics

    for name in listed_metrics(variable):
        if name == "target_info":
            if any(not use.joined for use in uses):
                yield Finding(
                    TARGET_INFO,
                    f"variable {variable.name} lists the runs of target_info",
                    variable.spot.at,
                    remedy=f"write: {query}",
                )
        elif exempt(name):
            yield Finding(
                WRONG_METRIC,
                f"variable {variable.name} asks {name}, which has no nemo_run_id",
                variable.spot.at,
                remedy=f"write: {query}",
            )


def _panels(board: Dashboard, uses: list[RunUse]) -> Iterator[Finding]:
    """One finding per target and fault."""
    said: set[tuple[int, str]] = set()
    for run_use in uses:
        for finding in _judge_use(board, run_use):
            key = (id(run_use.target), finding.rule.id)
            if key not in said:
                said.add(key)
                yield finding


def _judge_use(board: Dashboard, run_use: RunUse) -> Iterator[Finding]:
    from lens_preflight.dashboards.runs import Hold

    use, panel, target = run_use.use, run_use.panel, run_use.target
    holds = {f.hold: f for f in run_use.filters}
    if run_use.filtered_elsewhere:
        return
    if run_use.label_lost and run_use.filters:
        yield _panel(LOST_LABEL, board, panel, target, f"the rule of {use.metric} drops nemo_run_id")
    elif Hold.CHOSEN in holds:
        found = holds[Hold.CHOSEN]
        if found.variable not in board.by_name:
            yield _panel(BROKEN, board, panel, target, f"the variable ${found.variable} does not exist")
        elif not _is_run_variable(board, found.variable):
            yield _panel(BROKEN, board, panel, target, f"nemo_run_id is compared with ${found.variable}")
        elif run_use.mixes:
            yield _panel(MIXED, board, panel, target, "the aggregation drops nemo_run_id")
    elif Hold.PREFIX in holds:
        yield _panel(PREFIX, board, panel, target, f"{holds[Hold.PREFIX].matcher} matches longer ids too")
    elif Hold.EXACT_LIST in holds:
        yield _panel(BROKEN, board, panel, target, f"{holds[Hold.EXACT_LIST].matcher} with a list")
    elif Hold.INVERTED in holds:
        yield _panel(BROKEN, board, panel, target, f"{holds[Hold.INVERTED].matcher} excludes the chosen run")
    elif Hold.SCOPE in holds:
        yield _panel(BROKEN, board, panel, target, "the run id is on the resource, not on spans")
    elif Hold.FIXED in holds:
        yield _panel(HARD_CODED, board, panel, target, "the run is fixed in the query")
    else:
        yield _panel(
            UNFILTERED, board, panel, target, f"{use.metric or 'the query'} is not filtered by the run"
        )


def _is_run_variable(board: Dashboard, name: str) -> bool:
    """Whether a variable lists runs, or no variable does (then the fault is the variable's)."""
    from lens_preflight.dashboards.runs import lists_runs

    return lists_runs(board.by_name[name]) or not any(lists_runs(v) for v in board.variables)


def _panel(rule: Rule, board: Dashboard, panel: Panel, target: Target, what: str) -> Finding:
    from lens_preflight.dashboards.rewrite import with_run_filter

    name = f"{panel.shown}, target {target.ref}" if target.ref else panel.shown
    return Finding(
        rule,
        f"{name}: {what}",
        target.spot.at,
        evidence={"query": target.text},
        remedy=f"write: {with_run_filter(target, board)}",
    )


def _listable(metric: str) -> str:
    """A metric that label_values can ask: buckets are many series, their count is one."""
    return f"{metric.removesuffix('_bucket')}_count" if metric.endswith("_bucket") else metric
