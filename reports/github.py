"""Annotations of GitHub Actions: a workflow command a line, on standard output, worst first.

Blockers are errors, cautions warnings, notes notices; a check that could not tell is an error when it
decides the exit code, else a warning. GitHub shows about ten of a kind and step and drops the rest
from view, so the step summary (``github-summary``) goes with it. What is waived is a line of the log, no
annotation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, TextIO

from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.issues import Issue, Level, in_file, issues
from lens_preflight.reports.layout import cut
from lens_preflight.reports.paths import Repository
from lens_preflight.reports.text import one_line, printable, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "github"

SHOWN: Final = 10
"""Annotations of one kind that GitHub shows for a step."""
LONGEST: Final = 8_000
_KINDS: Final = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write a plain line with the verdict, then the commands."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines, without line ends."""
    every = issues(record)
    found = [issue for issue in every if not issue.waived]
    yield harmless(f"lens-preflight: {record.headline or record.verdict}")
    number = Counter(issue.level for issue in found)
    for level, kind in _KINDS.items():
        if number[level] > SHOWN:
            yield f"{number[level]} {kind}s; GitHub shows about {SHOWN}, --report github-summary has all"
    repository = Repository.here()
    for issue in found:
        yield command(issue, repository)
    yield from (_waived(issue) for issue in every if issue.waived)


def _waived(issue: Issue) -> str:
    where = f"{issue.at}: " if issue.at is not None else ""
    return cut(harmless(f"waived: {where}{issue.text} [{issue.id}]: {issue.waived}"), LONGEST)


def harmless(text: str) -> str:
    """A log line that is no command to the runner, in neither of its two forms."""
    return one_line(text).replace("##[", "# #[").replace("::", ": :")


def command(issue: Issue, repository: Repository) -> str:
    """The workflow command of one issue."""
    properties = dict(_place(issue, repository))
    properties["title"] = cut(one_line(f"{issue.id}: {issue.title}"), 200)
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_KINDS[issue.level]} {given}::{_data(_message(issue))}"


def _place(issue: Issue, repository: Repository) -> Iterator[tuple[str, str]]:
    """The file, the line, and a column where GitHub takes it: within one line."""
    at = issue.at
    if at is None or not in_file(at):
        return
    yield "file", printable(repository.relative(at.what))
    if at.line is None:
        return
    last = max(at.end_line or at.line, at.line)
    yield "line", str(at.line)
    yield "endLine", str(last)
    if at.column is not None and last == at.line:
        yield "col", str(at.column)


def _message(issue: Issue) -> str:
    """The message with its place when that is no file, the remedy and the page."""
    where = f"{issue.at}: " if issue.at is not None and not in_file(issue.at) else ""
    parts = [where + shorten(printable(issue.text), LONGEST)]
    parts += [f"fix: {shorten(printable(issue.remedy), 2 * LONGEST)}"] if issue.remedy else []
    parts += [f"for {', '.join(map(one_line, issue.targets[:10]))}"] if issue.targets else []
    parts += [issue.url] if issue.url else []
    return printable("\n".join(parts))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
