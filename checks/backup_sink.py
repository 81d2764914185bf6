"""backup-sink: the telemetry ends in more than one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need, Owner, Severity

if TYPE_CHECKING:
    from lens_preflight.collector.sinks import Sink
    from lens_preflight.context import Context

ID = "backup-sink"

ONE_SINK = Rule(
    f"{ID}/one-sink",
    "All telemetry ends in one place",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "When that place is down, full or misconfigured, the whole campaign is blind. The application "
        "exports once; a second exporter in the pipelines costs the job nothing. Two exporters to one "
        "host are one place."
    ),
)
ONE_FOR_SIGNAL = Rule(
    f"{ID}/one-sink-for-signal",
    "A signal ends in one place",
    Severity.NOTE,
    Owner.PLATFORM,
    help="Often meant: traces to one backend, metrics to another. Then each is lost with its backend.",
)


@check(
    ID,
    "The collector has a backup sink",
    needs=(Need.COLLECTOR,),
    rules=(ONE_SINK, ONE_FOR_SIGNAL),
)
def backup_sink(ctx: Context) -> Iterable[Said]:
    """Is there a second place that keeps the telemetry when the first one fails?

    Fanning out in the collector is cheap and the job does not notice it. Counted are the distinct
    places that the pipelines with an OTLP receiver reach: two exporters to the same host fail
    together and are one, debug and nop keep nothing, files are all on one disk.

    Fewer than two places over all signals warn. A signal with a single place of its own is a note:
    traces to one backend and metrics to another is a common and reasonable set-up.
    """
    from lens_preflight.collector.sinks import sinks

    config = ctx.collector
    if config is None or config.failure is not None or config.dialect != "otelcol":
        raise Skip("no collector configuration that can be read; see collector-config")
    table = sinks(config)
    places: dict[str, Sink] = {place.key: place for found in table.values() for place in found}
    if not places:
        raise Skip("no telemetry from an OTLP receiver is kept anywhere; see collector-config")
    shown = {signal: ", ".join(p.shown for p in found) for signal, found in table.items()}
    first = next(iter(places.values()))
    if len(places) < 2:
        yield Finding(
            ONE_SINK,
            f"all telemetry ends in {first.shown}",
            first.at,
            evidence=shown,
            remedy=(
                "add a second exporter to the pipelines, for example otlphttp/backup: {endpoint: https://...}"
            ),
        )
        return
    for signal, found in table.items():
        if len(found) == 1:
            yield Finding(
                ONE_FOR_SIGNAL,
                f"{signal} end in {found[0].shown} only",
                found[0].at,
                remedy=f"if they matter, add a second exporter to the {signal} pipeline",
            )
    yield Proof(f"{len(places)} distinct sinks", shown)
