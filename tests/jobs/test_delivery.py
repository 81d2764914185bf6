"""Does SIGTERM reach Python: the table measured on Slurm 22.05 and for first processes of containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.making import batch, job, only

REACHES, SHELL, SWALLOWED, UNKNOWN = "reaches-python", "batch-shell-only", "swallowed", "unknown"
NOTES = "trap 'echo soon' TERM\n"
FORWARDS = "trap 'kill -TERM $PID' TERM\n"
CANCELS = "trap 'scancel --signal=TERM $SLURM_JOB_ID' TERM\n"
REQUEUES = "trap 'scontrol requeue $SLURM_JOB_ID' USR1\n"


@pytest.mark.parametrize(
    ("signal", "body", "expected"),
    [
        ("", "srun python t.py", REACHES),
        ("", "srun bash -c 'python t.py; echo'", REACHES),
        ("", "python t.py\necho", REACHES),
        ("", "exec python t.py", REACHES),
        ("TERM@120", "srun python t.py", REACHES),
        ("TERM@120", "srun bash -c 'python t.py; echo'", REACHES),
        ("TERM@120", "python t.py\necho", SWALLOWED),
        ("TERM@120", "exec python t.py", SWALLOWED),
        ("B:TERM@120", "srun python t.py", REACHES),
        ("B:TERM@120", "python t.py\necho", SHELL),
        ("B:TERM@120", "exec python t.py", REACHES),
        ("B:TERM@120", FORWARDS + "python t.py &\nPID=$!\nwait", REACHES),
        ("B:TERM@120", FORWARDS + "srun python t.py &\nPID=$!\nwait", SWALLOWED),
        ("B:TERM@120", NOTES + "srun python t.py", SHELL),
        ("B:TERM@120", CANCELS + "srun python t.py &\nwait", REACHES),
        ("B:USR1@120", REQUEUES + "srun python t.py &\nwait", REACHES),
        ("B:USR1@120", "srun python t.py", REACHES),
        ("B:SIGTERM@120", "f() { scancel -s TERM $SLURM_JOB_ID; }\ntrap f TERM\nsrun python t.py &\nwait", REACHES),
        ("USR1@60", "srun python t.py", REACHES),
        ("", "ssh node python t.py", UNKNOWN),
    ],
)  # fmt: skip
def test_in_a_job(tmp_path: Path, signal: str, body: str, expected: str) -> None:
    directives = "-N1 -n1" + (f" --signal={signal}" if signal else "")
    assert only(batch(tmp_path, body, directives=directives)).sigterm_delivery.value == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python t.py", REACHES),
        ("bash -c 'python t.py'", REACHES),
        ("bash -c 'cd x && python t.py'", REACHES),
        ("bash -c 'exec python t.py'", REACHES),
        ("bash -c 'python t.py; echo'", SWALLOWED),
        ("bash run.sh", SWALLOWED),
        ("bash exec.sh", REACHES),
        ("sh -c 'python t.py'", UNKNOWN),
        ("timeout 60 python t.py", REACHES),
    ],
)
def test_first_process_of_a_container(tmp_path: Path, command: str, expected: str) -> None:
    files = {"run.sh": "python t.py\n", "exec.sh": "exec python t.py\n"}
    text = f"#!/bin/bash\ndocker run -v $PWD:/w -w /w img {command}\n"
    assert only(job(tmp_path, text, files=files)).sigterm_delivery.value == expected
    init = text.replace("docker run", "docker run --init")
    assert only(job(tmp_path, init, files=files)).sigterm_delivery.value in (REACHES, expected)


def test_the_signal_gives_the_grace(tmp_path: Path) -> None:
    assert only(batch(tmp_path, "srun python t.py", directives="-n1 --signal=TERM@90")).grace == 90
    assert only(batch(tmp_path, "srun python t.py", directives="-n1 --signal=TERM@65535")).grace == 65535
    for refused in ("65536", "9" * 400):
        assert (
            only(batch(tmp_path, "srun python t.py", directives=f"-n1 --signal=TERM@{refused}")).grace == 30
        )
    assert only(batch(tmp_path, "srun python t.py", directives="-n1")).grace == 30
    assert only(job(tmp_path, "#!/bin/bash\npython t.py\n")).grace is None


def test_the_place_to_change_is_named(tmp_path: Path) -> None:
    body = FORWARDS + "srun python t.py &\nPID=$!\nwait"
    launch = only(batch(tmp_path, body, directives="-n1 --signal=B:TERM@60"))
    assert launch.sigterm_at is not None and launch.sigterm_at.line == 3 and "srun" in launch.sigterm_why


def test_the_signal_belongs_to_the_job_that_asks_for_it(tmp_path: Path) -> None:
    """A script that submits others says nothing about when they are signalled."""
    inner = "#!/bin/bash\n#SBATCH -N1 --signal=B:TERM@60\npython train.py\n"
    (tmp_path / "inner.sh").write_text(inner)
    launch = only(job(tmp_path, "#!/bin/bash\nsbatch inner.sh\n"))
    assert launch.sigterm_delivery.value == SHELL and launch.grace == 60
    assert launch.sigterm_at is not None and launch.sigterm_at.line == 2
