"""TraceQL, as far as a panel needs it: the spanset filter and the metrics function behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lens_preflight.dashboards.conditions import ALWAYS, Condition, both, canonical
from lens_preflight.dashboards.intrinsics import is_field, is_static
from lens_preflight.dashboards.selectors import Language, Query, Use

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\"|`[^`]*`)"
    r"|(?P<op>&&|\|\||[!&](?:>>|<<|>|<)|&~|=~|!~|!=|<=|>=|>>|<<|[{}()=<>!|,~])"
    r"|(?P<word>(?:\$\{[^{}]*\}|[^\s{}()=<>!|,&~\"`])+))"
)
_JOINS = frozenset({"&&", "||", ">>", "<<", ">", "<", "~", "!>>", "!<<", "!>", "!<", "!~"})
_JOINS |= frozenset({"&>>", "&<<", "&>", "&<", "&~"})
_FUNCTIONS = frozenset(
    {"rate", "count_over_time", "min_over_time", "max_over_time", "avg_over_time", "sum_over_time"}
    | {"quantile_over_time", "histogram_over_time", "compare", "topk", "bottomk"}
    | {"count", "avg", "max", "min", "sum", "by", "select", "coalesce", "with"}
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
            token = match.group(kind)
            if kind == "string" and self.tokens and self.tokens[-1][1].endswith((".", ":")):
                self.tokens[-1] = ("word", self.tokens[-1][1] + _literal(token))  # resource."nemo.run.id"
            else:
                self.tokens.append((kind, token))
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
        """Spansets and what joins them; the condition is that on the spans of the result.

        ``&&`` gives the spans of both sides, a structural operator those of its right side. Of the other
        side it is left that the trace, and so its run, has such a span.
        """
        found = self.spanset()
        while self.peek() in _JOINS:
            op = self.take()[1]
            right = self.spanset()
            traced = both(_of_trace(found), _of_trace(right))
            if op == "||":
                found = Condition("or", (found, right))
            elif op.startswith("!"):
                found = right
            elif op in ("&&", "&>>", "&<<", "&>", "&<", "&~"):
                found = both(traced, found if found == right else Condition("or", (found, right)))
            else:
                found = both(_of_trace(found), right)
        return found

    def spanset(self) -> Condition:
        if self.peek() == "(":
            self.take()
            inner = self.spansets()
            self.expect(")")
            return inner
        self.expect("{")
        inner = ALWAYS if self.peek() == "}" else self.disjunction()
        self.expect("}")
        return inner

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
        first, field = self.take()
        _known(first, field)
        if self.peek() not in _COMPARISONS:
            return Condition("=", (), field, "true")
        _, op = self.take()
        kind, value = self.take()
        if kind == "op":
            raise ValueError(f"{field} is compared with {value!r}")
        _known(kind, value)
        literal = _literal(value) if kind == "string" else None if value == "nil" else value
        return Condition(op, (), field, literal, bare=kind == "word")

    def argument(self, function: str) -> str:
        """A token within the brackets of a function; the words are fields and numbers."""
        kind, text = self.take()
        if function not in ("compare", "with"):
            _known(kind, text)
        return text

    def pipeline(self) -> tuple[Condition, list[tuple[str, str]]]:
        """``| function(argument, ...)`` steps: more conditions, the functions and their first arguments."""
        steps, condition = [], ALWAYS
        while self.peek() == "|":
            self.take()
            if self.peek() in ("{", "("):
                condition = both(condition, self.spansets())
                continue
            _, name = self.take()
            if name not in _FUNCTIONS:
                raise ValueError(f"{name}() is no function of TraceQL that is known here")
            argument = ""
            if self.peek() == "(":
                self.take()
                argument = self.argument(name) if self.peek() != ")" else ""
                while self.peek() != ")":
                    self.argument(name)
                self.take()
            steps.append((name, argument))
            while self.at < len(self.tokens) and self.peek() != "|":
                self.take()
        if self.peek() == "with":
            self.at = len(self.tokens)
        return condition, steps


def _known(kind: str, text: str) -> None:
    """Refuse a word that is neither a field nor a value.

    Raises:
        ValueError: it is another word, such as an attribute without its scope.
    """
    if kind == "word" and not is_field(text) and not is_static(text):
        raise ValueError(f"{text} is no field of TraceQL that is known here: an attribute needs its scope")


def _of_trace(condition: Condition) -> Condition:
    """What a condition on some spans says of every span of their trace: the run that it belongs to."""
    found = ALWAYS
    for leaf in condition.required():
        if canonical(leaf.field) == "nemo.run.id":
            found = both(found, leaf)
    return found


def _literal(text: str) -> str:
    return text[1:-1] if text[0] == "`" else re.sub(r"\\(.)", r"\1", text[1:-1])


def read_traceql(text: str, raw: Mapping[str, Any]) -> Query:
    """Take a TraceQL query apart, or the filters of Grafana's search builder when there is no text."""
    if not text and isinstance(raw.get("filters"), list):
        return _query(text, _builder_filter(raw["filters"]), [])
    try:
        parser = _Parser(text)
        condition = parser.spansets()
        further, steps = parser.pipeline()
        if parser.at < len(parser.tokens):
            raise ValueError(f"unexpected {parser.peek()!r}")
    except (ValueError, RecursionError) as error:
        return Query(Language.TRACEQL, text, error=str(error) or "nested too deeply")
    return _query(text, both(condition, further), steps)


def _query(text: str, condition: Condition, steps: list[tuple[str, str]]) -> Query:
    function, argument = next(((f, a) for f, a in steps if f.endswith(("_over_time", "rate"))), ("", ""))
    use = Use(argument, condition.matchers(), (function,) if function else ())
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
