"""TAP version 14: a test point for each outcome and target, with a YAML block where there is more to say.

A warning is ``not ok ... # TODO warn``, an expected failure that turns no harness red, and so is what is
waived, with its reason; a skip is ``ok ... # SKIP``. What could not be told is ``not ok`` when it decides
the exit code, else a skip.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, TextIO

from lens_preflight.core.finding import Finding
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Status
from lens_preflight.reports.cases import Case, cases
from lens_preflight.reports.layout import cut
from lens_preflight.reports.text import one_line, printable, whole
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "tap"

LONGEST: Final = 500
"""Columns of a reason behind ``# SKIP`` or ``# TODO``; the block holds all of it."""
_HASH: Final = "＃"
"""Stands for the number sign: readers of TAP 13 take even an escaped one for the start of a directive."""


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the whole stream, the plan first."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines, without line ends."""
    found = cases(record)
    yield "TAP version 14"
    yield f"1..{len(found)}" if found else "1..0 # SKIP nothing was judged"
    yield f"# {one_line(record.tool)}, profile {one_line(record.profile)}"
    yield f"# {one_line(record.headline)}"
    for number, case in enumerate(found, 1):
        yield f"{_result(case)} {number} - {plain_text(f'{case.classname}: {case.name}')}{_directive(case)}"
        yield from _block(case)


def _warns(case: Case) -> bool:
    return case.status == Status.WARN.value


def _result(case: Case) -> str:
    return "not ok" if case.red or _warns(case) else "ok"


def plain_text(text: str) -> str:
    """A description or reason in which no reader finds a directive."""
    return one_line(text).replace("\\", "\\\\").replace("#", _HASH)


def _directive(case: Case) -> str:
    if case.child == "skipped":
        return f" # SKIP {cut(plain_text(case.message), LONGEST)}".rstrip()
    if _warns(case):
        return f" # TODO {cut(plain_text(_excuse(case)), LONGEST)}".rstrip()
    return ""


def _excuse(case: Case) -> str:
    """Why a test point that does not hold turns nothing red."""
    if case.findings:
        return f"warn: {case.findings[0].message}"
    return f"waived: {case.waived[0].waived}" if case.waived else "warn: no reason was given"


def _block(case: Case) -> Iterator[str]:
    """The YAML block of a test point; all of its texts are double-quoted ASCII."""
    if not case.message and not case.findings and not case.waived:
        return
    yield "  ---"
    yield f"  status: {_quoted(case.status or case.type)}"
    if case.message:
        yield f"  message: {_quoted(case.message)}"
    if case.outcome is not None and case.outcome.url:
        yield f"  url: {_quoted(case.outcome.url)}"
    if case.findings:
        yield "  findings:"
    for finding in case.findings:
        yield from _finding(finding)
    if case.waived:
        yield "  waived:"
    for judged in case.waived:
        yield from _finding(judged.finding)
        yield f"      reason: {_quoted(judged.waived)}"
    yield "  ..."


def _finding(finding: Finding) -> Iterator[str]:
    yield f"    - rule: {_quoted(finding.rule.id)}"
    yield f"      severity: {_quoted(finding.severity.word)}"
    yield f"      message: {_quoted(finding.message)}"
    yield f"      at: {_quoted(str(finding.at))}"
    if finding.remedy:
        yield f"      fix: {_quoted(finding.remedy)}"


def _quoted(text: str) -> str:
    """A YAML scalar in the part of the language that JSON shares, but for characters beyond U+FFFF."""
    text = whole(printable(text))
    return '"' + "".join(_spelt(char) for char in text) + '"'


def _spelt(char: str) -> str:
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else json.dumps(char)[1:-1]
