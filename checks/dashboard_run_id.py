"""dashboard-run-id: a variable lists the runs, and every training panel follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import dashboard_run_id_rules as rules
from lens_preflight.checks.dashboard_run_id_list import run_list
from lens_preflight.checks.dashboard_run_id_service import other_service
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.model import Dashboard
    from lens_preflight.dashboards.runs import RunFilter
    from lens_preflight.dashboards.selectors import Use
    from lens_preflight.dashboards.training import RunUse


@check(
    rules.ID,
    "Dashboards can be filtered by nemo.run.id",
    items=(4, 5),
    needs=(Need.DASHBOARDS,),
    uses=(Need.RULES, Need.COLLECTOR),
    rules=rules.RULES,
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

    boards = [d for d in ctx.dashboards if d.failure is None]
    opaque = next((d for d in boards if d.opaque), None)
    if not boards:
        raise Skip("no dashboard could be read; see dashboard-panels")
    catalogue, lineage = catalogue_of(ctx), Lineage.of(all_rules(ctx.rules))
    judged = 0
    doubts: list[Undecided] = []
    told = [(board, list(training_uses(board, catalogue, lineage))) for board in boards]
    for board, uses in told:
        if uses:
            yield from other_service(ctx, uses)
            judged += len({id(use.panel) for use in uses})
            yield from run_list(board, uses, catalogue, lineage, doubts)
            yield from _panels(board, uses, doubts)
    yield from _scraped(ctx, told, lineage)
    _refuse_unparsed(told)
    _refuse_unread_rules(ctx, boards, lineage)
    if doubts:
        raise doubts[0]
    for unread in (d.failure for d in ctx.dashboards if d.failure is not None):
        raise Undecided(f"a dashboard could not be read: {unread.reason}", unread.at)
    if opaque is not None:
        raise Undecided(f"{opaque.path} is not evaluated: it is {opaque.opaque}", opaque.spot.at)
    if not judged:
        raise Skip("no panel of these dashboards shows a training metric")
    yield Proof(f"all {judged} training panels follow a variable that lists the runs")


def _scraped(
    ctx: Context, told: Iterable[tuple[Dashboard, list[RunUse]]], lineage: Lineage
) -> Iterator[Finding]:
    """Whether Prometheus, by its configuration, stores what the panels ask for with its run id."""
    from lens_preflight.checks.dashboard_panels import exporter_ports
    from lens_preflight.dashboards.scraping import losses
    from lens_preflight.dashboards.selectors import Language

    asked = [use for _, uses in told for use in uses if use.language is Language.PROMQL]
    origins = [o for use in asked for o in (lineage.origins(use.use) or ((None, use.use),))]
    metrics = dict.fromkeys(use.metric for _, use in origins if use.metric)
    seen: set[str] = set()
    needed = {name: _needed(use for _, use in origins if use.metric == name) for name in metrics}
    for loss in losses(metrics, ctx.rules, exporter_ports(ctx), needed):
        if loss.what not in seen:
            seen.add(loss.what)
            yield Finding(
                rules.SCRAPED,
                f"{loss.metric} {loss.what} by the scrape job",
                loss.at,
                remedy="leave the series of the collector and their nemo_run_id alone in metric_relabel_configs",
            )


def _needed(uses: Iterable[Use]) -> frozenset[str]:
    """The labels without which a condition of a panel picks nothing; those of targets are always there."""
    from lens_preflight.dashboards.variables import mentions

    own = ("job", "instance", "__name__")
    matchers = [matcher for use in uses for matcher in use.matchers if matcher.label not in own]
    picking = [m for m in matchers if m.op in ("=", "=~")]
    return frozenset(m.label for m in picking if any(mentions(m.value)) or m.accepts("") is False)


def _refuse_unparsed(told: Iterable[tuple[Dashboard, list[RunUse]]]) -> None:
    """Of a query that does not parse only the names and matchers are known, not what is made of them."""
    from lens_preflight.dashboards.training import speaks_of_training

    for board, uses in told:
        targets = {id(use.target) for use in uses}
        for panel, target, query in board.queries:
            if query.error and (id(target) in targets or speaks_of_training(query)):
                reason = f"the query of {panel.shown} does not parse: {query.error}"
                raise Undecided(reason, target.spot.at)


def _refuse_unread_rules(ctx: Context, boards: list[Dashboard], lineage: Lineage) -> None:
    """A recorded series may come from a file of rules that could not be read."""
    failure = next((file.failure for file in ctx.rules if file.failure is not None), None)
    if failure is None:
        return
    for panel, target, query in (shown for board in boards for shown in board.queries):
        if any(":" in use.metric and not lineage.recorded(use) for use in query.uses):
            reason = f"{panel.shown} asks a recorded series, and its rules cannot be read: {failure.reason}"
            raise Undecided(reason, target.spot.at)


def _panels(board: Dashboard, uses: list[RunUse], doubts: list[Undecided]) -> Iterator[Finding]:
    """One finding per target and fault; what cannot be told is kept for the end."""
    said: set[tuple[int, str]] = set()
    for run_use in uses:
        try:
            found = _fault(board, run_use)
        except Undecided as doubt:
            doubts.append(doubt)
            continue
        if found is not None and (id(run_use.target), found[0].id) not in said:
            said.add((id(run_use.target), found[0].id))
            yield _panel(found[0], board, run_use, found[1])


def _fault(board: Dashboard, run_use: RunUse) -> tuple[Rule, str] | None:
    """What is wrong with the filters of one selector: all of them must hold.

    Raises:
        Undecided: what a filter lets pass cannot be told.
    """
    from lens_preflight.dashboards.fates import Fate
    from lens_preflight.dashboards.runs import Hold

    nothing = _shows_nothing(board, run_use)
    if nothing:
        return rules.BROKEN, nothing
    metric = run_use.use.metric or "the query"
    holds = {f.hold: f for f in reversed(run_use.filters)}
    if run_use.fate is Fate.GONE and not run_use.recorded:
        return rules.BROKEN, f"no series of {metric} has the label that it is filtered by"
    if run_use.fate is Fate.GONE:
        return rules.LOST_LABEL, f"the rule of {metric} drops nemo_run_id"
    if run_use.fate is Fate.FIXED:
        return rules.HARD_CODED, f"the rule of {metric} writes or picks one run for good"
    for hold, rule, what in (
        (Hold.NEVER, rules.BROKEN, "does not fit the run that is chosen"),
        (Hold.INVERTED, rules.BROKEN, "excludes the chosen run"),
        (Hold.EXACT_LIST, rules.BROKEN, "compares with a list of ids"),
        (Hold.SCOPE, rules.BROKEN, "asks spans, but the run id is on the resource"),
        (Hold.FIXED, rules.HARD_CODED, "names one run for good"),
    ):
        if hold in holds:
            return rule, f"{holds[hold].matcher} {what}"
    if Hold.UNKNOWN in holds or run_use.fate is Fate.UNKNOWN:
        raise _doubt(run_use, holds.get(Hold.UNKNOWN))
    if run_use.filtered_elsewhere:
        return None
    for hold in (Hold.CHOSEN, Hold.PREFIX):
        if hold in holds:
            found = _followed(board, run_use, holds[hold].variable)
            if found is not None or hold is Hold.CHOSEN:
                return found
            return rules.PREFIX, f"{holds[hold].matcher} matches other ids too"
    return rules.UNFILTERED, f"{metric} is not filtered by the run"


def _shows_nothing(board: Dashboard, run_use: RunUse) -> str:
    """Why a selector picks no series whatever is chosen; empty when it may."""
    from lens_preflight.dashboards.selectors import Language

    if "nothing" in run_use.use.within:
        return f"unless takes away all that {run_use.use.metric} gives"
    missing = _undeclared(board, run_use)
    if missing:
        return f"the variable ${missing} does not exist"
    literal = _taken_literally(board, run_use)
    if literal:
        return literal
    return run_use.use.contradiction if run_use.language is Language.PROMQL else ""


def _taken_literally(board: Dashboard, run_use: RunUse) -> str:
    """An exact comparison, of whatever label, with a variable that may hold several values; empty: none."""
    from lens_preflight.dashboards.runs import is_run_matcher
    from lens_preflight.dashboards.selectors import Language
    from lens_preflight.dashboards.variables import mentions

    if run_use.language not in (Language.PROMQL, Language.TRACEQL):
        return ""
    for matcher in run_use.matchers:
        named = [
            board.by_name.get(m.name) for m in mentions(matcher.value) if m.name not in run_use.panel.repeats
        ]
        if matcher.op == "=" and not is_run_matcher(matcher) and any(v and v.several for v in named):
            return f"{matcher} compares with a list of values"
    return ""


def _undeclared(board: Dashboard, run_use: RunUse) -> str:
    """A variable in any condition of a selector that the dashboard does not have; empty: there is none."""
    from lens_preflight.dashboards.variables import mentions

    named = [mention.name for matcher in run_use.matchers for mention in mentions(matcher.value)]
    known = {*board.by_name, *board.inputs}
    return next((name for name in named if not name.startswith("__") and name not in known), "")


def _doubt(run_use: RunUse, found: RunFilter | None) -> Undecided:
    what = f"{run_use.panel.shown}: what is left of the run id in {run_use.use.shown} cannot be told"
    if found is not None:
        what = f"{run_use.panel.shown}: what {found.matcher} matches cannot be told"
    return Undecided(what, run_use.target.spot.at)


def _followed(board: Dashboard, run_use: RunUse, variable: str) -> tuple[Rule, str] | None:
    """A filter that follows a variable: it must exist and list runs, and the result keep them apart."""
    if variable not in board.by_name:
        return rules.BROKEN, f"${variable} is no variable of the dashboard"
    if not _is_run_variable(board, variable):
        return rules.BROKEN, f"nemo_run_id is compared with ${variable}"
    return (rules.MIXED, "the aggregation drops nemo_run_id") if run_use.mixes else None


def _is_run_variable(board: Dashboard, name: str) -> bool:
    """Whether a variable lists runs, or no variable does (then the fault is the variable's)."""
    from lens_preflight.dashboards.runs import lists_runs

    return lists_runs(board.by_name[name]) or not any(lists_runs(v) for v in board.variables)


def _panel(rule: Rule, board: Dashboard, run_use: RunUse, what: str) -> Finding:
    panel, target = run_use.panel, run_use.target
    name = f"{panel.shown}, target {target.ref}" if target.ref else panel.shown
    return Finding(
        rule,
        f"{name}: {what}",
        target.spot.at,
        evidence={"query": target.text},
        remedy=_remedy(rule, board, run_use),
    )


def _remedy(rule: Rule, board: Dashboard, run_use: RunUse) -> str:
    """What to type: in the rule that records the series, in the list of variables, or in the query."""
    from lens_preflight.dashboards.fates import Fate
    from lens_preflight.dashboards.rewrite import with_run_filter, with_run_label

    missing = _undeclared(board, run_use)
    if missing and all(missing != f.variable for f in run_use.filters):
        return f"add the variable {missing} to the dashboard, or take the condition out of the query"
    if "nothing" in run_use.use.within or run_use.use.contradiction:
        return "take the condition that excludes all series out of the query"
    if run_use.recorded and run_use.fate in (Fate.GONE, Fate.FIXED):
        metric = run_use.use.metric or "the series"
        return f"in the rule of {metric} write by (nemo_run_id), and neither replace nor fix the label"
    if rule is rules.MIXED:
        return f"write: {with_run_label(run_use.target)}"
    return f"write: {with_run_filter(run_use.target, board)}"
