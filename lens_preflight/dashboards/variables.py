"""Dashboard variables: how a query mentions them, and which label each one lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.core.data import dataclass

MENTION = re.compile(
    r"\$\{(?P<braced>\w[\w.]*)(?::(?P<format>[^}]*))?\}"
    r"|\[\[(?P<square>\w+)(?::(?P<square_format>\w+))?\]\]"
    r"|\$(?P<plain>\w+)"
)
_LABEL_VALUES = re.compile(r"^\s*label_values\s*\(\s*(?P<inside>.*)\)\s*$", re.S)
_QUERY_RESULT = re.compile(r"^\s*query_result\s*\((?P<inside>.*)\)\s*$", re.S)
_LABEL_NAMES = re.compile(r"^\s*label_names\s*\(", re.S)
_CAPTURED = re.compile(r"([A-Za-z_][\w.]*)\"?\s*=~?\s*\\?\"\s*\(")
_LABEL = re.compile(r"^\"?([A-Za-z_][\w.]*)\"?$")
_TAG_VALUES = re.compile(r"^\s*(?:(?:resource|span)\.)?([A-Za-z_][\w.-]*)\s*$")

_TERMS = re.compile(r"\"field\"\s*:\s*\"([^\"]+)\"")
"""Elasticsearch: ``{"find": "terms", "field": "..."}``."""


@dataclass(frozen=True)
class Mention:
    """One place where a text names a variable; ``format`` is what follows the colon."""

    name: str
    format: str
    text: str
    start: int
    end: int
    deprecated: bool = False


def mentions(text: str) -> Iterator[Mention]:
    """The variables that a text names, in order; Grafana's own (``__interval``) included."""
    for match in MENTION.finditer(text):
        name = match["braced"] or match["square"] or match["plain"]
        shape = match["format"] or match["square_format"] or ""
        name = name.partition(".")[0] if not name.startswith("__") else name
        yield Mention(name, shape, match.group(), match.start(), match.end(), match["square"] is not None)


@dataclass(frozen=True)
class Listing:
    """What a variable lists: the values of ``label``, on the series that ``selector`` picks.

    ``selector`` is empty for all series; ``label`` is empty when it cannot be told.
    """

    label: str
    selector: str = ""
    how: str = "label_values"


def listing(query: str, regex: str = "") -> Listing:
    """Read the query of a variable: ``label_values``, ``query_result`` with a regex, or a tag name."""
    found = _LABEL_VALUES.match(query)
    if found:
        return _label_values(found["inside"], regex)
    found = _QUERY_RESULT.match(query)
    if found:
        captured = _CAPTURED.search(regex)
        return Listing(captured.group(1) if captured else "", found["inside"].strip(), "query_result")
    if _LABEL_NAMES.match(query):
        return Listing("", "", "label_names")
    captured = _CAPTURED.search(regex)
    if captured:
        return Listing(captured.group(1), query.strip(), "series")
    terms = _TERMS.search(query)
    if terms and query.lstrip().startswith("{"):
        return Listing(terms.group(1).removesuffix(".keyword"), "", "tag values")
    tag = _TAG_VALUES.match(query)
    if tag and "." in tag.group(1):
        return Listing(tag.group(1), "", "tag values")
    return Listing("", query.strip(), "unknown")


def _label_values(inside: str, regex: str) -> Listing:
    head, separator, tail = _split_last(inside)
    label = _LABEL.match(tail.strip())
    name = label.group(1) if label else ""
    return Listing(name, head.strip() if separator else "", "label_values" + (" with regex" if regex else ""))


def _split_last(inside: str) -> tuple[str, str, str]:
    """Split at the last comma outside braces, brackets and quotes."""
    depth, quote, at = 0, "", -1
    for position, char in enumerate(inside):
        if quote:
            quote = "" if char == quote and inside[position - 1] != "\\" else quote
        elif char in "\"'`":
            quote = char
        elif char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
        elif char == "," and depth == 0:
            at = position
    return ("", "", inside) if at < 0 else (inside[:at], ",", inside[at + 1 :])
