"""Waives findings after they were judged: they stay visible, and weigh nothing until the day given."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Finding, Location, Place, Rule
from lens_preflight.core.outcome import Judged, Outcome, Target
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Scope, Severity, Status

SOON = datetime.timedelta(days=14)

EXPIRED = Rule(
    "waivers/expired",
    "a waiver has run out and its findings count again",
    Severity.NOTE,
    help="Remove the cause, or give the waiver a later `until` and say why in `reason`.",
)
EXPIRES_SOON = Rule(
    "waivers/expires-soon",
    "a waiver runs out within 14 days",
    Severity.NOTE,
    help="Remove the cause before that day, or move `until`.",
)
UNUSED = Rule(
    "waivers/unused",
    "a waiver matches nothing",
    Severity.NOTE,
    help="Delete it from the settings, or correct its rule and globs.",
)
RULES = (EXPIRED, EXPIRES_SOON, UNUSED)


def apply(
    outcomes: Sequence[Outcome],
    waivers: Sequence[Waiver],
    today: datetime.date,
    baseline: Mapping[str, str] | None = None,
) -> tuple[Outcome, ...]:
    """The outcomes with waived findings marked, and one more outcome when there is a note to make.

    ``baseline`` maps fingerprints of accepted findings to the reason. Errors cannot be waived.
    """
    live = [w for w in waivers if w.until >= today]
    used: set[Waiver] = set()
    judged = tuple(_waive(outcome, live, used, baseline or {}) for outcome in outcomes)
    notes = tuple(Judged(n, (Target(),)) for n in _notes(waivers, used, outcomes, today))
    if not notes:
        return judged
    extra = Outcome(
        "waivers",
        "Waivers are in order",
        (),
        Scope.RUN,
        (Target(),),
        Status.SKIP,
        notes,
        reason="waivers weigh nothing by themselves, and judge nothing",
    )
    return (*judged, extra)


def _waive(
    outcome: Outcome, waivers: Sequence[Waiver], used: set[Waiver], baseline: Mapping[str, str]
) -> Outcome:
    if outcome.status is Status.ERROR:
        return outcome
    findings = []
    for judged in outcome.findings:
        waiver = next((w for w in waivers if _matches(w, judged.finding, outcome.targets)), None)
        reason = baseline.get(judged.finding.fingerprint, "")
        if waiver is not None:
            used.add(waiver)
            reason = waiver.reason
        findings.append(replace(judged, waived=reason) if reason else judged)
    changed = replace(outcome, findings=tuple(findings))
    if outcome.status is Status.UNKNOWN:
        waiver = next((w for w in waivers if _matches_unknown(w, outcome)), None)
        if waiver is not None:
            used.add(waiver)
            return replace(changed, waived=waiver.reason)
    return replace(changed, status=_status(changed))


def _status(outcome: Outcome) -> Status:
    """The status without what is waived: a fail that is all waived still shows, as a warning."""
    if outcome.status is Status.FAIL and not any(
        j.finding.severity is Severity.BLOCKER and not j.waived for j in outcome.findings
    ):
        return Status.WARN
    return outcome.status


def _matches(waiver: Waiver, finding: Finding, targets: Iterable[Target]) -> bool:
    if waiver.status or waiver.rule not in (finding.rule.id, f"{finding.rule.check}/*"):
        return False
    return _located(waiver, finding.at) and _launched(waiver, targets)


def _matches_unknown(waiver: Waiver, outcome: Outcome) -> bool:
    if waiver.status != Status.UNKNOWN.value or waiver.rule != outcome.check:
        return False
    return _located(waiver, outcome.reason_at) and _launched(waiver, outcome.targets)


def _located(waiver: Waiver, at: Location | None) -> bool:
    globs = {Place.FILE: waiver.path, Place.VARIABLE: waiver.variable, Place.PANEL: waiver.panel}
    given = {place: glob for place, glob in globs.items() if glob}
    return all(at is not None and at.kind is p and fnmatchcase(at.what, g) for p, g in given.items())


def _launched(waiver: Waiver, targets: Iterable[Target]) -> bool:
    keys = [target.key.rpartition(" @ ")[2] for target in targets]
    return not waiver.launch or any(fnmatchcase(key, waiver.launch) for key in keys)


def _notes(
    waivers: Sequence[Waiver], used: set[Waiver], outcomes: Sequence[Outcome], today: datetime.date
) -> Iterator[Finding]:
    judged = {outcome.check for outcome in outcomes}
    for waiver in waivers:
        at = Location.file(waiver.source) if waiver.source else Location.option("[[waive]]")
        evidence = {"until": waiver.until.isoformat(), "reason": waiver.reason}
        if waiver.until < today:
            text = f"the waiver of {waiver.rule} has run out: what it covered counts again"
            yield Finding(EXPIRED, text, at, evidence=evidence, remedy="remove the cause, or move its until")
        elif waiver not in used and waiver.rule.partition("/")[0] in judged:
            text = f"the waiver of {waiver.rule} matches nothing"
            yield Finding(UNUSED, text, at, evidence=evidence, remedy="delete it from the settings")
        elif waiver in used and waiver.until - today <= SOON:
            text = f"the waiver of {waiver.rule} runs out soon"
            yield Finding(
                EXPIRES_SOON, text, at, evidence=evidence, remedy="remove the cause, or move its until"
            )
