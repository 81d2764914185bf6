"""Exit codes inside hooks of Slurm: nothing of ours may drain a node."""

from __future__ import annotations

from collections.abc import Mapping

CONTEXT = "SLURM_SCRIPT_CONTEXT"

_DRAINING = ("prolog_slurm", "epilog_slurm")
"""Contexts that start so are hooks of slurmd and slurmctld. ``prolog_task`` is not among them: Slurm
22.05 leaves it in the environment of the task itself, where the exit code must stand."""


def allowed(code: int, environ: Mapping[str, str]) -> tuple[int, str]:
    """The code to leave with, and why it is another one; nothing to say outside hooks.

    A Prolog or Epilog that ends with anything but 0 drains its node and holds the job (seen with
    Slurm 22.05). Slurm tells each hook which one it is.
    """
    context = environ.get(CONTEXT, "")
    if code == 0 or not context.startswith(_DRAINING):
        return code, ""
    return 0, (
        f"exit code {code} becomes 0 in the Slurm hook {context}; to end a job with it, make "
        "`srun --ntasks-per-node=1 lens-preflight check --profile node` the first step"
    )
