"""What Slurm makes of directives, exports and counts; measured on 22.05."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.words import Spread, State
from lens_preflight.jobs.directives import scan
from tests.jobs.making import batch, job, only, seen

A = "NEMO_LENS_RUN_ID"


@pytest.mark.parametrize(
    ("submit", "directive", "body", "expected"),
    [
        ("sbatch job.sh", "", "export @=s\nsrun python train.py", "s"),
        ("sbatch job.sh", "", "srun python train.py", "login"),
        ("sbatch job.sh", "--export=ALL", "srun python train.py", "login"),
        ("sbatch job.sh", "--export=NONE", "export @=s\nsrun python train.py", None),
        ("sbatch job.sh", "--export=NIL", "export @=s\nsrun python train.py", None),
        ("sbatch --export=NONE job.sh", "--export=ALL", "export @=s\nsrun python train.py", None),
        ("sbatch --export=ALL job.sh", "--export=NONE", "export @=s\nsrun python train.py", "s"),
        ("SBATCH_EXPORT=NONE sbatch job.sh", "--export=ALL", "export @=s\nsrun python train.py", None),
        ("sbatch job.sh", "--export=NONE", "export @=s\nsrun --export=ALL python train.py", "s"),
        ("sbatch job.sh", "--export=NONE", "unset SLURM_EXPORT_ENV\nexport @=s\nsrun python train.py", "s"),
        ("sbatch job.sh", "--export=NONE", "python train.py", None),
        ("sbatch job.sh", "--export=NONE", "export @=s\npython train.py", "s"),
        ("sbatch job.sh", "--export=@=x", "srun python train.py", "x"),
        ("sbatch job.sh", "--export=B=x", "export @=s\nsrun python train.py", None),
        ("sbatch job.sh", "--export=@", "srun python train.py", "login"),
        ("sbatch job.sh", "--export=ALL,@=x", "srun python train.py", "x"),
        ("sbatch job.sh", "--export=ALL,@=x", "export @=s\nsrun python train.py", "s"),
        ("sbatch job.sh", "", "export @=s\nsrun --export=@ python train.py", "s"),
        ("sbatch job.sh", "", "export @=s\nsrun --export=PATH python train.py", None),
        ("sbatch job.sh", "", "export @=s\nsrun --export=NONE python train.py", None),
        ("sbatch job.sh", "", "unset @\nsrun --export=ALL,@=t python train.py", "t"),
        ("sbatch job.sh", "", "export @=s\nSLURM_EXPORT_ENV=PATH srun python train.py", None),
        ("sbatch job.sh", "", "export @=s\n@=7 srun python train.py", "7"),
        ("sbatch job.sh", "", "export @=s\nsrun --export PATH,@ -n2 python train.py", "s"),
    ],
)  # fmt: skip
def test_export(tmp_path: Path, submit: str, directive: str, body: str, expected: str | None) -> None:
    model = batch(
        tmp_path,
        body.replace("@", A),
        directives=f"-N2 --ntasks-per-node=8 {directive}".replace("@", A),
        submit=submit.replace("@", A),
        login={A: "login"},
    )
    assert seen(only(model).launcher_env[A]) == expected


def test_a_segment_exports_for_itself(tmp_path: Path) -> None:
    body = f"export {A}=1\nsrun --export=ALL python a.py : --export=PATH python b.py"
    first, second = batch(tmp_path, body).launches
    assert (seen(first.env[A]), seen(second.env[A])) == ("1", None)
    assert [one.loss.value for one in second.lost] == ["srun-export-list"]


@pytest.mark.parametrize(
    ("directives", "command", "nodes", "world"),
    [
        ("-N2 --ntasks-per-node=8", "srun python t.py", 2, 16),
        ("-N2", "srun python t.py", 2, 2),
        ("-n4", "srun python t.py", None, 4),
        ("-n1", "srun python t.py", 1, 1),
        ("-N2 -n4", "srun python t.py", 2, 4),
        ("-N2 -n4", "srun --ntasks-per-node=1 python t.py", 2, 4),
        ("-N2 --ntasks-per-node=8", "srun -n1 -N1 python t.py", 1, 1),
        ("-N2 --ntasks-per-node=8", "srun -N2 -n2 python t.py", 2, 2),
        ("-N4", "srun --ntasks-per-node=2 python t.py", 4, 8),
        ("-N2-2", "srun python t.py", 2, 2),
        ("-N2-4", "srun python t.py", None, None),
        ("-N2 --ntasks-per-node=1", "srun torchrun --nnodes=2 --nproc_per_node=8 t.py", 2, 16),
        ("-N2 --ntasks-per-node=1 --gpus-per-node=4", "srun torchrun --nnodes=2 --nproc-per-node=gpu t.py", 2, 8),
        ("-N2 --ntasks-per-node=1 --gpus-per-node=h100:4", "srun torchrun --nnodes=2 --nproc-per-node=auto t.py", 2, 8),
        ("-N2 --ntasks-per-node=1 --gres=gpu:4",
         "srun torchrun --nnodes $SLURM_NNODES --nproc-per-node $SLURM_GPUS_ON_NODE t.py", 2, 8),
        ("-N2 --ntasks-per-node=1", "srun torchrun --nnodes=1:2 --nproc_per_node=8 t.py", 2, None),
        ("-N2 --ntasks-per-node=1", "srun torchrun --standalone --nproc_per_node=8 t.py", 2, 8),
        ("-N1", "torchrun --standalone --nproc_per_node=8 t.py", 1, 8),
        ("-N2 --ntasks-per-node=1", "srun accelerate launch --num_processes 16 --num_machines 2 t.py", 2, 16),
        ("-N2 --ntasks-per-node=8", "mpirun python t.py", 2, 16),
        ("-N2 --ntasks-per-node=8", "mpirun -np 4 python t.py", 2, 4),
        ("-N1", "python t.py", 1, 1),
        ("-N2 --ntasks-per-node=1", "srun ft_launcher --nnodes=2 --nproc-per-node=8 --ft-param-x 3 t.py", 2, 16),
        ("-N2 --ntasks-per-node=1", "srun deepspeed --launcher slurm --num_nodes 2 --num_gpus 8 t.py", 2, 16),
    ],
)  # fmt: skip
def test_counts(tmp_path: Path, directives: str, command: str, nodes: int | None, world: int | None) -> None:
    launch = only(batch(tmp_path, command, directives=directives))
    assert (launch.nodes, launch.world_size) == (nodes, world)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("#SBATCH --nodes=2", [("--nodes", "2", False)]),
        ("#SBATCH -N 2 --gpus-per-node=8", [("--nodes", "2", False), ("--gpus-per-node", "8", False)]),
        ("#SBATCH -n 4 # tasks", [("--ntasks", "4", False)]),
        ('#SBATCH --comment="a b"', [("--comment", "a b", False)]),
        ("#SBATCH --job-name=$USER", [("--job-name", "$USER", False)]),
        ("#SBATCH --requeue --nodes 3", [("--requeue", None, False), ("--nodes", "3", False)]),
        ("##SBATCH --nodes=2", []),
        ("# SBATCH --nodes=2", []),
        (" #SBATCH --nodes=2", []),
        ("#SBATCH --nodes=2 \\", [("--nodes", "2", False)]),
        ("\n# text\n#SBATCH --nodes=2", [("--nodes", "2", False)]),
        ("set -e\n#SBATCH --nodes=2", [("--nodes", "2", True)]),
    ],
)
def test_directive(line: str, found: list[tuple[str, str | None, bool]]) -> None:
    assert [(d.option, d.value, d.inert) for d in scan(f"#!/bin/bash\n{line}\n", "job.sh")] == found


def test_the_last_directive_counts(tmp_path: Path) -> None:
    text = f"#!/bin/bash\n#SBATCH --export=P=1\n#SBATCH --export={A}=2,ALL\nsrun python train.py\n"
    launch = only(job(tmp_path, text, submit="sbatch job.sh"))
    assert (seen(launch.env["P"]), seen(launch.env[A])) == (None, "2")


@pytest.mark.parametrize(
    ("text", "template", "spread"),
    [
        ("export @=$SLURM_JOB_ID\nsrun python t.py", "{SLURM_JOB_ID}", Spread.JOB),
        ("export @=a-$(date +%s)\nsrun python t.py", "a-{$(date +%s)}", Spread.RUN),
        ("export @=r$RANDOM\nsrun python t.py", "r{RANDOM}", Spread.RUN),
        ("srun bash -c 'export @=$(date +%s); python t.py'", "{$(date +%s)}", Spread.TASK),
        ("srun bash -c 'export @=$RANDOM; python t.py'", "{RANDOM}", Spread.TASK),
        ("srun bash -c \"export @=$RANDOM; python t.py\"", "{RANDOM}", Spread.RUN),
        ("srun bash -c 'export @=$(hostname); python t.py'", "{$(hostname)}", Spread.TASK),
        ("srun -n2 -N2 bash -c 'export @=$(hostname); python t.py'", "{$(hostname)}", Spread.NODE),
        ("srun bash -c 'export @=$SLURM_PROCID; python t.py'", "{SLURM_PROCID}", Spread.TASK),
        ("srun -n1 -N1 bash -c 'export @=a$(date +%s); python t.py'", "a{$(date +%s)}", Spread.RUN),
        ("export @=x$SLURM_ARRAY_JOB_ID\nsrun python t.py", "x{SLURM_ARRAY_JOB_ID}", Spread.JOB),
        ("export @=$(git rev-parse HEAD)\nsrun python t.py", "{$(git rev-parse HEAD)}", Spread.JOB),
    ],
)  # fmt: skip
def test_what_only_the_job_knows(tmp_path: Path, text: str, template: str, spread: Spread) -> None:
    launch = only(batch(tmp_path, text.replace("@", A), directives="-N2 --ntasks-per-node=8 --array=0-3"))
    assert launch.written[A].template == template
    assert launch.env[A].spread is spread
    assert launch.env[A].state in (State.PROVIDED, State.UNKNOWN)


def test_the_submitter_is_not_known(tmp_path: Path) -> None:
    body = f"export OTEL_SERVICE_NAME=x\nexport {A}=${{NAME:-d}}\nsrun python train.py"
    launch = only(batch(tmp_path, body, open_=True))
    assert launch.env["OTEL_SERVICE_NAME"].value == "x"
    assert launch.env[A].value == "d" and "NAME" in launch.env[A].reason
    assert launch.env["NEMO_LENS_ENABLED"].state is State.UNKNOWN
    assert launch.env["NEMO_LENS_ENABLED"].reason == "it depends on who submits"


def test_a_branch_on_the_submitter_is_open(tmp_path: Path) -> None:
    body = f'if [ "${{MODE:-a}}" = a ]; then export {A}=1; else export {A}=2; fi\nsrun python train.py'
    assert only(batch(tmp_path, body, open_=True)).env[A].state is State.UNKNOWN


def test_chdir_of_srun_and_sbatch(tmp_path: Path) -> None:
    files = {"work/b/train.py": "", "train.py": ""}
    body = "cd a 2>/dev/null\nsrun --chdir=../b python train.py"
    launch = only(batch(tmp_path, body, directives="-N1 --chdir=work", files=files))
    assert launch.program_file == str(tmp_path / "work/b/train.py")


def test_a_script_without_shebang_or_with_dos_lines_is_refused(tmp_path: Path) -> None:
    assert "#!" in job(tmp_path, "#SBATCH -N1\nsrun python t.py\n", submit="sbatch job.sh").refused
    dos = job(tmp_path, "#!/bin/bash\r\n#SBATCH -N1\r\nsrun python t.py\r\n", submit="sbatch job.sh")
    assert "DOS" in dos.refused and len(dos.launches) == 1
    marked = job(tmp_path, "\ufeff#!/bin/bash\n#SBATCH -N1\nsrun python t.py\n", submit="sbatch job.sh")
    assert "byte order mark" in marked.refused and len(marked.launches) == 1


def test_a_job_in_a_script_of_its_own(tmp_path: Path) -> None:
    files = {"train.sbatch": "#!/bin/bash\n#SBATCH -N2\nsrun python train.py\n"}
    text = f"#!/bin/bash\nexport {A}=1\nsbatch -N4 train.sbatch\n"
    launch = only(job(tmp_path, text, files=files))
    assert (launch.nodes, launch.env[A].value) == (4, "1")
    wrapped = only(job(tmp_path, f"#!/bin/bash\n{A}=1 sbatch -N3 --wrap 'srun python train.py'\n"))
    assert (wrapped.nodes, wrapped.env[A].value, wrapped.env["SLURM_JOB_ID"].state) == (
        3,
        "1",
        State.PROVIDED,
    )
    inline = job(
        tmp_path, "#!/bin/bash\nsbatch <<'EOF'\n#!/bin/bash\n#SBATCH -N2\nsrun python train.py\nEOF\n"
    )
    assert (only(inline).nodes, only(inline).at.line) == (2, 5)


@pytest.mark.parametrize("start", ["bash run.sh", "./run.sh", "bash ./run.sh"])
def test_a_script_that_the_job_writes(tmp_path: Path, start: str) -> None:
    """Also when a file of an earlier run is still there."""
    (tmp_path / "run.sh").write_text("#!/bin/bash\npython stale.py\n")
    body = f"cat > run.sh <<'EOF'\n#!/bin/bash\nexport {A}=$SLURM_PROCID\nexec python train.py\nEOF\nsrun {start}"
    launch = only(batch(tmp_path, body))
    assert launch.env[A].spread is Spread.TASK
    assert launch.program == "train.py"


@pytest.mark.parametrize("start", ["python gen.py", "./gen.py", "python ./gen.py"])
def test_a_program_that_the_job_writes_is_not_the_file_of_that_name(tmp_path: Path, start: str) -> None:
    (tmp_path / "gen.py").write_text("")
    launch = only(batch(tmp_path, f"cat > gen.py <<'EOF'\n#!/usr/bin/env python\nx = 1\nEOF\nsrun {start}"))
    assert launch.program_file is None and "itself writes" in launch.opaque_program


def test_itself_again(tmp_path: Path) -> None:
    model = batch(tmp_path, "sbatch --dependency=afterany:$SLURM_JOB_ID job.sh\nsrun python train.py")
    assert model.resubmits and len(model.launches) == 1
