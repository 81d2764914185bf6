"""dashboard-panels: the four families have a panel, and the panels can show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import dashboard_panels_rules as rules
from lens_preflight.checks.dashboard_panels_queries import queries_of
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Proof
from lens_preflight.core.words import Need

if TYPE_CHECKING:
    from lens_preflight.collector.translation import Translation
    from lens_preflight.context import Context
    from lens_preflight.dashboards.coverage import Coverage
    from lens_preflight.dashboards.families import Catalogue
    from lens_preflight.dashboards.model import Dashboard
    from lens_preflight.lens.metrics import Family


@check(
    rules.ID,
    "Panels for step duration, loss, throughput and gradient norm",
    items=(8,),
    needs=(Need.DASHBOARDS,),
    uses=(Need.RULES, Need.COLLECTOR),
    rules=rules.RULES,
    decisive=True,
)
def dashboard_panels(ctx: Context) -> Iterable[Said]:
    """Do the dashboards, taken together, show step duration, loss, throughput and gradient norm?

    A missing panel is noticed when it is needed. Panels are recognised by the metric they ask for:
    titles lie (a panel "Token Usage (TFLOP/s/GPU)" of a published dashboard counts tokens).

    All dashboards given are judged together, so that a GPU overview beside the training dashboard is
    no fault. Which families are asked for depends on the framework: NeMo-RL records no step duration,
    a Gym server neither loss nor gradient norm; what does not apply is not missed. Metrics of your own
    are named in preflight.toml:

        [families]
        step_duration = ["train.step_duration_ms"]
        loss = ["train.loss"]
        throughput = ["train.tokens_per_sec"]
        grad_norm = ["train.grad_norm"]

    A family in a hidden target or in an element that no layout places is missing. A library panel
    whose queries are not in the file makes the answer unknown, never a pass. Beyond the families:
    data sources that cannot resolve, metric names without their unit suffix, quantiles without le.
    """
    from lens_preflight.dashboards.coverage import coverage, demanded
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules

    boards = [d for d in ctx.dashboards if d.failure is None]
    yield from _unreadable(ctx.dashboards)
    if not boards:
        return
    catalogue = catalogue_of(ctx)
    lineage = Lineage.of(all_rules(ctx.rules))
    seen = coverage(boards, catalogue, lineage)
    wanted = demanded(frameworks_of(ctx), ctx.settings.families, boards)
    missing = sorted((f for f in wanted if f not in seen.found), key=lambda f: f.value)
    doubted = [f for f in missing if any(f in d.families for d in seen.doubts)]
    for family in missing:
        if family not in doubted:
            yield _missing(family, boards, catalogue, seen)
    for board in boards:
        yield from _data_sources(board)
        yield from _names(board, ctx, catalogue)
        yield from _units(board, catalogue)
        yield from queries_of(board, catalogue, lineage)
    yield from _unscraped(ctx)
    if doubted:
        yield from _doubt(doubted, seen)
    elif missing and ctx.lifts(rules.MISSING):
        yield ctx.nothing_else
    if not missing:
        shown = {f.value: ", ".join(seen.found[f]) for f in sorted(wanted, key=lambda f: f.value)}
        others = [f.value for f in type(next(iter(wanted))) if f not in wanted] if wanted else []
        text = "every family has a panel: " + ", ".join(shown)
        yield Proof(text + (f"; not applicable: {', '.join(others)}" if others else ""), shown)


def frameworks_of(ctx: Context) -> tuple[str, ...]:
    """The frameworks of all launches, without the program of one's own."""
    found = dict.fromkeys(launch.framework.id for launch in ctx.launches)
    return tuple(f for f in found if f not in ("plain", "nvrx"))


def catalogue_of(ctx: Context) -> Catalogue:
    """The metrics that count as training metrics in this run."""
    from lens_preflight.dashboards.families import Catalogue

    frameworks = frameworks_of(ctx)
    if "nemo-rl" in frameworks:
        frameworks = (*frameworks, "megatron", "inference")  # its policy and generation workers
    fronts = dict.fromkeys(t.namespace for t in _translations(ctx))
    exact = bool(fronts) and not _also_otlp(ctx)
    return Catalogue.of(ctx.settings.families, dict.fromkeys(frameworks), fronts, exact)


def _also_otlp(ctx: Context) -> bool:
    """Whether a store of metrics may get them by OTLP too, and spell their names without a namespace."""
    exporters = ctx.collector.of("exporters").values() if ctx.collector is not None else ()
    urls = [e.text("metrics_endpoint") or e.text("endpoint") or "" for e in exporters if e.type == "otlphttp"]
    return any("/otlp" in url or "prom" in url or "mimir" in url for url in urls)


def _translations(ctx: Context) -> tuple[Translation, ...]:
    from lens_preflight.collector.translation import translations

    config = ctx.collector
    return translations(config) if config is not None and config.failure is None else ()


