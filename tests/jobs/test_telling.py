"""Commands that nobody models: those that speak of a launch are one that is not known, the others nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import NAME
from tests.jobs.making import batch, seen

TRAIN = "from nemo.lens import setup_telemetry\n"


@pytest.mark.parametrize(
    "text",
    [
        'tmux new -d "srun python train.py"',
        "screen -dmS x bash -c 'python train.py'",
        'script -c "python train.py" log',
        "watch python train.py",
        "chroot / python train.py",
        "kubectl exec pod -- python train.py",
        "ts python train.py",
        "gdb --args python train.py",
        "wandb launch -u .",
        "wandb agent team/sweep/1",
        "horovodrun -np 8 python train.py",
        "jsrun -n1 ./x",
        "flux run -n1 ./x",
        "bsub -n 4 ./x",
        "bsub < train.sh",
        "at now < train.sh",
        "echo python train.py | at now",
        "tcsh <<EOF\npython train.py\nEOF",
        "some-queue <<EOF\npython train.py\nEOF",
        "$(cat command) train.py",
        "kernprof -l train.py",
        "coverage run train.py",
        "python - < train.py",
        "python < train.py",
        "cat train.py | python",
        'python -c "import train"',
        "bash < absent.sh",
        "sed s/a/b/ train.sh | bash",
        "python commands.py | sbatch",
        "find . -name 'train.py' -exec python {} \\;",
        "parallel -S n1,n2 python ::: train.py",
        "shopt -s expand_aliases; alias go='srun python'; go train.py",
    ],
)
def test_a_launch_that_is_not_followed_is_not_passed_over(text: str, tmp_path: Path) -> None:
    model = batch(tmp_path, f"srun python train.py\n{text}", files={"train.py": TRAIN})
    assert any(one.program_file is None and one.at.line == 4 for one in model.launches), model.launches


@pytest.mark.parametrize(
    "text",
    [
        "echo python train.py",
        "which python; command -v python; type python; hash -r",
        "python --version",
        "python -m pip install -r requirements.txt",
        'python -c "import torch; print(torch.__version__)"',
        "python - <<EOF\nimport torch\nprint(torch.cuda.is_available())\nEOF",
        "ls *.py; wc -l train.py; head train.py",
        "cp train.py scratch/x; chmod +x train.py; rsync -a train.py n1:/x/; scp train.py n1:",
        "tar czf code.tgz train.py; git log -1 -- train.py; sha256sum train.py | tee sums",
        "pgrep -f train.py; pkill -f 'python train.py'; grep -n lens train.py",
        "trap 'kill -TERM $PID; wait $PID' TERM; trap cleanup EXIT; cleanup() { rm -rf scratch/x; }",
        "curl -LsSf https://example.org/install.sh | sh",
        'logger "python train.py starts"; mail -s "srun python train.py" a@b < /dev/null',
        "flock 200; exec 200>lock",
        "find . -name '*.pyc' -delete; find . -name __pycache__ -exec rm -rf {} +",
        "ls | xargs rm -f; squeue --me -h | awk '{print $1}' | xargs -r scancel",
        'if [ -n "$(which nvcc)" ]; then nvcc --version; fi',
        'A=(OTEL_SERVICE_NAME=x); "${A[@]}" srun python train.py; OTEL_SERVICE_NAME =x python train.py',
        "nvidia-smi -l 5 | some-log-rotator; echo python train.py | mail a@b",
        "black train.py; ruff check train.py; pytest tests",
        "wandb login; wandb sync runs; hf download a/b",
        "while read -r h; do ssh $h nvidia-smi < /dev/null; done < hosts",
    ],
)
def test_ordinary_commands_start_nothing(text: str, tmp_path: Path) -> None:
    model = batch(tmp_path, f"{text}\nsrun python train.py", files={"train.py": TRAIN, "hosts": "n1\nn2\n"})
    assert [one.program for one in model.launches] == ["train.py"]
    assert model.launches[0].program_file and not model.launches[0].conditional


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(which python) train.py", "1"),
        ("PY=`command -v python3`; srun $PY -u train.py", "1"),
        ("flock run.lock python train.py", "1"),
        ("flock -n run.lock -c '@=2 python train.py'", "2"),
        ("echo train.py | xargs -n1 env @=3 python", "3"),
        ("echo 7 | xargs -I{} env @=r{} python train.py", "r7"),
        ("parallel -j2 @=r{} python train.py ::: 1", "r1"),
        ("find . -maxdepth 0 -exec env -u @ python train.py \\;", None),
        ("srun() { command srun --export=NONE \"$@\"; }; srun python train.py", None),
        ("python() { @=f command python \"$@\"; }; python train.py", "f"),
        ("run() { unset @; python train.py; }; export -f run; srun bash -c run", None),
        ("run() { @=$1 python train.py; }; export -f run; parallel run ::: p", "p"),
        ("bash < run.sh", "s"),
        ("cat run.sh | bash", "s"),
        ("ssh n1 bash -s < run.sh", "s"),
    ],
)  # fmt: skip
def test_wrappers_that_take_their_command_from_elsewhere(
    text: str, expected: str | None, tmp_path: Path
) -> None:
    files = {"train.py": TRAIN, "run.sh": f"export {NAME}=s\npython train.py\n"}
    model = batch(
        tmp_path, f"export {NAME}=1\n{text}".replace("@", NAME).replace(f'"${NAME}"', '"$@"'), files=files
    )
    assert [(one.program, seen(one.launcher_env[NAME])) for one in model.launches] == [("train.py", expected)]
