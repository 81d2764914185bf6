"""volume: the spans of the exporting ranks fit through the SDK and the Collector."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Owner, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.context import Context

ID = "volume"

TENFOLD = 10
"""Estimates are rough: below ten times the limit nothing is said."""

ASSUMED = {"step_seconds": 1.0, "span_bytes": 1024.0, "outage_seconds": 60.0}
"""Numbers that nobody gives; ``[assume]`` of the settings may, and ``spans_per_step`` as well."""

SPANS_PER_STEP = {
    "step": 1,
    "forward_backward": 1,
    "optimizer": 1,
    "data_loading": 1,
    "communication": 8,
    "microbatch": 32,
    "layer": 160,
    "activation_offload": 160,
    "rollout": 4,
    "generation": 4,
    "per_prompt": 64,
}
"""Spans that a group adds to one step of one rank, in order of magnitude; other groups add none."""

SDK_QUEUE = Rule(
    f"{ID}/sdk-queue",
    "A rank makes spans far faster than its queue can hold",
    Severity.CAUTION,
    Owner.JOB,
    help=(
        "The batch processor keeps 2048 spans and sends every 5 s, or earlier in batches of 512. What "
        "comes while the queue is full is dropped, and only a line in the log of the rank says so. "
        "Sample, or enable fewer groups."
    ),
)
COLLECTOR_QUEUE = Rule(
    f"{ID}/collector-queue",
    "The collector's queue bridges seconds only",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "The default queue of 1000 batches of 512 spans holds five seconds of 100,000 spans a second. A "
        "backend that restarts takes longer. Raise queue_size with a persistent storage, sample, or let "
        "fewer ranks export."
    ),
)
MEMORY = Rule(
    f"{ID}/memory-limit",
    "The collector refuses long before its queue is full",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "A queue in memory cannot be larger than memory_limiter lets it: the queue that was configured "
        "is never used."
    ),
)


@dataclass(frozen=True)
class Load:
    """The estimate: spans a second of one rank and of all, and how it was reckoned.

    ``span_bytes`` and ``outage`` (seconds that a queue should bridge) are given or assumed.
    """

    per_rank: float
    ranks: int
    arithmetic: str
    span_bytes: float
    outage: float

    @property
    def total(self) -> float:
        """Spans a second of all exporting ranks."""
        return self.per_rank * self.ranks


@check(
    ID,
    "The volume of spans fits queues and memory",
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    uses=(Need.SCRIPT, Need.COLLECTOR),
    rules=(SDK_QUEUE, COLLECTOR_QUEUE, MEMORY),
)
def volume(ctx: Context) -> Iterable[Said]:
    """How many spans a second will come, and does anything on their way hold them?

    spans a second = exporting ranks x spans per step of the enabled groups / seconds per step x the
    share that the sampler keeps. The figure is compared with the queue of the SDK (2048 spans, every
    5 s), with the collector's sending queues (queue_size x batch size) for a minute of outage, and
    with the memory limit that holds them.

    It is an estimate, so that it speaks only when a limit is exceeded tenfold, and shows its
    arithmetic. Every number that nobody gave is listed as an assumption. With the preset default
    there is no span per step, and nothing to exceed.
    """
    load = yield from _load(ctx)
    config = ctx.collector
    if config is not None and config.failure is None and config.dialect == "otelcol":
        yield from _collector(config, load)
    elif config is not None:
        yield Assumption("queues of the collector", "not compared", "its configuration is not evaluated")
    yield from _sdk(ctx, load)
    yield Proof(f"about {load.total:.3g} spans a second", {"reckoned": load.arithmetic})


def _load(ctx: Context) -> Generator[Said, None, Load]:
    """The estimate as the generator's value; yields its assumptions."""
    lens = ctx.lens.in_sight
    if not lens.traces_enabled:
        raise Skip("no traces are exported")
    groups = lens.resolved_groups.groups
    counted = {group: SPANS_PER_STEP[group] for group in sorted(groups) if group in SPANS_PER_STEP}
    given: Mapping[str, float] = getattr(ctx.settings, "assume", {})
    numbers = {**ASSUMED, **given}
    spans = numbers.get("spans_per_step", float(sum(counted.values())))
    ratio = _ratio(ctx)
    ranks, why = _ranks(ctx)
    if spans and "spans_per_step" not in given:
        shown = " + ".join(f"{count} {group}" for group, count in counted.items())
        yield Assumption("spans per step and rank", shown, "the order of magnitude of each group")
    if spans and "step_seconds" not in given:
        yield Assumption("seconds per step", f"{numbers['step_seconds']:g}", "not known before the job runs")
    if why:
        yield Assumption("exporting ranks", str(ranks), why)
    step = numbers["step_seconds"]
    per_rank = spans / step * ratio
    arithmetic = f"{ranks} ranks x {spans:g} spans per step / {step:g} s x {ratio:g} sampled"
    shown = f"{arithmetic} = {per_rank * ranks:g} spans/s"
    return Load(per_rank, ranks, shown, numbers["span_bytes"], numbers["outage_seconds"])