def exporter_ports(ctx: Context, encrypted: bool = False) -> tuple[str, ...]:
    """The ports of the collector's prometheus exporters that training metrics reach, or those with TLS."""
    config = ctx.collector
    if config is None or config.failure is not None:
        return ()
    exporters = config.of("exporters")
    used = [exporters[t.exporter] for t in _translations(ctx) if exporters[t.exporter].type == "prometheus"]
    told = [component for component in used if not encrypted or component.get("tls") is not None]
    ports = [(component.text("endpoint") or "").rpartition(":")[2] for component in told]
    return tuple(port for port in ports if port.isdigit())


def _unscraped(ctx: Context) -> Iterator[Finding]:
    from lens_preflight.dashboards.scraping import LOOKBACK, USUAL_PORT, rare, unscraped

    ports = exporter_ports(ctx)
    for at, port, why in unscraped(ctx.rules, ports, exporter_ports(ctx, encrypted=True)):
        target = f"otel-collector:{port or USUAL_PORT}"
        yield Finding(
            rules.NOT_SCRAPED,
            why,
            at,
            remedy=f"add: - {{job_name: training, static_configs: [{{targets: ['{target}']}}]}}",
        )
    for job, every in rare(ctx.rules, ports):
        yield Finding(
            rules.RARE,
            f"the training metrics are scraped every {every:g} s, and shown for {LOOKBACK:g} s",
            job.at,
            remedy="write scrape_interval: 15s",
        )


def _unreadable(boards: Iterable[Dashboard]) -> Iterator[Finding]:
    for board in boards:
        if board.failure is not None:
            yield Finding(
                rules.UNREADABLE,
                f"not a dashboard: {board.failure.reason}",
                board.failure.at,
                remedy=f"correct {board.failure.at}, or export the dashboard again",
            )
        elif board.opaque:
            yield Finding(
                rules.OPAQUE,
                "this is the source of a dashboard and is not evaluated",
                board.spot.at,
                remedy=f"it is {board.opaque}",
            )


def _missing(family: Family, boards: list[Dashboard], catalogue: Catalogue, seen: Coverage) -> Finding:
    from lens_preflight.dashboards.advice import expression, near_title

    board, near = near_title(boards, family)
    hint = f"; {near}" if near else ""
    names = sorted({b.path for b in boards})
    return Finding(
        rules.MISSING,
        f"no visible panel shows the {family.value}{hint}",
        board.spot.at,
        evidence={"dashboards": ", ".join(names), "found": ", ".join(f.value for f in seen.found) or "none"},
        remedy=f"add a panel with this query: {expression(family, catalogue, board)}",
    )


def _doubt(doubted: list[Family], seen: Coverage) -> Iterator[Finding]:
    """Say which panels may hold the families, then leave the answer open."""
    reasons = [d for d in seen.doubts if d.families & set(doubted)]
    for doubt in reasons:
        yield Finding(
            rules.DOUBT,
            doubt.reason,
            doubt.at,
            remedy="export it with its library panels, or give the rules with --rules FILE",
        )
    names = ", ".join(f.value for f in doubted)
    raise Undecided(f"no panel that can be read shows the {names}; {reasons[0].reason}", reasons[0].at)


def _data_sources(board: Dashboard) -> Iterator[Finding]:
    """One finding per reference that cannot resolve, at the first place that uses it."""
    from lens_preflight.dashboards.advice import data_source_uses

    for ref, uses in data_source_uses(board).items():
        spot, source = uses[0]
        evidence = {"used by": f"{len(uses)} panels and variables"}
        if not source.variable:
            if board.form == "classic":
                yield Finding(
                    rules.FIXED,
                    f"the data source is fixed to {ref!r}",
                    spot.at,
                    evidence=evidence,
                    remedy='add a variable of type datasource and write "uid": "${datasource}"',
                )
        elif source.variable not in board.by_name:
            declared = source.variable in board.inputs
            how = "is replaced only when imported by hand" if declared else "is declared nowhere"
            kind = source.kind or "prometheus"
            entry = f'{{"name": "{source.variable}", "type": "datasource", "query": "{kind}"}}'
            yield Finding(
                rules.PLACEHOLDER if declared else rules.UNDECLARED,
                f"the data source {ref} {how}",
                spot.at,
                evidence=evidence,
                remedy=f"add to templating.list: {entry}",
            )


def _names(board: Dashboard, ctx: Context, catalogue: Catalogue) -> Iterator[Finding]:
    """Names that no exporter, or not this exporter, makes of the metric."""
    from lens_preflight.dashboards.advice import misspelt

    strategies = frozenset(t.strategy for t in _translations(ctx))
    for name, right, at, why in misspelt(board, catalogue, strategies):
        yield Finding(rules.NAME, f"{name} is {why}", at, remedy=f"write {right}")


def _units(board: Dashboard, catalogue: Catalogue) -> Iterator[Finding]:
    from lens_preflight.dashboards.advice import wrong_units

    for panel, target, unit in wrong_units(board, catalogue):
        yield Finding(
            rules.UNIT,
            f"{panel.shown} shows a metric in {unit} with the unit {panel.unit}",
            target.spot.at,
            remedy=f'write "unit": "{unit}" in fieldConfig.defaults',
        )
