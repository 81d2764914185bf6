"""collector-alerts: somebody is told when the Collector loses data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Owner, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import PromRule, RuleFile, ScrapeJob

ID = "collector-alerts"
SIGNALS = ("spans", "metric_points", "log_records")
FAILED = ("otelcol_exporter_send_failed_{}", "otelcol_exporter_enqueue_failed_{}")
QUEUE = ("otelcol_exporter_queue_size", "otelcol_processor_batch_batch_send_size")
PATIENCE = 3600
"""The longest ``for`` in seconds that still tells somebody while it matters."""

ENDINGS = ("", "_total", "_ratio", "__spans__total", "__datapoints__total", "__records__total")

UNREADABLE = Rule(
    f"{ID}/unreadable",
    "A file of rules cannot be read",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "Prometheus refuses the file, and with it every rule that it holds. promtool check rules FILE "
        "says where."
    ),
)
BAD_EXPRESSION = Rule(
    f"{ID}/bad-expression",
    "An expression does not parse",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="If Prometheus does not read it either, it refuses the whole file. Try promtool check rules FILE.",
)
NO_FAILURES = Rule(
    f"{ID}/no-send-failure-alert",
    "No alert on failed sends of the collector",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "otelcol_exporter_send_failed_* counts what the collector could not deliver. Without an alert "
        "the loss is noticed when somebody looks for a run that is not there."
    ),
)
NO_QUEUE = Rule(
    f"{ID}/no-queue-alert",
    "No alert on the collector's queue",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="A queue above four fifths of its capacity is the last warning before data are refused.",
)
CANNOT_FIRE = Rule(
    f"{ID}/cannot-tell-anything",
    "An alert on the collector never fires, or always does",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "The queue's size over its capacity is never above 1, a rate of failures is never below 0, and "
        "a comparison with bool gives a result in any case. Such an alert does not count."
    ),
)
LATE = Rule(
    f"{ID}/late",
    "An alert on the collector waits for hours",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="A queue that is full loses data at once. With a for of hours the loss is told when it is history.",
)
NOT_SCRAPED = Rule(
    f"{ID}/not-scraped",
    "Nobody scrapes the collector's own metrics",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "They are served on port 8888, not on that of the prometheus exporter. Without the scrape job no "
        "alert on them can ever fire."
    ),
)


@check(
    ID,
    "Somebody is told when the collector loses data",
    needs=(Need.RULES,),
    uses=(Need.COLLECTOR,),
    rules=(UNREADABLE, BAD_EXPRESSION, NO_FAILURES, NO_QUEUE, CANNOT_FIRE, LATE, NOT_SCRAPED),
)
def collector_alerts(ctx: Context) -> Iterable[Said]:
    """Are there alerts on failed sends and on a filling queue of the collector?

    The collector's own metrics are the only place where lost telemetry shows. An alert counts when
    its expression, directly or through recording rules, asks for them; names with and without
    _total are accepted, since they differ between versions of the collector.

    When a configuration of Prometheus is among the files, it must scrape the collector's port 8888.
    """
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules

    failed = list(_unreadable(ctx.rules))
    yield from failed
    files = [file for file in ctx.rules if file.failure is None]
    if not files:
        if failed:
            return
        raise Skip("no rules were given", missing_input="--rules FILE")
    rules = all_rules(files)
    lineage = Lineage.of(rules)
    alerts = [rule for rule in rules if rule.kind == "alert"]
    yield from _bad_expressions(rules)
    sends = [a for a in alerts if _asks(a, lineage, _names(FAILED))]
    queues = [a for a in alerts if _asks(a, lineage, _names(QUEUE))]
    useless = list(_useless(dict.fromkeys((*sends, *queues))))
    yield from (finding for _, finding in useless)
    dead = {alert for alert, finding in useless if finding.rule is CANNOT_FIRE}
    sends, queues = ([a for a in asking if a not in dead] for asking in (sends, queues))
    for asking in (sends, queues):
        if asking and all(alert.query.beyond for alert in asking):
            raise Undecided(f"alert {asking[0].name} cannot be read: {asking[0].query.error}", asking[0].at)
    at = alerts[-1].at if alerts else Location.file(files[0].path, 1)
    if not sends:
        yield Finding(
            NO_FAILURES,
            "no alert asks for otelcol_exporter_send_failed_*",
            at,
            remedy="add: {alert: CollectorSendFailures, expr: 'rate({__name__=~"
            '"otelcol_exporter_send_failed_.*"}[5m]) > 0\', for: 10m}',
        )
    if not queues:
        yield Finding(
            NO_QUEUE,
            "no alert asks for otelcol_exporter_queue_size",
            at,
            remedy="add: {alert: CollectorQueueFilling, expr: 'otelcol_exporter_queue_size / "
            "otelcol_exporter_queue_capacity > 0.8', for: 5m}",
        )
    yield from _scrape(files)
    names = ", ".join(dict.fromkeys(a.name for a in (*sends, *queues)))
    yield Proof(f"alerts on the collector: {names or 'none'}")
    unparsed = next((a for a in alerts if a.query.error and not a.query.uses), None)
    if unparsed is not None and not (sends and queues):
        raise Undecided(f"alert {unparsed.name} does not parse", unparsed.at)


def _unreadable(files: Iterable[RuleFile]) -> Iterator[Finding]:
    for file in files:
        if file.failure is not None:
            yield Finding(
                UNREADABLE,
                f"not a file of rules: {file.failure.reason}",
                file.failure.at,
                remedy=f"correct it, then try: promtool check rules {file.path}",
            )


def _names(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The metric names in the spellings of all versions."""
    stems = dict.fromkeys(pattern.format(signal) for pattern in patterns for signal in SIGNALS)
    return tuple(stem + ending for stem in stems for ending in ENDINGS)


