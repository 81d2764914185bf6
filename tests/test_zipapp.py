"""The single file: click and our code, run by a bare interpreter without any package."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.probe.sink.server import Sink
from lens_preflight.subject.builder import build
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from tests.corpus import corpus_root

ROOT = Path(__file__).parent.parent
BARE = str(getattr(sys, "_base_executable", sys.executable))
CASES = sorted(p.parent for p in (corpus_root() / "healthy").glob("*/case.json"))


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = ROOT / "packaging" / "build_zipapp.py"
    spec = importlib.util.spec_from_file_location("build_zipapp", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    built: Path = module.build(tmp_path_factory.mktemp("zipapp") / "lens-preflight.pyz")
    return built


def run(
    archive: Path, *words: str, cwd: Path | None = None, python: str = BARE
) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/nonexistent", "HOME": "/nonexistent"}
    line = [python, "-I", "-S", str(archive), *words]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, env=env, timeout=300)


def test_it_explains_itself(archive: Path) -> None:
    assert "check" in run(archive, "--help").stdout
    assert "shutdown/hard-exit" in run(archive, "checks", "shutdown").stdout


@pytest.mark.parametrize("folder", CASES, ids=lambda p: p.name)
def test_the_program_of_a_healthy_set_up(archive: Path, folder: Path, tmp_path: Path) -> None:
    """Offline READY for what was judged, in the environment that the job gives it."""
    case = json.loads((folder / "case.json").read_text())
    launch = program_launch(folder, case)
    lines = [f"{v.name}={v.value if v.value is not None else '4242'}" for v in launch.env if known(v)]
    if launch.framework.yaml_path:  # what the telemetry block of its YAML is written to at start
        lines.append(f"{launch.framework.prefix}_ENABLED=1")
    (tmp_path / "job.env").write_text("\n".join(lines))
    words = ["check", str(launch.program_file), "--offline", "--no-environ", "--profile", "ci", "-q"]
    words += ["--env-file", str(tmp_path / "job.env"), "--lens", case["facts"]["generation"]]
    words += ["--world-size", str(launch.world_size), "--nodes", str(launch.nodes or 1)]
    words += ["--report", "json=-", *(["--purpose", case["purpose"]] if case.get("purpose") else [])]
    done = run(archive, *words, "--", *launch.args, cwd=folder)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert json.loads(done.stdout)["verdict"] == "ready"


def program_launch(folder: Path, case: Mapping[str, Any]) -> Launch:
    """The launch of the job that starts a training program."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        inputs = Inputs(
            targets=(case["inputs"]["job"],),
            submit=case.get("submit"),
            path_map=tuple((case.get("path_map") or {}).items()),
            process=Environment.of(case.get("submitter_environment") or {}),
            submit_environ=bool(case.get("submitter_environment")),
        )
        return next(one for one in build(inputs).launches if one.program_file)
    finally:
        os.chdir(before)


def known(variable: Variable) -> bool:
    """True for what the job sets, to a known text or to one that Slurm fills in."""
    return variable.state in (State.VALUE, State.PROVIDED) and "\n" not in (variable.value or "")


def oldest() -> str:
    """The binary of a Python 3.10, empty when there is none; a wrapper would need its environment."""
    found = shutil.which("python3.10") or ""
    ask = [found, "-c", "import sys; print(sys.executable)"]
    return subprocess.run(ask, capture_output=True, text=True).stdout.strip() if found else ""


OLDEST = oldest()


@pytest.mark.parametrize(
    "python", [BARE, pytest.param(OLDEST, marks=pytest.mark.skipif(not OLDEST, reason="no 3.10"))]
)
def test_settings_are_read_by_every_python(archive: Path, tmp_path: Path, python: str) -> None:
    (tmp_path / "preflight.toml").write_text(
        'select = ["rollback"]\n[[waive]]\nrule = "rollback/*"\nreason = "known"\nuntil = 2999-01-01\n'
    )
    words = ("check", "--offline", "--no-environ", "--profile", "ci", "--report", "json=-", "-q")
    done = run(archive, *words, cwd=tmp_path, python=python)
    assert done.returncode == 4, done.stderr
    assert [r["check"] for r in json.loads(done.stdout)["results"]] == ["rollback", "waivers"]
    (tmp_path / "preflight.toml").write_text("select = [\n")
    broken = run(archive, *words, cwd=tmp_path, python=python)
    assert broken.returncode == 2
    assert "not TOML 1.0" in broken.stderr


def test_each_missing_library_comes_with_the_line_to_type(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "otel.yaml").write_text("receivers: {}\nexporters: {}\nservice: {}\n")
    words = (
        "check",
        "--no-environ",
        "--profile",
        "node",
        "--set",
        "NEMO_LENS_ENABLED=1",
        "--world-size",
        "1",
    )
    with Sink() as sink:
        endpoint = ("--endpoint", sink.grpc_url, "--collector-config", "otel.yaml")
        done = run(archive, *words, *endpoint, "--report", "json=-", "-q", cwd=tmp_path)
    results = {r["check"]: r for r in json.loads(done.stdout)["results"]}
    assert results["collector-config"]["status"] == "unknown", "it was named, so it is expected"
    assert results["collector-config"]["missing_input"] == "python3 -m pip install --user PyYAML"
    assert results["otlp-endpoint"]["status"] == "skip", results["otlp-endpoint"]
    assert "pip install --user grpcio" in results["otlp-endpoint"]["missing_input"]
