"""The command of --submit: what starts the job, and with which options and variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.words import State
from tests.jobs.making import job, only, seen

TEXT = "#!/bin/bash\n#SBATCH -N1 --ntasks-per-node=8\nexport NEMO_LENS_ENABLED=1\nsrun python train.py\n"


@pytest.mark.parametrize(
    "submit",
    [
        "sbatch --export=NONE job.sh",
        "/usr/bin/sbatch --export=NONE job.sh",
        "time sbatch --export=NONE job.sh",
        "env A=1 sbatch --export=NONE job.sh",
        "cd /x && sbatch --export=NONE job.sh",
        "sbatch --export=NONE job.sh | tee submitted.log",
        "sbatch --export=NONE job.sh > submitted.log &",
    ],
)
def test_the_options_count_wherever_the_command_stands(tmp_path: Path, submit: str) -> None:
    assert only(job(tmp_path, TEXT, submit=submit)).env["NEMO_LENS_ENABLED"].state is State.UNSET


@pytest.mark.parametrize("submit", ["A=from-the-line sbatch job.sh", "env A=from-the-line sbatch job.sh"])
def test_variables_before_the_command_reach_the_job(tmp_path: Path, submit: str) -> None:
    assert only(job(tmp_path, TEXT, submit=submit)).env["A"].value == "from-the-line"


@pytest.mark.parametrize(
    "submit",
    [
        "sbatch (",
        "A=1",
        "# sbatch job.sh",
        "J=$(sbatch --export=NONE job.sh)",
        "if true; then sbatch --export=NONE job.sh; fi",
        "sudo -u me sbatch --export=NONE job.sh",
        "env -i sbatch job.sh",
    ],
)
def test_a_command_that_is_not_understood_is_refused(tmp_path: Path, submit: str) -> None:
    with pytest.raises(InputError, match="--submit 'sbatch OPTIONS FILE'"):
        job(tmp_path, TEXT, submit=submit)


@pytest.mark.parametrize("submit", ["bash job.sbatch", "./job.sbatch", None])
def test_a_file_called_like_the_command_is_no_command(tmp_path: Path, submit: str | None) -> None:
    launch = only(job(tmp_path, TEXT, submit=submit, name="job.sbatch"))
    assert launch.env["NEMO_LENS_ENABLED"].value == "1"


PLAIN = """#!/bin/bash
[[ -n $SLURM_JOB_ID ]] && export NEMO_LENS_RUN_ID=in || export NEMO_LENS_RUN_ID=out
srun python train.py
"""


@pytest.mark.parametrize(
    ("submit", "login", "expected"),
    [
        (None, {}, "?"),
        ("sbatch -N2 job.sh", {}, "in"),
        ("bash job.sh", {}, "out"),
        (None, {"SLURM_JOB_ID": "7"}, "in"),
        ("bash job.sh", {"SLURM_JOB_ID": "7"}, "in"),
    ],
)
@pytest.mark.parametrize("open_", [False, True])
def test_a_script_without_directives_may_be_submitted(
    submit: str | None, login: dict[str, str], expected: str, open_: bool, tmp_path: Path
) -> None:
    if open_ and login:
        pytest.skip("the shell that submits is known then")
    launch = only(job(tmp_path, PLAIN, submit=submit, login=login, open_=open_))
    assert seen(launch.env["NEMO_LENS_RUN_ID"]) == expected


def test_nobody_says_how_many_nodes_a_script_without_directives_gets(tmp_path: Path) -> None:
    text = "#!/bin/bash\nexport NEMO_LENS_RUN_ID=a\nsrun python train.py\n"
    assert only(job(tmp_path, text, submit=None, open_=True)).world_size is None
    assert only(job(tmp_path, text, submit="sbatch -N2 job.sh")).world_size == 2
    assert only(job(tmp_path, text.replace("srun ", ""), submit=None, open_=True)).world_size == 1


def test_what_such_a_script_exports_itself_stays_known(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\nexport NEMO_LENS_RUN_ID=a NEMO_LENS_ENABLED=1\ntorchrun --nproc-per-node 8 train.py\n"
    )
    launch = only(job(tmp_path, text, submit=None, open_=True))
    assert (launch.nodes, seen(launch.env["NEMO_LENS_RUN_ID"])) == (1, "a")
