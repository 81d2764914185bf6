"""The report for people: verdict, nine items, what to act on, one block to paste.

Ordered so that one screen of 24 lines shows the verdict, the items and the worst finding with its
place and its remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from lens_preflight.core.outcome import Item, RunRecord
from lens_preflight.reports.block import paste_block
from lens_preflight.reports.counts import counts
from lens_preflight.reports.entries import Entry, Group, grouped
from lens_preflight.reports.layout import columns, cut, pad, paint, wrap
from lens_preflight.reports.text import one_line, printable, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "console"

LONGEST: Final = 2000
"""Characters of a message, reason or value that are shown unless ``-vv`` is given."""
ALIKE: Final = 20
"""Findings of one rule that are shown unless ``-v`` is given."""
RELATED: Final = 3
"""Related places of one finding that are shown unless ``-v`` is given."""

_ITEM_KIND: Final = {"pass": "good", "warn": "caution", "fail": "bad", "unknown": "doubt"}
_COUNTED: Final = ("fail", "error", "unknown", "warn", "pass", "skip")
_VERDICTS: Final = {
    "ready": ("READY", "good"),
    "not-ready": ("NOT READY", "bad"),
    "cannot-tell": ("CANNOT TELL", "doubt"),
    "nothing-judged": ("NOTHING JUDGED", "doubt"),
}


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the report as lines; nothing at all when the verbosity is below 0."""
    if style.verbosity < 0:
        return
    for line in lines(record, style):
        to.write(line + "\n")


def lines(record: RunRecord, style: Style = PLAIN) -> Iterator[str]:
    """The lines of the report, without line ends."""
    yield from _top(record, style)
    yield from _items(record.items, style)
    for group in grouped(record, style.verbosity):
        yield ""
        yield from _group(group, style)
    if style.verbosity > 0:
        from lens_preflight.reports.details import details

        yield from details(record, style)
    yield from _paste(record, style)
    yield ""
    yield from _summary(record, style)


def _top(record: RunRecord, style: Style) -> Iterator[str]:
    why = f": {one_line(record.profile_why)}" if record.profile_why else ""
    host = one_line(str(record.run.get("host") or ""))
    on = f" on {host}" if host else ""
    tool = one_line(record.tool) or "lens-preflight"
    yield from wrap(f"{tool}{on}, profile {one_line(record.profile)}{why}", style.width, rest="  ")
    kind = _VERDICTS.get(record.verdict, ("", "head"))[1]
    for line in wrap(one_line(record.headline), style.width, rest="  "):
        yield paint(line, kind, style.color)
    if record.incomplete:
        text = f"incomplete: {one_line(record.incomplete)}"
        for line in wrap(text, style.width, rest="  "):
            yield paint(line, "doubt", style.color)


def _items(items: Iterable[Item], style: Style) -> Iterator[str]:
    items = tuple(items)
    titles = [one_line(item.title) for item in items]
    room = max(style.width - 14, 40)
    column = min(max(map(columns, titles), default=0), room - 20)
    for item, title in zip(items, titles, strict=True):
        word = "FAIL" if item.status == "fail" else one_line(item.status)
        status = paint(f"{word:<10}", _ITEM_KIND.get(item.status, "faint"), style.color)
        extra = one_line(f"give {item.missing_input}" if item.missing_input else ", ".join(item.checks))
        right = cut(extra, room - 22)
        left = pad(cut(title, min(column, room - 2 - columns(right))), column)
        yield f"{item.n:>2} {status} {left[: room - 2 - len(right)]}  {right}".rstrip()


def _group(group: Group, style: Style) -> Iterator[str]:
    for line in wrap(one_line(group.title), style.width, rest="    "):
        yield paint(line, "head", style.color)
    shown: dict[str, int] = {}
    for entry in group.entries:
        shown[entry.label] = shown.get(entry.label, 0) + 1
        if style.verbosity < 1 and shown[entry.label] > ALIKE:
            continue
        yield from _entry(entry, style)
    for label, number in shown.items():
        if style.verbosity < 1 and number > ALIKE:
            yield f"  ... and {number - ALIKE} more of {one_line(label)} (-v shows them)"


def _entry(entry: Entry, style: Style) -> Iterator[str]:
    limit = LONGEST if style.verbosity < 2 else 1 << 62
    label = f"[{one_line(entry.label)}]"
    where = " ".join(part for part in (one_line(entry.place), label, entry.targets(style)) if part)
    head = wrap(where, style.width, first=f"  {entry.word} ", rest=" " * 7)
    yield head[0].replace(entry.word, paint(entry.word, entry.kind, style.color), 1)
    yield from head[1:]
    indent = " " * 7
    if entry.text:
        yield from wrap(one_line(shorten(entry.text, limit)), style.width, first=indent)
    if entry.remedy:
        yield from wrap(printable(entry.remedy), style.width, first=f"{indent}fix: ")
    related = entry.related if style.verbosity > 0 else entry.related[:RELATED]
    for text, at in related:
        yield from wrap(
            f"{one_line(at)}: {one_line(shorten(text, limit))}", style.width, first=f"{indent}see: "
        )
    left = len(entry.related) - len(related)
    if left:
        what = "1 more place (-v shows it)" if left == 1 else f"{left} more places (-v shows them)"
        yield f"{indent}     and {what}"
    for key, value in entry.evidence if style.verbosity > 0 else ():
        pair = f"{one_line(key)} = {one_line(shorten(value, limit))}"
        yield from wrap(pair, style.width, first=f"{indent}  - ")
    for line in entry.more if style.verbosity > 1 else ():
        yield from wrap(one_line(line), style.width, first=f"{indent}  ")


def _paste(record: RunRecord, style: Style) -> Iterator[str]:
    block = paste_block(record, notes=style.verbosity > 0)
    if not block:
        return
    yield ""
    yield paint("To paste, before the launch:", "head", style.color)
    yield from block
    if any("<redacted>" in line for line in block):
        yield "# put the secret back where it says <redacted>"


def _summary(record: RunRecord, style: Style) -> Iterator[str]:
    found = counts(record)
    parts = [
        f"{found[word]} {word}"
        for word in ("fail", "error", "unknown", "warn", "pass", "skip")
        if found[word]
    ]
    if found["waived"]:
        parts.append(f"{found['waived']} waived")
    notes = sum(outcome.notes for outcome in record.results)
    if notes:
        hint = "" if style.verbosity > 0 else " (-v shows)"
        parts.append(f"{notes} note{'s' if notes > 1 else ''}{hint}")
    word, kind = _VERDICTS.get(record.verdict, (record.verdict, "head"))
    seconds = record.run.get("seconds")
    took = f", {seconds:.1f} s" if isinstance(seconds, (int, float)) else ""
    text = f"{one_line(word)}: {', '.join(parts) or 'no checks'}; exit code {record.exit_code}{took}"
    for line in wrap(text, style.width, rest="  "):
        yield paint(line, kind, style.color)
