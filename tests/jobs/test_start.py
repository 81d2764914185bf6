"""The command of --submit: what starts the job, and with which options and variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.words import State
from tests.jobs.making import job, only

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
