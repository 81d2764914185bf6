"""What a job sends, as far as it is the same for every job: the items that conditions are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lens_preflight.collector.ottl import DURATION, Facts, Known
from lens_preflight.collector.ottl_parser import ENUMS
from lens_preflight.collector.values import Between, Partly, Value
from lens_preflight.core.data import dataclass, field
from lens_preflight.lens.metrics import METRICS, Instrument, Metric

STEP = "megatron.train.iteration"
"""The span that durations of steps are computed from."""
SPANS = (STEP, "megatron.checkpoint.save")
OWN = ""
"""Stands for spans and records that a program makes itself."""

RANKS = ("nv.dl.rank", "dl.rank")
RANKS_ASKED = (0, 1, 2, 7, 8, 63, 64, 127, 128, "0", "1", "7", "8")
"""As numbers, and as the texts that OTEL_RESOURCE_ATTRIBUTES makes of them."""

_TYPES = {Instrument.GAUGE: "GAUGE", Instrument.COUNTER: "SUM", Instrument.HISTOGRAM: "HISTOGRAM"}


@dataclass(frozen=True)
class Item:
    """One thing that is sent: its signal, its name (empty: of the program's own), what is known of it.

    ``needed``: panels are made of it, so that the whole of it must not be lost.
    """

    signal: str
    name: str
    known: Known = field(hash=False)
    needed: bool = False

    @property
    def shown(self) -> str:
        """For a sentence."""
        return self.name or {"traces": "every span", "logs": "every record"}.get(self.signal, "")

    def facts(self, resource: Mapping[str, Value], own: Mapping[str, Value], rank: int | str) -> Facts:
        """What is known of it behind processors that have set attributes, for one rank."""
        known = {**self.known, **{("resource", key): rank for key in RANKS}}
        known.update({("resource", key): value for key, value in resource.items()})
        known.update({("attributes", key): value for key, value in own.items()})
        return Facts(known, closed=True)


def items(signal: str, service: str | None, frameworks: frozenset[str]) -> tuple[Item, ...]:
    """The items of a signal; ``service`` is the name of the service, None when it is not known."""
    resource: dict[tuple[str, str], Value] = {
        ("resource", "nemo.run.id"): Partly.SOME,
        ("resource", "service.name"): service if service is not None else Partly.SOME,
        ("resource", "telemetry.sdk.language"): "python",
        ("resource", "telemetry.sdk.name"): "opentelemetry",
    }
    makers = {"traces": _spans, "metrics": _metrics, "logs": _records}
    return tuple(
        Item(signal, name, {**resource, **known}, needed)
        for name, known, needed in makers[signal](frameworks)
    )


def _spans(frameworks: frozenset[str]) -> Iterator[tuple[str, Known, bool]]:
    names = SPANS if not frameworks or frameworks & {"plain", "megatron"} else ()
    for name in (*names, OWN):
        known: dict[tuple[str, str], Value] = {("attributes", "nemo.span.truncated"): None}
        for root in ("", "span."):
            known[(f"{root}name", "value")] = name or Partly.NAMES
            known[(f"{root}kind", "value")] = ENUMS["SPAN_KIND_INTERNAL"]
            known[(f"{root}kind.string", "value")] = "Internal"
            known[(f"{root}status.code", "value")] = ENUMS["STATUS_CODE_UNSET"]
        known[(DURATION, "value")] = Between(1e6, 1e13)  # a millisecond to some hours
        yield name, known, name == STEP


def _metrics(frameworks: frozenset[str]) -> Iterator[tuple[str, Known, bool]]:
    shown: dict[str, Metric] = {}
    for framework, recorded in METRICS.items():
        if not frameworks or "plain" in frameworks or framework in frameworks:
            shown.update({m.name: m for m in recorded if m.family is not None})
    for metric in shown.values():
        known: dict[tuple[str, str], Value] = {}
        for root in ("", "metric."):
            known[(f"{root}name", "value")] = metric.name
            known[(f"{root}type", "value")] = ENUMS[f"METRIC_DATA_TYPE_{_TYPES[metric.instrument]}"]
            known[(f"{root}unit", "value")] = metric.unit
        yield metric.name, known, True


def _records(frameworks: frozenset[str]) -> Iterator[tuple[str, Known, bool]]:
    del frameworks
    for level in ("INFO", "ERROR"):
        known: dict[tuple[str, str], Value] = {}
        for root in ("", "log."):
            known[(f"{root}severity_number", "value")] = ENUMS[f"SEVERITY_NUMBER_{level}"]
            known[(f"{root}severity_text", "value")] = level
            known[(f"{root}body", "value")] = Partly.SOME
            known[(f"{root}body.string", "value")] = Partly.SOME
        yield f"{level} records", known, False
