"""Quotes and escapes of the shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.control import CONTROL

if TYPE_CHECKING:
    pass


_DOUBLE_ESCAPES = re.compile(r"\\([$`\"\\])|\\\n")


_HEREDOC_ESCAPES = re.compile(r"\\([$`\\])")
"""A line that is continued stays so: whoever reads the text as a script joins it, and lines count."""


_ESCAPES = re.compile(r"\\(\n|.)", re.DOTALL)


def _unescape_double(value: str) -> str:
    return _DOUBLE_ESCAPES.sub(lambda m: m[1] or "", value)


_ANSI = {**CONTROL, "e": "\x1b", "E": "\x1b"}


_ANSI_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4})|(.))", re.DOTALL)


def _dollar_quoted(value: str) -> str:
    def one(m: re.Match[str]) -> str:
        if m[1] or m[3]:
            return chr(int(m[1] or m[3], 16))
        if m[2]:
            return chr(int(m[2], 8))
        return _ANSI.get(m[4], m[4] if m[4] in "\\'\"?" else "\\" + m[4])

    return _ANSI_ESCAPE.sub(one, value)
