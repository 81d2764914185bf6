"""An interpreter of its own into which a test installs what it likes, beside the libraries of this one."""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

from tests.cli.running import environment

Done = subprocess.CompletedProcess


class Home:
    """A virtual environment; ``site`` is where its packages lie."""

    def __init__(self, folder: Path) -> None:
        venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
        self.python = folder / "bin" / "python"
        (self.site,) = folder.glob("lib/python3*/site-packages")
        (self.site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, name: str, module: str, *entries: str, group: str = "lens_preflight.checks") -> None:
        """A package of one module ``mod_NAME``; ``entries`` are ``NAME = MODULE:ATTRIBUTE``."""
        plant(self.site, name, module, *entries, group=group)

    def run(
        self, *words: str, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 120
    ) -> Done[str]:
        """One command of this interpreter: ``-m lens_preflight check ...``."""
        return subprocess.run(
            [str(self.python), *words],
            env=environment(env),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )

    def check(self, *words: str, cwd: Path, **options: float) -> Done[str]:
        """``check`` of the environment alone, silent and offline."""
        given = ("check", "--offline", "--no-environ", "--profile", "ci", "-q", *words)
        return self.run("-m", "lens_preflight", *given, cwd=cwd, **options)  # type: ignore[arg-type]


def plant(folder: Path, name: str, module: str, *entries: str, group: str = "lens_preflight.checks") -> None:
    """Lay a module and its metadata into a folder."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    lines = entries or (f"one = mod_{name}:CHECKS",)
    (info / "entry_points.txt").write_text("\n".join((f"[{group}]", *lines)) + "\n")
    (folder / f"mod_{name}.py").write_text(module)
