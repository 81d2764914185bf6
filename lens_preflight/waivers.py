"""Waives findings after they were judged: they stay visible, and weigh nothing until the day given."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.anchor import Anchor
from lens_preflight.core.data import replace
from lens_preflight.core.finding import Finding, Location, Rule
from lens_preflight.core.outcome import Judged, Outcome, Target
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Scope, Severity, Status
from lens_preflight.waiver_match import Match

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
    baseline: Accepted | None = None,
    *,
    anchor: Anchor = Anchor(),  # noqa: B008
    launches: Sequence[str] = (),
    known: Collection[str] = (),
) -> tuple[Outcome, ...]:
    """The outcomes with waived findings marked, and one more outcome when there is a note to make.

    ``anchor`` gives files the name by which waivers and the baseline know them, ``launches`` are the
    keys of all launches, ``known`` the ids of all checks (empty: those of the outcomes). Errors cannot
    be waived.
    """
    match = Match(anchor, launches[0] if len(launches) == 1 else "")
    live = [w for w in waivers if w.until >= today]
    used: set[Waiver] = set()
    judged = [_waive(outcome, live, used, match) for outcome in outcomes]
    if baseline is not None:
        judged = _accept(judged, baseline, anchor)
    judged = [_left(outcome, live, used, match) for outcome in judged]
    ids = {outcome.check for outcome in outcomes}
    notes = tuple(Judged(n, (Target(),)) for n in _notes(waivers, used, ids, known or ids, today))
    if not notes:
        return tuple(judged)
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


def _waive(outcome: Outcome, waivers: Sequence[Waiver], used: set[Waiver], match: Match) -> Outcome:
    """The outcome with the findings marked that a waiver matches."""
    if outcome.status is Status.ERROR:
        return outcome
    findings = []
    for judged in outcome.findings:
        waiver = next((w for w in waivers if match.finding(w, judged.finding, outcome.targets)), None)
        if waiver is not None:
            used.add(waiver)
        findings.append(replace(judged, waived=waiver.reason) if waiver is not None else judged)
    return replace(outcome, findings=tuple(findings))


def _accept(outcomes: Sequence[Outcome], baseline: Accepted, anchor: Anchor) -> list[Outcome]:
    """The outcomes with the findings marked that the baseline lists: in as many places as it says, no more."""
    open_ones = [
        anchor.finding(j.finding)
        for o in outcomes
        if o.status is not Status.ERROR
        for j in o.findings
        if not j.waived
    ]
    places: dict[str, set[Location]] = {}
    for finding in open_ones:
        places.setdefault(finding.fingerprint, set()).add(finding.at)
    accepted = {
        (fingerprint, at)
        for fingerprint, found in places.items()
        for at in sorted(found, key=_order)[: baseline.places.get(fingerprint, 0)]
    }

    def mark(judged: Judged) -> Judged:
        finding = anchor.finding(judged.finding)
        listed = not judged.waived and (finding.fingerprint, finding.at) in accepted
        return replace(judged, waived=baseline.reason) if listed else judged

    return [
        o if o.status is Status.ERROR else replace(o, findings=tuple(map(mark, o.findings))) for o in outcomes
    ]


def _order(at: Location) -> tuple[int, int, str]:
    return at.line or 0, at.column or 0, at.what


def _left(outcome: Outcome, waivers: Sequence[Waiver], used: set[Waiver], match: Match) -> Outcome:
    """The outcome with the status that is left without what is waived.

    A fail that is all waived is what it would be without its findings, and if that is a pass it still
    shows, as a warning.
    """
    status = outcome.status
    if status is Status.FAIL and all(j.waived for j in outcome.findings if _blocks(j)):
        status = Status.WARN if outcome.beneath in (Status.PASS, Status.WARN) else outcome.beneath
    if Status.UNKNOWN not in (status, outcome.beneath):
        return replace(outcome, status=status)
    waiver = next((w for w in waivers if match.unknown(w, outcome)), None)
    if waiver is not None:
        used.add(waiver)
        if status is Status.UNKNOWN:
            return replace(outcome, status=status, waived=waiver.reason)
    return replace(outcome, status=status)


def _blocks(judged: Judged) -> bool:
    return judged.finding.severity is Severity.BLOCKER


def _notes(
    waivers: Sequence[Waiver],
    used: set[Waiver],
    judged: Collection[str],
    known: Collection[str],
    today: datetime.date,
) -> Iterator[Finding]:
    for waiver in waivers:
        check = waiver.rule.partition("/")[0]
        at = Location.file(waiver.source) if waiver.source else Location.option("[[waive]]")
        evidence = {"until": waiver.until.isoformat(), "reason": waiver.reason}
        if waiver.until < today:
            text = f"the waiver of {waiver.rule} has run out: what it covered counts again"
            yield Finding(EXPIRED, text, at, evidence=evidence, remedy="remove the cause, or move its until")
        elif waiver not in used and check not in known:
            text = f"the waiver of {waiver.rule} matches nothing: no check of this run is called {check}"
            remedy = "correct its rule, or install or name (--local FILE) what has that check"
            yield Finding(UNUSED, text, at, evidence=evidence, remedy=remedy)
        elif waiver not in used and check in judged:
            text = f"the waiver of {waiver.rule} matches nothing"
            yield Finding(UNUSED, text, at, evidence=evidence, remedy="delete it from the settings")
        elif waiver in used and waiver.until - today <= SOON:
            text = f"the waiver of {waiver.rule} runs out soon"
            yield Finding(
                EXPIRES_SOON, text, at, evidence=evidence, remedy="remove the cause, or move its until"
            )
