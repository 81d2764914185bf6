"""Outcomes and the finished run: all that a report may know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Assumption, Finding, Location
from lens_preflight.core.words import Scope, Severity, Status


@dataclass(frozen=True)
class Target:
    """What an outcome is about; ``key`` is empty for the whole run.

    Keys: a launch is ``train.sbatch:13``, a signal ``traces`` or ``traces @ train.sbatch:13``, a
    backend its name, a file its path.
    """

    scope: Scope = Scope.RUN
    key: str = ""

    def __str__(self) -> str:
        return self.key


@dataclass(frozen=True)
class Judged:
    """A finding of an outcome, with the targets it holds for; ``waived`` is the reason, if it is."""

    finding: Finding
    targets: tuple[Target, ...] = ()
    waived: str = ""


@dataclass(frozen=True)
class Outcome:
    """One check's result for one or several targets, complete enough for any report.

    ``reason`` is the proof of a pass, or why it was skipped, is unknown or broke; ``reason_at`` its
    place. ``missing_input`` is what to type to have a skipped one judged. ``waived`` is the reason
    for which its not knowing weighs nothing. ``beneath`` is how the check ended whatever it found (pass,
    unknown, error, skip): what is left of a fail whose blockers are waived.
    """

    check: str
    title: str
    items: tuple[int, ...]
    scope: Scope
    targets: tuple[Target, ...]
    status: Status
    findings: tuple[Judged, ...] = ()
    reason: str = ""
    reason_at: Location | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    missing_input: str = ""
    url: str = ""
    decisive: bool = False
    seconds: float = 0.0
    waived: str = ""
    beneath: Status = Status.PASS

    @property
    def notes(self) -> int:
        """The number of findings that do not weigh."""
        return sum(j.finding.severity is Severity.NOTE for j in self.findings)


@dataclass(frozen=True)
class Item:
    """One line of the checklist, summed up: pass, warn, fail, unknown, or not-judged."""

    n: int
    title: str
    status: str
    checks: tuple[str, ...] = ()
    missing_input: str = ""


@dataclass(frozen=True)
class RunRecord:
    """A finished run. ``run`` holds all that differs from run to run; ``subject`` is plain data."""

    profile: str
    profile_why: str
    verdict: str
    headline: str
    exit_code: int
    items: tuple[Item, ...]
    results: tuple[Outcome, ...]
    assumptions: tuple[Assumption, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    subject: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    incomplete: str = ""
    tool: str = ""
