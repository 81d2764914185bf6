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
_PLAIN = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
_AT_START = re.compile(r"(\$\{SLURM_[A-Z0-9_]+\})")
"""What Slurm fills in when the job starts; a remedy leaves it to the shell."""


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
    """One shell line: ``export NAME=value``, or ``unset NAME`` for None.

    ``${SLURM_JOB_ID}`` and its like stay for the shell to fill in; all else of a value is literal.
    """
    if value is None:
        return f"unset {name}"
    pieces = _AT_START.split(value)
    if len(pieces) > 1 and all(_PLAIN.fullmatch(piece) for piece in pieces[::2]):
        return f'export {name}="{value}"'
    told = (f'"{piece}"' if number % 2 else quote(piece) for number, piece in enumerate(pieces) if piece)
    return f"export {name}=" + ("".join(told) or "''")


def paste_block(record: RunRecord, *, notes: bool = False) -> list[str]:
    """The lines to paste above the launch, worst finding first; empty when nothing helps.

    A name that two findings set differently appears once, and the other choice as a comment; a value
    that the user had under another name wins over one that a finding made up. Notes count only on
    request, waived findings never.
    """
    own: dict[str, str] = {}
    choices: dict[str, list[str]] = {}
    for finding in _findings(record, notes):
        moved = _moved(finding)
        for name, value in finding.settings:
            if not _NAME.match(name):
                continue
            line = assignment(name, value)
            if name in moved:
                own.setdefault(name, line)
            choices.setdefault(name, []).append(line)
    lines: list[str] = []
    for name, asked in choices.items():
        first, *others = dict.fromkeys([own[name], *asked] if name in own else asked)
        lines += [first, *(f"# or: {other}" for other in others)]
    return lines


def _moved(finding: Finding) -> set[str]:
    """The names that take over the value of a name that the same finding takes away."""
    names = {name for name, value in finding.settings if value is not None}
    return names if len(names) < len(finding.settings) else set()


def _findings(record: RunRecord, notes: bool) -> Iterator[Finding]:
    found = [j.finding for outcome in record.results for j in outcome.findings if not j.waived]
    weighty = [f for f in found if notes or f.severity > Severity.NOTE]
    return iter(sorted(weighty, key=lambda finding: -finding.severity))
