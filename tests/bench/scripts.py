"""Start-up and whole small runs, as multiples of a bare interpreter's CPU time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.timer import Command, Ratio, paired

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
JOB = ROOT / "docs" / "examples" / "job" / "train.sbatch"
BASE = Command("base", (str(getattr(sys, "_base_executable", sys.executable)), "-I", "-c", "pass"))
OURS = (sys.executable, "-I", "-m", "lens_preflight")

COUNT = """
import os, sys
def count(code=0):
    sys.stderr.write(f"modules {len(sys.modules)}")
    sys.stderr.flush()
    os.kill(os.getpid(), 9)
os._exit = count
from lens_preflight.cli import main
main(sys.argv[1:])
"""


def commands() -> list[tuple[Command, float | None]]:
    """The jobs with their bars, as multiples of a bare interpreter."""
    plain = ("--offline", "--no-environ", "--profile", "ci")
    sets = ("NEMO_LENS_ENABLED=1", "NEMO_LENS_RUN_ID=r", "OTEL_TRACES_SAMPLER=always_on")
    given = tuple(word for one in sets for word in ("--set", one))
    script = (*OURS, "check", str(HERE / "small.py"), *plain, "--world-size", "1", *given)
    return [
        (Command("--help", (*OURS, "--help")), None),
        (Command("checks", (*OURS, "checks")), None),
        (Command("check train.py --offline", script), 8.0),
        (Command("check train.sbatch --offline", (*OURS, "check", str(JOB), *plain), code=1), 10.0),
    ]


def modules(argv: Sequence[str]) -> str:
    """How many modules a command has loaded when it ends."""
    words = list(argv)[len(OURS) :]
    done = subprocess.run([sys.executable, "-c", COUNT, *words], capture_output=True, text=True)
    return done.stderr.rpartition("modules ")[2] or "?"


def show(ratio: Ratio, bar: float | None, more: str = "", base: str = "base") -> bool:
    """Print one line; returns whether the bar holds."""
    good = bar is None or ratio.low <= bar
    limit = "" if bar is None else f"  bar {bar:g} {'ok' if good else 'BROKEN'}"
    print(f"{ratio.name:<44} {ratio.median:7.2f} x {base}  [{ratio.low:.2f}, {ratio.high:.2f}]{limit}{more}")
    return good


def main() -> bool:
    """Measure them; True when every bar holds."""
    jobs = commands()
    ratios = paired(BASE, [command for command, _ in jobs])
    good = True
    for ratio, (command, bar) in zip(ratios, jobs, strict=True):
        good &= show(ratio, bar, f"  modules {modules(command.argv)}")
    return good
