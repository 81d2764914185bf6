"""PromQL: from text to selectors in their places (parser: promql-parser, with a scan to fall back on)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.macros import NUMBER
from lens_preflight.dashboards.results import dead, fault, is_range
from lens_preflight.dashboards.scanning import scan_selectors
from lens_preflight.dashboards.selectors import Labels, Language, Matcher, Query, Use

FAR = timedelta(days=1)
"""An offset beyond this shows another time than that of the panel."""

MOST_JOINED = 64
"""Selectors of an expression that are joined with each other; the work grows with their cube."""

MOST_OPERATORS = 400
"""Operators and opening brackets of an expression; promql-parser 0.12 dies of 1,300 on a stack of 2 MiB."""

_TEXT = r"\"(?:[^\"\\]|\\(?:.|\Z))*(?:\"|\Z)|'(?:[^'\\]|\\(?:.|\Z))*(?:'|\Z)|`[^`]*(?:`|\Z)"
_OPERATOR = re.compile(
    rf"{_TEXT}|\{{(?:[^{{}}\"'`]|{_TEXT})*\}}|#[^\n]*|(?P<operator>[-+*/%^(<>]|[!=]=|\b(?:and|or|unless|atan2)\b)",
    re.IGNORECASE | re.DOTALL,
)
_SCALAR_RESULT = frozenset({"scalar", "absent", "absent_over_time"})
_ADDS_LABEL = frozenset({"label_replace", "label_join"})
_KEEPS_LABELS = frozenset({"topk", "bottomk", "limitk", "limit_ratio"})
_MATCH_OPS = {"Equal": "=", "NotEqual": "!=", "Re": "=~", "NotRe": "!~"}


class Beyond(ValueError):
    """An expression beyond a bound of ours, which may be sound."""


def read_promql(text: str) -> Query:
    """Take an expression apart; macros of Grafana must have been replaced."""
    try:
        tree = parsed(text)
        return Query(Language.PROMQL, text, tuple(_uses(tree)), ranges=is_range(tree))
    except (ValueError, RecursionError) as error:
        beyond = isinstance(error, Beyond | RecursionError)
        reason = "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        return Query(Language.PROMQL, text, scan_selectors(text), reason or "not PromQL", beyond=beyond)


@lru_cache(maxsize=512)
def parsed(text: str) -> Any:
    """The parser's tree.

    Raises:
        ValueError: it is not PromQL, or the parser panics, as over a range that is no duration.
        Beyond: it has so many operators that the parser, which recurses, would overflow a small stack.
    """
    import promql_parser

    if sum(match.lastgroup == "operator" for match in _OPERATOR.finditer(text)) > MOST_OPERATORS:
        raise Beyond(f"more than {MOST_OPERATORS} operators and brackets")

    try:
        return promql_parser.parse(text)
    except BaseException as error:  # a panic of Rust is no Exception, and its class cannot be imported
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(str(error)) from None


def _uses(node: Any) -> list[Use]:
    """The selectors below a node of the parser's tree; dispatch by the name of its class."""
    kind = type(node).__name__
    if kind == "VectorSelector":
        return selector_uses(node)
    if kind == "MatrixSelector":
        return selector_uses(node.vector_selector)
    if kind in ("ParenExpr", "SubqueryExpr", "UnaryExpr"):
        return _uses(node.expr)
    if kind in ("AggregateExpr", "Call"):
        uses = _aggregate(node) if kind == "AggregateExpr" else _call(node)
        return _without_result(uses, fault(node, uses))
    if kind == "BinaryExpr":
        return _binary(node)
    return []


def _without_result(uses: list[Use], why: str) -> list[Use]:
    """The selectors of an expression that never has a result, for a reason; without one as they are."""
    return [replace(use, empty=use.empty or why) for use in uses] if why else uses


def selector_uses(node: Any) -> list[Use]:
    """One use for a selector of the tree, or one per ``or`` group of its matchers."""
    common = [_matcher(m) for m in node.matchers.matchers]
    groups = [[_matcher(m) for m in group] for group in node.matchers.or_matchers] or [[]]
    found = []
    for group in groups:
        matchers = common + group
        name = node.name or next((m.value for m in matchers if m.label == "__name__" and m.op == "="), "")
        rest = tuple(m for m in matchers if m != Matcher("__name__", "=", name))
        found.append(Use(name, rest, tuple(_moment(node)), alternative=len(groups) > 1))
    return found


def _moment(node: Any) -> Iterator[str]:
    """Whether a selector looks away from the time that is shown: at one moment for good, or far back."""
    at = "" if node.at is None else str(node.at)
    if at and at not in ("@ start()", "@ end()") and not at.startswith(f"@ {NUMBER}."):
        yield "fixed moment"
    if node.offset is not None and abs(node.offset) > FAR:
        yield "far offset"


def _matcher(raw: Any) -> Matcher:
    op = str(raw.op).rpartition(".")[2]
    return Matcher(raw.name, _MATCH_OPS[op], raw.value)


def _inside(uses: list[Use], name: str, kept: Any) -> list[Use]:
    return [replace(use, within=(*use.within, name), kept=kept(use.kept)) for use in uses]


def _aggregate(node: Any) -> list[Use]:
    op = str(node.op)
    if op in _KEEPS_LABELS:
        return _inside(_uses(node.expr), op, lambda kept: kept)
    modifier = node.modifier
    labels = frozenset(modifier.labels) if modifier is not None else frozenset()
    if modifier is not None and str(modifier.type).endswith("Without"):
        uses = _inside(_uses(node.expr), op, lambda kept: kept.drop(labels))
    else:
        uses = _inside(_uses(node.expr), op, lambda kept: kept.keep(labels))
    parameter = _uses(node.param) if node.param is not None else []
    return uses + _inside(parameter, "parameter", lambda kept: kept.keep(frozenset()))


