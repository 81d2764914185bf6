"""The JUnit report, in the one shape that the strict readers share.

Accepted by the schema of the Jenkins xunit plugin and by those of the Ant family: a bare
``testsuites``, one suite with all of its attributes, its four kinds of children in order, at most
one child in a case. JUnit has no warning: a warning passes, its text is in ``system-out`` and the
property ``lens.warnings`` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final, TextIO

from lens_preflight.core.outcome import Judged, Outcome, RunRecord
from lens_preflight.core.words import Severity
from lens_preflight.reports.cases import Case, cases
from lens_preflight.reports.text import one_line, xml_attribute, xml_text
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "junit"

_YEAR = 365 * 86400.0


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the report as ASCII XML that says it is UTF-8."""
    for line in lines(record, _case):
        to.write(line + "\n")


def lines(record: RunRecord, one: Callable[[Case], Iterable[str]]) -> Iterator[str]:
    """The lines of the file, without line ends; ``one`` writes a case."""
    found = cases(record)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield f"  <testsuite {_attributes(record, found)}>"
    yield "    <properties>"
    for key, value in _properties(record):
        yield f'      <property name="{xml_attribute(key)}" value="{xml_attribute(value)}"/>'
    yield "    </properties>"
    for case in found:
        yield from one(case)
    said = "".join(f"{line}\n" for line in _asides(record))
    yield f"    <system-out>{xml_text(said)}</system-out>"
    yield "    <system-err></system-err>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _attributes(record: RunRecord, cases: list[Case]) -> str:
    number = {child: str(sum(c.child == child for c in cases)) for child in ("failure", "error", "skipped")}
    values = {
        "name": "lens-preflight",
        "package": "lens-preflight",
        "id": "0",
        "hostname": one_line(str(record.run.get("host") or "")) or "unknown",
        "timestamp": _started(record.run.get("started")),
        "tests": str(len(cases)),
        "failures": number["failure"],
        "errors": number["error"],
        "skipped": number["skipped"],
        "time": _seconds(record.run.get("seconds")),
    }
    return " ".join(f'{key}="{xml_attribute(value)}"' for key, value in values.items())


def _started(value: object) -> str:
    """Seconds without a zone, the only form that all schemas take; the epoch when there is none."""
    try:
        return datetime.fromisoformat(str(value)[:19]).isoformat(timespec="seconds")
    except ValueError:
        return "1970-01-01T00:00:00"


def _seconds(value: object) -> str:
    """Three decimals, no exponent: what every schema takes."""
    seconds = value if isinstance(value, (int, float)) and value > 0 else 0.0
    return f"{min(seconds, _YEAR):.3f}"


def _properties(record: RunRecord) -> Iterator[tuple[str, str]]:
    yield "lens.tool", record.tool
    yield "lens.profile", record.profile
    yield "lens.verdict", record.verdict
    yield "lens.exit_code", str(record.exit_code)
    yield "lens.warnings", str(sum(j.finding.severity is Severity.CAUTION for _, j in _counting(record)))
    for item in record.items:
        yield f"lens.item.{item.n}", item.status


def _counting(record: RunRecord) -> Iterator[tuple[Outcome, Judged]]:
    for outcome in record.results:
        for judged in outcome.findings:
            if not judged.waived:
                yield outcome, judged


def _asides(record: RunRecord) -> Iterator[str]:
    """The headline, and what no test case can say: warnings, notes and waived findings."""
    yield record.headline
    if record.incomplete:
        yield f"incomplete: {record.incomplete}"
    for outcome, judged in _counting(record):
        finding = judged.finding
        word = {Severity.CAUTION: "warning", Severity.NOTE: "note"}.get(finding.severity)
        if word is not None:
            fix = f"; fix: {finding.remedy}" if finding.remedy else ""
            yield f"{word}: {outcome.check}: {finding.at}: {finding.message}{fix}"
    for outcome in record.results:
        for judged in outcome.findings:
            if judged.waived:
                finding = judged.finding
                yield f"waived: {outcome.check}: {finding.at}: {finding.message}: {judged.waived}"


def _case(case: Case) -> Iterator[str]:
    if case.child:
        yield f"    <testcase {head(case)}>"
        yield f"      {child(case)}"
        yield "    </testcase>"
    else:
        yield f"    <testcase {head(case)}/>"


def head(case: Case) -> str:
    """The attributes that every reader takes."""
    values = {"classname": case.classname, "name": case.name, "time": _seconds(case.seconds)}
    return " ".join(f'{key}="{xml_attribute(value)}"' for key, value in values.items())


def child(case: Case) -> str:
    """The element that says how a case ended; there is none in a passing one."""
    kind = f' type="{xml_attribute(case.type)}"' if case.type else ""
    message = f' message="{xml_attribute(case.message)}"'
    return f"<{case.child}{kind}{message}>{xml_text(case.text)}</{case.child}>"
