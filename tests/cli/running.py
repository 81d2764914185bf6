"""Runs the command line in a child process, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

Done = subprocess.CompletedProcess


TOOL = os.environ.get("PREFLIGHT_TOOL")
"""An installed command to try instead of this checkout."""


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A plain environment in which the package can be imported."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/nonexistent",
        **({} if TOOL else {"PYTHONPATH": str(ROOT)}),
        "PYTHONDONTWRITEBYTECODE": "1",
        **(more or {}),
    }


def run(
    *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 120
) -> Done[str]:
    """One command, whole: code, standard output, standard error."""
    return subprocess.run(
        [*([TOOL] if TOOL else [sys.executable, "-m", "lens_preflight"]), *words],
        env=environment(env),
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