def _call(node: Any) -> list[Use]:
    name = node.func.name
    written: frozenset[str] = frozenset()
    if name in _ADDS_LABEL and len(node.args) > 1 and type(node.args[1]).__name__ == "StringLiteral":
        written = frozenset({node.args[1].val})
    constant = name == "label_replace" and "$" not in getattr(node.args[2], "val", "$")
    uses = [use for argument in node.args for use in _uses(argument)]
    if name == "info":
        return _inside(_info(node), name, lambda kept: kept)
    if name in _SCALAR_RESULT:
        return _inside(uses, name, lambda kept: kept.keep(frozenset()))
    if name == "histogram_quantile":
        missing = [use for use in uses if use.metric.endswith("_bucket") and not use.kept.has("le")]
        label = "histogram_quantile without le" if missing else name
        return _inside(uses, label, lambda kept: kept.drop(frozenset({"le"})))
    return _inside(uses, name, lambda kept: kept.drop(written) if constant else kept.add(written))


def _info(node: Any) -> list[Use]:
    """``info(v, {nemo_run_id="x"})``: the data labels confine the first argument."""
    uses = _uses(node.args[0])
    data = _uses(node.args[1]) if len(node.args) > 1 else []
    return [replace(use, joined=(*use.joined, *data)) for use in uses]


def _binary(node: Any) -> list[Use]:
    op = str(node.op)
    left, right = _uses(node.lhs), _uses(node.rhs)
    if getattr(node.modifier, "return_bool", False):
        left, right = ([replace(use, within=(*use.within, "bool")) for use in side] for side in (left, right))
    if op == "*" and 0 in (getattr(node.lhs, "val", None), getattr(node.rhs, "val", None)):
        left, right = ([replace(use, within=(*use.within, "zero")) for use in side] for side in (left, right))
    if not left or not right:
        return left + right
    if op == "or":
        return [replace(use, alternative=True) for use in left + right]
    if op == "unless":
        return [_without(use, right, node) for use in left]
    why = dead(left) or dead(right)
    left, right = _without_result(left, why), _without_result(right, why)
    if len(left) + len(right) > MOST_JOINED:
        raise Beyond(f"more than {MOST_JOINED} selectors that are joined with each other")
    matching, cardinality, copied = _matching(node.modifier)
    if op == "/":
        left = [replace(use, divided=True) for use in left]
        right = [replace(use, divides=True) for use in right]
    new_left = [_joined(use, right, matching, copied if cardinality == "ManyToOne" else None) for use in left]
    new_right = [
        _joined(use, left, matching, copied if cardinality == "OneToMany" else None) for use in right
    ]
    if op == "and":
        return [replace(use, kept=old.kept) for use, old in zip(new_left, left, strict=True)]
    return new_left + new_right


def _without(use: Use, removed: list[Use], node: Any) -> Use:
    """The left of ``unless``; a selector that picks the same series and more leaves nothing of it."""
    other = node.rhs
    while type(other).__name__ == "ParenExpr":
        other = other.expr
    (on, labels), _, _ = _matching(node.modifier)
    whole = use.kept == Labels() or (on and all(use.kept.has(label) for label in labels))
    nothing = (
        type(other).__name__ == "VectorSelector"
        and other.offset is None
        and other.at is None
        and any(_same_series(use, other, whole, on) for other in removed)
    )
    within = (*use.within, "nothing") if nothing else use.within
    return replace(use, removed=(*use.removed, *removed), within=within)


def _same_series(use: Use, other: Use, whole: bool, on: bool) -> bool:
    """Whether a selector picks series with all the labels of another: metrics of one program have the same."""
    if not set(other.matchers) <= set(use.matchers):
        return False
    program = use.metric.partition("_")[0]
    alike = not on and use.kept == Labels() and program == other.metric.partition("_")[0] != other.metric
    return whole and (other.metric == use.metric or alike)


def _matching(modifier: Any) -> tuple[tuple[bool, frozenset[str]], str, frozenset[str]]:
    """``(on?, labels)``, the cardinality and the labels of ``group_left`` or ``group_right``."""
    if modifier is None:
        return (False, frozenset()), "OneToOne", frozenset()
    on = False
    labels: frozenset[str] = frozenset()
    if modifier.matching is not None:
        on = str(modifier.matching.type).endswith("Include")
        labels = frozenset(modifier.matching.labels)
    card = str(modifier.card).rpartition(".")[2]
    return (on, labels), card, frozenset(modifier.group_labels or ())


def _joined(
    use: Use, others: list[Use], matching: tuple[bool, frozenset[str]], copied: frozenset[str] | None
) -> Use:
    """A side of a binary operation: confined by the other side as far as the labels tell runs apart."""
    on, labels = matching
    confining = [other for other in others if _tells_apart(use, other, on, labels)]
    kept = use.kept
    if copied is not None:
        kept = kept.add(copied)
    elif on:
        kept = kept.keep(labels)
    else:
        kept = kept.drop(labels)
    return replace(use, joined=(*use.joined, *confining), kept=kept)


IDENTITY = (("nemo_run_id", "nemo.run.id"), ("instance", "exported_instance", "service_instance_id"))
"""Labels that tell the series of one run from those of another; each group is one label in its spellings."""


def _tells_apart(use: Use, other: Use, on: bool, labels: frozenset[str]) -> bool:
    """Whether series of two runs cannot meet in a match over these labels."""
    for spellings in IDENTITY:
        named = any(label in labels for label in spellings)
        shared = any(use.kept.has(label) and other.kept.has(label) for label in spellings)
        if named is on and shared:
            return True
    return False
