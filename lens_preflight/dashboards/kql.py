"""KQL, the language of Kibana's search bar; what Lucene writes alike is read too."""

from __future__ import annotations

import re

from lens_preflight.dashboards.conditions import ALWAYS, Condition, with_field

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<op><=|>=|&&|\|\||[(){}:<>!+]|-(?=\S))|(?P<word>(?:[^\s(){}:<>\"\\]|\\.)+))"
)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text) and text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"not a query at {text[position : position + 20]!r}")
            kind = match.lastgroup or ""
            self.tokens.append((kind, match.group(kind)))
            position = match.end()
        self.at = 0

    def word(self) -> str:
        """The next token in lower case; a quoted one counts as none."""
        if self.at >= len(self.tokens):
            return ""
        kind, text = self.tokens[self.at]
        return '"' if kind == "string" else text.lower()

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise ValueError("the query ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def disjunction(self) -> Condition:
        """``a or b``; clauses side by side are a Lucene *or*, unless one is excluded by ``-``."""
        parts = [self.conjunction()]
        excluded: list[Condition] = []
        while self.word() not in ("", ")", "}"):
            if self.word() in ("or", "||"):
                self.take()
                parts.append(self.conjunction())
            else:
                minus = self.word() in ("-", "!", "not")
                (excluded if minus else parts).append(self.conjunction())
        joined = parts[0] if len(parts) == 1 else Condition("or", tuple(parts))
        return Condition("and", (joined, *excluded)) if excluded else joined

    def conjunction(self) -> Condition:
        parts = [self.unary()]
        while self.word() in ("and", "&&"):
            self.take()
            parts.append(self.unary())
        return parts[0] if len(parts) == 1 else Condition("and", tuple(parts))

    def unary(self) -> Condition:
        if self.word() in ("not", "!", "-"):
            self.take()
            return Condition("not", (self.unary(),))
        if self.word() == "+":
            self.take()
            return self.unary()
        if self.word() in ("(", "{"):
            self.take()
            inner = self.disjunction()
            self.take()
            return inner
        kind, text = self.take()
        text = _plain(kind, text)
        if self.word() == ":":
            self.take()
            return self.value(text)
        if self.word() in ("<", ">", "<=", ">="):
            _, op = self.take()
            return Condition(op, (), text, _plain(*self.take()))
        return Condition("=", (), "*", text)

    def value(self, field: str) -> Condition:
        """What stands behind the colon: a value, a group of values, a range, a nested query."""
        if self.word() == "{":
            return self.unary()
        if self.word() == "(":
            self.take()
            inner = self.disjunction()
            self.take()
            return with_field(inner, field)
        if self.word() in ("<", ">", "<=", ">="):
            _, op = self.take()
            return Condition(op, (), field, _plain(*self.take()))
        kind, text = self.take()
        if field == "_exists_":
            return Condition("exists", (), _plain(kind, text), "")
        if kind != "string" and text == "*":
            return Condition("exists", (), field, "")
        if kind != "string" and ("*" in text or "?" in text):
            pattern = re.escape(_plain(kind, text)).replace(r"\*", ".*").replace(r"\?", ".")
            return Condition("=~", (), field, pattern)
        return Condition("=", (), field, _plain(kind, text))


def _plain(kind: str, text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1] if kind == "string" else text)


def read_condition(text: str) -> Condition:
    """The condition that a KQL or Lucene text states; an empty one always holds.

    Raises:
        ValueError: the text is neither.
    """
    if not text.strip() or text.strip() == "*":
        return ALWAYS
    try:
        parser = _Parser(text)
        condition = parser.disjunction()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if parser.at < len(parser.tokens):
        raise ValueError(f"unexpected {parser.take()[1]!r}")
    return condition
