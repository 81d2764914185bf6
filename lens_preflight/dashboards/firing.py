"""Whether an alert can fire: what values its expression may take, by the bounds of what it asks for."""

from __future__ import annotations

import enum
import math
import re
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.promql import parsed

_COUNTING = frozenset({"rate", "irate", "increase", "delta", "idelta", "deriv"})
_SAME = frozenset({"max_over_time", "min_over_time", "avg_over_time", "last_over_time", "sort", "sort_desc"})
_SAME_AGGREGATIONS = frozenset({"max", "min", "avg", "topk", "bottomk", "quantile"})
_COMPARISONS = frozenset({">", "<", ">=", "<=", "==", "!="})
_DURATION = re.compile(
    r"0|(?=.)(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)?"
)
_LONGEST = 2**63 / 1e9
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


class Fires(enum.Enum):
    """When an alert fires, as far as its own expression says."""

    SOMETIMES = "sometimes"
    NEVER = "never"
    ALWAYS = "always"


@dataclass(frozen=True)
class Bounds:
    """The values that a result may take; ``empty`` when there is never one, ``tested`` when some are not shown."""

    low: float = -math.inf
    high: float = math.inf
    empty: bool = False
    tested: bool = False


ANY, POSITIVE, SHARE = Bounds(), Bounds(0.0), Bounds(0.0, 1.0)


def fires(text: str) -> Fires:
    """When an expression has a result at all; what cannot be told counts as sometimes."""
    try:
        bounds = _bounds(parsed(text))
    except (ValueError, RecursionError):
        return Fires.SOMETIMES
    if bounds.empty:
        return Fires.NEVER
    return Fires.SOMETIMES if bounds.tested or bounds == ANY else Fires.ALWAYS


def seconds(delay: str) -> float | None:
    """A duration in seconds; None for one with which Prometheus refuses the file (1.5h, 5, 5m5h, 999y)."""
    if not _DURATION.fullmatch(delay):
        return None
    length = math.fsum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([0-9]+)(ms|[smhdwy])", delay))
    return length if length < _LONGEST else None


def _bounds(node: Any) -> Bounds:
    kind = type(node).__name__
    if kind == "NumberLiteral":
        return Bounds(node.val, node.val)
    if kind in ("ParenExpr", "SubqueryExpr"):
        return _bounds(node.expr)
    if kind == "MatrixSelector":
        return _bounds(node.vector_selector)
    if kind == "VectorSelector":
        names = f"{node.name or ''} {node.matchers}"
        return POSITIVE if "otelcol_" in names else ANY
    if kind == "AggregateExpr":
        return _aggregate(node)
    if kind == "Call":
        return _call(node)
    return _binary(node) if kind == "BinaryExpr" else ANY


def _aggregate(node: Any) -> Bounds:
    inner = _bounds(node.expr)
    op = str(node.op)
    if inner.empty or op in _SAME_AGGREGATIONS:
        return inner
    if op == "count":
        return Bounds(1.0, tested=inner.tested)
    return Bounds(0.0, tested=inner.tested) if op == "sum" and inner.low >= 0 else ANY


def _call(node: Any) -> Bounds:
    name = node.func.name
    inner = _bounds(node.args[0]) if node.args else ANY
    if name == "vector" or name in _SAME or (inner.empty and name not in ("absent", "absent_over_time")):
        return inner
    if name in _COUNTING and inner.low >= 0:
        return POSITIVE if name in ("rate", "irate", "increase") else ANY
    return ANY


def _binary(node: Any) -> Bounds:
    op = str(node.op)
    left, right = _bounds(node.lhs), _bounds(node.rhs)
    if op == "and":
        return _with(
            left, empty=left.empty or right.empty, tested=left.tested or right.tested or right == ANY
        )
    if op == "or":
        if left.empty or right.empty:
            return right if left.empty else left
        return Bounds(
            min(left.low, right.low), max(left.high, right.high), tested=left.tested and right.tested
        )
    if op == "unless":
        return _with(left, empty=left.empty, tested=True)
    if op in _COMPARISONS:
        return _compared(op, left, right, bool(getattr(node.modifier, "return_bool", False)))
    if left.empty or right.empty:
        return Bounds(empty=True)
    share = _share(node) if op == "/" else None
    return share or _computed(op, left, right)


def _with(bounds: Bounds, *, empty: bool, tested: bool) -> Bounds:
    return Bounds(bounds.low, bounds.high, empty, tested)


def _compared(op: str, left: Bounds, right: Bounds, as_number: bool) -> Bounds:
    """A comparison leaves what passes it; as a number it leaves a result in any case."""
    if left.empty or right.empty:
        return Bounds(empty=True)
    if as_number:
        return Bounds(0.0, 1.0, tested=left.tested or right.tested)
    possible = {
        ">": left.high > right.low,
        ">=": left.high >= right.low,
        "<": left.low < right.high,
        "<=": left.low <= right.high,
        "==": left.low <= right.high and left.high >= right.low,
        "!=": not (left.low == left.high == right.low == right.high),
    }[op]
    certain = {
        ">": left.low > right.high,
        ">=": left.low >= right.high,
        "<": left.high < right.low,
        "<=": left.high <= right.low,
    }.get(op, False)
    return _with(left, empty=not possible, tested=not certain or left.tested or right.tested)


def _computed(op: str, left: Bounds, right: Bounds) -> Bounds:
    tested = left.tested or right.tested
    if op == "+":
        return Bounds(left.low + right.low, left.high + right.high, tested=tested)
    if op == "-" and math.isfinite(right.low) and right.low == right.high:
        return Bounds(left.low - right.low, left.high - right.low, tested=tested)
    if op in "*/" and min(left.low, right.low) >= 0:
        constant = right.low if right.low == right.high else None
        if constant and math.isfinite(constant):
            factor = constant if op == "*" else 1 / constant
            return Bounds(left.low * factor, left.high * factor, tested=tested)
        if op == "*" and left.low == left.high and left.low > 0:
            return Bounds(right.low * left.low, right.high * left.low, tested=tested)
        return Bounds(0.0, tested=tested)
    return Bounds(tested=tested)


def _share(node: Any) -> Bounds | None:
    """The queue's size over its capacity is a share of one; turned round it is one at least."""
    above, below = (_queue(side) for side in (node.lhs, node.rhs))
    if above[1] != below[1]:
        return None
    return {("size", "capacity"): SHARE, ("capacity", "size"): Bounds(1.0)}.get((above[0], below[0]))


def _queue(node: Any) -> tuple[str, str]:
    """Which metric of the queue a side is, and how it is aggregated; empty when it is another thing."""
    way = ""
    while type(node).__name__ in ("ParenExpr", "AggregateExpr"):
        way += str(getattr(node, "op", ""))
        node = node.expr
    name = getattr(node, "name", "") if type(node).__name__ == "VectorSelector" else ""
    return (name or "").removeprefix("otelcol_exporter_queue_"), way
