"""The part of OTTL of which it is shown here that a collector reads it: paths, functions, literals, patterns.

Source: opentelemetry-collector-contrib v0.148, pkg/ottl, its contexts and functions; each kind of text was
offered to the validate of a build. What is beyond this part may be right all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lens_preflight.collector.signatures import BOOLEAN, CONVERTERS, EDITORS, ENUMS, PATHS, Kind, fits
from lens_preflight.core.control import CONTROL
from lens_preflight.core.data import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?(?:\d+\.\d+|\d+)(?![\w.]))"
    r"|(?P<op>==|!=|<=|>=|[<>()\[\],{}:+*/=-])|(?P<word>[A-Za-z_][\w.]*))"
)
_ESCAPE = re.compile(r"\\(?:[abfnrtv\\\"]|x[0-9a-fA-F]{2}|[0-3][0-7]{2}|u[0-9a-fA-F]{4})")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_WORDS = frozenset({"and", "or", "not", "where", "true", "false", "nil"})
_PLAIN = {"true": True, "false": False}


@dataclass(frozen=True)
class Given:
    """A value as it stands in a text: what it is, and what it says when it is written out."""

    kind: Kind
    value: object = None


class Beyond(Exception):
    """A text is not in the part that is known."""


def reads_condition(text: str, contexts: Sequence[str]) -> bool:
    """Whether a condition is read in one of some contexts."""
    return any(_reads(text, context, statement=False) for context in contexts)


def reads_statement(text: str, contexts: Sequence[str]) -> bool:
    """The same of a statement."""
    return any(_reads(text, context, statement=True) for context in contexts)


def _reads(text: str, context: str, *, statement: bool) -> bool:
    try:
        parser = _Parser(text, context)
        if statement:
            parser.statement()
        else:
            parser.either()
        return parser.at == len(parser.tokens)
    except (Beyond, RecursionError):
        return False


class _Parser:
    def __init__(self, text: str, context: str) -> None:
        self.context = context
        self.inferred = context.startswith("?")
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise Beyond
            kind = match.lastgroup or ""
            self.tokens.append((kind, match.group(kind)))
            position = match.end()

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str = "") -> tuple[str, str]:
        if self.at >= len(self.tokens) or (wanted and self.peek() != wanted):
            raise Beyond
        self.at += 1
        return self.tokens[self.at - 1]

    def statement(self) -> None:
        kind, name = self.take()
        forms = EDITORS.get(name)
        if kind != "word" or forms is None or (forms.contexts and self.context not in forms.contexts):
            raise Beyond
        if not fits(forms, self.arguments()):
            raise Beyond
        if self.peek():
            self.take("where")
            self.either()

    def either(self) -> None:
        self.both()
        while self.peek() == "or":
            self.take()
            self.both()

    def both(self) -> None:
        self.one()
        while self.peek() == "and":
            self.take()
            self.one()

    def one(self) -> None:
        if self.peek() == "not":
            self.take()
        if self.peek() == "(":
            began = self.at
            try:
                self.take()
                self.either()
                self.take(")")
                if self.peek() not in (*_COMPARISONS, "+", "-", "*", "/"):
                    return
            except Beyond:
                pass
            self.at = began  # the brackets are those of a sum
        name = self.peek()
        left = self.sum()
        if self.peek() in _COMPARISONS:
            self.take()
            self.sum()
        elif left.kind is not Kind.BOOL and not (left.kind is Kind.CALL and name in BOOLEAN):
            raise Beyond

    def sum(self) -> Given:
        found = self.simple()
        while self.peek() in ("+", "-", "*", "/"):
            self.take()
            for one in (found, self.simple()):
                if one.kind not in (Kind.PATH, Kind.INT, Kind.FLOAT, Kind.SUM, Kind.CALL):
                    raise Beyond
            found = Given(Kind.SUM)
        return found

    def simple(self) -> Given:
        if self.peek() == "(":
            self.take()
            found = self.sum()
            self.take(")")
            return (
                Given(Kind.SUM) if found.kind in (Kind.PATH, Kind.INT, Kind.FLOAT, Kind.SUM) else self.fail()
            )
        if self.peek() == "[":
            return self.list()
        if self.peek() == "{":
            return self.map()
        kind, text = self.take()
        if kind == "string":
            return Given(Kind.TEXT, _meant(text))
        if kind == "number":
            return Given(Kind.FLOAT, float(text)) if "." in text else Given(Kind.INT, int(text))
        if kind != "word":
            raise Beyond
        if text in _PLAIN:
            return Given(Kind.BOOL, _PLAIN[text])
        if text == "nil":
            return Given(Kind.NIL)
        if text in ENUMS.get(self.context.strip("?"), ()):
            return Given(Kind.INT)
        if self.peek() == "(":
            forms = CONVERTERS.get(text)
            if forms is None or (forms.contexts and self.context not in forms.contexts):
                raise Beyond
            return Given(Kind.CALL, text) if fits(forms, self.arguments()) else self.fail()
        return self.path(text)

    def fail(self) -> Given:
        raise Beyond

    def arguments(self) -> list[Given]:
        self.take("(")
        found: list[Given] = []
        while self.peek() != ")":
            if found:
                self.take(",")
            found.append(self.sum())
        self.take(")")
        return found

    def list(self) -> Given:
        self.take("[")
        found: list[Given] = []
        while self.peek() != "]":
            if found:
                self.take(",")
            found.append(self.simple())
        self.take("]")
        return Given(Kind.LIST, tuple(found))

    def map(self) -> Given:
        self.take("{")
        first = True
        while self.peek() != "}":
            if not first:
                self.take(",")
            first = False
            kind, text = self.take()
            if kind != "string":
                raise Beyond
            _meant(text)
            self.take(":")
            self.simple()
        self.take("}")
        return Given(Kind.MAP)

    def path(self, name: str) -> Given:
        if name in _WORDS:
            raise Beyond
        keys = 0
        while self.peek() == "[":
            self.take()
            kind, text = self.take()
            if kind == "string":
                _meant(text)
            elif kind != "number" or not keys or not text.isdigit():
                raise Beyond
            self.take("]")
            keys += 1
        owner, _, rest = name.partition(".")
        own = self.context.strip("?")
        if self.inferred and owner == "instrumentation_scope":
            raise Beyond
        if owner in PATHS and owner in PATHS[own].above:
            fields, field = PATHS[owner].fields, rest
        elif owner == own:
            fields, field = PATHS[own].fields, rest
        elif not self.inferred:
            fields, field = PATHS[own].fields, name
        else:
            raise Beyond
        if field not in fields or (keys and fields[field] != "map"):
            raise Beyond
        return Given(Kind.MAP_PATH if fields[field] == "map" and not keys else Kind.PATH)


def _meant(text: str) -> str:
    """A quoted text as Go reads it; another escape than those of Go is refused."""
    inner = text[1:-1]
    if _ESCAPE.sub("", inner).count("\\") or "\n" in inner:
        raise Beyond
    return _ESCAPE.sub(lambda m: _one(m[0]), inner)


def _one(escape: str) -> str:
    plain = {**CONTROL, "\\": "\\", '"': '"'}
    if escape[1] in plain:
        return plain[escape[1]]
    return chr(int(escape[2:], 16)) if escape[1] in "xu" else chr(int(escape[1:], 8))
