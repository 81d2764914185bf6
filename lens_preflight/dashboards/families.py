"""Which panel family a query answers for: by the metric first, never by the title alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.naming import Strategy, part, prometheus_name, stem
from lens_preflight.dashboards.selectors import Language, Query, Use
from lens_preflight.dashboards.spans import is_span_duration, picks_step_spans
from lens_preflight.lens.metrics import METRICS, Family, Instrument, Metric

KEYS = {
    Family.STEP_DURATION: "step_duration",
    Family.LOSS: "loss",
    Family.THROUGHPUT: "throughput",
    Family.GRADIENT_NORM: "grad_norm",
}
"""The family's key in ``[families]`` of the settings."""

DEMANDED = {
    "nemo-rl": frozenset({Family.LOSS, Family.THROUGHPUT, Family.GRADIENT_NORM}),
    "nemo-gym": frozenset({Family.STEP_DURATION}),
    "inference": frozenset({Family.STEP_DURATION, Family.THROUGHPUT}),
}
"""What a framework records itself; the other families are not applicable to it. Others: all four."""

_SPAN_VALUES = {
    "dl.loss": Family.LOSS,
    "dl.grad_norm": Family.GRADIENT_NORM,
    "dl.throughput_tflops": Family.THROUGHPUT,
}
_COUNTING = frozenset(
    {"count", "absent", "absent_over_time", "changes", "resets", "timestamp", "group", "count_values"}
    | {"present_over_time", "count_over_time", "parameter", "histogram_count", "sgn"}
    | {"bool", "zero", "nothing", "fixed moment", "far offset"}
)
_COUNTED = frozenset({"rate", "irate", "increase", "delta", "derivative"})
_HINTS = (
    (Family.GRADIENT_NORM, re.compile(r"grad", re.I)),
    (Family.LOSS, re.compile(r"\bloss\b", re.I)),
    (Family.THROUGHPUT, re.compile(r"throughput|flop|tokens?[ _/]*(per|/|s)|samples?[ _/]*(per|/)", re.I)),
    (Family.STEP_DURATION, re.compile(r"(step|iteration|rollout).*(duration|time|latency)|step.?ms", re.I)),
)


