"""An interpreter that has the package as a node has it, and hooks installed with it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lens_preflight.gate.install import install
from lens_preflight.gate.options import GateSettings, gate_settings
from lens_preflight.settings import load

ROOT = Path(__file__).parent.parent.parent


def interpreter(folder: Path, *, with_package: bool = True) -> Path:
    """A virtual environment whose ``python -I`` imports this checkout and what it needs."""
    base = getattr(sys, "_base_executable", sys.executable)
    if base == sys.executable:
        venv.create(folder, with_pip=False)
    else:
        subprocess.run([base, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    if with_package:
        paths = [str(ROOT), *(p for p in sys.path if p.endswith(("site-packages", "dist-packages")))]
        (site / "lens.pth").write_text("\n".join(paths) + "\n")
    return folder / "bin" / "python"


@dataclass(frozen=True)
class Installed:
    """Hooks with the settings file and folders that they use."""

    folder: Path
    hooks: Path
    config: Path
    settings: GateSettings

    def run(
        self,
        hook: str,
        *args: str,
        node: str = "n1",
        shell: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a hook as Slurm does: no PATH, no HOME, nothing on standard input."""
        return subprocess.run(
            [*shell, str(self.hooks / hook), *args],
            env={"SLURMD_NODENAME": node, **(environ or {}), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            timeout=120,
            check=False,
        )

    def run_dir(self, node: str = "n1") -> Path:
        """Where the verdict of a node lies."""
        return self.settings.folder(node)


def installed(folder: Path, python: Path, **gate: object) -> Installed:
    """Write settings and hooks into a folder; ``gate`` are keys of the table."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = {
        "run_dir": str(folder / "run" / "%n"),
        "textfile_dir": str(folder / "textfiles"),
        "syslog": str(folder / "log.sock"),
        "switch": str(folder / "disabled"),
        **gate,
    }
    config = folder / "preflight.toml"
    config.write_text(toml(keys))
    settings = gate_settings(load(config))
    (folder / "textfiles").mkdir(exist_ok=True)
    done = install(folder / "hooks", settings, str(python), str(config))
    return Installed(folder, done.folder, config, settings)


def toml(keys: Mapping[str, object]) -> str:
    """The table [gate] of a settings file."""
    lines = ["[gate]"]
    for key, value in keys.items():
        if isinstance(value, Mapping):
            inner = ", ".join(f"{name} = {_word(one)}" for name, one in value.items())
            lines.append(f"{key} = {{ {inner} }}")
        else:
            lines.append(f"{key} = {_word(value)}")
    return "\n".join(lines) + "\n"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str | os.PathLike) else str(value)
