"""What traps run: at the end of a script, and when a signal comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree
from tests.jobs.making import batch


@pytest.mark.parametrize(
    "text",
    [
        "export @@=a; trap 'unset @@; srun python train.py' EXIT; srun python train.py",
        "end() { export @@=end; srun python train.py; }; trap end EXIT; export @@=a; exit 1",
        "(trap '@@=sub srun python train.py' EXIT; @@=s2 srun python train.py); @@=c srun python train.py",
        "trap 'srun python train.py' EXIT; trap - EXIT; export @@=b; srun python train.py",
        "trap 'srun python train.py' EXIT; export @@=x; exec srun python train.py",
        "bash -c 'trap \"srun python train.py\" EXIT; export @@=i; exit 3'; @@=c srun python train.py",
        "set -e; trap 'srun python train.py' EXIT; export @@=f; false; export @@=g",
        "trap 'srun python train.py' EXIT; export @@=a; (true); echo x | cat",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


def test_a_handler_that_starts_a_program_may_run(tmp_path: Path) -> None:
    model = batch(
        tmp_path, "trap 'python save.py' USR1\nsrun python train.py", files={"train.py": "", "save.py": ""}
    )
    assert [(one.program, one.conditional) for one in model.launches] == [
        ("train.py", False),
        ("save.py", True),
    ]


@pytest.mark.parametrize(
    "action", ["scontrol requeue $SLURM_JOB_ID", "kill -TERM $PID; wait", "touch stop", "cleanup"]
)
def test_a_handler_that_starts_nothing_is_no_launch(action: str, tmp_path: Path) -> None:
    text = (
        f"cleanup() {{ rm -rf /tmp/x; }}\ntrap '{action}' USR1 TERM EXIT\nsrun python train.py & PID=$!\nwait"
    )
    model = batch(tmp_path, text, files={"train.py": ""})
    assert [(one.program, one.conditional) for one in model.launches] == [("train.py", False)]
