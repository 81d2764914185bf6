"""Scripts in the shape of those that the frameworks bring: here-documents in variables, arrays, wrappers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.words import State
from tests.jobs.making import LOGIN, batch, job, only

RAY = """#!/bin/bash
#SBATCH --nodes=2 --exclusive
set -eou pipefail
IMAGE=$IMAGE
RUN=${RUN:-}
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-16}
if [[ -n "${EXTRA:-}" ]]; then
  srun python extra.py
fi
ARGS=" --no-container-mount-home"
ARGS+=" --container-image=$IMAGE"
ARGS+=" --container-mounts=$SLURM_SUBMIT_DIR:$SLURM_SUBMIT_DIR"
ARGS+=" --container-workdir=$SLURM_SUBMIT_DIR"
LOGS=$SLURM_SUBMIT_DIR/$SLURM_JOB_ID-logs
DRIVER=""
if [[ -n "$RUN" ]]; then
  DRIVER="$LOGS/driver.sh"
  printf '%s' "$RUN" > "$DRIVER"
fi
nodes=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))
head_cmd=$(cat <<EOF
set -e
for v in \\$(env | awk -F= '/^(PMI|SLURM)_/{print \\$1}'); do
  unset "\\$v"
done
count=0
while [[ \\$count -lt 3 ]]; do
  if cat <<INNER | bash; then
ray start --head \\\\
  --port=6379 \\\\
  --node-ip-address=${nodes[0]}
INNER
    break
  fi
  count=\\$((count+1))
done
if [[ -n "$DRIVER" ]]; then
  bash "$DRIVER" > $LOGS/driver.log 2>&1
fi
EOF
)
srun $ARGS --nodes=1 --ntasks=1 -w "${nodes[0]}" bash -x -c "$head_cmd" &
pid=$!
wait $pid
"""


def test_a_cluster_of_ray_that_clears_slurm(tmp_path: Path) -> None:
    files = {"examples/run_grpo.py": ""}
    submit = "RUN='uv run examples/run_grpo.py --config c.yaml' IMAGE=i sbatch job.sh"
    model = job(tmp_path, RAY, submit=submit, files=files)
    start, driver = model.launches
    assert start.helper and start.chain[-1] == "ray start"
    assert (driver.program, driver.framework.id) == ("examples/run_grpo.py", "nemo-rl")
    assert driver.program_file == str(tmp_path / "examples/run_grpo.py")
    assert driver.env["SLURM_JOB_ID"].state is State.UNSET
    ((lost),) = [one for one in driver.lost if one.name == "SLURM_JOB_ID"]
    assert RAY.splitlines()[(lost.at.line or 0) - 1].strip() == 'unset "\\$v"'
    assert RAY.splitlines()[(driver.at.line or 0) - 1].strip().startswith('bash "$DRIVER"')
    assert driver.command_at.line == RAY.splitlines().index(
        'srun $ARGS --nodes=1 --ntasks=1 -w "${nodes[0]}" bash -x -c "$head_cmd" &'
    ) + 1  # fmt: skip


def test_lines_are_kept_when_the_submitter_is_open(tmp_path: Path) -> None:
    files = {"examples/run_grpo.py": ""}
    submit = "RUN='uv run examples/run_grpo.py' IMAGE=i sbatch job.sh"
    _, driver = job(tmp_path, RAY, submit=submit, files=files, open_=True).launches
    (lost,) = [one for one in driver.lost if one.name == "SLURM_JOB_ID"]
    assert RAY.splitlines()[(lost.at.line or 0) - 1].strip() == 'unset "\\$v"'


def test_what_nobody_submits_starts_nothing(tmp_path: Path) -> None:
    model = job(tmp_path, RAY, submit="sbatch job.sh", open_=True)
    assert [one.helper for one in model.launches] == [True]


def test_options_in_a_text_with_a_function_in_front(tmp_path: Path) -> None:
    body = (
        "gres() { if sinfo -h -o %G | grep -q gpu:; then echo --gres=gpu:8; fi; }\n"
        'ARGS="$(gres)"\nARGS+=" -N1 -n1 --export=PATH"\nexport OTEL_SERVICE_NAME=x\nsrun $ARGS python train.py'
    )
    launch = only(batch(tmp_path, body))
    assert (launch.world_size, launch.env["OTEL_SERVICE_NAME"].state) == (1, State.UNSET)


MEGATRON = """#!/bin/bash
#SBATCH -N2 --ntasks-per-node=1 --gpus-per-node=8
GPUS=8
NNODES=$SLURM_NNODES
MASTER=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS
    --nnodes $NNODES
    --rdzv_endpoint $MASTER:6000
)
GPT_ARGS=(
    --num-layers 24 # a comment among the words
    --otel-enabled
)
if [ "${PROFILE:-0}" = 1 ]; then
    GPT_ARGS+=(--profile)
