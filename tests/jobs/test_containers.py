"""Programs inside containers: which file on this side, and what the container makes of the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.core.words import State
from lens_preflight.jobs import read_job
from tests.jobs.making import batch, only

FILES = {
    "train.py": "",
    "src/train.py": "",
    "pkg/run/train.py": "",
    "pkg/mod/__main__.py": "",
    "pkg/tool.py": "",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("srun python train.py", "train.py"),
        ("srun python src/train.py", "src/train.py"),
        ("cd src && srun python train.py", "src/train.py"),
        ('cd "$SLURM_SUBMIT_DIR/src" && srun python train.py', "src/train.py"),
        ("srun --chdir=src python train.py", "src/train.py"),
        ("env -C src srun python train.py", "src/train.py"),
        ("srun python $PWD/src/train.py", "src/train.py"),
        ("ROOT=$(pwd)\nsrun python ${ROOT}/src/train.py", "src/train.py"),
        ("ROOT=$(realpath src)\nsrun python $ROOT/train.py", "src/train.py"),
        ("ROOT=$(cd src && pwd)\nsrun python $ROOT/train.py", "src/train.py"),
        ("pushd src\nsrun python train.py", "src/train.py"),
        ("srun python /elsewhere/train.py", None),
        ("srun python $UNKNOWN/train.py", None),
        ("srun --container-image=i python train.py", None),
        ("srun --container-image=i --container-mounts=$PWD:/w --container-workdir=/w python train.py", "train.py"),
        ("srun --container-image=i --container-mounts=$PWD/src:/w python /w/train.py", "src/train.py"),
        ("srun --container-image=i --container-mounts=/a:/b,$PWD:/w:ro,/c python /w/src/train.py", "src/train.py"),
        ("srun --container-image=i --container-mounts=$PWD:/w,$PWD/src:/w/pkg python /w/pkg/train.py", "src/train.py"),
        ("srun --container-image=i --container-mounts=$PWD python $PWD/train.py", "train.py"),
        ("docker run -v $PWD:/w -w /w img python train.py", "train.py"),
        ("docker run --volume=./src:/w img python /w/train.py", "src/train.py"),
        ("docker run --mount type=bind,source=$PWD/src,target=/w img python /w/train.py", "src/train.py"),
        ("docker run img python /w/train.py", None),
        ("apptainer exec -B $PWD:/w i.sif python /w/train.py", "train.py"),
        ("apptainer exec --bind $PWD/src:/w --pwd /w i.sif python train.py", "src/train.py"),
        ("APPTAINER_BIND=$PWD:/w apptainer exec i.sif python /w/train.py", "train.py"),
        ("apptainer exec i.sif python src/train.py", "src/train.py"),
        ("apptainer exec i.sif python /opt/train.py", None),
        ("enroot start -m $PWD:/w box python /w/train.py", "train.py"),
        ("srun torchrun --nnodes=2 src/train.py", "src/train.py"),
        ("srun uv run src/train.py", "src/train.py"),
        ("srun python -m pkg.tool", "pkg/tool.py"),
        ("srun python -m pkg.mod", "pkg/mod/__main__.py"),
        ("srun torchrun --nnodes=2 -m pkg.tool", "pkg/tool.py"),
        ("export PYTHONPATH=$PWD/pkg\nsrun python -m run.train", "pkg/run/train.py"),
        ("srun python -m elsewhere", None),
    ],
)  # fmt: skip
def test_program_file(tmp_path: Path, command: str, expected: str | None) -> None:
    launch = only(batch(tmp_path, command, files=FILES))
    assert launch.program_file == (None if expected is None else str(tmp_path / expected))


def test_the_path_map_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/bash\nsrun --container-image=i python /opt/app/train.py\n")
    (tmp_path / "train.py").write_text("")
    model = read_job(
        str(tmp_path / "job.sh"), submitter=Environment(), path_map=(("/opt/app", str(tmp_path)),)
    )
    assert only(model).program_file == str(tmp_path / "train.py")


def test_a_program_in_the_image_is_said_to_be_there(tmp_path: Path) -> None:
    launch = only(batch(tmp_path, "srun --container-image=i python /opt/train.py", files=FILES))
    assert launch.in_image and launch.container is not None and launch.container.image == "i"
    assert not only(batch(tmp_path, "srun python /opt/train.py", files=FILES)).in_image


def test_submitted_from_the_top_of_a_checkout(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / "pretrain_gpt.py").write_text("")
    model = batch(tmp_path / "examples", "srun python pretrain_gpt.py")
    assert only(model).program_file == str(tmp_path / "pretrain_gpt.py")


def test_paths_are_as_the_job_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.sh").write_text("#!/bin/bash\nsrun python train.py\n")
    (tmp_path / "jobs" / "train.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert only(read_job("jobs/job.sh")).program_file == "jobs/train.py"
    monkeypatch.chdir(tmp_path / "jobs")
    assert only(read_job("job.sh")).program_file == "train.py"


def test_the_batch_script_itself_in_a_container(tmp_path: Path) -> None:
    launch = only(
        batch(tmp_path, "export NEMO_LENS_ENABLED=1\npython /opt/t.py", directives="-n1 --container-image=i")
    )
    assert launch.container is not None and launch.env["NEMO_LENS_ENABLED"].value == "1"


def test_an_env_file_that_is_not_here(tmp_path: Path) -> None:
    launch = only(batch(tmp_path, "docker run --env-file missing.env img python t.py"))
    assert launch.env["OTEL_SERVICE_NAME"].state is State.UNKNOWN
