"""One small script, as the reader reads it and as bash runs it: what the launches see in one variable."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.jobs.making import job, seen

NAME = "NEMO_LENS_RUN_ID"
LAUNCH = "srun python train.py"
STUB = f'#!/bin/sh\nprintf "%s\\n" "${{{NAME}-unset}}" >> "$DUMP"\n'

Values = list[str]


def both(folder: Path, text: str) -> tuple[Values, Values]:
    """What the reader says and what bash did, launch by launch; ``@@`` is the variable, ``?`` not known."""
    if (bash := shutil.which("bash")) is None:
        pytest.skip("apt-get install bash")
    body = text.replace("@@", NAME)
    script = f"#!/bin/bash\n{body}\n" + ("" if "srun" in body else LAUNCH + "\n")
    return _read(folder, script), _run(folder, script, bash)


def agree(folder: Path, text: str) -> None:
    """The reader knows what bash does."""
    said, done = both(folder, text)
    assert said == done, f"the reader says {said}, bash does {done}"


def never_wrong(folder: Path, text: str) -> None:
    """The reader does not say anything else than bash does; it may say that it does not know."""
    said, done = both(folder, text)
    assert len(said) == len(done)
    assert all(one in ("?", other) for one, other in zip(said, done, strict=True)), f"{said}, bash: {done}"


def _read(folder: Path, script: str) -> Values:
    launches = job(folder, script).launches
    words = [seen(launch.launcher_env[NAME]) for launch in launches]
    return ["unset" if word is None else "?" if word == "+" else word for word in words]


def _run(folder: Path, script: str, bash: str) -> Values:
    stub, dump = folder / "bin" / "srun", folder / "dump"
    stub.parent.mkdir()
    stub.write_text(STUB)
    stub.chmod(0o755)
    dump.write_text("")
    (folder / "real.sh").write_text(script)
    path = f"{stub.parent}{os.pathsep}/usr/bin:/bin"
    env = {"PATH": path, "HOME": "/home/user", "USER": "user", "DUMP": str(dump)}
    subprocess.run(
        [bash, "real.sh"], cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
    )
    return dump.read_text().splitlines()
