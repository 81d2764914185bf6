"""Taking one node out of service after its job, and all the reasons not to."""

from __future__ import annotations

import datetime

from lens_preflight.gate import state as states
from lens_preflight.gate import syslog
from lens_preflight.gate.cache import Word, plain
from lens_preflight.gate.fleet import open_fleet
from lens_preflight.gate.lock import only_one
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.slurm import PREFIX, Slurm, SlurmError
from lens_preflight.gate.state import State

REASON_LIMIT = 120
"""What fits on a terminal line; sinfo -R shows the first 20 characters."""


def quarantine(settings: GateSettings, node: str, job: str, slurm: Slurm) -> str:
    """Drain the node with our Reason if everything speaks for it; returns what was done and why.

    Everything is asked again here, since the verdict may be minutes old. The answer also goes to the
    system log.
    """
    folder = settings.folder(node)
    state = states.load(folder)
    refusal = _refusal(settings, node, state)
    if not refusal and state is not None:
        try:
            with only_one(folder, "quarantine") as alone:  # many jobs may start at once
                if not alone:
                    return "another hook decides"
                refusal = _drained(settings, node, job, state, slurm)
        except (SlurmError, OSError) as error:
            refusal = str(error)
    done = f"not drained: {refusal}" if refusal else "drained, leaves service after its job"
    level = "warning" if refusal else "err"
    syslog.send(
        settings.syslog, syslog.message(level, done, event="quarantine", node=node, job=job or "none")
    )
    return done


def _refusal(settings: GateSettings, node: str, state: State | None) -> str:
    """Why the node stays, as far as this host and the fleet tell; empty when it should go."""
    if settings.off:
        return f"switched off: {settings.off}"
    if settings.policy is not Policy.QUARANTINE:
        return f"the policy is {settings.policy.value}"
    if state is None or not state.fresh or state.node != node:
        return "the verdict is missing or stale"
    if state.word != Word.QUARANTINE.value:
        return f"the verdict is {state.word}"
    fleet = open_fleet(settings.fleet, min(settings.timeout, 5.0))
    answer = fleet.answer(node, state.rule, state.failing.get(state.rule, float("inf")))
    return "" if answer.own else answer.why


def _drained(settings: GateSettings, node: str, job: str, state: State, slurm: Slurm) -> str:
    """Drain it; returns why not, else nothing. Raises SlurmError."""
    words, reason = slurm.reason(node)
    if not words:
        return "Slurm does not know this node"
    if "drain" in words.lower() or reason.lower() not in ("", "none", "(null)"):
        return f"it is {words} already, with another Reason" if reason else f"it is {words} already"
    hour_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    recent = [name for name, at in slurm.drained_by_us() if at >= f"{hour_ago:%Y-%m-%dT%H:%M:%S}"]
    if len(recent) >= settings.max_drains_per_hour:
        return f"{len(recent)} nodes were drained within an hour (gate.max_drains_per_hour)"
    slurm.drain(node, reason_text(state, job))
    return ""


def reason_text(state: State, job: str) -> str:
    """The Reason: who, which rule, the class, the job, what was seen."""
    now = datetime.datetime.now(datetime.timezone.utc)
    text = f"{PREFIX} {state.rule} host job={job or 'none'} {now:%Y-%m-%dT%H:%MZ} {state.message}"
    return plain(text)[:REASON_LIMIT].rstrip()
