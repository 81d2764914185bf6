"""truncated-spans: spans cut off at shutdown stay out of percentiles and alerts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Related, Rule
from lens_preflight.core.words import Need, Owner, Severity

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.collector.truncated import Flaw
    from lens_preflight.context import Context
    from lens_preflight.dashboards.durations import Duration
    from lens_preflight.dashboards.model import Dashboard

ID = "truncated-spans"


def _rule(name: str, severity: Severity, summary: str, help: str) -> Rule:
    return Rule(f"{ID}/{name}", summary, severity, Owner.PLATFORM, help)


B, C, N = Severity.BLOCKER, Severity.CAUTION, Severity.NOTE

COLLECTOR_RULES = {
    "UNFILTERED": _rule("unfiltered-generator", B, "Truncated spans reach the span metrics", (
        "A connector computes durations from all spans, and no processor before it drops those with "
        "nemo.span.truncated. One span that was abandoned in the first minute of a day-long run adds a "
        "day to the percentile. Put a filter before the connector, or add the attribute as a dimension "
        "and exclude it in every query."
    )),
    "INVERTED": _rule("inverted-filter", B, "The filter drops the whole spans and keeps the truncated ones", (
        "The conditions of the filter processor say what is dropped, not what is kept: != true drops "
        "every normal span."
    )),
    "TEXT": _rule("compares-with-text", B, "The filter compares a boolean with a text", (
        'nemo.span.truncated is a boolean. In OTTL == "true" is never true for it, so that nothing is '
        "dropped. Write == true."
    )),
    "EVERYWHERE": _rule("dropped-everywhere", B, "No store keeps the truncated spans", (
        "They are the only trace of a leak in the instrumented code, and the span that wraps the job is "
        "one of them when the job was killed. Filter only before what computes durations; let the "
        "pipeline that stores traces keep them."
    )),
    "ERROR_MODE": _rule("error-mode", C, "An error in the filter drops the whole batch", (
        "The default error_mode, propagate, refuses a batch when a condition cannot be evaluated. Write "
        "error_mode: ignore."
    )),
    "LATENCY": _rule("latency-sampling", C, "Tail sampling by latency keeps every trace that was cut off", (
        "The latency policy sees the duration that the shutdown gave the span. Add a drop policy, or a "
        "condition, for nemo.span.truncated."
    )),
    "MISSPELT": _rule("misspelt-attribute", B, "The attribute is spelled as the spans do not have it", (
        "The span attribute is nemo.span.truncated, with dots, and it is on the span, not on the "
        "resource. Another spelling matches nothing and says no word."
    )),
    "TOO_LATE": _rule("filter-too-late", B, "The filter stands behind the connector", (
        "Behind the connector there are data points, which have only the dimensions as attributes: "
        "nemo.span.truncated is not among them. Filter the traces before the connector."
    )),
}  # fmt: skip
QUERY_RULES = {
    "UNFILTERED": _rule("unfiltered-duration", B, "A percentile or alert contains truncated spans", (
        "The end of a truncated span is the shutdown, so its duration is wrong by as long as the run "
        'went on. Exclude it: nemo_span_truncated!="true". The attribute must be a dimension of the span '
        "metrics; better still, filter before they are made."
    )),
    "ONLY_TRUNCATED": _rule("only-truncated", B, "A latency panel shows truncated spans only", (
        "The matcher picks what it should exclude. If that is meant, say so in the title of the panel."
    )),
    "WRONG_TEXT": _rule("wrong-label-value", B, "The label is compared with a text it never has", (
        'As a label the boolean is the text "true", in lower case. !="True" and !="1" exclude nothing.'
    )),
    "HALF": _rule("half-filtered", B, "One side of a division is filtered, the other is not", (
        "The average is then wrong by the share of the truncated spans, in a direction that nobody can "
        "see."
    )),
    "BRANCH": _rule("branch-only", B, "Only one branch of or excludes truncated spans", (
        "or brings the other branch's series back. Put the matcher into both."
    )),
    "LABEL_GONE": _rule("label-gone", B, (
        "A recording rule dropped the label before the query filters by it"
    ), (
        "!= matches an absent label, so that the filter passes everything. Filter in the rule, or keep "
        "nemo_span_truncated in its by."
    )),
    "WEAK": _rule("excluded-by-unless", C, "unless removes whole series only where all labels agree", (
        "It works only if the series of truncated spans has the same labels. A matcher is surer: "
        'nemo_span_truncated!="true".'
    )),
    "ONLY_LABELLED": _rule("needs-default", C, "The matcher also rejects spans without the label", (
        'Without a default of "false" for the dimension normal spans have no such label, and ="false" '
        'matches none. Write !="true".'
    )),
    "SEMANTICS": _rule("traceql-semantics", C, (
        "!= on an absent attribute means different things in versions of Tempo"
    ), (
        "Normal spans do not have the attribute at all; in many versions a comparison with an absent "
        "attribute does not match, so that only nothing is left. Write = nil, and compare the counts on "
        "your server."
    )),
    "PASSED_ON": _rule("passed-on", N, "A recording rule leaves the exclusion to those who use it", (
        "It keeps the label, so that queries on the recorded series can and must filter."
    )),
}  # fmt: skip
MUST_FILTER = _rule(
    "queries-must-filter",
    N,
    "The exclusion is left to the queries",
    "The attribute is a dimension of the span metrics. Give the dashboards and rules to have them judged.",
)
RULES = (*COLLECTOR_RULES.values(), *QUERY_RULES.values(), MUST_FILTER)

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

    config = ctx.collector if ctx.collector is not None and ctx.collector.failure is None else None
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
    from lens_preflight.collector.truncated import Feed, flaws, tempo_feed

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
    """A file that could not be read may hold anything."""
    failures = [d.failure for d in ctx.dashboards if d.failure] + [r.failure for r in ctx.rules if r.failure]
    reason, at = ("", None)
    if failures:
        reason, at = failures[0].reason, failures[0].at
    elif ctx.collector is not None and ctx.collector.failure is not None:
        reason, at = ctx.collector.failure.reason, ctx.collector.failure.at
    if reason:
        raise Undecided(f"a file could not be read: {reason}", at)


def _refuse_unknown(config: CollectorConfig | None, boards: list[Dashboard]) -> None:
    """What is outside the model: a condition that is not understood, a panel that is elsewhere."""
    from lens_preflight.dashboards.selectors import Language

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


def _summary(found: list[Duration], config: CollectorConfig | None, boards: int, rules: int) -> str:
    seen = f"{boards} dashboards, {rules} rules" + (" and the collector" if config is not None else "")
    if not found:
        return (
            f"no query in {seen} computes a duration from spans; histograms of the SDK hold no truncated ones"
        )
    return f"all {len(found)} durations computed from spans in {seen} exclude truncated spans"
