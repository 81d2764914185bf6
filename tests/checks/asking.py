"""Ask one check about dashboards, rules and collector files, without a command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lens_preflight.context import Context
from lens_preflight.core.check import Check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Location, Proof
from lens_preflight.core.words import Severity, Status
from lens_preflight.lens.generations import Generation, generation
from lens_preflight.settings import Settings


@dataclass(frozen=True)
class Asked:
    """The part of the Context that the checks of this folder look at."""

    dashboards: tuple[Any, ...] = ()
    rules: tuple[Any, ...] = ()
    collector: Any = None
    topology: str | None = "gateway"
    generation: Generation = field(default_factory=lambda: generation("0.2"))
    settings: Settings = field(default_factory=Settings)
    launches: tuple[Any, ...] = ()
    purpose: str | None = None
    lifted: frozenset[str] = frozenset()

    def env_of(self, launch: Any) -> Any:
        """The environment of a launch, which no program changes here."""
        return launch.env

    stops, lifts, last = Context.stops, Context.lifts, Context.last
    nothing_else = Context.nothing_else


@dataclass(frozen=True)
class Answer:
    """What a check said, summed up as the runner does."""

    status: Status
    findings: tuple[Finding, ...]
    reason: str
    at: Location | None = None
    assumptions: tuple[Assumption, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()

    def rules(self) -> set[str]:
        """The names of the rules reported."""
        return {finding.rule.name for finding in self.findings}

    def one(self, rule: str) -> Finding:
        """The only finding of a rule."""
        (found,) = [finding for finding in self.findings if finding.rule.name == rule]
        return found


def ask(check: Check, asked: Asked) -> Answer:
    """Run a check and sum up."""
    findings: list[Finding] = []
    proofs: list[Proof] = []
    assumed: list[Assumption] = []
    status, reason, at = Status.PASS, "", None
    try:
        for said in check.run(asked):
            if isinstance(said, Finding):
                assert said.rule in check.rules, said.rule.id
                findings.append(said)
            elif isinstance(said, Proof):
                proofs.append(said)
            else:
                assumed.append(said)
    except Skip as skip:
        status, reason = Status.SKIP, skip.reason
    except Undecided as undecided:
        status, reason, at = Status.UNKNOWN, undecided.reason, undecided.at
    heaviest = max((f.severity for f in findings), default=None)
    if heaviest is Severity.BLOCKER:
        status = Status.FAIL
    elif status is Status.PASS and heaviest is Severity.CAUTION:
        status = Status.WARN
    elif status is Status.PASS:
        assert proofs, f"{check.id} passes without a proof"
    reason = reason or "; ".join(p.text for p in proofs)
    evidence = tuple((k, v) for p in proofs for k, v in p.evidence.items())
    return Answer(status, tuple(findings), reason, at, tuple(assumed), evidence)
