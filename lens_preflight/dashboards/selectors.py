"""What a query asks for: selectors, what becomes of their labels, and which selectors confine them."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.go_patterns import is_whole

if TYPE_CHECKING:
    from lens_preflight.dashboards.conditions import Condition

REGEX_TIMEOUT_CHARS = 2000
"""A pattern longer than this is not evaluated; nobody writes one by hand."""


class Language(enum.Enum):
    """The language that a target is written in."""

    PROMQL = "PromQL"
    LOGQL = "LogQL"
    TRACEQL = "TraceQL"
    KQL = "KQL"
    LUCENE = "Lucene"
    EXPRESSION = "expression"
    OTHER = "other"


@dataclass(frozen=True)
class Matcher:
    """One condition on a label; ``op`` is one of ``= != =~ !~``, ``bare`` for a value without quotes."""

    label: str
    op: str
    value: str
    bare: bool = False

    def accepts(self, text: str) -> bool | None:
        """Whether a label with this text passes; None when the pattern is not a legal one.

        An absent label is the empty text. Patterns are anchored, as in Prometheus (RE2 syntax, read
        here by Python's).
        """
        if self.op in ("=", "!="):
            return (self.value == text) is (self.op == "=")
        if len(self.value) > REGEX_TIMEOUT_CHARS:
            return None
        hit = is_whole(self.value, text)
        return None if hit is None else hit is (self.op == "=~")

    def __str__(self) -> str:
        return f'{self.label}{self.op}"{self.value}"'


@dataclass(frozen=True)
class Labels:
    """The labels that a result keeps: only some, or all but some."""

    only: frozenset[str] | None = None
    dropped: frozenset[str] = frozenset()

    def has(self, label: str) -> bool:
        """Whether the label, if the series had it, is still there."""
        return label not in self.dropped if self.only is None else label in self.only

    def keep(self, labels: frozenset[str]) -> Labels:
        """What is left when only these labels stay."""
        return Labels(frozenset(name for name in labels if self.has(name)))

    def drop(self, labels: frozenset[str]) -> Labels:
        """What is left when these labels go."""
        if self.only is not None:
            return Labels(self.only - labels)
        return Labels(None, self.dropped | labels)

    def add(self, labels: frozenset[str]) -> Labels:
        """What is there when these labels are copied in."""
        if self.only is not None:
            return Labels(self.only | labels)
        return Labels(None, self.dropped - labels)


@dataclass(frozen=True)
class Use:
    """One selector in its place in an expression.

    ``metric`` is the exact name, empty when the name is chosen by ``matchers`` on ``__name__``.
    ``within`` are the functions and aggregations around it, innermost first. ``kept`` are the
    labels that reach the result. ``joined`` are selectors without which this one gives nothing,
    ``removed`` those whose series are taken away from it (``unless``). ``divides`` and
    ``divided_by`` are set for the two sides of a division; ``alternative`` for a side of ``or``.
    ``empty`` says why nothing of it is ever shown.
    """

    metric: str
    matchers: tuple[Matcher, ...] = ()
    within: tuple[str, ...] = ()
    kept: Labels = field(default_factory=Labels)
    joined: tuple[Use, ...] = ()
    removed: tuple[Use, ...] = ()
    divides: bool = False
    divided: bool = False
    alternative: bool = False
    empty: str = ""

    @property
    def shown(self) -> str:
        """The selector as a reader knows it."""
        rest = ", ".join(str(m) for m in self.matchers)
        return f"{self.metric}{{{rest}}}" if rest else self.metric

    @property
    def contradiction(self) -> str:
        """Two of the matchers that no series can satisfy together, in words; empty when there are none."""
        for exact in self.matchers:
            if exact.op == "=" and "$" not in exact.value:
                for other in self.on(exact.label):
                    if "$" not in other.value and other.accepts(exact.value) is False:
                        return f"{exact} and {other} exclude each other"
        names = [m for m in self.on("__name__") if self.metric and m.accepts(self.metric) is False]
        return f"{self.metric} and {names[0]} exclude each other" if names else ""

    def on(self, *labels: str) -> tuple[Matcher, ...]:
        """The matchers on any of these labels."""
        return tuple(m for m in self.matchers if m.label in labels)

    def may_name(self, metric: str) -> bool:
        """Whether the selector picks a series of this name."""
        if self.metric:
            return self.metric == metric
        names = self.on("__name__")
        return bool(names) and all(m.accepts(metric) is not False for m in names)


@dataclass(frozen=True)
class Query:
    """A query, taken apart. ``error`` is set when it does not parse; then ``uses`` is what a scan saw.

    ``beyond``: it was not parsed because of a bound of ours, and may be sound.
    ``condition`` is the filter of languages that ask for spans or documents. ``ranges``: the result is a
    range vector.
    """

    language: Language
    text: str
    uses: tuple[Use, ...] = ()
    error: str = ""
    condition: Condition | None = None
    beyond: bool = False
    ranges: bool = False

    @cached_property
    def metrics(self) -> frozenset[str]:
        """The exact metric names."""
        return frozenset(use.metric for use in self.uses if use.metric)
