"""Builtins that change the shell: ``set``, ``shift``, ``trap``, ``unset``, ``return``."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.jobs.model import Loss
from tests.jobs.bash import agree, never_wrong
from tests.jobs.making import batch, only


@pytest.mark.parametrize(
    "text",
    [
        "trap 'echo bye' EXIT; export @@=1; srun python train.py",
        "trap 'export @@=t' EXIT; trap - EXIT; srun python train.py",
        "f() { set -- z; }; set -- a; f b; export @@=$1",
        "f() { shift; export @@=$1; }; f a b",
        "set -- a b; shift 5; export @@=$#",
        "set -u; export @@=${UNDEFINED:-d}",
        "set -e; false; export @@=1; srun python train.py",
        "set -e; false || true; export @@=1",
        "set -e; f() { false; export @@=1; }; f || true",
        "f() { return 1; export @@=1; }; f; export V=1",
        "(return 0 2>/dev/null) && S=1 || S=0; export @@=$S",
        "return 0 2>/dev/null || export @@=1",
        "set -e; return 0; export @@=1; srun python train.py",
        "echo 'return 0; export @@=1' > part.sh; . ./part.sh; export V=1",
        "f() { (return 0) && export @@=1; }; f",
        "export @@=1; (unset @@; srun python train.py); srun python train.py",
        "set -eo pipefail; export @@=1; srun python train.py",
        "let 'x=4*2'; export @@=$x",
        "export @@=3; let 'x=1, @@-=1'",
        "x=2; let \"x+=1\" 'y = x*2'; export @@=$x$y",
        "export @@=1; let @@++ z=@@; export V=$z",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "options", ["-c", "-cl", "-lc", "-ca train", "-c -a train", "-a train -c", "-catrain", "-c --", "-l -c"]
)
def test_exec_with_c_hands_on_nothing(options: str, tmp_path: Path) -> None:
    there = f"DUMP=$DUMP PATH=$PATH exec {options} env DUMP=$DUMP PATH=$PATH srun python train.py"
    agree(tmp_path, f"export @@=1; {there}")


@pytest.mark.parametrize("options", ["", "-l", "-a train", "-a c", "-ac", "-la c", "-lac", "-l -a -c", "--"])
def test_exec_without_c_hands_on_everything(options: str, tmp_path: Path) -> None:
    agree(tmp_path, f"export @@=1; exec {options} srun python train.py")


@pytest.mark.parametrize(
    "text",
    [
        "export @@=1; @@=2 exec -c env DUMP=$DUMP PATH=$PATH srun python train.py",
        "export @@=1; command exec -c env DUMP=$DUMP PATH=$PATH @@=2 srun python train.py",
        "f() { export @@=1; }; export -f f; exec -c env DUMP=$DUMP PATH=$PATH bash -c 'f; srun python train.py'",
    ],
)
def test_nothing_survives_exec_with_c(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


def test_what_exec_with_c_drops_is_told(tmp_path: Path) -> None:
    launch = only(
        batch(tmp_path, "export OTEL_TRACES_SAMPLER=always_on\nsrun bash -c 'exec -c python train.py'")
    )
    (lost,) = (one for one in launch.lost if one.name == "OTEL_TRACES_SAMPLER")
    assert (lost.loss, lost.at.line, lost.set_at and lost.set_at.line) == (Loss.EXEC_CLEARED, 4, 3)


@pytest.mark.parametrize(
    "text",
    [
        "let 'x=4*2'; export @@=$x",
        "let 'x+=1' y=2; export @@=$y",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
