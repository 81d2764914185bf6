"""A run as a flat list of issues, for readers that know neither checks nor targets.

An issue is a finding, a check that could not tell, or a verdict that nothing else explains.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.finding import Location, Place, Related, Rule
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports.cases import counts_against
from lens_preflight.reports.text import one_line


class Level(enum.IntEnum):
    """The three weights that all readers of issues know."""

    NOTE = 1
    WARNING = 2
    ERROR = 3


_LEVELS = {
    Severity.NOTE: (Level.NOTE, "note"),
    Severity.CAUTION: (Level.WARNING, "warn"),
    Severity.BLOCKER: (Level.ERROR, "FAIL"),
}


@dataclass(frozen=True)
class Issue:
    """One thing to act on.

    ``id`` is that of the rule, or of the check when there is no finding (then ``rule`` is None);
    ``word`` is FAIL, warn or note for a finding, else the status of the check, or FAIL.
    ``fingerprint`` survives moved lines; ``nth`` counts the issues of one fingerprint from 1.
    """

    level: Level
    word: str
    id: str
    title: str
    message: str
    at: Location | None = None
    remedy: str = ""
    url: str = ""
    fingerprint: str = ""
    nth: int = 1
    targets: tuple[str, ...] = ()
    items: tuple[int, ...] = ()
    related: tuple[Related, ...] = ()
    rule: Rule | None = None
    waived: str = ""

    @property
    def text(self) -> str:
        """The message; never empty, also when control characters are taken out of it."""
        texts = (self.message, self.title)
        return next((text.strip() for text in texts if one_line(text)), self.id)


def issues(record: RunRecord) -> list[Issue]:
    """All issues of a run, the waived ones last, else worst first and in the order of the run."""
    found = [issue for outcome in record.results for issue in _of(outcome, record.exit_code)]
    if record.exit_code != 0 and not any(i.level is Level.ERROR and not i.waived for i in found):
        found.append(_verdict(record))
    found.sort(key=lambda issue: (bool(issue.waived), -issue.level))
    return list(_counted(found))


def in_file(at: Location | None) -> bool:
    """Whether a place is one in a file."""
    return at is not None and at.kind is Place.FILE and bool(at.what.strip())


def _of(outcome: Outcome, exit_code: int) -> Iterator[Issue]:
    for judged in outcome.findings:
        yield _finding(outcome, judged)
    if outcome.status in (Status.UNKNOWN, Status.ERROR):
        yield _untold(outcome, Level.ERROR if counts_against(outcome, exit_code) else Level.WARNING)
    elif outcome.status is Status.FAIL and all(j.waived for j in outcome.findings):
        yield _untold(outcome, Level.ERROR)


def _finding(outcome: Outcome, judged: Judged) -> Issue:
    finding = judged.finding
    return Issue(
        *_LEVELS[finding.severity],
        finding.rule.id,
        finding.rule.summary,
        finding.message,
        finding.at,
        finding.remedy,
        f"{outcome.url}#{finding.rule.name}" if outcome.url else "",
        finding.fingerprint,
        targets=_keys(judged.targets),
        items=outcome.items,
        related=finding.related,
        rule=finding.rule,
        waived=judged.waived,
    )


def _untold(outcome: Outcome, level: Level) -> Issue:
    """A check without a finding to blame."""
    word = {Status.UNKNOWN: "cannot tell: ", Status.ERROR: "the check broke: "}.get(outcome.status, "")
    return Issue(
        level,
        "FAIL" if outcome.status is Status.FAIL else outcome.status.value,
        outcome.check,
        outcome.title,
        word + (outcome.reason.removeprefix("the check broke: ") or "no reason was given"),
        outcome.reason_at,
        f"give {outcome.missing_input}" if outcome.missing_input else "",
        outcome.url,
        _digest(outcome.check, outcome.status.value, outcome.reason, *_keys(outcome.targets)),
        targets=_keys(outcome.targets),
        items=outcome.items,
        waived=outcome.waived,
    )


def _verdict(record: RunRecord) -> Issue:
    message = "; ".join(text for text in (record.headline, record.incomplete) if text)
    return Issue(
        Level.ERROR,
        "FAIL" if record.verdict == "not-ready" else "unknown",
        "verdict",
        "The verdict of the run",
        message,
        fingerprint=_digest(record.verdict),
    )


def _keys(targets: tuple[Target, ...]) -> tuple[str, ...]:
    return tuple(target.key for target in targets if target.key)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _counted(found: Iterable[Issue]) -> Iterator[Issue]:
    seen: dict[str, int] = {}
    for issue in found:
        seen[issue.fingerprint] = seen.get(issue.fingerprint, 0) + 1
        yield replace(issue, nth=seen[issue.fingerprint])
