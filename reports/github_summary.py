"""The step summary of GitHub Actions: one Markdown page, for ``$GITHUB_STEP_SUMMARY``.

The verdict, the nine items, every issue with its remedy, the block to paste. GitHub refuses a page of
more than 1 MiB: the worst issues stay, and a line says how many do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TextIO

from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.block import paste_block
from lens_preflight.reports.counts import counts
from lens_preflight.reports.issues import Issue, issues
from lens_preflight.reports.markdown import block, cell, code, escaped, prose
from lens_preflight.reports.text import one_line, printable, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "github-summary"

MOST_BYTES: Final = 1 << 20
_RESERVE: Final = 4_000
"""Bytes for the lines behind the issues."""
LONGEST: Final = 8_000


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the page."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines of the page, without line ends."""
    top = [*_top(record), *_items(record)]
    paste = list(_paste(record))
    room = MOST_BYTES - _RESERVE - _size(top) - _size(paste)
    yield from top
    yield from _issues(issues(record), room)
    yield from paste
    yield from ("", _summary(record))


def _size(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _top(record: RunRecord) -> Iterator[str]:
    tool = one_line(record.tool) or "lens-preflight"
    yield f"## {escaped(shorten(record.headline or record.verdict, LONGEST))}"
    yield ""
    why = f": {one_line(shorten(record.profile_why, LONGEST))}" if record.profile_why else ""
    yield escaped(f"{tool}, profile {record.profile}{why}")
    if record.incomplete:
        yield ""
        yield f"**incomplete:** {escaped(shorten(record.incomplete, LONGEST))}"


def _items(record: RunRecord) -> Iterator[str]:
    if not record.items:
        return
    yield from ("", "| item | | checklist | |", "|---:|---|---|---|")
    for item in record.items:
        give = f"give {item.missing_input}" if item.missing_input else ", ".join(item.checks)
        status = "FAIL" if item.status == "fail" else item.status
        shown = f"**{cell(status)}**" if item.status in ("fail", "unknown") else cell(status)
        yield f"| {item.n} | {shown} | {cell(item.title)} | {cell(shorten(give, LONGEST))} |"


def _issues(found: list[Issue], room: int) -> Iterator[str]:
    if not found:
        return
    yield from ("", "### What to act on" if not found[0].waived else "### Waived", "")
    waived = bool(found[0].waived)
    for number, issue in enumerate(found):
        shown = list(_issue(issue))
        room -= _size(shown)
        if room < 0:
            yield f"- and {len(found) - number} more: this page is full; `--report json` has all"
            return
        if issue.waived and not waived:
            waived = True
            yield from ("", "### Waived", "")
        yield from shown


def _issue(issue: Issue) -> Iterator[str]:
    word = "waived" if issue.waived else issue.word
    place = code(shorten(str(issue.at), LONGEST)) if issue.at is not None else ""
    label = escaped(issue.id)
    link = f"[{label}](<{_address(issue.url)}>)" if issue.url.startswith("https://") else label
    keys = ", ".join(code(shorten(key, 200)) for key in issue.targets[:10])
    more = f" and {len(issue.targets) - 10} more" if len(issue.targets) > 10 else ""
    head = " ".join(part for part in (place, link, f"for {keys}{more}" if keys else "") if part)
    yield f"- **{word}** {head}: {prose(shorten(issue.text, LONGEST))}"
    if issue.waived:
        yield f"  <br>waived: {escaped(shorten(issue.waived, LONGEST))}"
    elif issue.remedy:
        yield from _remedy(shorten(printable(issue.remedy).strip(), 2 * LONGEST))


def _remedy(text: str) -> Iterator[str]:
    """One line as prose, several as the code that they are."""
    lines = text.split("\n")
    if len(lines) == 1:
        yield f"  <br>fix: {prose(text)}"
        return
    yield from ("  <br>fix:", "")
    yield from (f"  {line}".rstrip() for line in block(lines))
    yield ""


def _address(url: str) -> str:
    return one_line(url).replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C").replace(" ", "%20")


def _paste(record: RunRecord) -> Iterator[str]:
    assignments = paste_block(record)
    while _size(assignments) > MOST_BYTES // 4:
        assignments.pop()
    if assignments:
        yield from ("", "### To paste, before the launch", "", *block(assignments, "bash"))
        if any("<redacted>" in line for line in assignments):
            yield from ("", "Put the secret back where it says `<redacted>`.")


def _summary(record: RunRecord) -> str:
    found = counts(record)
    words = ("fail", "error", "unknown", "warn", "pass", "skip", "waived")
    parts = [f"{found[word]} {word}" for word in words if found[word]]
    return f"{', '.join(parts) or 'no checks'}; exit code {record.exit_code}"
