"""Shells of their own: what they read before their script."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import NAME, agree


@pytest.mark.parametrize(
    "text",
    [
        "export BASH_ENV=$PWD/e.sh; bash -c 'srun python train.py'",
        "export BASH_ENV=e.sh @@=1; sh -c 'srun python train.py'",
        "export BASH_ENV=e.sh; bash run.sh",
        "export BASH_ENV=e.sh; chmod +x run.sh; ./run.sh",
        "export BASH_ENV=e.sh; echo 'srun python train.py' | bash",
        "BASH_ENV=e.sh; bash -c 'srun python train.py'",
        "BASH_ENV=e.sh bash -c 'srun python train.py'; BASH_ENV= bash -c 'srun python train.py'",
        "export BASH_ENV=e.sh; srun python train.py",
    ],
)
def test_bash_env(text: str, tmp_path: Path) -> None:
    (tmp_path / "e.sh").write_text(f"export {NAME}=read\n")
    (tmp_path / "run.sh").write_text("#!/bin/bash\nsrun python train.py\n")
    agree(tmp_path, text)
