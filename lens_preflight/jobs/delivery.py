"""Does the SIGTERM that ends a job early reach Python?

Source: measured on Slurm 22.05 with bash 5.2, and for a shell as the first process of a container.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.jobs.draft import Draft
from lens_preflight.jobs.model import Delivery, Signal

KILL_WAIT = 30.0
"""Seconds between SIGTERM and SIGKILL at the time limit and after scancel (KillWait)."""

POD_GRACE = 30.0


@dataclass(frozen=True)
class Verdict:
    """What becomes of the signal, the place to change, and one clause of why."""

    delivery: Delivery
    at: Location | None = None
    why: str = ""


def judge(draft: Draft, signal: Signal | None, traps: Mapping[str, tuple[str, int]], path: str) -> Verdict:
    """The delivery chain of one launch."""
    where = draft.where
    if where.pid1 == "shell":
        why = "the shell is the first process of the container and does not pass SIGTERM on"
        return Verdict(Delivery.SWALLOWED, draft.at, why)
    if where.pid1 == "unknown":
        return Verdict(Delivery.UNKNOWN, draft.at, "whether this shell replaces itself is not known")
    if where.remote:
        return Verdict(Delivery.UNKNOWN, draft.at, "the signal has to cross hosts")
    if not where.in_job and where.container is None and not where.pods and not where.in_step:
        return Verdict(Delivery.REACHES_PYTHON if not where.background else Delivery.UNKNOWN)
    if signal is None:
        return Verdict(Delivery.REACHES_PYTHON)
    if signal.batch_only:
        return _to_the_shell(draft, signal, traps, path)
    if where.in_step or signal.name != "TERM":
        return Verdict(Delivery.REACHES_PYTHON)
    why = "--signal goes to the steps of the job, and this program runs in the batch shell without srun"
    return Verdict(Delivery.SWALLOWED, signal.at, why)


def _to_the_shell(draft: Draft, signal: Signal, traps: Mapping[str, tuple[str, int]], path: str) -> Verdict:
    where = draft.where
    trap = traps.get(signal.name)
    if draft.where.execs and not where.in_step:
        reached = signal.name == "TERM"
        return Verdict(Delivery.REACHES_PYTHON if reached else Delivery.UNKNOWN, signal.at)
    if trap is None:
        if where.in_step:
            return Verdict(Delivery.REACHES_PYTHON)
        why = "--signal=B: ends the batch shell, and the program is killed without SIGTERM"
        return Verdict(Delivery.BATCH_SHELL_ONLY, signal.at, why)
    text, line = trap
    at = Location.file(path, line)
    if re.search(r"scancel\b", text) or re.search(r"scontrol\s+requeue", text):
        return Verdict(Delivery.REACHES_PYTHON, at)
    kills = re.search(r"\bkill\b", text)
    if not where.background:
        why = "bash runs the trap only after the program ends, and nobody signals the program"
        return Verdict(Delivery.BATCH_SHELL_ONLY, at, why)
    if not kills:
        return Verdict(Delivery.UNKNOWN, at, "what follows the trap decides")
    if where.in_step:
        why = "SIGTERM to the srun command ends the step, and no task gets SIGTERM"
        return Verdict(Delivery.SWALLOWED, at, why)
    return Verdict(Delivery.REACHES_PYTHON, at)


def grace(draft: Draft, signal: Signal | None, pod_grace: float | None) -> float | None:
    """Seconds from SIGTERM to SIGKILL, as far as the job file says."""
    if draft.where.pods:
        return POD_GRACE if pod_grace is None else pod_grace
    if not draft.where.in_job and not draft.where.in_step:
        return None
    if signal is not None and signal.name == "TERM":
        return signal.seconds
    return KILL_WAIT
