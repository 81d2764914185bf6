"""The output of a monitoring plug-in: one line with the state and performance data, then the details.

The states are those of the Nagios plug-in guidelines. A run that was forgiven by ``--fail-on`` is a
WARNING, never OK; what could not be told is UNKNOWN. At most 4 KB, what agents take at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TextIO

from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.counts import counts
from lens_preflight.reports.issues import Issue, Level, issues
from lens_preflight.reports.layout import cut
from lens_preflight.reports.text import one_line, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "nagios"

OK, WARNING, CRITICAL, UNKNOWN = 0, 1, 2, 3
STATES: Final = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
MOST_BYTES: Final = 4_000
LONGEST: Final = 300
"""Columns of one line of details."""


def state(record: RunRecord) -> int:
    """The state of a run, which is the exit code of a plug-in: OK 0, WARNING 1, CRITICAL 2, UNKNOWN 3."""
    good = record.exit_code == 0
    if record.verdict == "not-ready":
        return WARNING if good else CRITICAL
    if record.verdict != "ready":
        return WARNING if good else UNKNOWN
    if not good or record.incomplete:
        return UNKNOWN
    heavy = any(issue.level > Level.NOTE and not issue.waived for issue in issues(record))
    return WARNING if heavy else OK


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the lines, as many as fit."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines, without line ends."""
    first = f"{_status(record)} | {_data(record)}"
    yield first
    room = MOST_BYTES - len(first.encode()) - 80
    found = [issue for issue in issues(record) if not issue.waived]
    for number, issue in enumerate([None, *found]):
        line = _detail(issue) if issue is not None else _text(record.headline)
        room -= len(line.encode()) + 1
        if room < 0:
            yield f"and {len(found) - max(number - 1, 0)} more; --report json has all"
            return
        if line:
            yield line


def _status(record: RunRecord) -> str:
    found = counts(record)
    words = ("fail", "error", "unknown", "warn", "pass", "skip", "waived")
    parts = [f"{found[word]} {word}" for word in words if found[word]]
    return f"LENS {STATES[state(record)]} - {', '.join(parts) or 'no checks'}"


def _data(record: RunRecord) -> str:
    """Performance data: ``label=value[unit];warn;crit;min``; any fail is critical, any warn a warning."""
    found = counts(record)
    seconds = record.run.get("seconds")
    took = float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e9 else 0.0
    return (
        f"checks={len(record.results)};;;0 failed={found['fail']};;0;0 warned={found['warn']};0;;0 "
        f"unknown={found['unknown'] + found['error']};;;0 time={took:.3f}s;;;0"
    )


def _detail(issue: Issue) -> str:
    place = f"{issue.at} " if issue.at is not None else ""
    fix = f"; fix: {issue.remedy}" if issue.remedy else ""
    return _text(f"{issue.word} {place}[{issue.id}] {shorten(issue.text, LONGEST)}{shorten(fix, LONGEST)}")


def _text(text: str) -> str:
    """One line without the bar that would start performance data."""
    return cut(one_line(text).replace("|", "/"), LONGEST)
