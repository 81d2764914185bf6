"""Code Quality issues of GitLab: one JSON array, an object an issue, worst first.

GitLab shows an issue at a line of a file alone. One that has no such place is shown where the launch
that it holds for is started, else at the first file that was read, so that nothing red is lost.
What is waived is an info that says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, TextIO

from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.issues import Issue, Level, in_file, issues
from lens_preflight.reports.paths import Repository, Starts
from lens_preflight.reports.plain import plain
from lens_preflight.reports.text import one_line, printable, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "gitlab"

LONGEST: Final = 8_000
_SEVERITIES: Final = {Level.ERROR: "blocker", Level.WARNING: "minor", Level.NOTE: "info"}


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the array as ASCII JSON."""
    json.dump(plain(list(document(record))), to, indent=1, allow_nan=False)
    to.write("\n")


def document(record: RunRecord) -> Iterator[dict[str, Any]]:
    """The issues as plain data."""
    repository, starts = Repository.here(), Starts.read(record)
    for issue in issues(record):
        yield _issue(issue, *_place(issue, starts), repository)


def _issue(issue: Issue, path: str, line: int, repository: Repository) -> dict[str, Any]:
    number = f":{issue.nth}" if issue.nth > 1 else ""
    return {
        "description": _description(issue),
        "check_name": issue.id,
        "fingerprint": f"{issue.fingerprint}{number}",
        "severity": _severity(issue),
        "location": {"path": repository.relative(path), "lines": {"begin": line}},
        **({"content": {"body": issue.rule.help}} if issue.rule is not None and issue.rule.help else {}),
    }


def _severity(issue: Issue) -> str:
    """What could not be told weighs less than what does not hold, what is waived nothing."""
    if issue.waived:
        return "info"
    return "critical" if issue.rule is None and issue.level is Level.ERROR else _SEVERITIES[issue.level]


def _description(issue: Issue) -> str:
    where = "" if issue.at is None or in_file(issue.at) else f"{issue.at}: "
    text = one_line(where) + " " + shorten(one_line(issue.text), LONGEST)
    fix = f"; fix: {shorten(printable(issue.remedy), 2 * LONGEST)}" if issue.remedy else ""
    waived = f"waived ({shorten(one_line(issue.waived), LONGEST)}): " if issue.waived else ""
    return waived + (text.strip() or issue.id) + fix


def _place(issue: Issue, starts: Starts) -> tuple[str, int]:
    if issue.at is not None and in_file(issue.at):
        return issue.at.what, max(issue.at.line or 1, 1)
    places = [place for key in issue.targets if (place := starts.of(key))]
    return next(iter([*places, *starts.all]), ("environment", 1))
