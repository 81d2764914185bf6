"""truncated-spans: spans cut off at shutdown stay out of percentiles and alerts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.truncated_spans_rules import COLLECTOR_RULES, ID, MUST_FILTER, QUERY_RULES, RULES
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Related
from lens_preflight.core.words import Need

if TYPE_CHECKING:
    from lens_preflight.collector.flaws import Flaw
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.context import Context
    from lens_preflight.dashboards.durations import Duration
    from lens_preflight.dashboards.model import Dashboard


FILTER_BLOCK = (
    'filter/no_truncated: {error_mode: ignore, traces: {span: [\'attributes["nemo.span.truncated"] == '
    "true']}}"
)
FOREIGN = ("datadog", "honeycomb", "newrelic", "dynatrace", "appdynamics")


@check(
    ID,
    "Truncated spans are kept out of durations",
    items=(3,),
    any_of=(Need.DASHBOARDS, Need.RULES, Need.COLLECTOR),
    rules=RULES,
    decisive=True,
)
def truncated_spans(ctx: Context) -> Iterable[Said]:
    """Are spans that were closed by the shutdown kept out of duration percentiles and latency alerts?

    A span that is still open at shutdown is closed then and marked with the attribute
    nemo.span.truncated (nemo-lens 0.2 on; before, it is lost). Its duration says how long the process
    lived, not how long the work took.

    First it is decided whether a duration comes from spans at all. megatron_training_step_duration_ms
    is a histogram that the training code records: no truncated span can be in it, and nothing needs
    excluding. Durations of a span-metrics connector, of Tempo's generator and of aggregations over
    spans do.

    There are two right designs: a filter in the traces pipeline that feeds the connector, or the
    attribute as a dimension and an exclusion in every query. In neither may the pipeline that stores
    traces drop the spans. Matchers are judged by what they accept, recording rules are followed to
    the metric they start from, and a filter in the collector excuses the queries.
    """
    if not ctx.generation.closes_open_spans:
        raise Skip(f"under nemo-lens {ctx.generation} open spans are lost, not truncated")
    from lens_preflight.dashboards.durations import Fault, durations
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules

    config = ctx.collector
    if config is not None and (config.failure is not None or config.dialect not in ("otelcol", "tempo")):
        config = None
    boards = [d for d in ctx.dashboards if d.failure is None and not d.opaque]
    rules = all_rules(ctx.rules)
    found = list(durations(boards, rules, Lineage.of(rules), _namespaces(config)))
    if config is not None:
        yield from _flaws(config)
    faulty = [d for d in found if d.fault not in (Fault.NONE, Fault.UPSTREAM) and not _excused(d, config)]
    for duration in faulty:
        yield _finding(duration)
    if config is not None and not boards and not rules and _leaves_to_queries(config):
        yield Finding(
            MUST_FILTER,
            "nemo.span.truncated is a dimension; the queries must exclude it",
            config.at,
            remedy="give them too: --dashboard FILE --rules FILE",
        )
    _refuse_unreadable(ctx)
    _refuse_unknown(config, boards)
    if config is None and not boards and not rules:
        raise Skip("nothing of what was given can be read", missing_input="--dashboard FILE or --rules FILE")
    yield Proof(_summary(found, config, len(boards), len(rules)))


def _namespaces(config: CollectorConfig | None) -> tuple[str, ...]:
    if config is None:
        return ()
    from lens_preflight.collector.truncated import namespaces

    return namespaces(config)


def _excused(duration: Duration, config: CollectorConfig | None) -> bool:
    """Whether what makes the series keeps truncated spans out already."""
    if config is None or duration.query.condition is not None:
        return False
    from lens_preflight.collector.truncated import excluded_by_collector, excluded_by_tempo

    return excluded_by_tempo(config) if duration.from_tempo else excluded_by_collector(config)


def _leaves_to_queries(config: CollectorConfig) -> bool:
    from lens_preflight.collector.truncated import Feed, generators

    return any(g.feed is Feed.DIMENSION for g in generators(config))


def _flaws(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.flaws import flaws
    from lens_preflight.collector.truncated import Feed, tempo_feed

    for flaw in flaws(config):
        yield _collector_finding(flaw)
    for root in config.tempo:
        if tempo_feed(root) is Feed.UNFILTERED:
            yield Finding(
                COLLECTOR_RULES["UNFILTERED"],
                "Tempo's metrics generator makes durations of truncated spans too",
                root.at,
                remedy="add to span_metrics: filter_policies: [{exclude: {match_type: strict, attributes: "
                "[{key: span.nemo.span.truncated, value: true}]}}]",
            )


def _collector_finding(flaw: Flaw) -> Finding:
    messages = {
        "UNFILTERED": (f"{flaw.component} is fed with truncated spans", f"put before it: {FILTER_BLOCK}"),
        "INVERTED": (
            f"{flaw.component} drops all spans but the truncated ones",
            'write: attributes["nemo.span.truncated"] == true',
        ),
        "TEXT": (
            f"{flaw.component} compares nemo.span.truncated with a text, which is never true",
            'write: attributes["nemo.span.truncated"] == true',
        ),
        "EVERYWHERE": (
            f"{flaw.component} keeps truncated spans out of every store",
            f"take it out of pipeline {flaw.word}; leave it in the one that feeds spanmetrics",
        ),
        "ERROR_MODE": (
            f"an error in {flaw.component} drops the whole batch",
            f"add to {flaw.component}: error_mode: ignore",
        ),
        "LATENCY": (
            f"{flaw.component} keeps every truncated trace for its latency",
            "add a policy: {name: no-truncated, type: drop, drop: {drop_sub_policy: [{name: truncated, type: "
            "boolean_attribute, boolean_attribute: {key: nemo.span.truncated, value: true}}]}}",
        ),
        "MISSPELT": (f"{flaw.component} uses {flaw.word}, which no span has", "write: nemo.span.truncated"),
        "TOO_LATE": (
            f"{flaw.component} stands behind {flaw.word}, where no span attribute is left",
            f"filter the traces before {flaw.word}: {FILTER_BLOCK}",
        ),
    }
    message, remedy = messages[flaw.fault.name]
    return Finding(COLLECTOR_RULES[flaw.fault.name], message, flaw.at, remedy=remedy)


def _finding(duration: Duration) -> Finding:
    from lens_preflight.dashboards.rewrite import without_truncated
    from lens_preflight.dashboards.spans import is_span_duration

    query = duration.query
    picked = {u.metric for u in query.uses if is_span_duration(u)} | {duration.use.metric}
    corrected = without_truncated(query.text, query.language, lambda name: name in picked)
    related: tuple[Related, ...] = ()
    if duration.fault.name == "LABEL_GONE":
        related = (Related("the recorded series starts from " + duration.series, duration.at),)
    return Finding(
        QUERY_RULES[duration.fault.name],
        f"{duration.where}: {duration.use.metric or 'the span duration'}: {duration.fault.value}",
        duration.at,
        related=related,
        evidence={"query": query.text},
        remedy=f"write: {corrected}",
    )


def _refuse_unreadable(ctx: Context) -> None:
    """A file that could not be read, or is a program, may hold anything."""
    failures = [d.failure for d in ctx.dashboards if d.failure] + [r.failure for r in ctx.rules if r.failure]
    reason, at = ("", None)
    if failures:
        reason, at = failures[0].reason, failures[0].at
    elif ctx.collector is not None and ctx.collector.failure is not None:
        reason, at = ctx.collector.failure.reason, ctx.collector.failure.at
    if reason:
        raise Undecided(f"a file could not be read: {reason}", at)
    if ctx.collector is not None and ctx.collector.dialect == "alloy" and (ctx.dashboards or ctx.rules):
        what = "a configuration of Alloy is not evaluated; judge the queries alone without --collector-config"
        raise Undecided(what, ctx.collector.at)
    for board in ctx.dashboards:
        if board.opaque:
            raise Undecided(f"{board.path} is not evaluated: it is {board.opaque}", board.spot.at)


def _refuse_unknown(config: CollectorConfig | None, boards: list[Dashboard]) -> None:
    """What is outside the model: a condition that is not understood, a panel that is elsewhere."""
    from lens_preflight.dashboards.selectors import Language
    from lens_preflight.dashboards.training import SPAN_LANGUAGES

    if config is not None:
        from lens_preflight.collector.truncated import Feed, generators

        for generator in generators(config):
            if generator.feed is Feed.UNKNOWN:
                name = generator.component.id
                reason = f"whether truncated spans reach {name} cannot be told from the conditions"
                raise Undecided(reason, generator.route.end.at)
    for board in boards:
        for panel in board.panels:
            if panel.placed and "library panel" in panel.unresolved:
                raise Undecided(
                    f"{panel.shown} may show durations of spans: {panel.unresolved}", panel.spot.at
                )
        for panel, target, query in board.queries:
            plugin = target.source.kind.lower()
            if query.language is Language.OTHER and any(word in plugin for word in FOREIGN):
                raise Undecided(f"{panel.shown} asks {plugin}, whose language is not read", target.spot.at)
            if query.error and query.language in SPAN_LANGUAGES:
                raise Undecided(f"the query of {panel.shown} does not parse: {query.error}", target.spot.at)


def _summary(found: list[Duration], config: CollectorConfig | None, boards: int, rules: int) -> str:
    seen = f"{boards} dashboards, {rules} rules" + (" and the collector" if config is not None else "")
    if not found:
        return (
            f"no query in {seen} computes a duration from spans; histograms of the SDK hold no truncated ones"
        )
    return f"all {len(found)} durations computed from spans in {seen} exclude truncated spans"
