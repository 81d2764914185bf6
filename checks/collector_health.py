"""Does the collector get rid of what it takes?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Owner, Scope, Severity, Status

if TYPE_CHECKING:
    from lens_preflight.backends import Telemetry, Trouble
    from lens_preflight.context import Context

APART = 3.0
"""Seconds between the two scrapes."""


def _rule(name: str, summary: str, help: str, severity: Severity = Severity.BLOCKER) -> Rule:
    return Rule(f"collector-health/{name}", summary, severity, Owner.PLATFORM, help)


LOSING = _rule(
    "losing",
    "a queue of the collector is full, and data is thrown away",
    "`otelcol_exporter_enqueue_failed_*` counts what found no room in the queue of an exporter: it is lost, "
    "and the job has been told that it was taken. Measured: with a capacity of 5, a sink that was down lost "
    "the sixth batch.",
)
SATURATED = _rule(
    "queue-saturated",
    "a queue of the collector is nearly full",
    "Above 80 % of `otelcol_exporter_queue_capacity` the next short outage loses data. Give the exporter "
    "more `num_consumers`, a larger `sending_queue.queue_size`, or a sink that keeps up.",
)
NOT_SENDING = _rule(
    "not-sending",
    "the collector takes data, and one of its exporters has never sent any",
    "Data is accepted and waits in the queue of an exporter that has not delivered anything since the "
    "start: the address, the TLS settings or the credentials of its sink are wrong, or the sink is down.",
)
FAILING = _rule(
    "failing",
    "an exporter of the collector fails right now",
    "`otelcol_exporter_send_failed_*` has grown between the scrapes: batches are given up after all retries.",
)
REFUSING = _rule(
    "refusing",
    "the collector refuses data right now",
    "`otelcol_receiver_refused_*` has grown between the two scrapes: the memory limiter or a later stage "
    "pushes back. Exporters of the SDK retry for some seconds, then drop.",
)
FAILED_BEFORE = _rule(
    "failed-before",
    "the collector has refused data, or given it up, since it was started",
    "Nothing fails at this moment; it did earlier.",
    Severity.CAUTION,
)
NO_PAGE = _rule(
    "no-page",
    "the metrics page of the collector cannot be read",
    "A collector that nobody can look into loses data in silence. Since 0.111 the page is bound to "
    "localhost unless a reader under `service.telemetry.metrics` says otherwise.",
    Severity.CAUTION,
)

BY_KIND = {
    "losing": LOSING,
    "queue-saturated": SATURATED,
    "not-sending": NOT_SENDING,
    "failing": FAILING,
    "refusing": REFUSING,
    "failed-before": FAILED_BEFORE,
}

REMEDIES = {
    "losing": "raise sending_queue.queue_size of {component}, and correct its endpoint if the sink is down",
    "queue-saturated": "raise sending_queue.num_consumers of {component}, and look at its sink",
    "not-sending": "correct endpoint, tls and headers of {component} in the collector's configuration",
    "failing": "look into the collector's log for {component}, and correct its endpoint",
    "refusing": "give the memory_limiter of the collector more limit_mib, or add a collector",
    "failed-before": "look into the collector's log for {component}",
}


@check(
    "collector-health",
    "The collector passes on what it takes",
    scope=Scope.RUN,
    needs=(Need.NETWORK,),
    uses=(Need.BACKEND,),
    rules=(*BY_KIND.values(), NO_PAGE),
)
def collector_health(ctx: Context) -> Iterator[Said]:
    """The health check of a collector answers 200 as soon as its pipelines run: it looks at no queue and
    no exporter, and a collector whose sink is down takes everything for a while.

    So its own metrics (port 8888) are read twice, some seconds apart: what is accepted, refused, sent
    and failed, and how full the queues are. Names differ by version and by reader (`_total`, unit
    suffixes); they are matched by their stems. The page is that of `--backend
    collector=http://HOST:8888`, else the host of the job's endpoint is tried.

    Passes: queues below 80 %, nothing refused, nothing failed. Warns: something failed earlier. Fails: a
    full or nearly full queue, refusals or failures that grow, an exporter that never sent anything.
    Skips: no page is to be had, which is normal from another host.
    """
    pages = ctx.telemetry()
    if not pages:
        raise Skip("no collector is known", missing_input="--backend collector=http://HOST:8888")
    read = False
    for page in pages:
        reading, troubles = page.look(APART)
        if not troubles and reading.status is not Status.PASS:
            if page.given:
                remedy = reading.remedy or "correct the URL of --backend collector=http://HOST:8888"
                yield Finding(NO_PAGE, f"{page.name}: {reading.text}", _at(page), remedy=remedy)
            continue
        read = True
        for trouble in troubles:
            yield _finding(page, trouble)
        if not troubles:
            yield Proof(
                "two scrapes of the collector: queues have room, nothing is refused or fails", _of(page)
            )
    if not read:
        raise Skip(
            "no metrics page of a collector could be read",
            missing_input="--backend collector=http://HOST:8888",
        )


def _finding(page: Telemetry, trouble: Trouble) -> Finding:
    rule = BY_KIND[trouble.kind]
    what = f"{trouble.component or 'the collector'} ({trouble.signal or 'all signals'})"
    return Finding(
        rule,
        f"{what}: {rule.summary}",
        _at(page),
        evidence={**_of(page), **trouble.evidence},
        remedy=REMEDIES[trouble.kind].format(component=trouble.component or "the exporters"),
    )


def _of(page: Telemetry) -> dict[str, str]:
    return {"url": page.client.base}


def _at(page: Telemetry) -> Location:
    return Location.option("--backend collector") if page.given else Location.option("--endpoint")
