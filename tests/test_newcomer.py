"""The first ten minutes: a true finding from one command, and from red to green by pasting what it printed."""

from __future__ import annotations

import json
import time
from pathlib import Path

from lens_preflight.sample import broken, corrected
from tests.cli.running import run
from tests.corpus import LINES

ENDPOINT = "http://otel-gateway.example.invalid:4317"
CHECK = ("check", "train.sbatch", "--profile", "ci", "--offline")


def workplace(folder: Path) -> Path:
    """A sound program under a job script with two slips."""
    (folder / "train.py").write_text(corrected(ENDPOINT)["train.py"])
    (folder / "train.sbatch").write_text(broken(ENDPOINT)["train.sbatch"])
    return folder


def block(console: str) -> list[str]:
    """The lines to paste, as the console prints them."""
    lines = console.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("To paste"))
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].strip()), len(lines))
    return lines[start + 1 : end]


def test_the_first_finding_is_on_the_first_screen(tmp_path: Path) -> None:
    started = time.monotonic()
    done = run(*CHECK, cwd=workplace(tmp_path))
    LINES.append(f"newcomer: first verdict after {time.monotonic() - started:.1f} s and one command")
    first_screen = "\n".join(done.stdout.splitlines()[:24])
    assert done.returncode == 1
    assert "train.sbatch:8 [sampler/misspelt]" in first_screen
    assert "export OTEL_TRACES_SAMPLER=parentbased_always_on" in first_screen


def test_from_red_to_green_by_pasting(tmp_path: Path) -> None:
    folder = workplace(tmp_path)
    red = run(*CHECK, cwd=folder)
    assert red.returncode == 1
    script = folder / "train.sbatch"
    pasted = "\n".join((*block(red.stdout), "", "srun"))
    script.write_text(script.read_text().replace("\nsrun", f"\n{pasted}", 1))
    green = run(*CHECK, "--report", "json=after.json", cwd=folder)
    assert green.returncode == 0, green.stdout
    after = json.loads((folder / "after.json").read_text())
    assert after["verdict"] == "ready"
    assert after["counts"]["warn"] == 0
