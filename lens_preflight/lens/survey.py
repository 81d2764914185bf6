"""Everything that the libraries will say about an environment, not only the first thing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.variable import Variable
from lens_preflight.core.words import State
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.setup import is_export_rank
from lens_preflight.otel import processors, providers
from lens_preflight.otel.delivery import Delivery, first_answer, first_export
from lens_preflight.otel.exporter import SIGNALS, Exporter
from lens_preflight.otel.precedence import otlp, otlp_all
from lens_preflight.otel.remark import Remark
from lens_preflight.otel.view import OtelView

T = TypeVar("T")


@dataclass
class Survey:
    """What was found.

    ``failures``: what raises, aborts or hangs, each once; ``when`` of each says in which call.
    ``remarks``: settings that do something else than they say. ``losses``: settings that keep every
    export of a signal from arriving, with the signal. ``unknown``: facts that depend on a variable
    that is not known before start.
    """

    failures: list[LibraryFailure] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    losses: list[tuple[str, Delivery]] = field(default_factory=list)
    unknown: list[Undecided] = field(default_factory=list)

    def ask(self, fact: Callable[[], T]) -> T | None:
        """Work out a fact and keep what goes wrong with it; its value, None when there is none."""
        try:
            return fact()
        except LibraryFailure as failure:
            known = {(f.variable, f.exception) for f in self.failures}
            if (failure.variable, failure.exception) not in known:
                self.failures.append(failure)
        except Undecided as undecided:
            if str(undecided) not in map(str, self.unknown):
                self.unknown.append(undecided)
        return None


def survey(config: LensConfig, otel: OtelView) -> Survey:
    """Ask every fact that an exporting process of this environment depends on."""
    found = Survey()
    env = config.env
    found.ask(lambda: providers.import_api(env))
    for fact in ("enabled", "export_rank", "export_sample_rate", "sampler_enabled"):
        found.ask(partial(getattr, config, fact))
    found.ask(lambda: is_export_rank(config, env, 0, 1))
    signals = [signal for signal in SIGNALS if _on(found, config, signal)]
    for signal in signals:
        _signal(found, otel, signal)
    if "traces" in signals:
        found.ask(lambda: processors.span_limits(env))
        found.remarks.extend(found.ask(lambda: processors.attribute_remarks(env)) or ())
        found.ask(lambda: providers.meter_plugin(env))
        _batch(found, otel, "BSP")
    else:
        found.ask(lambda: providers.tracer_plugin(env))
    if "metrics" in signals:
        found.ask(lambda: otel.metric_interval)
        found.remarks.extend(found.ask(lambda: processors.metric_remarks(env)) or ())
        found.ask(lambda: providers.exemplar_filter(env))
        if "traces" in signals:
            refused = found.ask(lambda: providers.metrics_refused(env))
            if refused is not None and not refused.arrives:
                found.losses.append(("metrics", refused))
    if "logs" in signals:
        found.ask(lambda: processors.log_limits(env))
        found.remarks.extend(found.ask(lambda: processors.attribute_remarks(env, "LOGRECORD")) or ())
        _batch(found, otel, "BLRP")
    return found


def _on(found: Survey, config: LensConfig, signal: str) -> bool:
    """Whether a signal is exported; its default when that is not known or raises."""
    value = found.ask(partial(getattr, config, f"{signal}_enabled"))
    return signal != "logs" if value is None else bool(value)


def _signal(found: Survey, otel: OtelView, signal: str) -> None:
    exporter = found.ask(lambda: otel.exporter(signal))
    for part in found.ask(lambda: otel.remark_parts(signal)) or ():
        remarks = found.ask(lambda part=part: list(part())) or []  # type: ignore[misc]
        found.remarks.extend(r for r in remarks if r not in found.remarks)
    if exporter is None:
        exporter = _without_headers(otel, signal)
    if exporter is None:
        return
    for delivery in (first_export(exporter), first_answer(exporter)):
        if not delivery.arrives:
            found.losses.append((signal, delivery))
            return


def _without_headers(otel: OtelView, signal: str) -> Exporter | None:
    """The exporter apart from its headers, when only they are not known before start."""
    names = (otlp(signal, "HEADERS"), otlp_all("HEADERS"))
    bare = replace(otel, env=otel.env.over(Variable(name, State.UNSET) for name in names))
    try:
        return bare.exporter(signal)
    except (Undecided, LibraryFailure):
        return None


def _batch(found: Survey, otel: OtelView, kind: str) -> None:
    batch = found.ask(lambda: processors.batch(otel.env, kind))
    if batch is not None:
        found.remarks.extend(batch.remarks)
