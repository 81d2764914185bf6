"""Prints one line per measured job: name, ratio, interval, bar; exits 1 when a bar is broken."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.timer import Command, Ratio, paired

SCRIPT = Path(__file__).parent / "small.py"
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


def starts() -> list[tuple[Command, float | None]]:
    """The start-up jobs with their bars, as multiples of a bare interpreter."""
    offline = (*OURS, "check", str(SCRIPT), "--offline", "--no-environ", "--set", "NEMO_LENS_ENABLED=1")
    named = (*offline, "--profile", "ci", "--world-size", "1", "--set", "OTEL_TRACES_SAMPLER=always_on")
    return [
        (Command("--help", (*OURS, "--help")), None),
        (Command("checks", (*OURS, "checks")), None),
        (Command("check train.py --offline", (*named, "--set", "NEMO_LENS_RUN_ID=r")), 8.0),
    ]


def modules(argv: Sequence[str]) -> str:
    """How many modules a command has loaded when it ends."""
    words = list(argv)[len(OURS) :]
    done = subprocess.run([sys.executable, "-c", COUNT, *words], capture_output=True, text=True)
    return done.stderr.rpartition("modules ")[2] or "?"


def show(ratio: Ratio, bar: float | None, more: str = "") -> bool:
    """Print one line; returns whether the bar holds."""
    good = bar is None or ratio.low <= bar
    limit = "" if bar is None else f"  bar {bar:g} {'ok' if good else 'BROKEN'}"
    print(f"{ratio.name:<40} {ratio.median:7.2f} x base  [{ratio.low:.2f}, {ratio.high:.2f}]{limit}{more}")
    return good


def main() -> int:
    """Measure everything."""
    good = True
    with tempfile.TemporaryDirectory():
        jobs = starts()
        for ratio, (command, bar) in zip(paired(BASE, [c for c, _ in jobs]), jobs, strict=True):
            good &= show(ratio, bar, f"  modules {modules(command.argv)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
