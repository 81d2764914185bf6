"""Conditions in OTTL, evaluated three-valued on a span of which a few attributes are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from lens_preflight.core.data import dataclass
from lens_preflight.core.go_patterns import found_in

Value: TypeAlias = bool | int | float | str | None
Known: TypeAlias = Mapping[tuple[str, str], Value]
"""``("attributes" | "resource", key)`` to the value; None says that the attribute is absent."""

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?\d+(?:\.\d+)?)|(?P<op>==|!=|<=|>=|[<>()\[\],+*/=-])"
    r"|(?P<word>[A-Za-z_][\w.]*))"
)
_UNKNOWN = object()


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
        if self.op == "not":
            inner = self.parts[0].holds(known)
            return None if inner is None else not inner
        if self.op in ("and", "or"):
            results = [part.holds(known) for part in self.parts]
            decisive = self.op == "or"
            if decisive in results:
                return decisive
            return None if None in results else not decisive
        left = _value(self.left, known)
        if self.op == "is":
            return left if isinstance(left, bool) else None
        return _compare(self.op, left, _value(self.right, known))

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


def _value(term: Term, known: Known) -> object:
    if isinstance(term, Path):
        return known.get((term.root, term.key), _UNKNOWN) if term.key else _UNKNOWN
    if isinstance(term, Call):
        return _call(term, known)
    return term


def _call(call: Call, known: Known) -> object:
    values = [_value(argument, known) for argument in call.arguments]
    if not values or values[0] is _UNKNOWN:
        return _UNKNOWN
    first = values[0]
    if call.name == "IsBool":
        return isinstance(first, bool)
    if call.name == "IsString":
        return isinstance(first, str)
    if call.name in ("String", "ToString") and first is not None:
        return str(first).lower() if isinstance(first, bool) else str(first)
    if call.name == "IsMatch" and len(values) == 2 and isinstance(values[1], str):
        if first is None:
            return False
        text = str(first).lower() if isinstance(first, bool) else str(first)
        hit = found_in(values[1], text)
        return _UNKNOWN if hit is None else hit
    return _UNKNOWN


def _compare(op: str, left: object, right: object) -> bool | None:
    """Values of different types are never equal, as in OTTL: ``true`` is not ``"true"``."""
    if left is _UNKNOWN or right is _UNKNOWN:
        return None
    if op in ("==", "!="):
        numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (left, right))
        equal = left == right and (numbers or type(left) is type(right))
        return equal is (op == "==")
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and not isinstance(left, bool):
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]
    return False


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"not OTTL at {text[position : position + 20]!r}")
            kind = match.lastgroup or ""
            self.tokens.append((kind, match.group(kind)))
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise ValueError("the condition ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, text: str) -> None:
        if self.take()[1] != text:
            raise ValueError(f"expected {text!r}")

    def either(self) -> Condition:
        parts = [self.all()]
        while self.peek() == "or":
            self.take()
            parts.append(self.all())
        return parts[0] if len(parts) == 1 else Condition("or", tuple(parts))

    def all(self) -> Condition:
        parts = [self.one()]
        while self.peek() == "and":
            self.take()
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else Condition("and", tuple(parts))

    def one(self) -> Condition:
        if self.peek() == "not":
            self.take()
            return Condition("not", (self.one(),))
        if self.peek() == "(":
            self.take()
            inner = self.either()
            self.expect(")")
            return inner
        left = self.term()
        if self.peek() in ("==", "!=", "<", "<=", ">", ">="):
            _, op = self.take()
            return Condition(op, (), left, self.term())
        return Condition("is", (), left)

    def term(self) -> Term:
        found = self.simple()
        while self.peek() in ("+", "-", "*", "/"):  # arithmetic: the value is not known
            self.take()
            self.simple()
            found = Path("arithmetic", "")
        return found

    def simple(self) -> Term:
        kind, text = self.take()
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind != "word":
            raise ValueError(f"unexpected {text!r}")
        if text in ("true", "false", "nil"):
            return {"true": True, "false": False, "nil": None}[text]
        if self.peek() == "(":
            self.take()
            arguments: list[Term] = []
            while self.peek() != ")":
                if self.peek() == "[" or self.peek() in (",", "]", "="):
                    self.take()
                else:
                    arguments.append(self.term())
            self.take()
            return Call(text, tuple(arguments))
        return self.path(text)

    def path(self, name: str) -> Path:
        key = ""
        while self.peek() == "[":
            self.take()
            kind, text = self.take()
            key = text[1:-1] if kind == "string" and not key else key
            self.expect("]")
        if name in (
            "attributes",
            "span.attributes",
            "datapoint.attributes",
            "log.attributes",
            "spanevent.attributes",
        ):
            return Path("attributes", key)
        if name == "resource.attributes":
            return Path("resource", key)
        return Path(name, key or "value")


def parse(text: str) -> Condition:
    """Read one condition.

    Raises:
        ValueError: it is not OTTL, or beyond what is read here.
    """
    parser = _Parser(text)
    try:
        condition = parser.either()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if parser.at < len(parser.tokens):
        raise ValueError(f"unexpected {parser.peek()!r}")
    return condition
