"""Lines of a terminal: widths, wrapping that never breaks what is meant to be pasted, colours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_COLOURS: Final = {
    "bad": "\x1b[1;31m",
    "caution": "\x1b[33m",
    "doubt": "\x1b[1;35m",
    "good": "\x1b[32m",
    "head": "\x1b[1m",
    "faint": "\x1b[2m",
}
_QUOTED = r"'[^'\n]*'|\"[^\"\n]*\""
_WORD = re.compile(
    rf"(?:export|unset)[ ]+\w+(?:=(?:{_QUOTED}|[^\s'\"])*)?"  # an assignment to paste
    r"|(?:`[^`\n]*`|\S)+"  # a word; a command between backticks counts as one
)


def paint(text: str, kind: str, color: bool) -> str:
    """Put a text into the colour of its kind; kinds: bad, caution, doubt, good, head, faint."""
    start = _COLOURS.get(kind, "")
    return f"{start}{text}\x1b[0m" if color and start else text


def columns(text: str) -> int:
    """The number of terminal columns that a printable text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def words(line: str) -> Iterator[str]:
    """The pieces of a line that must not be broken: words, `code`, ``export NAME='a b'``."""
    return (match.group() for match in _WORD.finditer(line))


def wrap(text: str, width: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Break a text into lines of at most ``width`` columns, between words only.

    ``first`` goes before the first line, ``rest`` (default: blanks as wide) before the others. A
    piece wider than a line stands alone and overflows. Lines of the text that are indented or
    start with ``$`` are taken as they are.
    """
    rest = " " * columns(first) if rest is None else rest
    out: list[str] = []
    for line in text.split("\n"):
        lead = rest if out else first
        if line.startswith((" ", "$ ")):
            out.append((lead + line).rstrip())
            continue
        out.extend(_fill(line, width, lead, rest))
    return out


def _fill(line: str, width: int, lead: str, rest: str) -> Iterator[str]:
    current, used, empty = lead, columns(lead), True
    for word in words(line):
        size = columns(word)
        if not empty and used + 1 + size > width:
            yield current
            current, used, empty = rest, columns(rest), True
        current += word if empty else f" {word}"
        used += size + (not empty)
        empty = False
    yield current if not empty else current.rstrip()


def cut(text: str, width: int) -> str:
    """Shorten a text to ``width`` columns, with an ellipsis where something is missing."""
    if columns(text) <= width:
        return text
    kept, used = "", 0
    for char in text:
        used += _columns(char)
        if used > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Fill a text with blanks up to ``width`` columns."""
    return text + " " * (width - columns(text))
