"""Three hundred random scripts: what the reader says against what a real bash hands to the launcher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.core.words import State
from lens_preflight.jobs import JobLaunch, read_job
from tests.corpus import LINES
from tests.jobs.grammar import NAMES, Maker

SCRIPTS = int(os.environ.get("PREFLIGHT_SCRIPTS", "300"))
UNKNOWN = 0.10

STUB = """#!/bin/bash
# stands for the launcher: writes down its environment
{ for name in %s; do
    if [ -n "${!name+x}" ]; then printf '%%s=%%q\\n' "$name" "${!name}"; fi
  done; echo --; } >> "$DUMP"
"""


def real(folder: Path, bash: str) -> list[dict[str, str]]:
    """The environments that a real bash hands to the launcher, in order."""
    dump = folder / "dump"
    dump.write_text("")
    env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": "/home/user", "DUMP": str(dump)}
    subprocess.run([bash, "job.sh"], cwd=folder, env=env, capture_output=True, timeout=60, check=False,
                   stdin=subprocess.DEVNULL)  # fmt: skip
    found: list[dict[str, str]] = [{}]
    for line in dump.read_text().splitlines():
        if line == "--":
            found.append({})
        else:
            name, _, quoted = line.partition("=")
            found[-1][name] = quoted
    return found[:-1]


def unquoted(texts: list[str], bash: str) -> dict[str, str]:
    """What bash means by its own quoting."""
    script = "".join(f"printf '%s\\0' {text}\n" for text in texts)
    out = subprocess.run([bash, "-c", script], capture_output=True, check=True).stdout.decode()
    return dict(zip(texts, out.split("\0"), strict=False))


def read(folder: Path) -> tuple[JobLaunch, ...]:
    here = os.getcwd()
    os.chdir(folder)
    try:
        submitter = Environment.of({"PATH": "/usr/bin:/bin", "HOME": "/home/user"})
        return read_job("job.sh", submit="bash job.sh", submitter=submitter).launches
    finally:
        os.chdir(here)


def make(folder: Path, seed: int) -> str:
    maker = Maker(seed)
    text = maker.script()
    (folder / "bin").mkdir(parents=True)
    stub = folder / "bin" / "srun"
    stub.write_text(STUB % " ".join(NAMES))
    stub.chmod(0o755)
    (folder / "job.sh").write_text(text)
    for name, content in maker.files.items():
        (folder / name).write_text(content)
    return text


def compare(seen: dict[str, str], launch: JobLaunch, words: dict[str, str]) -> tuple[list[str], int]:
    """The names for which the reader is wrong, and for how many it does not know."""
    wrong, open_ = [], 0
    for name in NAMES:
        variable = launch.launcher_env[name]
        actual = words[seen[name]] if name in seen else None
        if variable.state in (State.UNKNOWN, State.PROVIDED):
            open_ += 1
        elif (variable.value if variable.state is State.VALUE else None) != actual:
            wrong.append(f"{name}: bash {actual!r}, read {variable.value!r}")
    return wrong, open_


def test_agrees_with_bash(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    wrong: list[Any] = []
    total = open_ = launches = 0
    for seed in range(SCRIPTS):
        folder = tmp_path / str(seed)
        text = make(folder, seed)
        seen, found = real(folder, bash), read(folder)
        if len(seen) != len(found):
            solid = tuple(one for one in found if not one.conditional)
            if len(solid) < len(seen) < len(found):
                open_ += len(NAMES)
                continue
            found = solid
        words = unquoted(sorted({v for one in seen for v in one.values()}), bash)
        if len(seen) != len(found):
            wrong.append((seed, f"{len(seen)} launches, read {len(found)}", text))
            continue
        for one, launch in zip(seen, found, strict=True):
            bad, unknown = compare(one, launch, words)
            launches += 1
            total += len(NAMES)
            open_ += unknown
            if bad:
                wrong.append((seed, bad, text))
    LINES.append(
        f"bash: {SCRIPTS} scripts, {launches} launches, {total} variables, {len(wrong)} wrong, {open_} unknown"
    )
    assert not wrong, json.dumps(wrong[:3], indent=1)
    assert open_ <= UNKNOWN * total
