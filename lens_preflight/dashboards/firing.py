"""Whether an alert can fire, and warns: what values its expression may take, by the bounds of what it asks for."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.promql import parsed
from lens_preflight.dashboards.results import bare, fault, is_range

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
SOME, FULL = Bounds(math.ulp(0.0)), Bounds(1.0, 1.0)
_NONE, _FEW, _SLIGHT = Bounds(0.0, 0.0), Bounds(0.0, 10.0), Bounds(0.0, 0.1)
_MANY = Bounds(100.0)
"""What waits in a queue that is full: one of less is none that anybody watches."""


class Trouble(enum.Enum):
    """What an alert is to tell: the state in which it must be able to fire."""

    NONE = ""
    WELL = "well"
    """There is none: nothing fails, and next to nothing waits."""
    SENDS = "_failed"
    """Sends fail: what counts them grows."""
    QUEUE = "queue_size"
    """The queue is as full as it can be."""


def fires(text: str) -> Fires:
    """When an expression has a result at all; what cannot be told counts as sometimes."""
    try:
        bounds = _Walk(Trouble.NONE).of(parsed(text))
    except (ValueError, RecursionError):
        return Fires.SOMETIMES
    if bounds.empty:
        return Fires.NEVER
    return Fires.SOMETIMES if bounds.tested or bounds == ANY else Fires.ALWAYS


def warns(text: str, trouble: Trouble, recorded: Callable[[str], tuple[str, ...]] = lambda name: ()) -> bool:
    """Whether an expression may have a result in a trouble, and none when all is well.

    ``recorded`` gives the expressions of a recorded series. What cannot be told counts as a warning.
    """
    try:
        tree = parsed(text)
        well = _Walk(Trouble.WELL, recorded).of(tree)
        always = not (well.empty or well.tested or well == ANY)
        return not (always or _Walk(trouble, recorded).of(tree).empty)
    except (ValueError, RecursionError):
        return True


def seconds(delay: str) -> float | None:
    """A duration in seconds; None for one with which Prometheus refuses the file (1.5h, 5, 5m5h, 999y)."""
    if not _DURATION.fullmatch(delay):
        return None
    length = math.fsum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([0-9]+)(ms|[smhdwy])", delay))
    return length if length < _LONGEST else None


class _Walk:
    """One walk down a tree of the parser, in a trouble or in none."""

    def __init__(
        self, trouble: Trouble, recorded: Callable[[str], tuple[str, ...]] = lambda name: (), depth: int = 8
    ) -> None:
        self.trouble = trouble
        self.recorded = recorded
        self.depth = depth

    def of(self, tree: Any) -> Bounds:
        """The bounds of a whole expression: a range vector is no result of a rule."""
        return Bounds(empty=True) if is_range(tree) else self.bounds(tree)

    def bounds(self, node: Any) -> Bounds:
        """The bounds below a node; dispatch by the name of its class."""
        kind = type(node).__name__
        if kind == "NumberLiteral":
            return Bounds(node.val, node.val)
        if kind in ("ParenExpr", "SubqueryExpr"):
            return self.bounds(node.expr)
        if kind == "MatrixSelector":
            return self.bounds(node.vector_selector)
        if kind == "VectorSelector":
            return self.selector(node)
        if kind in ("AggregateExpr", "Call") and fault(node, ()):
            return Bounds(empty=True)
        if kind == "AggregateExpr":
            return self.aggregate(node)
        if kind == "Call":
            return self.call(node)
        return self.binary(node) if kind == "BinaryExpr" else ANY

    def selector(self, node: Any) -> Bounds:
        """A metric of the collector is a count; that which grows in the trouble is there and is not zero."""
        rules = self.recorded(node.name) if node.name and self.depth else ()
        if len(rules) == 1:
            return _Walk(self.trouble, self.recorded, self.depth - 1).of(parsed(rules[0]))
        if self.trouble is Trouble.WELL and self.names(node, Trouble.QUEUE):
            return _FEW
        if not self.names(node, self.trouble):
            return POSITIVE if "otelcol_" in f"{node.name or ''} {node.matchers}" else ANY
        return SOME if self.trouble is Trouble.SENDS else _MANY

    def names(self, node: Any, trouble: Trouble) -> bool:
        """Whether a selector picks the metric by which a trouble shows."""
        name = node.name or ""
        if not name:
            name = next((m.value for m in node.matchers.matchers if m.name == "__name__"), "")
        return bool(trouble.value) and "otelcol_" in name and trouble.value in name

    def aggregate(self, node: Any) -> Bounds:
        """The bounds of an aggregation."""
        inner = self.bounds(node.expr)
        op = str(node.op)
        if inner.empty or op in _SAME_AGGREGATIONS:
            return inner
        if op == "count":
            return Bounds(1.0, tested=inner.tested)
        return Bounds(max(inner.low, 0.0), tested=inner.tested) if op == "sum" and inner.low >= 0 else ANY

    def call(self, node: Any) -> Bounds:
        """The bounds of a function."""
        name = node.func.name
        if name in ("absent", "absent_over_time"):
            return self.absent(node.args[0])
        inner = self.bounds(node.args[0]) if node.args else ANY
        if name == "vector" or name in _SAME or inner.empty:
            return inner
        if name in _COUNTING and inner.low >= 0:
            return self.rises(node.args[0], inner) if name in ("rate", "irate", "increase") else ANY
        return ANY

    def rises(self, node: Any, inner: Bounds) -> Bounds:
        """How fast a count grows."""
        counted = bare(node)
        failures = type(counted).__name__ == "MatrixSelector" and self.names(
            counted.vector_selector, Trouble.SENDS
        )
        if self.trouble is Trouble.WELL and failures:
            return _NONE
        return SOME if self.trouble is Trouble.SENDS and inner.low > 0 else POSITIVE

    def absent(self, node: Any) -> Bounds:
        """Nothing, when the metric of the trouble is asked for: it is there."""
        while type(node).__name__ in ("ParenExpr", "MatrixSelector"):
            node = node.expr if type(node).__name__ == "ParenExpr" else node.vector_selector
        there = type(node).__name__ == "VectorSelector" and self.names(node, self.trouble)
        return Bounds(empty=True) if there else ANY

    def binary(self, node: Any) -> Bounds:
        """The bounds of an operation."""
        op = str(node.op)
        left, right = self.bounds(node.lhs), self.bounds(node.rhs)
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
        if share is SHARE and self.trouble is Trouble.WELL:
            return _SLIGHT
        if share is not None and self.trouble is Trouble.QUEUE:
            return FULL
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
        "==": left.low == left.high == right.low == right.high,
    }.get(op, False)
    return _with(left, empty=not possible, tested=not certain or left.tested or right.tested)


def _computed(op: str, left: Bounds, right: Bounds) -> Bounds:
    tested = left.tested or right.tested
    if op == "+":
        return Bounds(left.low + right.low, left.high + right.high, tested=tested)
    if op == "-" and math.isfinite(right.low) and math.isfinite(right.high):
        return Bounds(left.low - right.high, left.high - right.low, tested=tested)
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
