"""What a job sends, as far as it is the same for every job: the items that conditions are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lens_preflight.collector.ottl import DURATION, Facts, Known
from lens_preflight.collector.ottl_parser import ENUMS
from lens_preflight.collector.values import Between, Partly, Value
from lens_preflight.core.data import dataclass, field
from lens_preflight.lens.metrics import METRICS, Instrument, Metric
from lens_preflight.lens.setup import KUBERNETES_ATTRIBUTES, SLURM_ATTRIBUTES, SLURM_JOB_KEY

STEP = "megatron.train.iteration"
"""The span that durations of steps are computed from."""
SPANS = (STEP, "megatron.checkpoint.save")
OWN = ""
"""Stands for spans and records that a program makes itself."""

RANKS = ("nv.dl.rank", "dl.rank")
RANKS_ASKED = (0, 1, 2, 7, 8, 63, 64, 127, 128, "0", "1", "7", "8")
"""As numbers, and as the texts that OTEL_RESOURCE_ATTRIBUTES makes of them."""

_ALWAYS: dict[str, Value] = {
    "nemo.run.id": Partly.SOME,
    "service.name": Partly.SOME,
    "service.version": Partly.PRESENT,
    "service.instance.id": Partly.PRESENT,
    "telemetry.sdk.language": "python",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.version": Partly.PRESENT,
    "host.name": Partly.HOSTS,
    "process.pid": Between(1, 2**22),
    **dict.fromkeys(
        (SLURM_JOB_KEY, *SLURM_ATTRIBUTES.values(), *KUBERNETES_ATTRIBUTES.values()), Partly.MAYBE
    ),
    "host.gpu.count": Partly.UNKNOWN,
    "deployment.environment": Partly.MAYBE,
}
"""Attributes of the resource that Lens and the SDK set, or may set by what they find on the machine."""

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

    def facts(self, rank: int | str) -> Facts:
        """What is known of it where it arrives, for one rank."""
        return Facts({**self.known, **{("resource", key): rank for key in RANKS}}, closed=True)


def items(signal: str, resource: Mapping[str, Value] | None, frameworks: frozenset[str]) -> tuple[Item, ...]:
    """The items of a signal; ``resource`` is what the environment makes of it, None when that is not known."""
    of_all = {("resource", key): value for key, value in {**_ALWAYS, **(resource or {})}.items()}
    makers = {"traces": _spans, "metrics": _metrics, "logs": _records}
    return tuple(
        Item(signal, name, {**of_all, **known}, needed) for name, known, needed in makers[signal](frameworks)
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
