"""Exit codes inside hooks of Slurm: nothing of ours may drain a node."""

from __future__ import annotations

from collections.abc import Mapping

CONTEXT = "SLURM_SCRIPT_CONTEXT"

_HOLDING = ("prolog_slurm", "epilog_slurm", "prolog_task", "prolog_srun", "epilog_task", "epilog_srun")


def allowed(code: int, environ: Mapping[str, str]) -> tuple[int, str]:
    """The code to leave with, and why it is another one; nothing to say outside hooks.

    A Prolog or Epilog that ends with anything but 0 drains its node and holds the job; a TaskProlog
    ends the task (seen with Slurm 22.05). Slurm tells each hook which one it is.
    """
    context = environ.get(CONTEXT, "")
    if code == 0 or not context.startswith(_HOLDING):
        return code, ""
    return 0, (
        f"exit code {code} becomes 0 in the Slurm hook {context}; to end a job with it, make "
        "`srun --ntasks-per-node=1 lens-preflight check --profile node` the first step"
    )
