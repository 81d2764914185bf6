"""What traps run: at the end of a script, and when a signal comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import NAME, agree, never_wrong
from tests.jobs.making import batch, only, seen


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
    text = f"cleanup() {{ rm -rf scratch/x; }}\ntrap '{action}' USR1 TERM EXIT\nsrun python train.py & PID=$!\nwait"
    model = batch(tmp_path, text, files={"train.py": ""})
    assert [(one.program, one.conditional) for one in model.launches] == [("train.py", False)]


@pytest.mark.parametrize(
    "text",
    [
        "export @@=1; trap 'export @@=0' ERR; grep -q x /etc/absent",
        "export @@=1; set -T; trap 'export @@=0' RETURN; f() { :; }; f",
        "export @@=1; trap 'export @@=0' DEBUG",
        "t() { export @@=0; }; trap t ERR; export @@=1; false; export V=1",
        "trap 'unset @@' ERR; export @@=1",
    ],
)
def test_a_name_that_a_trap_of_the_shell_may_set_is_not_known(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)


@pytest.mark.parametrize("action", ["echo failed at $LINENO", "exit 1", "kill $PID", ""])
def test_other_traps_of_the_shell_leave_the_values_known(action: str, tmp_path: Path) -> None:
    launch = only(batch(tmp_path, f"trap '{action}' ERR\nexport {NAME}=1\nsrun python train.py"))
    assert seen(launch.env[NAME]) == "1"
