"""The wheel holds every file that git tracks below the three folders, and nothing else on top."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tracked() -> list[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "lens_preflight", "checks", "reports"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = listing.stdout.decode().split("\0")
    return [n for n in names if n and not (ROOT / n).is_symlink() and (ROOT / n).exists()]


def in_wheel(name: str) -> str:
    return f"lens_preflight/{name}" if name.startswith(("checks/", "reports/")) else name


def test_wheel_against_tracked_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    files = tracked()
    for name in (*files, "pyproject.toml", "README.md", "LICENSE"):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    wheel = (
        "import setuptools.build_meta as b, sys; sys.argv = ['setup.py', '-q'];"
        f"print(b.build_wheel({str(tmp_path)!r}))"
    )
    built = subprocess.run([sys.executable, "-c", wheel], cwd=source, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-2000:]
    name = built.stdout.split()[-1]
    held = set(zipfile.ZipFile(tmp_path / name).namelist())
    missing = sorted(in_wheel(f) for f in files if in_wheel(f) not in held)
    assert not missing
    tops = {n.split("/")[0] for n in held}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"lens_preflight"}
