"""Brace expansion: ``{a,b}`` and ``{1..4}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})(?:\.\.(-?[0-9]{1,18}))?")


def brace_options(text: str) -> list[str] | None:
    """The texts that one ``{a,b}`` or ``{1..4}`` stands for; None when there is none."""
    start = 0
    while (start := text.find("{", start)) >= 0:
        depth, cuts, at = 0, [start + 1], start
        for at in range(start, len(text)):
            char = text[at]
            if char == "{":
                depth += 1
            elif char == "}":
                depth -= 1
                if depth == 0:
                    break
            elif char == "," and depth == 1:
                cuts.append(at + 1)
        if depth == 0 and text[at] == "}":
            head, tail, inside = text[:start], text[at + 1 :], text[start + 1 : at]
            span = _RANGE.fullmatch(inside)
            if span:
                return [head + n + tail for n in _numbers(span)]
            if len(cuts) > 1 and not text[:start].endswith("$"):
                ends = [c - 1 for c in cuts[1:]] + [at]
                return [head + text[a:b] + tail for a, b in zip(cuts, ends, strict=True)]
        start += 1
    return None


def _numbers(span: re.Match[str]) -> list[str]:
    first, last = int(span[1]), int(span[2])
    step = abs(int(span[3] or 1)) or 1
    width = max(len(span[1]), len(span[2])) if span[1].startswith("0") or span[2].startswith("0") else 0
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [str(n).zfill(width) for n in list(numbers[:256])]
