"""env and probe say which job file they could not read; silence would read as "nothing set"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

CSH = "#!/bin/tcsh\n#SBATCH -N1\nsetenv NEMO_LENS_ENABLED 1\nsrun python train.py\n"


@pytest.mark.parametrize(("text", "says"), [(CSH, "tcsh"), ("#!/bin/bash\nsleep 1\n", "starts no program")])
def test_a_job_without_a_launch_that_can_be_read(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "job.sh").write_text(text)
    for words in (("env", "job.sh"), ("probe", "job.sh", "--timeout", "1")):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 3, words
        (line,) = done.stderr.splitlines()
        assert "job.sh" in line and says in line and line.endswith("name the training script instead")
    document = json.loads(run("env", "job.sh", "--json", cwd=tmp_path).stdout)
    assert len(document["unread"]) == 1 and not document["launches"]


def test_a_job_that_is_read_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/bash\nexport NEMO_LENS_ENABLED=1\npython train.py\n")
    done = run("env", "job.sh", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr
