"""Durations that were computed from spans, and whether truncated spans are kept out of them.

``megatron_training_step_duration_ms`` and other SDK histograms are recorded by code and cannot
contain a truncated span; what a span-metrics connector, Tempo's generator or Jaeger makes can.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable

from lens_preflight.dashboards.conditions import Condition, canonical
from lens_preflight.dashboards.naming import part, stem
from lens_preflight.dashboards.selectors import Matcher, Query, Use

TRUNCATED_LABELS = ("nemo_span_truncated", "nemo.span.truncated")
STEP_SPAN = "megatron.train.iteration"
OTHER_SPAN = "megatron.checkpoint.save"
STALE_SPANS = {
    "megatron.train_step": "megatron.train.iteration",
    "megatron.forward_backward": "megatron.train.iteration.forward_backward",
    "megatron.optimizer_step": "megatron.train.iteration.optimizer",
    "megatron.save_checkpoint": "megatron.checkpoint.save",
}
"""Span names that Megatron-LM no longer emits, and their successors (August 2026)."""

_SPAN_LABELS = ("span_name", "span.name", "operation", "span_kind")
_STEMS = re.compile(
    r"(^|_)(traces_)?span_?metrics_(duration|latency)$|^traces_spanmetrics_latency$|^traces_span_metrics_duration$"
)
_CONNECTOR = ("duration_milliseconds", "duration_seconds")
"""What the connector called its histogram before it had a namespace; too bare for anybody else."""

_CANDIDATES = tuple(
    f"{name}_{ending}"
    for name in (
        "traces_span_metrics_duration_milliseconds",
        "traces_span_metrics_duration_seconds",
        "traces_spanmetrics_latency",
        *_CONNECTOR,
    )
    for ending in ("bucket", "sum")
)
_BARE = frozenset({"duration", "latency"})


def is_span_duration(use: Use, namespaces: Iterable[str] = ()) -> bool:
    """Whether a selector of PromQL picks durations that come from spans.

    ``namespaces`` are those of the span-metrics connectors that are known, in Prometheus spelling.
    """
    if not use.metric:
        return any(use.may_name(candidate) for candidate in _CANDIDATES)
    base = stem(use.metric)
    if use.metric.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") in _CONNECTOR:
        return True
    if _STEMS.search(base):
        return True
    if any(base == stem(f"{namespace}_duration") for namespace in namespaces):
        return True
    if base in _BARE or base.endswith(("_duration", "_latency")):
        grouped = use.kept.only or frozenset()
        return bool(use.on(*_SPAN_LABELS)) or bool(grouped & set(_SPAN_LABELS))
    return False


def picks_step_spans(use: Use) -> bool:
    """Whether the selector is confined to the spans of a training step."""
    named = [
        m
        for m in use.matchers
        if canonical(m.label) in ("span_name", "span.name", "operation", "name", "Name")
    ]
    accepts = all(m.accepts(STEP_SPAN) is True for m in named)
    return bool(named) and accepts and any(m.accepts(OTHER_SPAN) is False for m in named)


def needs_exclusion(use: Use) -> bool:
    """Whether a truncated span would falsify what is shown: a bare count of spans it would not."""
    if "histogram_count" in use.within:
        return False
    return part(use.metric) != "count" or use.divides


class Exclusion(enum.Enum):
    """What the matchers of a selector do to truncated spans."""

    NONE = "none"
    """Nothing: both kinds pass."""
    EXCLUDED = "excluded"
    """Truncated spans are rejected, all others pass."""
    ONLY_LABELLED = "only labelled"
    """Truncated spans are rejected, and so are those without the label."""
    ONLY_TRUNCATED = "only truncated"
    """Only truncated spans pass."""
    WRONG_TEXT = "wrong text"
    """A matcher that means to exclude and compares with a text that the label never has."""
    WEAK = "weak"
    """``unless``: whole series are removed, and only where all compared labels agree."""


def exclusion(use: Use) -> Exclusion:
    """Judge the matchers on the label by what they accept, not by how they are written.

    A filter on the other side of a division does not count: it holds only as long as both sides keep
    the label.
    """
    matchers = use.on(*TRUNCATED_LABELS)
    if not matchers:
        removed = [m for other in use.removed for m in other.on(*TRUNCATED_LABELS)]
        return Exclusion.WEAK if removed and _all(removed, "true") else Exclusion.NONE
    if _all(matchers, "true"):
        if not _all(matchers, "") and not _all(matchers, "false"):
            return Exclusion.ONLY_TRUNCATED
        wrong = any(m.op in ("!=", "!~") and m.value not in ("", "true") for m in matchers)
        return Exclusion.WRONG_TEXT if wrong else Exclusion.NONE
    if _all(matchers, ""):
        return Exclusion.EXCLUDED
    return Exclusion.ONLY_LABELLED if _all(matchers, "false") else Exclusion.WRONG_TEXT


def _all(matchers: Iterable[Matcher], text: str) -> bool:
    return all(m.accepts(text) is not False for m in matchers)


def is_span_duration_query(query: Query, use: Use) -> bool:
    """The same for languages that ask for spans: an aggregation over their duration."""
    function = use.within[0] if use.within else ""
    field = canonical(use.metric)
    if (
        query.condition is None
        or not function
        or function in ("count", "rate", "count_over_time", "cardinality")
    ):
        return False
    return field in (
        "duration",
        "span.duration.us",
        "transaction.duration.us",
        "duration_ms",
        "Duration",
        "traceDuration",
    )


def condition_exclusion(condition: Condition) -> Exclusion:
    """What a span filter does to truncated spans and to those without the attribute."""
    truncated = condition.holds({"nemo.span.truncated": "true"})
    normal = condition.holds({"nemo.span.truncated": None})
    if truncated is False:
        return Exclusion.EXCLUDED if normal is not False else Exclusion.ONLY_LABELLED
    mentioned = [c for c in condition.leaves() if canonical(c.field) == "nemo.span.truncated"]
    if mentioned and normal is False:
        return Exclusion.ONLY_TRUNCATED
    return Exclusion.WRONG_TEXT if mentioned else Exclusion.NONE
