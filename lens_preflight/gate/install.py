"""``gate install``: put the hooks into a folder of this node, and say what to put into slurm.conf."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lens_preflight import __version__
from lens_preflight.core.commands import on_path
from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.errors import InputError
from lens_preflight.gate import cache, hooks
from lens_preflight.gate.mounts import network_mount
from lens_preflight.gate.options import GateSettings, Policy

OLDEST = (3, 10)
"""The oldest Python that the tool runs on."""

_ASK = "import sys, lens_preflight as l; print(*sys.version_info[:2], l.__version__)"


@dataclass(frozen=True)
class Installation:
    """What was written, and the lines for the operator to add."""

    folder: Path
    files: tuple[Path, ...]
    lines: tuple[str, ...]
    cautions: tuple[str, ...] = ()


def install(folder: Path, settings: GateSettings, python: str, config: str) -> Installation:
    """Write the hooks.

    Raises:
        InputError: the interpreter cannot run the tool, or others may write to the folder.
    """
    if settings.policy is Policy.STRICT:
        raise InputError("gate.policy strict is not for hooks; write advisory or quarantine")
    interpreter = check_interpreter(python)
    folder = folder.absolute()
    settings = _with_slurm(settings)
    names = hooks.Names(interpreter, str(Path(config).resolve()) if config else "", str(folder), settings)
    try:
        cache.prepare(folder)
        files = tuple(folder / name for name in hooks.scripts(names))
        for path, text in zip(files, hooks.scripts(names).values(), strict=True):
            cache.write(path, text, 0o755)
    except cache.Untrusted as reason:
        raise InputError(f"--dir: {reason}") from None
    except OSError as error:
        raise InputError(f"--dir {folder}: cannot be written ({error.strerror}); type mkdir -p") from None
    return Installation(folder, files, tuple(_lines(folder, settings)), tuple(_cautions(names)))


def check_interpreter(python: str) -> str:
    """The absolute path of an interpreter that runs the tool as a hook would: isolated, from ``/``.

    Raises:
        InputError: it is missing, too old, or does not find this version of the package.
    """
    path = str(Path(python or sys.executable).absolute())  # not resolved: a venv is known by its link
    if not os.access(path, os.X_OK):
        raise InputError(f"--python {path}: is not there or cannot be run; name another interpreter")
    try:
        done = subprocess.run(
            [path, "-I", "-c", _ASK],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            cwd="/",
            env={},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"--python {path}: cannot be run ({type(error).__name__}); name another") from None
    words = done.stdout.decode("ascii", "replace").split()
    if done.returncode != 0 or len(words) != 3:
        raise InputError(
            f"--python {path}: cannot import lens_preflight; type {path} -m pip install lens-preflight"
        )
    if (int(words[0]), int(words[1])) < OLDEST:
        raise InputError(f"--python {path}: is Python {words[0]}.{words[1]}; name 3.10 or newer")
    if words[2] != __version__:
        raise InputError(f"--python {path}: has lens-preflight {words[2]}, this is {__version__}; use one")
    return path


def _with_slurm(settings: GateSettings) -> GateSettings:
    """Slurm's commands may lie where no hook would look: remember where they are found now."""
    found = on_path("scontrol")
    if settings.slurm_bin or found is None:
        return settings
    return replace(settings, slurm_bin=str(Path(found).parent))


def _lines(folder: Path, settings: GateSettings) -> Iterator[str]:
    yield f"Prolog={folder}/prolog"
    yield f"Epilog={folder}/epilog"
    yield f"TaskProlog={folder}/task-prolog"
    yield "PrologEpilogTimeout=60"
    yield "# in place of a timer, if there is none:"
    yield f"# HealthCheckProgram={folder}/health-check"
    yield f"# HealthCheckInterval={int(settings.ttl)}"
    yield "# HealthCheckNodeState=ANY"


def _cautions(names: hooks.Names) -> Iterator[str]:
    for what, path in (("the hooks", names.folder), ("the interpreter", names.python)):
        kind = network_mount(Path(path))
        if kind:
            yield (
                f"{what} lie on a network file system ({kind}): when it is not mounted every node that "
                f"gets a job is drained; install them on the node's own disk"
            )
    if names.settings.policy is Policy.QUARANTINE and not names.settings.fleet:
        yield "policy quarantine without gate.fleet drains nothing; set gate.fleet to a shared folder"


def units(folder: Path, settings: GateSettings) -> dict[str, str]:
    """A systemd service and its timer, by file name. Every node waits for its own part of the period."""
    service = f"""\
# Written by lens-preflight {__version__} (gate install)
[Unit]
Description=Telemetry verdict of this node for Slurm's hooks
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
ExecStart={folder}/refresh --spread
TimeoutStartSec={int(settings.ttl + settings.timeout) + 60}
"""
    timer = f"""\
# Written by lens-preflight {__version__} (gate install)
[Unit]
Description=Refresh the telemetry verdict of this node

[Timer]
OnBootSec=30
OnUnitActiveSec={int(settings.ttl)}
AccuracySec=1

[Install]
WantedBy=timers.target
"""
    return {"lens-preflight.service": service, "lens-preflight.timer": timer}