def _asks(rule: PromRule, lineage: Lineage, names: tuple[str, ...]) -> bool:
    """Whether an alert asks for one of the metrics, itself or through a recorded series."""
    for use in rule.query.uses:
        origins = [use, *(origin for _, origin in lineage.origins(use))]
        if any(origin.may_name(name) for origin in origins for name in names):
            return True
    return False


def _useless(alerts: Iterable[PromRule]) -> Iterator[tuple[PromRule, Finding]]:
    """Alerts that say nothing, whatever happens, and those that say it when it is too late."""
    from lens_preflight.dashboards.firing import Fires, fires, seconds

    for alert in alerts:
        when = fires(alert.query.text)
        if when is not Fires.SOMETIMES:
            yield (
                alert,
                Finding(
                    CANNOT_FIRE,
                    f"{alert.shown} {when.value} fires, whatever the collector does",
                    alert.at,
                    evidence={"expression": alert.text},
                    remedy="compare with a value between those of a sound and of a failing collector",
                ),
            )
        elif alert.delay and (seconds(alert.delay) or 0.0) > PATIENCE:
            yield (
                alert,
                Finding(LATE, f"{alert.shown} waits for {alert.delay}", alert.at, remedy="write for: 5m"),
            )


def _bad_expressions(rules: Iterable[PromRule]) -> Iterator[Finding]:
    from lens_preflight.dashboards.firing import seconds

    for rule in rules:
        if rule.delay and "{{" not in rule.delay and seconds(rule.delay) is None:
            yield Finding(
                BAD_EXPRESSION,
                f"{rule.shown} waits for {rule.delay!r}, which is no duration",
                rule.at,
                evidence={"for": rule.delay},
                remedy="write for: 5m; then try: promtool check rules FILE",
            )
        if rule.query.error and not rule.query.beyond:
            yield Finding(
                BAD_EXPRESSION,
                f"{rule.shown} does not parse: {rule.query.error}",
                rule.at,
                evidence={"expression": rule.text},
                remedy="try: promtool check rules FILE",
            )


def _scrape(files: Iterable[RuleFile]) -> Iterator[Finding]:
    jobs: list[ScrapeJob] = []
    seen = None
    for file in files:
        if file.scrapes is not None:
            seen = file
            jobs += file.scrapes
    if seen is None or any(job.discovers for job in jobs):
        return
    if not any(target.endswith(":8888") for job in jobs for target in job.targets):
        yield Finding(
            NOT_SCRAPED,
            "no scrape job asks the collector's port 8888",
            jobs[0].at if jobs else Location.file(seen.path, 1),
            remedy="add: - {job_name: otelcol, static_configs: [{targets: ['otel-collector:8888']}]}",
        )