fi
CMD="torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${GPT_ARGS[@]}"
srun -l --container-image i --container-mounts "$PWD:/w" --container-workdir /w sh -c "${CMD}"
"""


@pytest.mark.parametrize("open_", [False, True])
def test_arrays_of_arguments_in_one_text(tmp_path: Path, open_: bool) -> None:
    model = job(tmp_path, MEGATRON, submit="sbatch job.sh", files={"pretrain_gpt.py": ""}, open_=open_)
    launch = only(model)
    assert launch.world_size == 16
    assert launch.args[:3] == ("--num-layers", "24", "--otel-enabled")
    assert launch.env["MEGATRON_OTEL_ENABLED"].value == "1"
    assert launch.program_file == str(tmp_path / "pretrain_gpt.py")


def test_a_script_in_a_here_document_for_sbatch(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\nMODEL=${MODEL:-small}\nexport OTEL_SERVICE_NAME=$MODEL\nsbatch <<EOF\n#!/bin/bash\n"
        '#SBATCH --nodes=4\nsrun --container-image=i bash -c "python train.py --model $MODEL"\nEOF\n'
    )
    launch = only(job(tmp_path, text, open_=True))
    assert (launch.nodes, launch.at.line, launch.args[-1]) == (4, 7, "small")
    assert launch.env["SLURM_JOB_ID"].state is State.PROVIDED


def test_output_of_nemo_run(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\nset -evx\n"
        "export PYTHONUNBUFFERED=1\nexport OTEL_SERVICE_NAME=my model\nexport TORCHX_MAX_RETRIES=0\n"
        "head=$(hostname)\nsrun --output /x/%j.out --container-image i --container-mounts /a:/a --no-container-mount-home "
        "--mpi=pmix --wait=60 --kill-on-bad-exit=1 python /nemo_run/code/train.py\nexitcode=$?\n"
        "if [ $exitcode -ne 0 ] && [ 0 -gt ${SLURM_RESTART_COUNT:-0} ]; then scontrol requeue $SLURM_JOB_ID; fi\n"
    )
    model = job(tmp_path, text, submit="sbatch job.sh")
    launch = only(model)
    assert launch.world_size == 16 and launch.in_image and model.requeue
    assert [r.slip.value for r in model.remarks] == ["word-split-value"]


def test_output_of_submitit(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\n\n# Parameters\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n#SBATCH --signal=USR2@90\n\n"
        "# command\nexport SUBMITIT_EXECUTOR=slurm\nsrun --unbuffered --output /x/%j_%t.out /usr/bin/python3 -u "
        "-m submitit.core._submit /x\n"
    )
    launch = only(job(tmp_path, text, submit="sbatch job.sh", login={"NEMO_LENS_ENABLED": "1"}))
    assert "pickle" in launch.opaque_program and launch.world_size == 16
    assert launch.env["NEMO_LENS_ENABLED"].value == "1"
    assert LOGIN["PATH"] == launch.env["PATH"].value
