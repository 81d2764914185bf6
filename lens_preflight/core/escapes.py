"""Terminal escape sequences, which hide in a text from whoever reads it on a screen."""

from __future__ import annotations

import re

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI as one C1 character
    r"|\x1b[ -/]*[0-~]"
)


def escaped(text: str) -> bool:
    """Whether the text holds a character that begins an escape sequence."""
    return "\x1b" in text or "\x9b" in text


def without_ansi(text: str) -> str:
    """Remove terminal escape sequences, once: what was around one may make another."""
    return _ANSI.sub("", text) if escaped(text) else text


def inert(text: str) -> str:
    """The text without escape sequences, and without any that could still come about: those are spelt out."""
    return without_ansi(text).replace("\x1b", "\\x1b").replace("\x9b", "\\x9b")
