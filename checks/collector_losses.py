"""collector-config: filters and samplers that leave nothing of what the job sends, or may leave nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_delivery_rules as rules
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.losses import Loss
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.collector.renames import Rename
    from lens_preflight.collector.values import Value
    from lens_preflight.context import Context


def loss_findings(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> Iterator[Finding]:
    """What conditions and rates take away of the telemetry that every job sends.

    Raises:
        Undecided: a condition may take away what panels are made of.
    """
    from lens_preflight.collector.items import items
    from lens_preflight.collector.losses import losses
    from lens_preflight.collector.renames import renames

    frameworks = frozenset(launch.framework.id for launch in ctx.launches)
    resource = _resource(ctx)
    doubts: list[Loss] = []
    others: list[Loss] = []
    renamed: Rename | None = None
    for signal in signals:
        sent = items(signal, resource, frameworks)
        renamed = renamed or next(renames(config, (i for i in sent if i.needed)), None)
        found = list(losses(config, sent))
        sure = [loss for loss in found if loss.sure]
        if signal == "metrics" and _of_another(sure, frameworks):
            others += sure
            sure = []
        yield from _metrics(sure) if signal == "metrics" else _others(signal, sure, len(sent))
        unsure = [loss for loss in found if not loss.sure]
        if len(found) == len(sent) or any(loss.item.needed for loss in unsure):
            doubts += unsure
    if doubts:
        raise _doubt(doubts[0])
    if renamed is not None:
        raise Undecided(
            f"{renamed.component.id} gives {renamed.item.name} another name; whether panels ask for that one "
            f"is not known: {renamed.text}",
            renamed.at,
        )
    if others:
        names = ", ".join(loss.item.name for loss in others)
        raise Undecided(
            f"{others[0].component.id} drops {names}; whether the job records them is not known", others[0].at
        )
    if "metrics" in signals:
        _refuse_exponential(config, ctx)


def _of_another(lost: Sequence[Loss], frameworks: frozenset[str]) -> bool:
    """Whether only metrics are lost that a job of a framework nobody names need not record."""
    from lens_preflight.lens.metrics import METRICS

    if frameworks and "plain" not in frameworks:
        return False
    names = {loss.item.name for loss in lost}
    return bool(names) and not any(metric.name in names for metric in METRICS["megatron"])


def _refuse_exponential(config: CollectorConfig, ctx: Context) -> None:
    """In a 0.148 build one bucket was left of each exponential histogram, whatever panels ask for."""
    from lens_preflight.collector.losses import SERIES
    from lens_preflight.otel.processors import HISTOGRAM, HISTOGRAMS

    ends = dict.fromkeys(route.end for route in config.routes if route.signal == "metrics")
    exporters = (config.find("exporters", end.id) for end in ends)
    series = next((one for one in exporters if one is not None and one.type in SERIES), None)
    if series is None:
        return
    if any(ctx.env_of(launch)[HISTOGRAM].value == HISTOGRAMS[1] for launch in ctx.launches):
        what = "histograms are exported as exponential ones"
        raise Undecided(f"{what}; whether panels ask {series.id} for their buckets is not known", series.at)


def _resource(ctx: Context) -> dict[str, Value]:
    """What the environment of the launches makes of the resource, where it says the same of all."""
    from lens_preflight.collector.values import Partly
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.lens.setup import Setup

    seen = [
        Setup(ctx.env_of(one), LensConfig(ctx.env_of(one), one.framework, ctx.generation), ctx.files).in_sight
        for one in ctx.launches
    ]
    found: dict[str, Value] = {}
    for key in dict.fromkeys(key for one in seen for key in one):
        values = {one.get(key) for one in seen}
        if len(values) == 1:
            found[key] = values.pop()
        elif key not in ("nemo.run.id", "service.name"):
            found[key] = Partly.UNKNOWN if None in values else Partly.PRESENT
    return found


def _metrics(lost: Sequence[Loss]) -> Iterator[Finding]:
    for identity in dict.fromkeys(loss.component.id for loss in lost):
        mine = [loss for loss in lost if loss.component.id == identity]
        yield Finding(
            rules.METRIC_DROPPED,
            f"{identity} drops {', '.join(loss.item.name for loss in mine)}",
            mine[0].component.at,
            evidence=_condition(mine[0]),
            remedy=_remedy(mine[0]),
        )


def _others(signal: str, lost: Sequence[Loss], sent: int) -> Iterator[Finding]:
    from lens_preflight.collector.samplers import SAMPLERS

    if not lost:
        return
    first = lost[0]
    identity = first.component.id
    if len(lost) < sent:
        names = [loss.item.name for loss in lost]
        named = signal == "traces" and len(names) == sent - 1
        if named or any(loss.item.needed for loss in lost):
            yield Finding(
                rules.SIGNAL_DROPPED if named else rules.SPAN_DROPPED,
                f"{identity} drops {' and '.join(names)}",
                first.at,
                evidence=_condition(first),
                remedy=_remedy(first),
            )
    elif first.component.type in SAMPLERS:
        one, rate = {"traces": ("trace", "100"), "logs": ("record", "100")}[signal]
        yield Finding(
            rules.SAMPLED_AWAY,
            f"{identity} keeps no {one}",
            first.at,
            remedy=f"write sampling_percentage: {rate}, or take the sampler out"
            if first.component.type == "probabilistic_sampler"
            else f"add a policy that keeps them to {identity}: {{name: all, type: always_sample}}",
        )
    else:
        yield Finding(
            rules.SIGNAL_DROPPED,
            f"{identity} drops all {signal} of a job",
            first.at,
            evidence=_condition(first),
            remedy=_remedy(first),
        )


def _remedy(loss: Loss) -> str:
    if loss.component.kind == "connectors":
        return f"add to {loss.component.id}: default_pipelines: [{loss.item.signal}/NAME], which keeps them"
    return f"take the condition out of {loss.component.id}"


def _condition(loss: Loss) -> dict[str, str]:
    return {"condition": loss.text} if loss.text else {}


def _doubt(loss: Loss) -> Undecided:
    asked = f": {loss.text}" if loss.text else ""
    what = {"traces": "spans", "logs": "log records"}.get(loss.item.signal, loss.item.name)
    return Undecided(f"whether {loss.component.id} drops the {what} of the job is not known{asked}", loss.at)
