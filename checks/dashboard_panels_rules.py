"""The rules of dashboard-panels."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

ID = "dashboard-panels"


UNREADABLE = Rule(
    f"{ID}/unreadable",
    "A file that should be a dashboard cannot be read as one",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help="The file opens and is no dashboard: broken JSON or YAML, or a file of another kind. Grafana's "
    "provisioning logs the same error and shows nothing. Correct the line, or export the dashboard again "
    "(Share, Export, Save to file).",
)


MISSING = Rule(
    f"{ID}/family-missing",
    "No visible panel shows one of the four families",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "Step duration, loss, throughput and gradient norm are what somebody looks at when a run goes "
        "wrong. A panel counts by the metric that it asks for, not by its title: a panel called Gradient "
        "Norm that plots the learning rate does not. Hidden targets and elements that no layout places "
        "do not count. Add the panel with the expression given, or name your own metrics under "
        "[families] in preflight.toml."
    ),
)


DOUBT = Rule(
    f"{ID}/unresolved-panel",
    "A panel that may show a missing family cannot be judged from the file",
    Severity.NOTE,
    Owner.PLATFORM,
    help="The queries are elsewhere (a library panel, a recording rule that was not given) or in a language "
    "that is not read. Export the dashboard with its library panels, or give the rules with --rules FILE.",
)


NOT_SCRAPED = Rule(
    f"{ID}/not-scraped",
    "Nobody scrapes the collector's prometheus exporter",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="The exporter only offers the training metrics at its port. Without a scrape job they are in no store, "
    "unless another Prometheus, or a proxy at another port, does it.",
)


RARE = Rule(
    f"{ID}/scraped-rarely",
    "The training metrics are scraped more seldom than a sample is shown",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="Prometheus shows the last sample for five minutes (--query.lookback-delta). With a longer "
    "scrape_interval the panels show points with gaps, and a rate over less than two intervals nothing.",
)


PLACEHOLDER = Rule(
    f"{ID}/datasource-placeholder",
    "A data source is a placeholder of an export",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "${DS_...} is replaced only by the import dialogue. A provisioned file keeps it, and every query "
        'dies with "datasource not found". Use a variable of type datasource instead.'
    ),
)


UNDECLARED = Rule(
    f"{ID}/datasource-undeclared",
    "A data source names a variable that does not exist",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help="Neither the variables nor the inputs of the export declare it, so no panel finds its data source. "
    "Add a variable of type datasource with that name.",
)


FIXED = Rule(
    f"{ID}/datasource-fixed",
    "A data source is fixed by its identifier",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="The panels work only in a Grafana whose data source has exactly this identifier. Use a variable of "
    "type datasource, so that the dashboard can be moved.",
)


NAME = Rule(
    f"{ID}/metric-name",
    "A metric is spelled as the exporter does not spell it",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "On the way to Prometheus a unit becomes a suffix: megatron.training.step_duration_ms with unit "
        "ms is megatron_training_step_duration_ms_milliseconds, and {token}/s adds _per_second. The name "
        "without suffix is right only when the exporter sets add_metric_suffixes: false (or a "
        "translation_strategy without suffixes); give its file with --collector-config and this is "
        "decided."
    ),
)


UNIT = Rule(
    f"{ID}/unit-mismatch",
    "A panel labels a duration with another unit than it has",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "Milliseconds under an axis of seconds read a thousand times too long. Set the unit of the panel "
        "to that of the metric, or convert in the query."
    ),
)


QUANTILE = Rule(
    f"{ID}/quantile-without-le",
    "histogram_quantile is given buckets without their le label",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "The aggregation inside drops le, without which there are no buckets: the panel stays empty. Add "
        "le to by."
    ),
)


NO_RESULT = Rule(
    f"{ID}/no-result",
    "A query of a training metric has no result whatever is stored",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "A range vector cannot be drawn, a quantile lies between 0 and 1 and needs all buckets of a histogram, "
        "a rate needs two samples within its range. The panel stays empty or shows an error."
    ),
)


LANGUAGE = Rule(
    f"{ID}/wrong-language",
    "A query goes to a data source of another language",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "The query is PromQL, and the data source that the panel names, or that its variable offers, is Loki, "
        "Tempo or a database: it answers with an error. Give the variable the type prometheus, or the panel "
        "a data source of that type."
    ),
)


STALE = Rule(
    f"{ID}/stale-span-name",
    "A query names spans that are no longer emitted",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="Megatron-LM renamed its spans; a search for the old names finds nothing and says no word.",
)


OPAQUE = Rule(
    f"{ID}/not-evaluated",
    "The source of a dashboard is a program",
    Severity.NOTE,
    Owner.PLATFORM,
    help=(
        "Jsonnet, Terraform, CUE and Python make dashboards; they are not run here. Give the JSON they make."
    ),
)

RULES = (
    UNREADABLE,
    MISSING,
    DOUBT,
    NOT_SCRAPED,
    RARE,
    PLACEHOLDER,
    UNDECLARED,
    FIXED,
    NAME,
    UNIT,
    QUANTILE,
    NO_RESULT,
    LANGUAGE,
    STALE,
    OPAQUE,
)
