"""What becomes of one label on the way through an expression of PromQL: it is judged on the result."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from lens_preflight.dashboards.infrastructure import exempt
from lens_preflight.dashboards.promql import parsed, selector_uses
from lens_preflight.dashboards.selectors import Matcher, Use
from lens_preflight.dashboards.variables import mentions

SAMPLE = "run-1"
_ALIKE = {"nemo_run_id", "nemo.run.id"}
_INSTANCES = {"instance", "exported_instance"}
_NO_LABELS = frozenset({"vector", "absent", "absent_over_time"})
_PICKS = frozenset({"topk", "bottomk", "limitk", "limit_ratio"})
_SET_OPS = frozenset({"and", "or", "unless"})


class Fate(enum.Enum):
    """What a result has of a label: the best is first."""

    KEPT = "kept"
    """Each series has the text that the metric had."""
    UNKNOWN = "unknown"
    """It cannot be told."""
    FIXED = "fixed"
    """One text for all series, or that of one run only."""
    GONE = "gone"
    """No series has it, or there is none."""


Ask: TypeAlias = Callable[[Use], Fate | None]
"""The fate of a label on the series that a selector picks, when rules made them; None for other series."""

_ORDER = list(Fate)


def best(fates: Iterable[Fate]) -> Fate:
    """What of several sets of series is there to be filtered."""
    return min(fates, key=_ORDER.index, default=Fate.GONE)


def worst(fates: Iterable[Fate]) -> Fate:
    """What is left when series are matched: both sides need the label."""
    return max(fates, key=_ORDER.index, default=Fate.KEPT)


def fate_of(text: str, label: str, ask: Ask) -> Fate:
    """The fate of a label on the result of an expression; ``ask`` knows the series that rules record."""
    try:
        return _Walk(label, ask).of(parsed(text)) or Fate.GONE
    except (ValueError, RecursionError):
        return Fate.UNKNOWN


class _Walk:
    """One walk down a tree of the parser; None stands for a number."""

    def __init__(self, label: str, ask: Ask) -> None:
        self.label = label
        self.ask = ask

    def of(self, node: Any) -> Fate | None:
        kind = type(node).__name__
        if kind == "VectorSelector":
            return best(self.selector(use) for use in selector_uses(node))
        if kind == "MatrixSelector":
            return self.of(node.vector_selector)
        if kind in ("ParenExpr", "SubqueryExpr", "UnaryExpr"):
            return self.of(node.expr)
        if kind == "AggregateExpr":
            return self.aggregate(node)
        if kind == "Call":
            return self.call(node)
        return self.binary(node) if kind == "BinaryExpr" else None

    def selector(self, use: Use) -> Fate:
        """The label as it comes, and what the matchers on it leave."""
        recorded = self.ask(use)
        found = as_scraped(use, self.label) if recorded is None else recorded
        return worst((found, *(_left_by(m) for m in use.on(self.label))))

    def aggregate(self, node: Any) -> Fate:
        inner = self.of(node.expr) or Fate.GONE
        op = str(node.op)
        if op in _PICKS:
            return inner
        modifier = node.modifier
        labels = set(modifier.labels) if modifier is not None else set()
        without = modifier is not None and str(modifier.type).endswith("Without")
        if op == "count_values" and getattr(node.param, "val", None) == self.label:
            return Fate.FIXED
        return inner if (self.label in labels) is not without else Fate.GONE

    def call(self, node: Any) -> Fate | None:
        name = node.func.name
        if "scalar" in str(node.func.return_type).lower():
            return None
        if name in _NO_LABELS:
            return Fate.GONE
        if name == "info":
            return self.info(node)
        inner = next((f for a in node.args if (f := self.of(a)) is not None), Fate.GONE)
        if name in ("label_replace", "label_join"):
            words = [getattr(argument, "val", None) for argument in node.args[1:]]
            if words and words[0] == self.label:
                return self.written(name, node, words[1:], inner)
        return inner

    def info(self, node: Any) -> Fate:
        """Labels of ``target_info`` are added: all of them, or those that are asked for."""
        asked = selector_uses(node.args[1])[0].matchers if len(node.args) > 1 else ()
        added = not asked or any(m.label == self.label for m in asked)
        left = [_left_by(m) for m in asked if m.label == self.label]
        return worst((Fate.KEPT if added else self.of(node.args[0]) or Fate.GONE, *left))

    def written(self, name: str, node: Any, words: list[Any], inner: Fate) -> Fate:
        """The label is written over: with a copy of the run id, or with something else."""
        if not all(isinstance(word, str) for word in words):
            return Fate.UNKNOWN
        if name == "label_join":
            source, value = (words[1], SAMPLE) if len(words) == 2 else ("", None)
        else:
            replacement, source, pattern = words
            value = _replaced(pattern, replacement, _sample(source), SAMPLE if source in _ALIKE else None)
        if value == "":
            return Fate.GONE
        if value != SAMPLE or source not in _ALIKE | _INSTANCES:
            return Fate.UNKNOWN if value is None and source else Fate.FIXED
        return inner if source == self.label else _Walk(source, self.ask).of(node.args[0]) or Fate.GONE

    def binary(self, node: Any) -> Fate | None:
        left, right = self.of(node.lhs), self.of(node.rhs)
        op = str(node.op)
        if left is None or right is None:
            return right if left is None else left
        if op in _SET_OPS:
            return best((left, right)) if op == "or" else left
        on, labels, cardinality, copied = _matching(node.modifier)
        matched = (self.label in labels) is on
        if cardinality != "OneToOne":
            many, one = (left, right) if cardinality == "ManyToOne" else (right, left)
            if self.label in copied:
                return one
            return worst((many, one)) if matched else many
        return worst((left, right)) if matched else Fate.GONE


def _matching(modifier: Any) -> tuple[bool, set[str], str, set[str]]:
    """``on``?, its labels or those of ``ignoring``, the cardinality, the labels of ``group_left``."""
    if modifier is None:
        return False, set(), "OneToOne", set()
    matching = modifier.matching
    on = matching is not None and str(matching.type).endswith("Include")
    labels = set(matching.labels) if matching is not None else set()
    return on, labels, str(modifier.card).rpartition(".")[2], set(modifier.group_labels or ())


def as_scraped(use: Use, label: str) -> Fate:
    """A metric as its exporter gives it: names and labels are spelled in one way."""
    name = use.metric
    if name and exempt(name):
        return Fate.UNKNOWN if use.on(label) else Fate.GONE  # who filters by it may know better
    if label == "exported_nemo_run_id":
        return Fate.UNKNOWN
    if name != "target_info" and ":" not in name:
        dotted = "." in name
        if (label == "nemo.run.id" and "_" in name and not dotted) or (label == "nemo_run_id" and dotted):
            return Fate.GONE
    return Fate.KEPT


def _left_by(matcher: Matcher) -> Fate:
    """What a matcher on the label leaves of it; one that follows a variable is judged elsewhere."""
    if any(True for _ in mentions(matcher.value)):
        return Fate.KEPT
    passed = [matcher.accepts(text) for text in (SAMPLE, "f3c7", "")]
    if None in passed:
        return Fate.UNKNOWN
    if passed[0] and passed[1]:
        return Fate.KEPT
    return Fate.GONE if passed[2] else Fate.FIXED


def _sample(source: str) -> str | None:
    """What a label says in a run: its id, or the instance that begins with it."""
    if source in _ALIKE:
        return SAMPLE
    return f"{SAMPLE}-rank0" if source in _INSTANCES else None


def _replaced(pattern: str, replacement: str, text: str | None, unmatched: str | None) -> str | None:
    """What ``label_replace`` writes; without a match nothing is written. None: it cannot be told."""
    if "$" not in replacement:
        return replacement if Matcher("", "=~", pattern).accepts(text or "") is not False else unmatched
    if text is None or Matcher("", "=~", pattern).accepts(text) is None:
        return None
    match = re.compile(pattern, re.DOTALL).fullmatch(text)
    if match is None:
        return unmatched
    try:
        return match.expand(re.sub(r"\$\{?(\w+)\}?", r"\\g<\1>", replacement.replace("\\", r"\\")))
    except (re.error, IndexError):
        return ""
