"""Simple commands: assignments in front, ``exec``, and what runs after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree


@pytest.mark.parametrize(
    "text",
    [
        "export @@=x; @@+=y srun python train.py; srun python train.py",
        "@@+=y srun python train.py",
        "@@=1 @@+=2 srun python train.py",
        "a=1; a=2 eval 'export @@=$a'",
        "exec 3>&1; export @@=1",
        "exec >/dev/null; export @@=1",
        "exec env @@=5 srun python train.py",
        "export @@=1; exec -a name srun python train.py; export @@=2; srun python train.py",
        "(exec srun python train.py); export @@=2; srun python train.py",
        "{ export @@=1; exec true; } & export @@=2; wait",
        "command exec srun python train.py; srun python train.py",
        "eval 'exec srun python train.py'; srun python train.py",
        "exec bash -c 'export @@=6; srun python train.py'",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)
