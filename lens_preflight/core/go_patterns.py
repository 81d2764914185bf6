"""Regular expressions of Go (RE2), as collectors and Prometheus read them, as far as Python reads them alike."""

from __future__ import annotations

import re

_GO_ONLY = re.compile(r"\[\[:|\\[pPzQC]")
"""What Go has and Python lacks, or reads as something else."""


def found_in(pattern: str, text: str) -> bool | None:
    """Whether a pattern is found in a text; None when Python does not read it, or not as Go does."""
    read = _read(pattern, 0)
    return None if read is None else read.search(text) is not None


def is_whole(pattern: str, text: str) -> bool | None:
    """Whether a pattern fits a whole text, line ends included, as Prometheus anchors it; None as above."""
    read = _read(pattern, re.DOTALL)
    return None if read is None else read.fullmatch(text) is not None


def _read(pattern: str, flags: int) -> re.Pattern[str] | None:
    if _GO_ONLY.search(pattern) is not None:
        return None
    try:
        return re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError):
        return None


_PYTHON_ONLY = re.compile(
    r"\(\?(?:[=!<>#(]|P[=>]|[a-zA-Z-]*[aLux])|\\[1-9ZNuUkgGKRX]|[*+?}]\+|\{\d{4,}|,\d{4,}\}"
)
"""What Python has and Go lacks, or reads as something else."""


def compiles(pattern: str) -> bool:
    """Whether Go reads a pattern for sure; False where Python alone does, or neither, or nobody can tell."""
    return _PYTHON_ONLY.search(pattern) is None and _read(pattern, 0) is not None
