"""How long does the job wait at its end when nobody answers at the endpoint?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Skip
from lens_preflight.core.finding import Assumption, Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context

GRACE = 30.0
"""Seconds from SIGTERM to SIGKILL when nobody says otherwise: Slurm's KillWait, Kubernetes' default."""

METRIC_EXPORTS = 3
"""Exports that a shutdown waits for: the one in flight, the flush, the last collection (measured)."""

METRIC_JOIN = 30.0
"""Seconds that the shutdown of metrics waits for its thread, whatever that still has to export."""

TRIES = 6
TIMEOUT = "OTEL_EXPORTER_OTLP_TIMEOUT"
FINE = frozenset({"step", "rollout", "forward_backward", "agent", "model_call"})
"""Groups with a span for every step or finer: a queue that is full at the end."""

EXCEEDS = Rule(
    "failure-cost/exceeds-grace",
    "with a dead endpoint the shutdown takes longer than the job may take to end",
    Severity.CAUTION,
    help="`handle.shutdown(timeout_ms=5000)` does not keep its five seconds: the batch processor ignores "
    "them, and each export may use its whole timeout with retries. Measured with a closed port and the "
    "default of 10 s: 7.4 s for traces alone, 28.4 s with metrics, 49.6 s with 2000 spans queued. A job "
    "that is told to end (SIGTERM) is killed after its grace, so that neither telemetry nor a checkpoint "
    "at the end survives. Type `export OTEL_EXPORTER_OTLP_TIMEOUT=3` (seconds).",
)
CLOSE = Rule(
    "failure-cost/slow-endpoint",
    "an endpoint that swallows packets makes the shutdown longer than the grace",
    Severity.NOTE,
    help="A closed port answers at once, and only the pauses between the tries cost time. A firewall that "
    "drops packets makes every try last to its timeout. Cap it with `OTEL_EXPORTER_OTLP_TIMEOUT`.",
)


@dataclass(frozen=True)
class Cost:
    """Seconds of a shutdown: ``refused`` when the port is closed, ``silent`` when nothing answers."""

    refused: float
    silent: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.refused + other.refused, self.silent + other.silent)

    def times(self, count: int) -> Cost:
        """So many of them, one after the other."""
        return Cost(count * self.refused, count * self.silent)


@check(
    "failure-cost",
    "A dead endpoint does not keep the job from ending in time",
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    uses=(Need.JOB,),
    rules=(EXCEEDS, CLOSE),
)
def failure_cost(ctx: Context) -> Iterator[Said]:
    """Telemetry must cost the job nothing when it fails. Nothing blocks at start: exporters connect in
    the background. At the end `handle.shutdown()` waits: each batch of spans that is still queued and
    three exports of metrics may use their whole timeout, one after the other (four, when one takes as
    long as `OTEL_METRIC_EXPORT_INTERVAL`), and a log bridge adds one more when the interpreter exits.

    The sum is compared with the grace of the job, 30 s when nobody says otherwise. Warns: a closed port
    alone takes longer than that (pauses of 1, 2, 4 ... s between the tries as far as they fit into the
    timeout). Notes: only an endpoint that swallows packets does. The queue counts as full when a group
    with a span a step is enabled, else as one batch.
    """
    lens, otel = ctx.lens.in_sight, ctx.otel.in_sight
    if any(ctx.env.unlisted(n) for n in (TIMEOUT, *lens.names("METRICS_ENABLED"))):
        yield Assumption("what the job does not set", "unset", ctx.env.opaque)
    budgets = {signal: otel.budget(signal) for signal in lens.signals}
    counts = {signal: _exports(ctx, signal) for signal, budget in budgets.items() if budget is not None}
    if not counts:
        raise Skip("nothing is exported over the network")
    parts = {signal: _one(budgets[signal] or 0.0).times(count) for signal, count in counts.items()}
    if "metrics" in parts:
        parts["metrics"] = _metrics(_one(budgets["metrics"] or 0.0), otel.metric_interval / 1000)
    grace = _grace(ctx)
    if grace is None:
        grace = GRACE
        yield Assumption("grace", f"{GRACE:g} s", "Slurm's default KillWait and Kubernetes' default")
    enough = str(max(1, math.floor(min(3.0, grace / sum(counts.values())))))
    yield from _verdict(ctx, parts, grace, enough)


def _verdict(ctx: Context, parts: dict[str, Cost], grace: float, enough: str) -> Iterator[Said]:
    """Compare the sum with the grace; ``enough`` is a timeout with which it fits."""
    total = sum(parts.values(), Cost(0.0, 0.0))
    evidence = {s: f"{c.refused:.0f} s refused, {c.silent:.0f} s silent" for s, c in parts.items()}
    evidence["grace"] = f"{grace:g} s"
    names = "+".join(parts)
    text = f"{names} and a dead endpoint: shutdown takes about {total.refused:.0f} s if the port is closed"
    text += f", up to {total.silent:.0f} s if nothing answers" if math.isfinite(total.silent) else ""
    if total.silent > grace:
        yield Finding(
            EXCEEDS if total.refused > grace else CLOSE,
            f"{text}; the job has {grace:g} s to end",
            ctx.env[TIMEOUT].location,
            evidence=evidence,
            remedy=f"export {TIMEOUT}={enough}",
            settings=((TIMEOUT, enough),) if total.refused > grace else (),
        )
    yield Proof(f"{text}; the job has {grace:g} s to end", evidence)


def _exports(ctx: Context, signal: str) -> int:
    """How many exports a shutdown waits for."""
    if signal == "metrics":
        return METRIC_EXPORTS
    if signal == "logs" or not ctx.lens.in_sight.resolved_groups.groups & FINE:
        return 1
    batch = ctx.otel.in_sight.batch
    return -(-batch.queue // batch.size)


def _one(budget: float) -> Cost:
    """Seconds that one export to a dead endpoint takes."""
    if not math.isfinite(budget):
        return Cost(math.inf, math.inf)
    budget = max(0.0, budget)
    spent, pause = 0.0, 1.0
    for _ in range(TRIES - 1):
        if spent + pause > budget:
            break
        spent, pause = spent + pause, pause * 2
    return Cost(spent, budget)


def _metrics(one: Cost, interval: float) -> Cost:
    """Seconds that the metrics hold a shutdown, from the seconds of one export.

    The export in flight and the flush; then the last collection, behind another one when the next
    interval began while the flush was waiting.
    """

    def held(seconds: float) -> float:
        last = seconds * (2 if seconds >= interval else 1)
        return (METRIC_EXPORTS - 1) * seconds + min(METRIC_JOIN, last)

    return Cost(held(one.refused), held(one.silent))


def _grace(ctx: Context) -> float | None:
    """Seconds from the signal that ends the job to the one that kills it, as the job says."""
    return ctx.launch.job.grace if ctx.launch.job is not None else None
