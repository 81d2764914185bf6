"""How NeMo Lens derives the run id, and what is known about it before the job starts.

Source: ``setup_telemetry`` of nemo-lens 0.1.0 to nightly, executed: the prefixed variables (trimmed),
then ``SLURM_JOB_ID`` (not trimmed), then twelve random hex digits in each process.
"""

from __future__ import annotations

import enum

from lens_preflight.core.data import dataclass
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
    def is_set(self) -> bool:
        """True when a variable of NeMo Lens or of the framework gives it."""
        return self.source is Source.SETTING

    @property
    def is_random(self) -> bool:
        """True when it is made up at start."""
        return self.source is Source.RANDOM

    @property
    def per_process(self) -> bool:
        """True when two processes of the launch may have two run ids."""
        return self.spread in (Spread.NODE, Spread.TASK)


def run_id(env: Environment, names: tuple[str, ...], shared_by: str = "") -> RunId:
    """The run id in an environment; ``names`` are the variables looked at before Slurm's.

    Raises:
        Undecided: there are several possibilities (see ``run_ids``).
    """
    found = run_ids(env, names, shared_by)
    if len(found) > 1:
        env.text(found[0].decided_by.name)
        raise Undecided(f"it is not known whether {found[0].decided_by.name} is set")
    return found[0]


def run_ids(env: Environment, names: tuple[str, ...], shared_by: str = "") -> tuple[RunId, ...]:
    """Every run id that may come out, most likely set first.

    More than one when a variable may be set or not. A variable that is provided at start, or that
    somebody sets to an unknown text for each process, counts as set.
    """
    found: list[RunId] = []
    for name in (*names, SLURM_JOB_ID):
        variable = env[name]
        source = Source.SLURM if name == SLURM_JOB_ID else Source.SETTING
        text = variable.value or ""
        text = text if source is Source.SLURM else text.strip()
        if variable.state is State.UNSET or (variable.state is State.VALUE and not text):
            continue
        found.append(RunId(source, text or None, variable.spread, variable, shared_by))
        if variable.state is not State.UNKNOWN:
            return tuple(found)
        if not env.unlisted(name) and variable.spread is not Spread.JOB:
            return tuple(found)
    spread = Spread.RUN if shared_by else Spread.TASK
    found.append(RunId(Source.RANDOM, None, spread, env[names[0]], shared_by))
    return tuple(found)
