"""From inputs to launches: worlds, endpoints, who is a program, and a reader that breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import State
from lens_preflight.subject.builder import build, is_program
from lens_preflight.subject.inputs import Inputs

JOB = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\nexport NEMO_LENS_ENABLED=1\nsrun python t.py\n"


@pytest.mark.parametrize(
    ("options", "size", "per_node"),
    [
        ({"world_size": 8}, 8, 8),
        ({"world_size": 8, "nodes": 2}, 8, 4),
        ({"nodes": 2, "gpus_per_node": 4}, 8, 4),
        ({"world_size": 8, "gpus_per_node": 4}, 8, 4),
        ({"world_size": 2, "gpus_per_node": 8}, 2, 2),
    ],
)
def test_world_options(options: dict[str, int], size: int, per_node: int) -> None:
    (launch,) = build(Inputs(**options)).launches  # type: ignore[arg-type]
    assert launch.world is not None
    assert (launch.world.size, launch.world.per_node) == (size, per_node)


def test_options_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(InputError, match="does not fit"):
        build(Inputs(world_size=9, nodes=2, gpus_per_node=4))


def test_nobody_says_how_many() -> None:
    (launch,) = build(Inputs()).launches
    assert launch.world is None


def test_what_is_given_wins_over_the_process_and_the_endpoint_over_all() -> None:
    process = Environment.of({"A": "1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://old:1"})
    (launch,) = build(
        Inputs(process=process, given=Environment.of({"A": "2"}), endpoint="http://new:2")
    ).launches
    assert launch.env.text("A") == "2"
    assert launch.env.text("OTEL_EXPORTER_OTLP_ENDPOINT") == "http://new:2"
    assert launch.env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].state is State.UNSET


def test_a_job_script_hands_over_world_and_environment(tmp_path: Path) -> None:
    (tmp_path / "job.sbatch").write_text(JOB)
    subject = build(Inputs(targets=(str(tmp_path / "job.sbatch"),)))
    (launch,) = subject.launches
    assert launch.world is not None
    assert (launch.world.size, launch.world.per_node) == (8, 4)
    assert launch.env.text("NEMO_LENS_ENABLED") == "1"
    assert launch.env["NEMO_LENS_RUN_ID"].state is State.UNKNOWN, "it depends on who submits"
    assert launch.settled is not None
    assert launch.settled["NEMO_LENS_RUN_ID"].state is State.UNSET


def test_a_reader_that_breaks_is_said_and_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lens_preflight.jobs as jobs

    def broken(*_args: object, **_options: object) -> None:
        raise AttributeError("token=canary")

    monkeypatch.setattr(jobs, "read_job", broken)
    (tmp_path / "job.sbatch").write_text(JOB)
    subject = build(Inputs(targets=(str(tmp_path / "job.sbatch"),)))
    assert subject.launches == ()
    assert "AttributeError" in subject.jobs[0].unread
    assert "canary" not in subject.jobs[0].unread


@pytest.mark.parametrize(
    ("name", "text", "program"),
    [
        ("train.py", "print()\n", True),
        ("train", "#!/usr/bin/env python3\n", True),
        ("train", "import os\nprint(os)\n", True),
        ("nb.ipynb", "{}", True),
        ("train.sbatch", JOB, False),
        ("run", "#!/bin/sh\npython t.py\n", False),
        ("job.py", "#!/bin/bash\nsrun python t.py\n", False),
        ("job.yaml", "apiVersion: v1\n", False),
        ("python.sbatch", "#!/usr/bin/env python3\n#SBATCH -N1\n", True),
    ],
)
def test_programs_and_jobs_are_told_by_content(tmp_path: Path, name: str, text: str, program: bool) -> None:
    (tmp_path / name).write_text(text)
    assert is_program(str(tmp_path / name)) is program