@dataclass(frozen=True)
class Catalogue:
    """The metrics that count: those of the frameworks, and ``own`` stems of the settings.

    ``replaced`` are the families for which only the own stems count. ``namespaces`` stand in front of
    names; when they are ``exact`` no other spelling of the front is there, not even none.
    """

    frameworks: tuple[str, ...] = tuple(METRICS)
    own: tuple[tuple[Family, str], ...] = ()
    namespaces: tuple[str, ...] = ()
    replaced: frozenset[Family] = frozenset()
    exact: bool = False

    @classmethod
    def of(
        cls,
        own: Mapping[str, tuple[str, ...]],
        frameworks: Iterable[str] = (),
        namespaces: Iterable[str] = (),
        exact: bool = False,
    ) -> Catalogue:
        """From the table ``[families]`` of the settings and the frameworks of the job (empty: not known)."""
        pairs = tuple((family, name) for family, key in KEYS.items() for name in own.get(key, ()))
        known = tuple(frameworks)
        replaced = frozenset() if known else frozenset(family for family, _ in pairs)
        return cls(known or tuple(METRICS), pairs, tuple(namespaces), replaced, exact)

    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the frameworks."""
        return tuple(metric for framework in self.frameworks for metric in METRICS.get(framework, ()))

    @property
    def prefixes(self) -> frozenset[str]:
        """The first words of the training metrics: what a panel of training data asks for."""
        return _words(self)[0]

    @property
    def stems(self) -> frozenset[str]:
        """The stems of several words."""
        return _words(self)[1]


@lru_cache(maxsize=8)
def _words(catalogue: Catalogue) -> tuple[frozenset[str], frozenset[str]]:
    names = [m.name for m in catalogue.metrics()]
    own = [name for _, name in catalogue.own]
    stems = frozenset(stem(name) for name in (*names, *own))
    first = frozenset(f"{s.partition('_')[0]}_" for s in stems if "_" in s)
    return first, frozenset(stem(name) for name in names if "_" in stem(name))


@dataclass(frozen=True)
class Spelling:
    """A training metric as a query spells it: the metric, and the strategies that would spell it so."""

    metric: Metric
    strategies: frozenset[Strategy]


@lru_cache(maxsize=8)
def _spellings(catalogue: Catalogue) -> Mapping[str, tuple[Spelling, ...]]:
    """Every name that an exporter makes of a metric of the catalogue."""
    table: dict[str, dict[Metric, set[Strategy]]] = {}
    for metric in catalogue.metrics():
        for namespace in catalogue.namespaces if catalogue.exact else ("", *catalogue.namespaces):
            for strategy in Strategy:
                name = prometheus_name(metric.name, metric.unit, metric.instrument.value, strategy, namespace)
                table.setdefault(name, {}).setdefault(metric, set()).add(strategy)
    return {
        name: tuple(Spelling(m, frozenset(s)) for m, s in metrics.items()) for name, metrics in table.items()
    }


def spellings(name: str, catalogue: Catalogue) -> tuple[Spelling, ...]:
    """The metrics that a series name of Prometheus may belong to; a foreign namespace in front is allowed."""
    table = _spellings(catalogue)
    if name in table:
        return table[name]
    base = re.sub(r"[_.](bucket|sum|count)$", "", name)
    if base in table:
        return _with_part(table[base], True)
    for position, char in enumerate(base if not catalogue.exact else ""):
        if char == "_" and base.count("_", position + 1) >= 2 and base[position + 1 :] in table:
            return _with_part(table[base[position + 1 :]], base != name)
    return ()


def _with_part(found: tuple[Spelling, ...], of_histogram: bool) -> tuple[Spelling, ...]:
    """The metrics that have buckets, a sum and a count, when one of them is asked for."""
    return tuple(s for s in found if not of_histogram or s.metric.instrument is Instrument.HISTOGRAM)


def near_misses(name: str, catalogue: Catalogue) -> tuple[Metric, ...]:
    """Metrics that a series name means but no exporter spells so (a wrong unit, a wrong suffix)."""
    if spellings(name, catalogue):
        return ()
    return tuple(m for m in catalogue.metrics() if stem(m.name) == stem(name))


def families_of(query: Query, use: Use, catalogue: Catalogue) -> frozenset[Family]:
    """The families that one selector shows."""
    if use.empty or set(use.within) & _COUNTING:
        return frozenset()
    if query.language in (Language.TRACEQL, Language.KQL, Language.LUCENE):
        return _span_families(query, use, catalogue)
    if query.language is not Language.PROMQL:
        return frozenset()
    if is_span_duration(use):
        shown = part(use.metric) != "count" or use.divides
        return frozenset({Family.STEP_DURATION}) if shown and picks_step_spans(use) else frozenset()
    found: set[Family] = set()
    if use.metric:
        found |= _by_name(use.metric, use, catalogue)
    elif use.on("__name__"):
        for name in _spellings(catalogue):
            for ending in ("", "_bucket", "_sum", "_count"):
                if use.may_name(name + ending):
                    found |= _by_name(name + ending, use, catalogue)
    return frozenset(found)


def _by_name(name: str, use: Use, catalogue: Catalogue) -> set[Family]:
    piece = "count" if any(str(m) == 'le="+Inf"' for m in use.matchers) else part(name)
    found = {
        s.metric.family
        for s in spellings(name, catalogue)
        if s.metric.family is not None
        and s.metric.family not in catalogue.replaced
        and _shows(s.metric, piece, use)
    }
    for family, own in catalogue.own:
        if stem(own) == stem(name) and not (family is Family.STEP_DURATION and _only_counts(piece, use)):
            found.add(family)
    return found


def _shows(metric: Metric, piece: str, use: Use) -> bool:
    """Whether this part of the metric shows its family: a count is no duration, a rate needs a count."""
    if metric.rate:
        return piece in ("count", "sum") and bool(set(use.within) & _COUNTED) and not use.divides
    return metric.instrument is not Instrument.HISTOGRAM or not _only_counts(piece, use)


def _only_counts(piece: str, use: Use) -> bool:
    return piece == "count" and not use.divides


def _span_families(query: Query, use: Use, catalogue: Catalogue) -> frozenset[Family]:
    """A value on a span, the duration of step spans, or a metric kept as a document field."""
    field = canonical(use.metric)
    if field in _SPAN_VALUES:
        return frozenset({_SPAN_VALUES[field]})
    if field in ("duration", "span.duration.us", "transaction.duration.us", "duration_ms") and use.within:
        step = query.condition is not None and picks_step_spans(use)
        return frozenset({Family.STEP_DURATION}) if step else frozenset()
    if not field:
        return frozenset()
    by_metric = {
        m.family for m in catalogue.metrics() if m.family and not m.rate and stem(m.name) == stem(field)
    }
    return frozenset(by_metric | {f for f, own in catalogue.own if stem(own) == stem(field)})


def hinted(text: str) -> frozenset[Family]:
    """The families that a title or an unresolved name speaks of; a tie-break, never a proof."""
    return frozenset(family for family, pattern in _HINTS if pattern.search(text))


def frameworks_seen(queries: Iterable[Query]) -> frozenset[str]:
    """The frameworks whose metrics some queries name."""
    names = {stem(name).split("_")[0] for query in queries for name in query.metrics}
    prefixes = {"megatron": "megatron", "rl": "nemo-rl", "gym": "nemo-gym", "gen": "inference"}
    return frozenset(framework for prefix, framework in prefixes.items() if prefix in names)
