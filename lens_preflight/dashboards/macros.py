"""Grafana's variables and macros in PromQL, replaced so that a parser can read the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lens_preflight.dashboards.variables import MENTION

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
NUMBER = "300000"
"""What stands for a number that Grafana puts in."""

_NUMBERS = frozenset({"__interval_ms", "__range_s", "__range_ms", "__from", "__to"})
_DURATIONS = frozenset({"__interval", "__rate_interval", "__range", "__auto_interval"})
_IDENTIFIER = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*$")
_NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?$", re.I)
_GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*$", re.I)


def substitute(text: str, values: Mapping[str, str]) -> str:
    """Replace variables outside quotes; those inside quotes stay, for they are the filters.

    ``values`` are the present values of the dashboard's variables, as far as it keeps them.
    """
    parts, position = [], 0
    for quoted in _QUOTED.finditer(text):
        parts.append(_outside(text, position, quoted.start(), values))
        parts.append(quoted.group())
        position = quoted.end()
    parts.append(_outside(text, position, len(text), values))
    return "".join(parts)


def _outside(text: str, start: int, end: int, values: Mapping[str, str]) -> str:
    """A stretch without quotes, its variables replaced by what their place asks for."""
    out, position = [], start
    for mention in MENTION.finditer(text, start, end):
        out.append(text[position : mention.start()])
        name = mention["braced"] or mention["square"] or mention["plain"]
        out.append(_replacement(name, text, mention.start(), mention.end(), values))
        position = mention.end()
    out.append(text[position:end])
    return "".join(out)


def _replacement(name: str, text: str, start: int, end: int, values: Mapping[str, str]) -> str:
    before, after = text[:start], text[end:]
    if name in _NUMBERS or name.startswith(("__from", "__to")):
        return NUMBER
    if name in _DURATIONS or _in_brackets(before) or re.search(r"\boffset\s+-?$", before):
        return "5m"
    value = values.get(name, "")
    glued = bool(re.search(r"[a-zA-Z0-9_:]$", before)) or bool(re.match(r"[a-zA-Z0-9_:]", after))
    if _GROUPING.search(before):
        return value if _IDENTIFIER.match(value) else f"var_{name}"
    if glued:
        return value if re.fullmatch(r"[a-zA-Z0-9_:]+", value) else f"var_{name}"
    if re.match(r"\s*[{\[]", after):
        return value if _IDENTIFIER.match(value) else f"var_{name}"
    if _NUMBER.match(value):
        return value
    if re.search(r"(\(|,)\s*$", before) and re.match(r"\s*,", after):
        return "1"
    if re.search(r"(==|!=|<=|>=|[<>*/+^%-])\s*(bool\s*)?$", before):
        return "1"
    return value if _IDENTIFIER.match(value) else f"var_{name}"


def _in_brackets(before: str) -> bool:
    """Whether the text ends inside ``[...]``."""
    return before.rfind("[") > before.rfind("]")
