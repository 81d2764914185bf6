"""The rules of truncated-spans."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

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
        "They are the only trace of a leak in the instrumented code, and the span that wraps the whole job "
        "is often one of them. Filter only before what computes durations; let the pipeline that stores "
        "traces keep them."
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
