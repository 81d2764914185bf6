"""``uvx`` and ``pipx run`` from a built wheel: the command works in an environment made for one call."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
JOB = ROOT / "docs" / "examples" / "job"
WORDS = ("check", "train.py", "--offline", "--profile", "ci", "--world-size", "1", "--select", "setup-once")

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("without-installing")]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and all that it needs; pipx renews its own pip from there too."""
    folder = tmp_path_factory.mktemp("wheels")
    made = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder), str(ROOT), "pip"]
    done = subprocess.run(made, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def called(command: list[str], home: Path) -> str:
    """The output of a command in a home of its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_", "PIPX_", "PYTHON"))}
    env |= {"HOME": str(home), "PIPX_HOME": str(home / "pipx"), "UV_CACHE_DIR": str(home / "uv")}
    done = subprocess.run(command, cwd=JOB, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(importlib.util.find_spec("uv") is None, reason="pip install uv")
def test_uvx(house: Path, tmp_path: Path) -> None:
    source = ["--no-index", "--find-links", str(house), "--python", sys.executable]
    command = [
        sys.executable,
        "-m",
        "uv",
        "tool",
        "run",
        *source,
        "--from",
        "lens-preflight",
        "lens-preflight",
    ]
    assert "setup-once" in called([*command, *WORDS, "-v"], tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("pipx") is None, reason="pip install pipx")
def test_pipx_run(house: Path, tmp_path: Path) -> None:
    source = f"--no-index --find-links {house}"
    command = [
        sys.executable,
        "-m",
        "pipx",
        "run",
        "--backend",
        "pip",
        "--pip-args",
        source,
        "--spec",
        "lens-preflight",
        "lens-preflight",
    ]
    assert "setup-once" in called([*command, *WORDS, "-v"], tmp_path)
