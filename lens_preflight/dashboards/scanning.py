"""Selectors of a text that is no expression: each byte is looked at a bounded number of times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.selectors import Matcher, Use

_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`"
_STRINGS = {
    '"': re.compile(r"\"(?:[^\"\\]|\\.)*\"", re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL),
    "`": re.compile(r"`[^`]*`"),
}
_PLAIN = re.compile(r"[^{}\"'`]+")
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:"
_PART = re.compile(
    r"(?P<label>[a-zA-Z_][a-zA-Z0-9_]*|\"(?:[^\"\\]|\\.)*\")\s*(?P<op>=~|!~|!=|=)\s*"
    rf"(?P<value>{_QUOTED})|{_QUOTED}|[a-zA-Z0-9_]+|.",
    re.DOTALL,
)
_BARE = re.compile(r"(?<![a-zA-Z0-9_:])[a-zA-Z_:][a-zA-Z0-9_:]*(?=\s*(?:\[|\)|$|[-+*/<>=]))")
_NO_SELECTOR = re.compile(
    r"\"(?:[^\"\\]|\\(?:.|\Z))*(?:\"|\Z)|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)",
    re.DOTALL,
)


def scan_selectors(text: str) -> tuple[Use, ...]:
    """Selectors of a text that does not parse: names and matchers only, no places."""
    found, rest, end = [], [], 0
    for one in _Scanner(text).selectors():
        found.append(Use(one.name, tuple(_matchers(text[one.brace + 1 : one.stop - 1]))))
        rest.append(text[end : one.start])
        end = one.stop
    rest.append(text[end:])
    left = _NO_SELECTOR.sub(" ", " ".join(rest))
    found += [Use(m.group()) for m in _BARE.finditer(left) if "_" in m.group()]
    return tuple(found)


@dataclass(frozen=True)
class _Span:
    """A selector from ``start`` to ``stop``; ``brace`` is where its matchers begin."""

    name: str
    start: int
    brace: int
    stop: int


class _Scanner:
    """Finds ``name{...}``; what was seen to lead nowhere is not looked at again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hopeless: set[int] = set()
        self._open: dict[str, int] = {}
        """Where a text begins that has no end: none with the same quotes ends that begins further on."""

    def selectors(self) -> Iterator[_Span]:
        """The selectors in their order."""
        text, end = self._text, 0
        brace = text.find("{")
        while brace >= 0:
            stop = self._body(brace + 1)
            if stop:
                start, name = self._name(brace, end)
                yield _Span(name, start, brace, stop)
                end = stop
            brace = text.find("{", stop or brace + 1)

    def _body(self, at: int) -> int:
        """The end of matchers that begin here, behind their brace; 0 when there is none."""
        passed = []
        while at not in self._hopeless:
            following = self._piece(at)
            if not following:
                break
            passed.append(at)
            at = following
        if at not in self._hopeless and self._text[at : at + 1] == "}":
            return at + 1
        self._hopeless.update(passed)
        self._hopeless.add(at)
        return 0

    def _piece(self, at: int) -> int:
        """The end of the plain text or of the quoted one that begins here; 0 for anything else."""
        quote = self._text[at : at + 1]
        if at >= self._open.get(quote, len(self._text)):
            return 0
        match = _STRINGS.get(quote, _PLAIN).match(self._text, at)
        if match is None and quote in _STRINGS:
            self._open[quote] = at
        return match.end() if match else 0

    def _name(self, brace: int, least: int) -> tuple[int, str]:
        """Where the name in front of a brace begins, and the name; empty when there is none."""
        text, stop = self._text, brace
        while stop > least and text[stop - 1].isspace():
            stop -= 1
        start = stop
        while start > least and text[start - 1] in _NAME:
            start -= 1
        name = text[start:stop]
        return (start, name) if name and not name[0].isdigit() else (brace, "")


def _matchers(body: str) -> Iterator[Matcher]:
    for part in _PART.finditer(body):
        if part["label"]:
            yield Matcher(part["label"].strip('"'), part["op"], _unquoted(part["value"]))


def _unquoted(text: str) -> str:
    body = text[1:-1]
    return body if text[0] == "`" else re.sub(r"\\(.)", r"\1", body)
