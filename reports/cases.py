"""A run as test cases: one for each outcome and target, none green that was not seen to hold.

A run that does not end well has at least one case that is red; when no outcome is to blame (nothing
was judged, an interrupt, an expected input that is missing) the verdict is a case of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.finding import Finding, Location
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports.text import one_line, xml_attribute

CANNOT_TELL: Final = 3
_WHOLE_RUN: Final = Target()


@dataclass(frozen=True)
class Case:
    """One test case; ``child`` is failure, error, skipped, or empty for a pass.

    ``name`` is one line and differs among the cases of one ``classname`` (the id of the check).
    ``findings`` are those of this target that are not waived, worst first, ``waived`` the others; ``at``
    is where to look.
    """

    classname: str
    name: str
    seconds: float
    child: str = ""
    type: str = ""
    message: str = ""
    text: str = ""
    status: str = ""
    at: Location | None = None
    findings: tuple[Finding, ...] = ()
    waived: tuple[Judged, ...] = ()
    outcome: Outcome | None = None
    target: Target = _WHOLE_RUN

    @property
    def red(self) -> bool:
        """Whether a reader must not take the run for a good one."""
        return self.child in ("failure", "error")


def cases(record: RunRecord) -> list[Case]:
    """All cases of a run, in the order of the run, with names that differ."""
    return list(_unique(_cases(record)))


def counts_against(outcome: Outcome, exit_code: int) -> bool:
    """Whether an outcome that could not tell is why the run cannot tell."""
    return exit_code == CANNOT_TELL and outcome.decisive and not outcome.waived


def _cases(record: RunRecord) -> Iterator[Case]:
    red = False
    for outcome in record.results:
        for target in outcome.targets or (Target(outcome.scope),):
            case = _judge(outcome, target, record.exit_code)
            red = red or case.red
            yield case
    if record.exit_code != 0 and not red:
        kind = "failure" if record.verdict == "not-ready" else "error"
        text = "\n".join(line for line in (record.headline, record.incomplete) if line)
        headline = record.headline or record.verdict
        yield Case("lens-preflight", "verdict", 0.0, kind, f"lens.{record.verdict}", headline, text)


def _judge(outcome: Outcome, target: Target, exit_code: int) -> Case:
    """One outcome for one of its targets; the time is shared out evenly."""
    title = one_line(f"{outcome.title} ({target.key})" if target.key else outcome.title)
    found = tuple(_findings(outcome, target))
    case = Case(
        outcome.check,
        title or outcome.check,
        outcome.seconds / max(len(outcome.targets), 1),
        status=outcome.status.value,
        at=_place(outcome, found),
        findings=found,
        waived=tuple(j for j in outcome.findings if j.waived and (not j.targets or target in j.targets)),
        outcome=outcome,
        target=target,
    )
    if outcome.status in (Status.PASS, Status.WARN):
        return case
    if outcome.status is Status.FAIL:
        return _failed(case, outcome)
    reason = placed(outcome)
    if outcome.status is Status.ERROR:
        return _with(case, "error", "lens.error", reason)
    if outcome.status is Status.UNKNOWN:
        if counts_against(outcome, exit_code):
            return _with(case, "error", "lens.unknown", reason)
        return _with(case, "skipped", "", f"unknown: {reason}")
    return _with(case, "skipped", "", reason)


def _findings(outcome: Outcome, target: Target) -> Iterator[Finding]:
    counting = [j for j in outcome.findings if not j.waived]
    here = [j for j in counting if not j.targets or target in j.targets]
    shown: list[Judged] = here or (counting if outcome.status is Status.FAIL else [])
    yield from sorted((j.finding for j in shown), key=lambda f: -f.severity)


def _place(outcome: Outcome, found: tuple[Finding, ...]) -> Location | None:
    return found[0].at if found else outcome.reason_at


def _failed(case: Case, outcome: Outcome) -> Case:
    if not case.findings:
        return _with(case, "failure", "lens.fail", placed(outcome))
    blockers = sum(f.severity is Severity.BLOCKER for f in case.findings)
    more = f" (and {blockers - 1} more)" if blockers > 1 else ""
    parts = [told(finding) for finding in case.findings]
    parts += [f"also: {placed(outcome)}"] if outcome.reason else []
    text = "\n\n".join([*parts, outcome.url] if outcome.url else parts)
    return _with(case, "failure", "lens.fail", case.findings[0].message + more, text)


def _with(case: Case, child: str, type: str, message: str, text: str = "") -> Case:
    message = message or "no reason was given"
    return replace(case, child=child, type=type, message=message, text=text or message)


def placed(outcome: Outcome) -> str:
    """Why an outcome is what it is, with its place and what to give."""
    where = f"{outcome.reason_at}: " if outcome.reason_at else ""
    give = f" (give {outcome.missing_input})" if outcome.missing_input else ""
    waived = f" (waived: {outcome.waived})" if outcome.waived else ""
    return f"{where}{outcome.reason}{give}{waived}"


def told(finding: Finding) -> str:
    """A finding as text; ``NAME:LINE`` comes first, where annotating readers look for it."""
    lines = [f"{finding.at}: {finding.severity.word}: {finding.message} [{finding.rule.id}]"]
    lines += [f"{related.at}: {related.text}" for related in finding.related]
    lines += [f"fix: {finding.remedy}"] if finding.remedy else []
    lines += [f"{key} = {value}" for key, value in sorted(finding.evidence.items())]
    return "\n".join(lines)


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
