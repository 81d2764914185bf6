"""The JUnit report, in the one shape that the strict readers share.

Accepted by the schema of the Jenkins xunit plugin and by those of the Ant family: a bare
``testsuites``, one suite with all of its attributes, its four kinds of children in order, at most
one child in a case. JUnit has no warning: a warning passes, its text is in ``system-out`` and the
property ``lens.warnings`` counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TextIO

from lens_preflight.core.finding import Finding
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports.text import one_line, xml_attribute, xml_text
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "junit"

CANNOT_TELL: Final = 3
_YEAR = 365 * 86400.0


@dataclass(frozen=True)
class Case:
    """One test case; ``child`` is failure, error, skipped, or empty for a pass."""

    classname: str
    name: str
    seconds: float
    child: str = ""
    type: str = ""
    message: str = ""
    text: str = ""


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:  # noqa: ARG001
    """Write the report as ASCII XML that says it is UTF-8."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines of the file, without line ends."""
    cases = list(_unique(_cases(record)))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield f"  <testsuite {_attributes(record, cases)}>"
    yield "    <properties>"
    for key, value in _properties(record):
        yield f'      <property name="{xml_attribute(key)}" value="{xml_attribute(value)}"/>'
    yield "    </properties>"
    for case in cases:
        yield from _case(case)
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
    seconds = float(value) if isinstance(value, (int, float)) else 0.0
    return f"{min(max(seconds, 0.0), _YEAR) if seconds == seconds else 0.0:.3f}"


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


def _cases(record: RunRecord) -> Iterator[Case]:
    red = False
    for outcome in record.results:
        for target in outcome.targets or (Target(outcome.scope),):
            case = _judge(outcome, target, record.exit_code)
            red = red or case.child in ("failure", "error")
            yield case
    if record.exit_code != 0 and not red:
        kind = "failure" if record.verdict == "not-ready" else "error"
        text = "\n".join(line for line in (record.headline, record.incomplete) if line)
        yield Case("lens-preflight", "verdict", 0.0, kind, f"lens.{record.verdict}", record.headline, text)


def _judge(outcome: Outcome, target: Target, exit_code: int) -> Case:
    """One outcome for one of its targets; the time is shared out evenly."""
    title = one_line(f"{outcome.title} ({target.key})" if target.key else outcome.title)
    case = Case(outcome.check, title or outcome.check, outcome.seconds / max(len(outcome.targets), 1))
    if outcome.status in (Status.PASS, Status.WARN):
        return case
    if outcome.status is Status.FAIL:
        return _failed(case, outcome, target)
    reason = _placed(outcome)
    if outcome.status is Status.ERROR:
        return _with(case, "error", "lens.error", reason)
    if outcome.status is Status.UNKNOWN:
        if exit_code == CANNOT_TELL and outcome.decisive and not outcome.waived:
            return _with(case, "error", "lens.unknown", reason)
        return _with(case, "skipped", "", f"unknown: {reason}")
    return _with(case, "skipped", "", reason)


def _failed(case: Case, outcome: Outcome, target: Target) -> Case:
    here = [j for j in outcome.findings if not j.waived and (not j.targets or target in j.targets)]
    shown = here or [j for j in outcome.findings if not j.waived]
    found = sorted((j.finding for j in shown), key=lambda f: -f.severity)
    if not found:
        return _with(case, "failure", "lens.fail", _placed(outcome))
    blockers = sum(f.severity is Severity.BLOCKER for f in found)
    more = f" (and {blockers - 1} more)" if blockers > 1 else ""
    parts = [_told(finding) for finding in found]
    parts += [f"also: {_placed(outcome)}"] if outcome.reason else []
    text = "\n\n".join([*parts, outcome.url] if outcome.url else parts)
    return _with(case, "failure", "lens.fail", found[0].message + more, text)


def _with(case: Case, child: str, type: str, message: str, text: str = "") -> Case:
    message = message or "no reason was given"
    return replace(case, child=child, type=type, message=message, text=text or message)


def _placed(outcome: Outcome) -> str:
    where = f"{outcome.reason_at}: " if outcome.reason_at else ""
    give = f" (give {outcome.missing_input})" if outcome.missing_input else ""
    waived = f" (waived: {outcome.waived})" if outcome.waived else ""
    return f"{where}{outcome.reason}{give}{waived}"


def _told(finding: Finding) -> str:
    """A finding as text; ``NAME:LINE`` comes first, where annotating readers look for it."""
    told = [f"{finding.at}: {finding.severity.word}: {finding.message} [{finding.rule.id}]"]
    told += [f"{related.at}: {related.text}" for related in finding.related]
    told += [f"fix: {finding.remedy}"] if finding.remedy else []
    told += [f"{key} = {value}" for key, value in sorted(finding.evidence.items())]
    return "\n".join(told)


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


def _unique(cases: Iterator[Case]) -> Iterator[Case]:
    """Number the later ones of equal class and name: some readers keep the first only."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        name, number = case.name, 1
        while (case.classname, xml_attribute(name)) in seen:
            number += 1
            name = f"{case.name} #{number}"
        seen.add((case.classname, xml_attribute(name)))
        yield replace(case, name=name)


def _case(case: Case) -> Iterator[str]:
    head = (
        f'    <testcase classname="{xml_attribute(case.classname)}" name="{xml_attribute(case.name)}" '
        f'time="{_seconds(case.seconds)}"'
    )
    if not case.child:
        yield head + "/>"
        return
    kind = f' type="{xml_attribute(case.type)}"' if case.type else ""
    message = f' message="{xml_attribute(case.message)}"'
    yield head + ">"
    yield f"      <{case.child}{kind}{message}>{xml_text(case.text)}</{case.child}>"
    yield "    </testcase>"
