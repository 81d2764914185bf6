"""Conditions in OTTL, evaluated three-valued on a span of which a few attributes are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from lens_preflight.collector.values import OURS, Partly, Truth, Value, compare, matches
from lens_preflight.core.data import dataclass

Known: TypeAlias = Mapping[tuple[str, str], Value]
"""``("attributes" | "resource", key)`` to the value; None says that the attribute is absent.

An empty key says what every attribute is that is not named."""

DURATION = "duration"
"""The root of the path that stands for the end of a span minus its start, in nanoseconds."""


@dataclass(frozen=True)
class Path:
    """A field: ``span.attributes["k"]`` has the root ``attributes``, ``resource.attributes`` ``resource``."""

    root: str
    key: str


@dataclass(frozen=True)
class Call:
    """A converter such as ``IsMatch(path, "pattern")``."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True)
class Facts:
    """What is known of an item; ``closed``: of what is not known it is told what an item of a job has."""

    known: Known
    closed: bool = False

    def of(self, path: Path) -> Value:
        """The value of a field."""
        for key in (path.key, "") if path.key else ():
            if (path.root, key) in self.known:
                return self.known[(path.root, key)]
        if not self.closed:
            return Partly.UNKNOWN
        foreign = path.key and path.root in ("attributes", "resource") and OURS.search(path.key) is None
        return Partly.FOREIGN if foreign or path.root in _SCOPE else Partly.UNKNOWN


_SCOPE = frozenset({"scope.name", "instrumentation_scope.name"})

Term: TypeAlias = "Path | Call | bool | int | float | str | None"


@dataclass(frozen=True)
class Condition:
    """``op`` is and, or, not, a comparison, or ``is`` for a single term."""

    op: str
    parts: tuple[Condition, ...] = ()
    left: Term = None
    right: Term = None

    def holds(self, known: Known) -> bool | None:
        """None when it hangs on something not known."""
        return {Truth.YES: True, Truth.NO: False}.get(self.judged(Facts(known)))

    def judged(self, facts: Facts) -> Truth:
        """The same of an item of which more can be told than a few values."""
        if self.op == "not":
            inner = self.parts[0].judged(facts)
            return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(inner, Truth.UNKNOWN)
        if self.op in ("and", "or"):
            results = {part.judged(facts) for part in self.parts}
            order = (
                (Truth.YES, Truth.UNKNOWN, Truth.UNLIKELY, Truth.NO)
                if self.op == "or"
                else (Truth.NO, Truth.UNLIKELY, Truth.UNKNOWN, Truth.YES)
            )
            return next(truth for truth in order if truth in results)
        left = value_of(self.left, facts)
        if self.op == "is":
            return _as_truth(left)
        return compare(self.op, left, value_of(self.right, facts))

    def paths(self) -> Iterator[Path]:
        """Every field that is read."""
        for part in self.parts:
            yield from part.paths()
        for term in (self.left, self.right):
            yield from _paths(term)

    def compares(self) -> Iterator[tuple[str, Path, Term]]:
        """Comparisons of a field with a literal: operator, field, literal."""
        for part in self.parts:
            yield from part.compares()
        if isinstance(self.left, Path) and not isinstance(self.right, (Path, Call)) and self.op != "is":
            yield self.op, self.left, self.right


def _paths(term: Term) -> Iterator[Path]:
    if isinstance(term, Path):
        yield term
    elif isinstance(term, Call):
        for argument in term.arguments:
            yield from _paths(argument)


def _as_truth(value: object) -> Truth:
    if isinstance(value, Truth):
        return value
    if isinstance(value, bool):
        return Truth.YES if value else Truth.NO
    return Truth.UNLIKELY if value is Partly.FOREIGN else Truth.UNKNOWN


def value_of(term: Term, facts: Facts) -> object:
    """What a term is for an item."""
    if isinstance(term, Path):
        return facts.of(term)
    if isinstance(term, Call):
        return _call(term, facts)
    return term


def _call(call: Call, facts: Facts) -> object:
    if call.name.startswith("HasAttr"):
        return _has(call.arguments, facts)
    values = [value_of(argument, facts) for argument in call.arguments]
    if not values or values[0] is Partly.UNKNOWN:
        return Partly.UNKNOWN
    first = values[0]
    if call.name == "IsMatch" and len(values) == 2:
        return matches(first, values[1]) if isinstance(values[1], str) else Partly.UNKNOWN
    if isinstance(first, Partly):
        return first if call.name in ("String", "ToString", *_CASES) else Partly.UNKNOWN
    if call.name == "IsBool":
        return isinstance(first, bool)
    if call.name == "IsString":
        return isinstance(first, str)
    if call.name in ("String", "ToString") and first is not None:
        return str(first).lower() if isinstance(first, bool) else str(first)
    if call.name in _CASES and isinstance(first, str):
        return first.lower() if _CASES[call.name] == "lower" else first.upper()
    if call.name in ("HasPrefix", "HasSuffix") and all(isinstance(v, str) for v in values[:2]):
        text, part = str(first), str(values[-1])
        return text.startswith(part) if call.name == "HasPrefix" else text.endswith(part)
    return Partly.UNKNOWN


def _has(arguments: tuple[Term, ...], facts: Facts) -> Truth:
    """``HasAttrKeyOnDatapoint("k")``, ``HasAttrOnDatapoint("k", "v")``."""
    if not arguments or not isinstance(arguments[0], str):
        return Truth.UNKNOWN
    value = facts.of(Path("attributes", arguments[0]))
    return compare("==", value, arguments[1]) if len(arguments) > 1 else compare("!=", value, None)


_CASES = {"ToLowerCase": "lower", "ToUpperCase": "upper"}
