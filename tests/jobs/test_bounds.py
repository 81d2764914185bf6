"""Beyond a bound something is said; no launch is dropped in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.jobs import read_job
from lens_preflight.jobs.redirection import MAX_LINES
from lens_preflight.jobs.run import DEPTH, MAX_LAUNCHES, STEPS
from tests.fuzz.engine import watchdog
from tests.jobs.making import job, only, seen


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


@pytest.mark.parametrize(
    ("submit", "says"),
    [
        ("python train.py\n" * (MAX_LAUNCHES + 2) + "bash job.sh", f"more than {MAX_LAUNCHES} programs"),
        ("true\n" * (STEPS + 2) + "bash job.sh", f"more than {STEPS} statements"),
    ],
)
def test_a_start_that_is_not_followed_is_said(tmp_path: Path, submit: str, says: str) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/bash\nsrun python train.py\n")
    model = read_job(str(tmp_path / "job.sh"), submit=submit)
    assert says in model.unread
    assert model.unread_at is not None and model.unread_at.what == "--submit"


def test_what_is_within_bounds_is_followed(tmp_path: Path) -> None:
    assert unread(tmp_path, f"srun {'env A=1 ' * (DEPTH // 2)}python train.py") == ""


@pytest.mark.parametrize(
    "line",
    [
        "export A=$(printf '%99999999999d' 1)",
        "export A=$(printf '%.1000000000f' 1)",
        f"export A=$(echo {'a' * 60}! | grep -E '(a+)+$')",
        f"[[ {'a' * 60}! =~ (a+)+$ ]] && export A=1",
        f"[[ {'a' * 4000}! =~ a*a*a*a*b ]] && export A=1",
        "export A=$(echo x | grep '(')",
        f"for i in {{1..{'9' * 5000}}}; do true; done",
        f"echo ${{{'9' * 5000}}}",
        f"export A=$(seq 1 {'9' * 5000})",
        f"export A=$(expr 1 + {'9' * 5000})",
        f"export A=$(echo x | head -n {'9' * 5000})",
        "export A=$((2**9999999)) B=$((1<<999999999))",
        f"shift {'9' * 5000}",
        f"#SBATCH --gpus-per-node={'9' * 5000}",
        "#SBATCH --nodes=²-²",
        'export A="${A#h}${A/a/b}"\n' * 60,
    ],
)
def test_what_would_take_for_ever_is_left_open(tmp_path: Path, line: str) -> None:
    with watchdog(20):
        assert unread(tmp_path, line) == ""


def test_a_function_without_a_name_is_taken(tmp_path: Path) -> None:
    assert unread(tmp_path, " ()step{\n  export A=1\n}") == ""


def test_input_beyond_the_bound_is_not_known_by_its_beginning(tmp_path: Path) -> None:
    for lines, expected in ((MAX_LINES, "x"), (MAX_LINES + 1, "?")):
        text = (
            "while read -r l; do last=$l; done <<'E'\n"
            + "x\n" * lines
            + "E\nexport OTEL_SERVICE_NAME=$last\npython t.py\n"
        )
        assert seen(only(job(tmp_path, text)).env["OTEL_SERVICE_NAME"]) == expected