def _ratio(ctx: Context) -> float:
    """The share of traces that is kept; all, when that is not known."""
    try:
        return float(ctx.otel.in_sight.sampler.ratio)
    except (Undecided, LibraryFailure):
        return 1.0


def _ranks(ctx: Context) -> tuple[int, str]:
    """How many processes export, and why that was taken for granted (empty: it was evaluated)."""
    from lens_preflight.checks.program_reading import instrumented
    from lens_preflight.program.ranks import exporters

    size = ctx.world.size if ctx.world is not None else 1
    try:
        reading = instrumented(ctx)
        sets = [exporters(reading, world) for world in reading.worlds if ctx.world in (None, world)]
    except (Skip, Undecided) as reason:
        return size, f"every process, since {reason.reason}"
    counts = [-(-len(s.sure | s.maybe) * s.world.size // s.tried) for s in sets]
    known = ctx.world is not None and ctx.world.known
    return (
        (max(counts), "" if known else "the size of the world was not given")
        if counts
        else (size, "not evaluated")
    )


def _sdk(ctx: Context, load: Load) -> Iterator[Finding]:
    batch = ctx.otel.in_sight.batch
    held = load.per_rank * batch.delay / 1000
    if held > TENFOLD * batch.queue:
        yield Finding(
            SDK_QUEUE,
            "one rank makes more than ten times what its queue holds between two exports",
            Location.variable("OTEL_BSP_MAX_QUEUE_SIZE"),
            evidence={
                "reckoned": load.arithmetic,
                "queue": f"{batch.queue} spans",
                "between two exports": f"{load.per_rank:g} spans/s x {batch.delay / 1000:g} s = {held:g}",
            },
            remedy="export OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.05",
            settings=(
                ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
                ("OTEL_TRACES_SAMPLER_ARG", "0.05"),
            ),
        )


def _collector(config: CollectorConfig, load: Load) -> Iterator[Finding]:
    """Each exporter of the traces: its queue against an outage, and against the memory."""
    from lens_preflight.collector.capacity import queues

    for queue in queues(config):
        reckoned = {
            "reckoned": load.arithmetic,
            "queue": f"{queue.requests} batches x {queue.batch} spans = {queue.spans}",
        }
        needed = load.total * load.outage
        if needed > TENFOLD * queue.spans:
            yield Finding(
                COLLECTOR_QUEUE,
                f"the queue of {queue.exporter} bridges a tenth of an outage at most",
                queue.at,
                evidence={
                    **reckoned,
                    f"an outage of {load.outage:g} s": f"{needed:g} spans",
                    "holds": f"{queue.spans / load.total:.2g} s",
                },
                remedy=f"write in {queue.exporter}: sending_queue: {{queue_size: "
                f"{int(needed / queue.batch) + 1}, storage: file_storage/queue}}",
            )
        size = queue.spans * load.span_bytes / 2**20
        if queue.limit_mib and not queue.persistent and load.total and size > TENFOLD * queue.limit_mib:
            yield Finding(
                MEMORY,
                f"the queue of {queue.exporter} is ten times the memory limit",
                queue.at,
                evidence={**reckoned, "bytes": f"{size:.0f} MiB at {load.span_bytes:g} bytes a span"},
                remedy=f"write in {queue.exporter}: sending_queue: {{storage: file_storage/queue}}",
            )
