"""Launchers of training processes: torchrun, accelerate, deepspeed, mpirun, ray, and nested sbatch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs.accelerate import accelerate
from lens_preflight.jobs.deepspeed import deepspeed
from lens_preflight.jobs.draft import Step
from lens_preflight.jobs.mpi import mpirun
from lens_preflight.jobs.ray import ray
from lens_preflight.jobs.torchrun import torchrun

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell
    from lens_preflight.jobs.wrappers import Link


def nested_sbatch(step: Step, shell: Shell) -> None:
    """``sbatch`` inside a script: the job file itself again, or another job."""
    from lens_preflight.jobs.submit import nested

    nested(step, shell)


def salloc(step: Step, shell: Shell) -> None:
    """``salloc [options] command``: the command runs on this host inside an allocation."""
    from lens_preflight.jobs.submit import allocated

    allocated(step, shell)


LAUNCHERS: dict[str, Link] = {
    "torchrun": torchrun,
    "ft_launcher": torchrun,
    "accelerate": accelerate,
    "accelerate-launch": accelerate,
    "deepspeed": deepspeed,
    "deepspeed.launcher.runner": deepspeed,
    **dict.fromkeys(("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.hydra", "orterun", "prterun"), mpirun),
    "ray": ray,
    "sbatch": nested_sbatch,
    "salloc": salloc,
}
