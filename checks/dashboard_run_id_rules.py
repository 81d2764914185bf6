"""The rules of dashboard-run-id."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

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


BROKEN_LIST = _rule(
    "broken-list",
    Severity.BLOCKER,
    "The list of runs is empty, fixed or garbled",
    "The query, the pattern or All of the run variable gives no id that a panel could be filtered by: a "
    "matcher names one run or a variable that does not exist, the pattern takes a part of the id, the rule of "
    "the metric drops the label.",
)


NARROW_LIST = _rule(
    "some-runs-only",
    Severity.CAUTION,
    "The list of runs leaves some out",
    "A run whose id does not fit cannot be picked. Leave the condition out, or be sure that every run fits.",
)


UNSURE_METRIC = _rule(
    "unknown-metric",
    Severity.CAUTION,
    "The run variable asks a metric of which nothing is known",
    "Only metrics that come with the resource of the run carry nemo_run_id. Ask one that the panels show, or "
    "name your own metrics in preflight.toml.",
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
    "The id in the query, or in the rule that records its series, belongs to a run of the past; the next run "
    "is not shown. All conditions of a selector must hold: a fixed id beside the variable leaves one run.",
)


BROKEN = _rule(
    "broken-filter",
    Severity.BLOCKER,
    "The filter on the run cannot match the chosen run",
    "A variable that may hold several values is expanded to (a|b), which = takes literally; other formats "
    "(csv, glob, queryparam, ...) put in what no id matches; != and !~ show every run but the chosen one; a "
    "variable that does not exist stays as text, in whatever condition it stands. Write "
    'nemo_run_id=~"$run_id".',
)


OTHER_SERVICE = _rule(
    "other-service",
    Severity.CAUTION,
    "A panel is confined to another service than that of the job",
    "The service of the job is what OTEL_SERVICE_NAME says. A panel of another service shows nothing of the run, "
    'unless the collector gives it that name. Use a variable: service_name=~"$service".',
)


PREFIX = _rule(
    "prefix",
    Severity.CAUTION,
    "The filter also matches other run ids",
    'nemo_run_id=~"$run_id.*" shows run-10 when run-1 is chosen, and an alternative beside the variable shows '
    "its own run. Leave the rest of the pattern out: =~ is anchored.",
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
    "The recorded series have no nemo_run_id any more, so the filter matches nothing. Add nemo_run_id to the "
    "by of the rule, and leave it alone in its labels and in label_replace.",
)


SCRAPED = _rule(
    "lost-by-scraping",
    Severity.BLOCKER,
    "The scrape job drops the training metrics, their run id or another label that the panels need",
    "metric_relabel_configs and labels of targets are applied before a series is stored: what they drop or "
    "write over is in no panel. Beyond sample_limit or label_limit all that a target gives is refused.",
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
    BROKEN_LIST,
    NARROW_LIST,
    UNSURE_METRIC,
    FROZEN,
    TYPED,
    HIDDEN,
    UNFILTERED,
    HARD_CODED,
    BROKEN,
    OTHER_SERVICE,
    PREFIX,
    MIXED,
    LOST_LABEL,
    SCRAPED,
    ALL_VALUE,
)
