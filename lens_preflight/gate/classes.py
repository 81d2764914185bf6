"""Whose fault it is: this host's, one that all hosts share, or the job's."""

from __future__ import annotations

import enum

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Finding
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Owner, Severity, Status
from lens_preflight.gate.control import Control, Controls


class Class(enum.Enum):
    """Where the cause of a finding lies; the lowest that applies is the one to act on."""

    HOST = "host"
    SHARED = "shared"
    JOB = "job"


_OWNERS = {
    Owner.HOST: Class.HOST,
    Owner.PLATFORM: Class.SHARED,
    Owner.FRAMEWORK: Class.JOB,
    Owner.JOB: Class.JOB,
}


@dataclass(frozen=True)
class Fault:
    """One blocker with its class; ``proven``: the host class rests on a control probe or a local file."""

    rule: str
    message: str
    cause: Class
    proven: bool = False
    why: str = ""


def faults(record: RunRecord, controls: Controls) -> tuple[Fault, ...]:
    """The blockers of a run that are not waived, those of the host first."""
    found = [
        fault(judged.finding, controls)
        for outcome in record.results
        for judged in outcome.findings
        if judged.finding.severity is Severity.BLOCKER and not judged.waived
    ]
    order = list(Class)
    return tuple(sorted(dict.fromkeys(found), key=lambda f: (order.index(f.cause), not f.proven)))


def fault(finding: Finding, controls: Controls) -> Fault:
    """The class of one finding.

    A cause that the probe knows: a file missing on this host is the host's; what depends on the
    network is the host's only when a control probe fails here as well; the rest is shared, since the
    settings probed are the site's. Any other rule: as its owner says.
    """
    from lens_preflight.probe.causes import CAUSES
    from lens_preflight.probe.model import Stage

    rule, message = finding.rule.id, finding.message
    cause = CAUSES.get(finding.rule.name)
    if cause is None:
        owner = finding.rule.owner
        return Fault(
            rule, message, _OWNERS[owner], owner is Owner.HOST, f"the rule's owner is the {owner.value}"
        )
    if not cause.here:
        return Fault(rule, message, Class.SHARED)
    if cause.stage is Stage.CONFIGURE:
        return Fault(rule, message, Class.HOST, True, "a file of this host")
    control = controls.resolving if cause.stage is Stage.RESOLVE else controls.reaching
    if control is Control.FAILED and cause.stage is not Stage.TLS:
        return Fault(rule, message, Class.HOST, True, controls.why)
    return Fault(rule, message, Class.SHARED)


def inconclusive(record: RunRecord) -> str:
    """Why a run without blockers is no pass; empty when it is one."""
    if record.incomplete:
        return record.incomplete
    for outcome in record.results:
        if outcome.status is Status.ERROR or (outcome.status is Status.UNKNOWN and outcome.decisive):
            return f"{outcome.check}: {outcome.reason}"
    if all(outcome.status is Status.SKIP for outcome in record.results):
        reasons = [outcome.reason for outcome in record.results if outcome.reason]
        return reasons[0] if reasons else "nothing was judged"
    return ""
