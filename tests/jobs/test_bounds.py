"""Beyond a bound something is said; no launch is dropped in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.jobs import read_job
from lens_preflight.jobs.run import DEPTH, MAX_LAUNCHES, STEPS


def unread(folder: Path, body: str) -> str:
    (folder / "job.sh").write_text(f"#!/bin/bash\nsrun python first.py\n{body}\nsrun python last.py\n")
    model = read_job(str(folder / "job.sh"))
    assert model.launches[0].program == "first.py"
    return model.unread


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (f"srun {'env A=1 ' * (DEPTH + 20)}python train.py", f"behind more than {DEPTH} others"),
        ("srun python train.py\n" * (MAX_LAUNCHES + 2), f"more than {MAX_LAUNCHES} programs"),
        ("true\n" * (STEPS + 2), f"more than {STEPS} statements"),
    ],
)
def test_what_is_not_followed_is_said(tmp_path: Path, body: str, says: str) -> None:
    assert says in unread(tmp_path, body)


def test_what_is_within_bounds_is_followed(tmp_path: Path) -> None:
    assert unread(tmp_path, f"srun {'env A=1 ' * (DEPTH // 2)}python train.py") == ""
