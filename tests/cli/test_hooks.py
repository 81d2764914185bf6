"""Put into a hook of Slurm by mistake, the command cannot drain a node."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.mark.parametrize("hook", ["prolog_slurmd", "epilog_slurmd", "prolog_slurmctld"])
def test_every_code_is_0_in_a_hook(hook: str, tmp_path: Path) -> None:
    bad = (
        "check",
        "--offline",
        "--no-environ",
        "--set",
        "OTEL_TRACES_SAMPLER=x",
        "--set",
        "NEMO_LENS_ENABLED=1",
    )
    for words in (bad, ("check", "--no-such-option"), ("check", "missing.py")):
        assert run(*words, cwd=tmp_path).returncode != 0
        done = run(*words, cwd=tmp_path, env={"SLURM_SCRIPT_CONTEXT": hook})
        assert done.returncode == 0
        assert "becomes 0 in the Slurm hook" in done.stderr


def test_nodes_after_the_first_run_what_depends_on_the_host(tmp_path: Path) -> None:
    import json

    words = (
        "check",
        "--profile",
        "node",
        "--set",
        "NEMO_LENS_ENABLED=1",
        "--report",
        "json=-",
        "-q",
        "--offline",
    )
    step = {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_NODES": "4"}
    counts = {}
    for node in ("0", "3"):
        done = run(*words, cwd=tmp_path, env={**step, "SLURM_NODEID": node})
        counts[node] = {r["check"] for r in json.loads(done.stdout)["results"]}
    assert "sampler" in counts["0"]
    assert "sampler" not in counts["3"]
    assert "otlp-endpoint" in counts["3"]


def test_a_task_keeps_its_code_although_slurm_leaves_the_word_of_its_prolog(tmp_path: Path) -> None:
    words = (
        "check",
        "--offline",
        "--no-environ",
        "--set",
        "OTEL_TRACES_SAMPLER=x",
        "--set",
        "NEMO_LENS_ENABLED=1",
    )
    assert run(*words, cwd=tmp_path, env={"SLURM_SCRIPT_CONTEXT": "prolog_task"}).returncode == 1
