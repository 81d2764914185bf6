"""On scripts as the frameworks bring them, the first 24 lines hold one true surprise, its line and what to type."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.jobs.test_shapes import MEGATRON, RAY

DRIVER = """\
import grpo_lib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    config = NemoLensConfig.from_env(prefix="NEMO_RL_OTEL", fallback_prefix="NEMO_LENS")
    handle = setup_telemetry(config, rank=0, world_size=1)
    try:
        grpo_lib.train(handle)
    finally:
        handle.shutdown()

main()
"""
PROGRAM = """\
import os
import train_lib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    config = NemoLensConfig.from_env(prefix="MEGATRON_OTEL", fallback_prefix="NEMO_LENS")
    handle = setup_telemetry(config, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        train_lib.train(handle)
    finally:
        handle.shutdown()

main()
"""


def first_screen(folder: Path, *words: str) -> str:
    """The first 24 lines of 80 columns of a check."""
    done = run("check", *words, "--offline", "--no-environ", "--profile", "ci", cwd=folder)
    assert done.returncode in (0, 1, 3), done.stderr
    return "\n".join(done.stdout.splitlines()[:24])


def test_a_ray_cluster_that_clears_slurm(tmp_path: Path) -> None:
    (tmp_path / "ray.sub").write_text(RAY)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "run_grpo.py").write_text(DRIVER)
    submit = "RUN='uv run examples/run_grpo.py' IMAGE=i sbatch ray.sub"
    screen = first_screen(tmp_path, "ray.sub", "--submit", submit, "--set", "NEMO_RL_OTEL_ENABLED=1")
    cleared = next(n for n, line in enumerate(RAY.splitlines(), 1) if line.strip().startswith("unset"))
    assert f"ray.sub:{cleared}" in screen
    assert "export NEMO_RL_OTEL_RUN_ID=" in screen


def test_the_same_before_the_driver_is_instrumented(tmp_path: Path) -> None:
    (tmp_path / "ray.sub").write_text(RAY)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "run_grpo.py").write_text("import grpo_lib\n\ngrpo_lib.train()\n")
    submit = "RUN='uv run examples/run_grpo.py' IMAGE=i sbatch ray.sub"
    screen = first_screen(tmp_path, "ray.sub", "--submit", submit, "--set", "NEMO_RL_OTEL_ENABLED=1")
    assert "not instrumented" in screen
    assert "SLURM_JOB_ID is gone at ray.sub:" in screen
    assert "NEMO_RL_OTEL_RUN_ID" in screen


def test_a_flag_that_the_rollback_cannot_beat(tmp_path: Path) -> None:
    (tmp_path / "train.sh").write_text(MEGATRON)
    (tmp_path / "pretrain_gpt.py").write_text(PROGRAM)
    sets = ("--set", "OTEL_TRACES_SAMPLER=parentbased_always_on", "--submit", "sbatch train.sh")
    screen = first_screen(tmp_path, "train.sh", *sets)
    assert "--otel-enabled" in screen
    assert "train.sh:" in screen


def test_the_profiling_recipe_of_the_checklist_loses_the_run(tmp_path: Path) -> None:
    sets = {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_RUN_ID": "profile-2026-04-22",
        "NEMO_LENS_SPAN_GROUPS": "per_step",
        "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.01",
    }
    words = [word for name, value in sets.items() for word in ("--set", f"{name}={value}")]
    screen = first_screen(tmp_path, *words, "--world-size", "8", "--purpose", "profiling")
    assert "99 %" in screen
    assert "sampler/root-span" in screen
    assert "fix:" in screen


@pytest.mark.skipif(not os.environ.get("PREFLIGHT_NEMO_RL"), reason="PREFLIGHT_NEMO_RL names no checkout")
def test_the_real_ray_sub() -> None:
    folder = Path(os.environ["PREFLIGHT_NEMO_RL"])
    submit = f"COMMAND='uv run examples/run_grpo.py' CONTAINER=i MOUNTS={folder}:{folder} sbatch -N2 ray.sub"
    words = ("ray.sub", "--submit", submit, "--set", "NEMO_RL_OTEL_ENABLED=1", "--timeout", "300")
    screen = first_screen(folder, *words)
    assert "SLURM_JOB_ID is gone at ray.sub:" in screen
    assert "NEMO_RL_OTEL_RUN_ID" in screen
