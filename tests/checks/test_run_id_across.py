"""run-id among array elements, pods, steps, loops and submitted jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.run_id import run_id
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity
from tests.making import outcomes, subject

HEAD = "#!/bin/bash\n#SBATCH -N2 --ntasks-per-node=1\n"
TRAIN = "srun torchrun --nnodes=2 --nproc_per_node=8 train.py"


def said(
    folder: Path, text: str, name: str = "job.sh", submit: str | None = None
) -> set[tuple[str, int | None]]:
    """Rule and line of everything that is not a note about constants and requeues."""
    (folder / name).write_text(text)
    (folder / "train.py").write_text("import os\n")
    submit = submit or ("sbatch " if "#SBATCH" in text else "bash ") + name
    env = Environment.of({"PATH": "/usr/bin:/bin", "HOME": "/home/user"})
    what = subject(env, targets=(str(folder / name),), submit=submit, submit_environ=True)
    found = [j.finding for one in outcomes(run_id, what) for j in one.findings]
    quiet = ("constant", "not-stable")
    return {(f.rule.name, f.at.line) for f in found if f.rule.name not in quiet}


@pytest.mark.parametrize(
    ("array", "value", "expected"),
    [
        ("0-3", "$SLURM_ARRAY_JOB_ID", {("array", 3)}),
        ("0-3", "sweep-$SLURM_ARRAY_JOB_ID", {("array", 3)}),
        ("0-3", "fixed", {("array", 3)}),
        ("0-3", "$SLURM_JOB_NAME", {("array", 3)}),
        ("0-3%2", "fixed", {("array", 3)}),
        ("1,3,5", "fixed", {("array", 3)}),
        ("0-3", "$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID", set()),
        ("0-3", "$SLURM_JOB_ID", set()),
        ("0-3", "$(uuidgen)", set()),
        ("0-3%1", "fixed", {("array-chain", 3)}),
        ("7", "fixed", set()),
        ("7-7", "fixed", set()),
        ("7-7%1", "fixed", set()),
        ("3,3", "fixed", set()),
        ("0-15:4", "fixed", {("array", 3)}),
    ],
)
def test_arrays(tmp_path: Path, array: str, value: str, expected: set[tuple[str, int]]) -> None:
    text = f"#!/bin/bash\n#SBATCH --array={array} -N2 --ntasks-per-node=1\nexport NEMO_LENS_RUN_ID={value}\n{TRAIN}\n"
    assert said(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sbatch --array=0-3 job.sh", {("array", 2)}),
        ("sbatch job.sh", set()),
        ("sbatch --array=2 job.sh", set()),
    ],
)
def test_an_array_that_another_script_submits(
    tmp_path: Path, line: str, expected: set[tuple[str, int]]
) -> None:
    inner = f"#!/bin/bash\nexport NEMO_LENS_RUN_ID=fixed\n{TRAIN}\n"
    (tmp_path / "job.sh").write_text(inner)
    assert said(tmp_path, f"#!/bin/bash\n{line}\n", name="all.sh") == expected


def test_an_array_without_a_name_has_a_job_id_for_each(tmp_path: Path) -> None:
    assert said(tmp_path, f"#!/bin/bash\n#SBATCH --array=0-3 -N2 --ntasks-per-node=1\n{TRAIN}\n") == set()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for lr in 1 2; do srun python train.py --lr $lr; done", {("shared-by-launches", 3)}),
        ("for lr in 1 2; do NEMO_LENS_RUN_ID=a-$SLURM_JOB_ID-$lr srun python train.py --lr $lr; done", set()),
        ("for lr in 1 2; do srun -N1 -n1 python train.py --lr $lr & done\nwait", {("shared-by-launches", 3)}),
        ("srun python train.py\nsrun python train.py", set()),
        ("srun python train.py\nsrun python eval.py --x 1", set()),
        ("for i in 1 2; do NEMO_LENS_RUN_ID=r-$(date +%s%N) srun -N1 -n1 python train.py & done\nwait", {("steps", 3)}),
        ("NEMO_LENS_RUN_ID=$(uuidgen) srun -N1 -n1 python a.py &\n"
         "NEMO_LENS_RUN_ID=$(uuidgen) srun -N1 -n1 python b.py &\nwait",
         {("steps", 4)}),
        ("export NEMO_LENS_RUN_ID=$(uuidgen)\nsrun -N1 -n1 python a.py &\nsrun -N1 -n1 python b.py &\nwait", set()),
        ("NEMO_LENS_RUN_ID=a srun -N1 -n1 torchrun --nnodes=2 --nproc_per_node=8 train.py &\n"
         "NEMO_LENS_RUN_ID=b srun -N1 -n1 torchrun --nnodes=2 --nproc_per_node=8 train.py &\nwait", {("steps", 4)}),
        ("for n in $(scontrol show hostnames); do NEMO_LENS_RUN_ID=$(uuidgen) srun -N1 -n1 torchrun --nnodes=2 t.py & "
         "done\nwait", {("steps", 3)}),
        ("N=( $(scontrol show hostnames) )\nfor i in ${!N[@]}; do NEMO_LENS_RUN_ID=r-$RANDOM srun -N1 -n1 torchrun "
         "--nnodes=2 t.py & done\nwait", {("steps", 4)}),
        ("export NEMO_LENS_RUN_ID=$(uuidgen)\nfor n in $(scontrol show hostnames)\ndo srun -N1 -n1 torchrun --nnodes=2 t.py&"
         "done\nwait", set()),
        ("NEMO_LENS_RUN_ID=a srun python train.py --part 1\nsrun python train.py --part 2", {("steps", 4)}),
        ("srun --export=ALL,NEMO_LENS_RUN_ID=a python train.py : --export=ALL,NEMO_LENS_RUN_ID=b python train.py",
         {("steps", 3)}),
        ("if [ -e ckpt ]; then srun python train.py --resume; else srun python train.py; fi", set()),
        ("export NEMO_LENS_RUN_ID=$(date +%Y%m%d)\nsrun python train.py", {("shared-by-jobs", 3)}),
        ("export NEMO_LENS_RUN_ID=$(date +%Y%m%d)-$SLURM_JOB_ID\nsrun python train.py", set()),
        ("export NEMO_LENS_RUN_ID=$(date +%Y%m%d-%H%M%S)\nsrun python train.py", set()),
        ("srun --ntasks-per-node=1 bash -c 'NEMO_LENS_RUN_ID=$(hostname) python train.py'", {("differs", 3)}),
        ("srun -N1 -n1 bash -c 'NEMO_LENS_RUN_ID=$(hostname) python train.py'", set()),
        ("srun apptainer exec --cleanenv i.sif python train.py", {("per-process", 3)}),
        ("srun env -i python train.py", {("per-process", 3)}),
    ],
)  # fmt: skip
def test_launches(tmp_path: Path, body: str, expected: set[tuple[str, int]]) -> None:
    assert said(tmp_path, f"{HEAD}{body}\n") == expected


def test_submitted_jobs(tmp_path: Path) -> None:
    (tmp_path / "one.sbatch").write_text(f"{HEAD}{TRAIN} --seed $SEED\n")
    loop = (
        "#!/bin/bash\nfor s in 1 2; do sbatch {} --export=ALL,SEED=$s,NEMO_LENS_RUN_ID={} one.sbatch; done\n"
    )
    assert said(tmp_path, loop.format("", "exp")) == {("shared-by-submissions", 2)}
    assert said(tmp_path, loop.format("", "exp-$s")) == set()
    assert said(tmp_path, loop.format("--dependency=singleton", "exp")) == set()


def test_pods(tmp_path: Path) -> None:
    template = """      replicas: {}
      template:
        spec:
          containers:
          - name: pytorch
            image: i
            command: [torchrun, --nproc_per_node=8, train.py]
            env:
            - {{name: NEMO_LENS_ENABLED, value: "1"}}
{}"""
    own = "            - {name: NEMO_LENS_RUN_ID, value: x}\n"

    def manifest(master: str, worker: str) -> str:
        head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master:\n"
        return head + template.format(1, master) + "    Worker:\n" + template.format(3, worker)

    assert said(tmp_path, manifest(own, own), "job.yaml", "kubectl apply -f job.yaml") == set()
    found = said(tmp_path, manifest(own, ""), "job.yaml", "kubectl apply -f job.yaml")
    assert {rule for rule, _ in found} == {"replicas", "per-process"}
    found = said(
        tmp_path, manifest(own, own.replace("value: x", "value: y")), "job.yaml", "kubectl apply -f job.yaml"
    )
    assert {rule for rule, _ in found} == {"replicas"}


def test_daemons_have_no_run_id_of_their_own(tmp_path: Path) -> None:
    text = f"{HEAD}srun ray start --head --block &\nsrun -N1 -n1 python train.py\n"
    assert said(tmp_path, text) == set()


def test_the_remedy_names_the_line_of_the_launch(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(f"{HEAD}srun apptainer exec --cleanenv i.sif python train.py\n")
    env = Environment.of({"PATH": "/usr/bin:/bin"})
    what = subject(env, targets=(str(tmp_path / "job.sh"),), submit="sbatch job.sh", submit_environ=True)
    ((judged,),) = (one.findings for one in outcomes(run_id, what))
    assert judged.finding.severity is Severity.BLOCKER
    assert "line 3" in judged.finding.remedy and "SLURM_JOB_ID" in judged.finding.remedy
    assert "SLURM_JOB_ID is gone" in judged.finding.message
