"""Query strings of Lucene, as Elasticsearch and OpenSearch read them: clauses that must, may or must not hold."""

from __future__ import annotations

import re

from lens_preflight.dashboards.conditions import ALWAYS, Condition, with_field
from lens_preflight.dashboards.variables import MENTION

_SPACE = re.compile(r"\s*")
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")
_PATTERN = re.compile(r"/((?:[^/\\]|\\.)+)/")
_RANGE = re.compile(r"[\[{][^\]}]*\sTO\s[^\]}]*[\]}]")
_WORD = re.compile(r"(?:\$\{[^{}]*\}|\\.|[^\s()\[\]{}:\"\\^~<>=])+")
_SUFFIX = re.compile(r"(\^[\d.]+|~[\d.]*)+")
_JOINS = {"AND": "and", "&&": "and", "OR": "or", "||": "or"}
_MARKS = {"+": "must", "-": "not", "!": "not", "NOT": "not"}


class _Reader:
    """Recursive descent over the text of one query."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def word(self) -> str:
        """The next word or sign, not yet taken; empty at the end."""
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
        for sign in ("&&", "||"):
            if self.text.startswith(sign, self.at):
                return sign
        if self.text[self.at : self.at + 1] in ("+", "-", "!"):
            return self.text[self.at]
        match = _WORD.match(self.text, self.at)
        return match.group() if match else self.text[self.at : self.at + 1]

    def took(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def skip(self, sign: str) -> None:
        if self.word() != sign:
            found = self.text[self.at : self.at + 20] or "the end"
            raise ValueError(f"expected {sign!r}, found {found!r}")
        self.at += len(sign)

    def clauses(self) -> Condition:
        """Clauses side by side: *should* unless marked, or joined by AND, which makes both sides *must*."""
        found: list[tuple[str, Condition]] = []
        while self.word() not in ("", ")"):
            join = _JOINS.get(self.word(), "")
            if join:
                self.at += len(self.word())
            occur = "must" if join == "and" else "should"
            while self.word() in _MARKS:
                occur = _MARKS[self.word()]
                self.at += len(self.word())
            if join == "and" and found and found[-1][0] == "should":
                found[-1] = ("must", found[-1][1])
            found.append((occur, self.clause()))
        if not found:
            raise ValueError("a group without clauses")
        return _joined(found)

    def clause(self) -> Condition:
        if self.word() == "(":
            return self.group()
        string = self.took(_STRING)
        if string is not None:
            self.took(_SUFFIX)
            return Condition("=", (), "*", _plain(string[1]))
        if self.word() in ("<", ">"):
            return self.value("*")
        word = self.took(_WORD)
        if word is None:
            raise ValueError(f"not a query at {self.text[self.at : self.at + 20]!r}")
        if self.word() != ":":
            self.took(_SUFFIX)
            return Condition("=", (), "*", _plain(word.group()), bare=True)
        self.at += 1
        return self.value(_plain(word.group()))

    def group(self) -> Condition:
        self.skip("(")
        inner = self.clauses()
        self.skip(")")
        self.took(_SUFFIX)
        return inner

    def value(self, field: str) -> Condition:
        """What stands behind the colon: a value, a group of values, a pattern, a range."""
        if self.word() == "(":
            return with_field(self.group(), field)
        string = self.took(_STRING)
        if string is not None:
            return self.ended(Condition("=", (), field, _plain(string[1])))
        pattern = self.took(_PATTERN)
        if pattern is not None:
            return self.ended(Condition("=~", (), field, pattern[1], bare=True))
        span = self.took(_RANGE)
        if span is not None:
            return self.ended(Condition("range", (), field, span.group()))
        compared = self.took(re.compile(r"[<>]=?"))
        self.word()
        word = self.took(_WORD)
        if word is None:
            raise ValueError(f"not a value at {self.text[self.at : self.at + 20]!r}")
        if compared is not None:
            return Condition(compared.group(), (), field, _plain(word.group()))
        return self.ended(_of_word(field, word.group()))

    def ended(self, condition: Condition) -> Condition:
        """A boost changes nothing; a distance makes the comparison one that is not evaluated."""
        suffix = self.took(_SUFFIX)
        if suffix is not None and "~" in suffix.group():
            return Condition("near", (), condition.field, condition.value)
        return condition


def _joined(found: list[tuple[str, Condition]]) -> Condition:
    must = [part for occur, part in found if occur == "must"]
    should = [part for occur, part in found if occur == "should"]
    if not must and should:
        must = should if len(should) == 1 else [Condition("or", tuple(should))]
    must += [Condition("not", (part,)) for occur, part in found if occur == "not"]
    return must[0] if len(must) == 1 else Condition("and", tuple(must))


def _of_word(field: str, text: str) -> Condition:
    if field == "_exists_":
        return Condition("exists", (), _plain(text), "")
    if text == "*":
        return ALWAYS if field == "*" else Condition("exists", (), field, "")
    if not re.search(r"(?<!\\)[*?]", MENTION.sub("", text)):
        return Condition("=", (), field, _plain(text), bare=True)
    parts, position = [], 0
    for mention in MENTION.finditer(text):
        parts += [_wild(text[position : mention.start()]), mention.group()]
        position = mention.end()
    return Condition("=~", (), field, "".join([*parts, _wild(text[position:])]), bare=True)


def _wild(text: str) -> str:
    return re.escape(_plain(text)).replace(r"\*", ".*").replace(r"\?", ".")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def read_lucene(text: str) -> Condition:
    """The condition that a query string states; an empty one always holds.

    Raises:
        ValueError: the text is no query string.
    """
    if not text.strip():
        return ALWAYS
    if text.strip() == "*":
        return ALWAYS
    reader = _Reader(text)
    try:
        condition = reader.clauses()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if reader.word():
        raise ValueError(f"unexpected {reader.word()!r}")
    return condition
