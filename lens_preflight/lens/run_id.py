"""How NeMo Lens derives the run id, and what is known about it before the job starts.

Source: ``setup_telemetry`` of nemo-lens 0.1.0 to nightly, executed: the prefixed variables (trimmed),
then ``SLURM_JOB_ID`` (not trimmed), then twelve random hex digits in each process.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from lens_preflight.core.errors import Undecided
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import Spread, State

SLURM_JOB_ID = "SLURM_JOB_ID"


class Source(enum.Enum):
    """Where a run id comes from."""

    SETTING = "setting"
    """A variable of NeMo Lens or of the framework."""
    SLURM = "slurm"
    """The job id of Slurm, because no variable is set."""
    RANDOM = "random"
    """Made up: by every process, or by the driver that hands it on."""


@dataclass(frozen=True)
class RunId:
    """The run id of the processes of one launch.

    ``value`` is None when it is not known before start. ``spread``: over what it may differ.
    ``decided_by`` is the variable it comes from, or for RANDOM the one that should be set.
    ``shared_by`` is the variable through which a driver hands it to the others, empty when every
    process derives its own.
    """

    source: Source
    value: str | None
    spread: Spread
    decided_by: Variable
    shared_by: str = ""

    @property
    def per_process(self) -> bool:
        """True when two processes of the launch may have two run ids."""
        return self.spread in (Spread.NODE, Spread.TASK)


def run_id(env: Environment, names: tuple[str, ...], shared_by: str = "") -> RunId:
    """The run id in an environment; ``names`` are the variables looked at before Slurm's.

    A variable that is provided at start counts as set to a text that is not blank.

    Raises:
        Undecided: it is not known whether a variable that would decide is set.
    """
    for name in names:
        variable = env[name]
        if variable.state is State.PROVIDED:
            return RunId(Source.SETTING, None, variable.spread, variable, shared_by)
        text = _known(variable)
        if text and text.strip():
            return RunId(Source.SETTING, text.strip(), variable.spread, variable, shared_by)
    slurm = env[SLURM_JOB_ID]
    if slurm.state is State.PROVIDED:
        return RunId(Source.SLURM, None, slurm.spread, slurm, shared_by)
    if text := _known(slurm):
        return RunId(Source.SLURM, text, slurm.spread, slurm, shared_by)
    spread = Spread.RUN if shared_by else Spread.TASK
    return RunId(Source.RANDOM, None, spread, env[names[-1]], shared_by)


def _known(variable: Variable) -> str | None:
    if variable.state is State.UNKNOWN:
        at = variable.origin.at if variable.origin else None
        reason = variable.reason or "it is unknown"
        raise Undecided(f"{variable.name} is not known before the job starts: {reason}", at)
    return variable.value
