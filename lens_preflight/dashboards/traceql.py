"""TraceQL, as far as a panel needs it: the spanset filter and the metrics function behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lens_preflight.dashboards.conditions import ALWAYS, Condition, both
from lens_preflight.dashboards.selectors import Language, Matcher, Query, Use

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\"|`[^`]*`)|(?P<op>&&|\|\||=~|!~|!=|<=|>=|>>|<<|[{}()=<>!|,~])"
    r"|(?P<word>[^\s{}()=<>!|,&~\"`]+))"
)
_COMPARISONS = frozenset({"=", "!=", "=~", "!~", "<", ">", "<=", ">="})


class _Parser:
    """Recursive descent over the tokens of one query."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text) and text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None or match.end() == position:
                raise ValueError(f"not TraceQL at {text[position : position + 20]!r}")
            kind = match.lastgroup or ""
            self.tokens.append((kind, match.group(kind)))
            position = match.end()
        self.at = 0

    def peek(self) -> str:
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
        return text if kind != "string" else '"'

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise ValueError("the query ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, text: str) -> None:
        _, found = self.take()
        if found != text:
            raise ValueError(f"expected {text!r}, found {found!r}")

    def spansets(self) -> Condition:
        """``{...} && {...}`` and structural operators: spans must match one of them at least."""
        found = ALWAYS
        while self.peek() == "{":
            self.take()
            inner = ALWAYS if self.peek() == "}" else self.disjunction()
            self.expect("}")
            found = both(found, inner)
            if self.peek() in ("&&", ">>", "<<", ">", "<", "~"):
                self.take()
            elif self.peek() == "||":
                self.take()
                found = Condition("or", (found, self.spansets()))
        return found

    def disjunction(self) -> Condition:
        parts = [self.conjunction()]
        while self.peek() == "||":
            self.take()
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Condition("or", tuple(parts))

    def conjunction(self) -> Condition:
        parts = [self.unary()]
        while self.peek() == "&&":
            self.take()
            parts.append(self.unary())
        return parts[0] if len(parts) == 1 else Condition("and", tuple(parts))

    def unary(self) -> Condition:
        if self.peek() == "!":
            self.take()
            return Condition("not", (self.unary(),))
        if self.peek() == "(":
            self.take()
            inner = self.disjunction()
            self.expect(")")
            return inner
        _, field = self.take()
        if self.peek() not in _COMPARISONS:
            return Condition("=", (), field, "true")
        _, op = self.take()
        kind, value = self.take()
        literal = _literal(value) if kind == "string" else None if value == "nil" else value
        return Condition(op, (), field, literal)

    def pipeline(self) -> list[tuple[str, str]]:
        """``| function(argument, ...)`` steps: the function and its first argument."""
        steps = []
        while self.peek() == "|":
            self.take()
            _, name = self.take()
            argument = ""
            if self.peek() == "(":
                self.take()
                argument = self.take()[1] if self.peek() != ")" else ""
                while self.peek() != ")":
                    self.take()
                self.take()
            steps.append((name, argument))
            while self.at < len(self.tokens) and self.peek() != "|":
                self.take()
        return steps


def _literal(text: str) -> str:
    return text[1:-1] if text[0] == "`" else re.sub(r"\\(.)", r"\1", text[1:-1])


def read_traceql(text: str, raw: Mapping[str, Any]) -> Query:
    """Take a TraceQL query apart, or the filters of Grafana's search builder when there is no text."""
    if not text and isinstance(raw.get("filters"), list):
        return _query(text, _builder_filter(raw["filters"]), [])
    try:
        parser = _Parser(text)
        condition = parser.spansets()
        steps = parser.pipeline()
        if parser.at < len(parser.tokens):
            raise ValueError(f"unexpected {parser.peek()!r}")
    except (ValueError, RecursionError) as error:
        return Query(Language.TRACEQL, text, error=str(error) or "nested too deeply")
    return _query(text, condition, steps)


def _query(text: str, condition: Condition, steps: list[tuple[str, str]]) -> Query:
    matchers = tuple(
        Matcher(leaf.field, leaf.op, leaf.value)
        for leaf in condition.required()
        if leaf.op in ("=", "!=", "=~", "!~") and leaf.value is not None
    )
    function, argument = next(((f, a) for f, a in steps if f.endswith(("_over_time", "rate"))), ("", ""))
    use = Use(argument, matchers, (function,) if function else ())
    return Query(Language.TRACEQL, text, (use,), condition=condition)


def _builder_filter(filters: list[Any]) -> Condition:
    """The search form: each entry has tag, scope, operator and one or several values."""
    condition = ALWAYS
    for entry in filters:
        if not isinstance(entry, Mapping) or entry.get("value") in (None, "", []):
            continue
        values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
        scope, tag = str(entry.get("scope") or ""), str(entry.get("tag") or "")
        field = f"{scope}.{tag}" if scope in ("resource", "span") else tag
        op = str(entry.get("operator") or "=")
        parts = tuple(Condition(op, (), field, str(value)) for value in values)
        condition = both(condition, parts[0] if len(parts) == 1 else Condition("or", parts))
    return condition
