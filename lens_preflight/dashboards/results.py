"""Expressions that give nothing whatever is stored: what Prometheus makes of them (2.42, measured)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.selectors import Query, Use

_TWO_SAMPLES = frozenset(
    {"rate", "irate", "increase", "delta", "idelta", "deriv", "predict_linear"}
    | {"holt_winters", "double_exponential_smoothing"}
)
_SHORTEST = 1.0
"""A range in seconds that holds one sample at most: nobody scrapes more often."""

_WRITES = frozenset({"label_replace", "label_join"})


def bare(node: Any) -> Any:
    """A node without the brackets around it."""
    while type(node).__name__ == "ParenExpr":
        node = node.expr
    return node


def is_range(tree: Any) -> bool:
    """Whether an expression is a range vector, of which no graph can be drawn."""
    return type(bare(tree)).__name__ in ("MatrixSelector", "SubqueryExpr")


def drawn(query: Query) -> Query:
    """The query when it is asked for a stretch of time, or by a rule: a range vector is an error there."""
    if not query.ranges:
        return query
    why = "is a range vector, which Prometheus draws no graph of: take it into rate() or avg_over_time()"
    return replace(query, uses=tuple(replace(use, empty=use.empty or why) for use in query.uses))


def dead(uses: Iterable[Use]) -> str:
    """Why nothing is left of a side of an operation, empty when something may be."""
    reasons = [use.empty for use in uses]
    return reasons[0] if reasons and all(reasons) else ""


def fault(node: Any, uses: Iterable[Use]) -> str:
    """Why a call or an aggregation, whose selectors are ``uses``, never has a result; empty when it may."""
    if type(node).__name__ == "AggregateExpr":
        op, value = str(node.op), _number(node.param)
        if op == "quantile":
            return _share(value)
        few = op in ("topk", "bottomk", "limitk") and value is not None and value < 1
        return f"asks {op} for {value:g} series" if few else ""
    name = node.func.name
    if name in ("histogram_quantile", "quantile_over_time"):
        return _share(_number(node.args[0])) or (_buckets(node, uses) if name == "histogram_quantile" else "")
    return _window(name, node) if name in _TWO_SAMPLES else ""


def _number(node: Any) -> float | None:
    value = getattr(bare(node), "val", None)
    return float(value) if isinstance(value, int | float) else None


def _share(value: float | None) -> str:
    """A quantile beyond 0 and 1 is infinite."""
    if value is None or 0 <= value <= 1:
        return ""
    advice = f": write {value / 100:g}" if 1 < value <= 100 else ""
    return f"asks for the quantile {value:g}, and 1 is the whole{advice}"


def _window(name: str, node: Any) -> str:
    """Two samples must lie in the range that a function looks back over."""
    inner = bare(node.args[0])
    length = getattr(inner, "range", None)
    if length is None:
        return ""
    if length.total_seconds() <= _SHORTEST:
        return f"looks back {length.total_seconds():g} s by {name}, which needs two samples"
    step = getattr(inner, "step", None)
    if step is not None and step > length:
        return f"takes one sample per range for {name}, which needs two"
    return ""


def _buckets(node: Any, uses: Iterable[Use]) -> str:
    """Quantiles need the buckets of a histogram, that of +Inf among them."""
    if _writes_le(node.args[1]):
        return ""
    reasons = [_bucket(use) for use in uses]
    return reasons[0] if reasons and all(reasons) else ""


def _bucket(use: Use) -> str:
    if ":" not in use.metric and use.metric.endswith(("_sum", "_count")):
        return f"asks histogram_quantile of {use.metric}, which has no buckets"
    one = next((m for m in use.on("le") if "$" not in m.value and m.accepts("+Inf") is False), None)
    return f"leaves the bucket of +Inf out by {one}, without which there is no quantile" if one else ""


def _writes_le(node: Any) -> bool:
    node = bare(node)
    if type(node).__name__ == "Call":
        target = (
            getattr(node.args[1], "val", "le") if node.func.name in _WRITES and len(node.args) > 1 else ""
        )
        return target == "le" or any(_writes_le(argument) for argument in node.args)
    below = [getattr(node, name, None) for name in ("expr", "lhs", "rhs")]
    return any(_writes_le(inner) for inner in below if inner is not None)
