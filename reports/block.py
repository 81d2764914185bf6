"""The block to paste: every environment assignment that the findings ask for, as shell lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from lens_preflight.core.finding import Finding
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quote(value: str) -> str:
    """Quote a value for a POSIX shell; one with control characters in bash's ``$'...'`` form."""
    if not _CONTROL.search(value):
        return shlex.quote(value)
    return "$'" + "".join(_spell(char) for char in value) + "'"


def _spell(char: str) -> str:
    if char in "'\\":
        return "\\" + char
    if not _CONTROL.match(char):
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "?"
    return "".join(f"\\x{byte:02x}" for byte in char.encode())


def assignment(name: str, value: str | None) -> str:
    """One shell line: ``export NAME=value``, or ``unset NAME`` for None."""
    return f"unset {name}" if value is None else f"export {name}={quote(value)}"


def paste_block(record: RunRecord, *, notes: bool = False) -> list[str]:
    """The lines to paste above the launch, worst finding first; empty when nothing helps.

    A name that two findings set differently appears once, and the other choice as a comment. Notes
    count only on request, waived findings never.
    """
    chosen: dict[str, str] = {}
    lines: list[str] = []
    for finding in _findings(record, notes):
        for name, value in finding.settings:
            line = assignment(name, value)
            if not _NAME.match(name):
                continue
            if name not in chosen:
                chosen[name] = line
                lines.append(line)
            elif chosen[name] != line and f"# or: {line}" not in lines:
                lines.insert(lines.index(chosen[name]) + 1, f"# or: {line}")
    return lines


def _findings(record: RunRecord, notes: bool) -> Iterator[Finding]:
    found = [j.finding for outcome in record.results for j in outcome.findings if not j.waived]
    weighty = [f for f in found if notes or f.severity > Severity.NOTE]
    return iter(sorted(weighty, key=lambda finding: -finding.severity))
