"""Text from anywhere as GitHub's Markdown: shown as it is, never read as markup."""

from __future__ import annotations

import re

from lens_preflight.reports.text import one_line

_SPAN = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"[\\`*_\[\]|~#$]")
_BACKTICKS = re.compile(r"`+")


def escaped(text: str) -> str:
    """One line of plain text, without effect on what stands around it."""
    return _escape(one_line(text))


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(lambda match: "\\" + match.group(), text)


def prose(text: str) -> str:
    """One line of text in which `code` between backticks stays code."""
    pieces = _SPAN.split(one_line(text))
    return "".join(code(piece[1:-1]) if number % 2 else _escape(piece) for number, piece in enumerate(pieces))


def code(text: str) -> str:
    """One line of code, whatever backticks it holds; nothing when it is blank."""
    text = one_line(text)
    if not text:
        return ""
    fence = "`" * (_longest(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def cell(text: str) -> str:
    """Escaped text for a cell of a table."""
    return escaped(text) or " "


def block(lines: list[str], language: str = "") -> list[str]:
    """A fenced block of code."""
    fence = "`" * max(3, max((_longest(line) for line in lines), default=0) + 1)
    return [f"{fence}{language}", *lines, fence]


def _longest(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
