"""collector-alerts: somebody is told when the Collector loses data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_alerts_rules as rules
from lens_preflight.checks.collector_alerts_scrape import scraped
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof
from lens_preflight.core.words import Need

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.dashboards.firing import Trouble
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import PromRule, RuleFile

SIGNALS = ("spans", "metric_points", "log_records")
FAILED = ("otelcol_exporter_send_failed_{}", "otelcol_exporter_enqueue_failed_{}")
QUEUE = ("otelcol_exporter_queue_size", "otelcol_processor_batch_batch_send_size")
ABSENT = re.compile(r"\babsent(?:_over_time)?\s*\(")
PATIENCE = 3600
"""The longest ``for`` in seconds that still tells somebody while it matters."""

ENDINGS = ("", "_total", "_ratio", "__spans__total", "__datapoints__total", "__records__total")


@check(
    rules.ID,
    "Somebody is told when the collector loses data",
    needs=(Need.RULES,),
    uses=(Need.COLLECTOR,),
    rules=rules.RULES,
)
def collector_alerts(ctx: Context) -> Iterable[Said]:
    """Are there alerts on failed sends and on a filling queue of the collector?

    The collector's own metrics are the only place where lost telemetry shows. An alert counts when
    its expression, directly or through recording rules, asks for them; names with and without
    _total are accepted, since they differ between versions of the collector.

    When a configuration of Prometheus is among the files, it must scrape the port of the collector's
    own metrics: the one that its file names, or 8888.
    """
    from lens_preflight.dashboards.firing import Trouble
    from lens_preflight.dashboards.lineage import Lineage
    from lens_preflight.dashboards.rules import all_rules

    failed = list(_unreadable(ctx.rules))
    yield from failed
    files = [file for file in ctx.rules if file.failure is None]
    if not files:
        if failed:
            return
        raise Skip("no rules were given", missing_input="--rules FILE")
    every = all_rules(files)
    lineage = Lineage.of(every)
    alerts = [rule for rule in every if rule.kind == "alert"]
    yield from _bad_expressions(every)
    yield from _half_read(files)
    sends = [a for a in alerts if _asks(a, lineage, _names(FAILED))]
    queues = [a for a in alerts if _asks(a, lineage, _names(QUEUE))]
    useless = list(_useless(dict.fromkeys((*sends, *queues))))
    yield from (finding for _, finding in useless)
    dead = {alert for alert, finding in useless if finding.rule is rules.CANNOT_FIRE}
    sends, queues = ([a for a in asking if a not in dead] for asking in (sends, queues))
    silent = [*_silent(sends, Trouble.SENDS, lineage), *_silent(queues, Trouble.QUEUE, lineage)]
    yield from _backwards(silent, [*sends, *queues])
    sends, queues = ([a for a in asking if a not in silent] for asking in (sends, queues))
    for asking in (sends, queues):
        if asking and all(alert.query.beyond for alert in asking):
            raise Undecided(f"alert {asking[0].name} cannot be read: {asking[0].query.error}", asking[0].at)
    at = alerts[-1].at if alerts else Location.file(files[0].path, 1)
    if not sends:
        yield Finding(
            rules.NO_FAILURES,
            "no alert asks for otelcol_exporter_send_failed_*",
            at,
            remedy="add: {alert: CollectorSendFailures, expr: 'rate({__name__=~"
            '"otelcol_exporter_send_failed_.*"}[5m]) > 0\', for: 10m}',
        )
    if not queues:
        yield Finding(
            rules.NO_QUEUE,
            "no alert asks for otelcol_exporter_queue_size",
            at,
            remedy="add: {alert: CollectorQueueFilling, expr: 'otelcol_exporter_queue_size / "
            "otelcol_exporter_queue_capacity > 0.8', for: 5m}",
        )
    yield from scraped(files, ctx.collector)
    names = ", ".join(dict.fromkeys(a.name for a in (*sends, *queues)))
    yield Proof(f"alerts on the collector: {names or 'none'}")
    unparsed = next((a for a in alerts if a.query.error and not a.query.uses), None)
    if unparsed is not None and not (sends and queues):
        raise Undecided(f"alert {unparsed.name} does not parse", unparsed.at)


def _unreadable(files: Iterable[RuleFile]) -> Iterator[Finding]:
    for file in files:
        if file.failure is not None:
            yield Finding(
                rules.UNREADABLE,
                f"not a file of rules: {file.failure.reason}",
                file.failure.at,
                remedy=f"correct it, then try: promtool check rules {file.path}",
            )


def _half_read(files: Iterable[RuleFile]) -> Iterator[Finding]:
    """What some versions refuse, and what none reads."""
    for file in files:
        for name in file.new_names:
            yield Finding(
                rules.NEW_NAME, f"Prometheus 2 refuses {name.reason}", name.at, remedy="write it with _"
            )
        if file.unread is not None:
            yield Finding(
                rules.UNREAD,
                "the groups of this document are not read",
                file.unread,
                remedy="put them under the groups of the first document",
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
                    rules.CANNOT_FIRE,
                    f"{alert.shown} {when.value} fires, whatever the collector does",
                    alert.at,
                    evidence={"expression": alert.text},
                    remedy="compare with a value between those of a sound and of a failing collector",
                ),
            )
        elif alert.delay and (seconds(alert.delay) or 0.0) > PATIENCE:
            yield (
                alert,
                Finding(
                    rules.LATE, f"{alert.shown} waits for {alert.delay}", alert.at, remedy="write for: 5m"
                ),
            )


def _silent(alerts: Iterable[PromRule], trouble: Trouble, lineage: Lineage) -> list[PromRule]:
    """Alerts that have no result when what they are to tell is there."""
    from lens_preflight.dashboards.firing import warns

    def recorded(name: str) -> tuple[str, ...]:
        return tuple(rule.query.text for rule in lineage.rules.get(name, ()))

    return [alert for alert in alerts if not warns(alert.query.text, trouble, recorded)]


def _backwards(silent: Iterable[PromRule], asking: Iterable[PromRule]) -> Iterator[Finding]:
    """Alerts that fire while all is well; ``absent`` tells another thing, and that it can."""
    twice = [alert.at for alert in asking]
    for alert in dict.fromkeys(silent):
        if not ABSENT.search(alert.text) and twice.count(alert.at) == 1:
            yield Finding(
                rules.CANNOT_FIRE,
                f"{alert.shown} does not fire when the collector loses data",
                alert.at,
                evidence={"expression": alert.text},
                remedy="turn the comparison round: failures above 0, the queue's share above 0.8",
            )


def _bad_expressions(every: Iterable[PromRule]) -> Iterator[Finding]:
    from lens_preflight.dashboards.firing import seconds

    for rule in every:
        if rule.delay and "{{" not in rule.delay and seconds(rule.delay) is None:
            yield Finding(
                rules.BAD_EXPRESSION,
                f"{rule.shown} waits for {rule.delay!r}, which is no duration",
                rule.at,
                evidence={"for": rule.delay},
                remedy="write for: 5m; then try: promtool check rules FILE",
            )
        if rule.query.error and not rule.query.beyond:
            yield Finding(
                rules.BAD_EXPRESSION,
                f"{rule.shown} does not parse: {rule.query.error}",
                rule.at,
                evidence={"expression": rule.text},
                remedy="try: promtool check rules FILE",
            )
