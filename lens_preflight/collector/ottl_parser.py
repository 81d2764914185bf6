"""Reads conditions in OTTL: what a filter, a sampler or a transform asks."""

from __future__ import annotations

import re

from lens_preflight.collector.ottl import DURATION, Call, Condition, Path, Term

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?\d+(?:\.\d+)?)|(?P<op>==|!=|<=|>=|[<>()\[\],+*/=-])"
    r"|(?P<word>[A-Za-z_][\w.]*))"
)


def _numbered(prefix: str, words: str) -> dict[str, int]:
    return {f"{prefix}_{word}": number for number, word in enumerate(words.split())}


ENUMS = {
    **_numbered("SPAN_KIND", "UNSPECIFIED INTERNAL SERVER CLIENT PRODUCER CONSUMER"),
    **_numbered("STATUS_CODE", "UNSET OK ERROR"),
    **_numbered("METRIC_DATA_TYPE", "NONE GAUGE SUM HISTOGRAM EXPONENTIAL_HISTOGRAM SUMMARY"),
    **_numbered("AGGREGATION_TEMPORALITY", "UNSPECIFIED DELTA CUMULATIVE"),
    **{
        f"SEVERITY_NUMBER_{word}{n if n > 1 else ''}": 4 * level + n
        for level, word in enumerate(("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"))
        for n in range(1, 5)
    },
}
"""The words of OTTL that stand for numbers."""

_ENDS = frozenset({"end_time_unix_nano", "span.end_time_unix_nano"})
_STARTS = frozenset({"start_time_unix_nano", "span.start_time_unix_nano"})


_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_ARITHMETIC = ("+", "-", "*", "/")


def _is_time(term: Term, names: frozenset[str]) -> bool:
    return isinstance(term, Path) and term.root in names


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
            began = self.at
            self.take()
            inner = self.either()
            self.expect(")")
            if self.peek() not in (*_COMPARISONS, *_ARITHMETIC):
                return inner
            self.at = began  # the brackets are those of a sum
        left = self.term()
        if self.peek() in _COMPARISONS:
            _, op = self.take()
            return Condition(op, (), left, self.term())
        return Condition("is", (), left)

    def term(self) -> Term:
        found = self.simple()
        while self.peek() in _ARITHMETIC:  # the value is not known, but for a duration
            _, op = self.take()
            other = self.simple()
            whole = op == "-" and _is_time(found, _ENDS) and _is_time(other, _STARTS)
            found = Path(DURATION, "value") if whole else Path("arithmetic", "")
        return found

    def simple(self) -> Term:
        kind, text = self.take()
        if text == "(":
            inner = self.term()
            self.expect(")")
            return inner
        if kind == "string":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind != "word":
            raise ValueError(f"unexpected {text!r}")
        if text in ENUMS:
            return ENUMS[text]
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
