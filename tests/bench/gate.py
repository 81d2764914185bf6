"""``python -m tests.bench.gate``: the hook on a cache hit, the merge of 10,000 reports, NHC if it is here."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

from lens_preflight.gate import cache, hooks
from lens_preflight.gate.options import GateSettings
from lens_preflight.reports import jsonreport
from tests.bench.timer import Command, paired
from tests.gate.records import outcome, record

REPORTS = 10_000
HOOK_BAR, MERGE_BAR = 0.15, 0.5

CHECKS = ("otlp-endpoint", "setup-once", "shutdown", "truncated-spans", "run-id", "sampler", "rank-decision")
MORE_CHECKS = ("environment", "span-groups", "failure-cost", "propagation", "collector-health")

SEEN = "train.py:12, on each rank"
"""Evidence that is the same on all nodes; that of the endpoint differs."""

COUNT = """
import collections, json, os, sys
counts = collections.Counter()
for name in os.listdir(sys.argv[1]):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        for result in json.loads(file.read())["results"]:
            counts[result["status"]] += 1
sys.exit(not counts)
"""


def hook(folder: Path) -> Command:
    """The Prolog of a node whose verdict is fresh and good, started as Slurm does."""
    settings = GateSettings(run_dir=str(folder / "run"), switch=str(folder / "disabled"), syslog="")
    path = folder / "prolog"
    names = hooks.Names(sys.executable, "", str(folder), settings)
    cache.write(path, hooks.scripts(names)["prolog"], 0o755)
    cache.prepare(settings.folder("n1"))
    line = cache.line(cache.Word.PASS, "READY for what was judged (1 of 9)", settings.lifetime)
    cache.write(settings.folder("n1") / cache.NAME, str(line))
    return Command("gate hook, cache hit", (str(path),), env={"SLURMD_NODENAME": "n1", "SLURM_JOB_ID": "42"})


def reports(folder: Path, count: int = REPORTS) -> None:
    """Write the reports of so many nodes, twelve results each, equal but for run and evidence."""
    for number in range(count):
        name = f"gpu{number:05d}"
        results = [
            outcome(
                check=check,
                reason=f"{check}: what was seen is what it should be, for all ranks and attempts",
                items=(n % 9 + 1,),
                seen=f"10.0.0.5 from {name} in 0.{number:05d} s" if n == 0 else SEEN,
            )
            for n, check in enumerate((*CHECKS, *MORE_CHECKS))
        ]
        text = io.StringIO()
        jsonreport.write(record(*results, node=name), text)
        (folder / f"preflight-{name}.json").write_text(text.getvalue())


def merging(folder: Path) -> tuple[Command, Command]:
    """Read, parse and count in the plainest way; and the merge."""
    base = str(getattr(sys, "_base_executable", sys.executable))
    count = Command("read, parse and count", (base, "-I", "-c", COUNT, str(folder)))
    argv = (sys.executable, "-I", "-m", "lens_preflight", "merge", str(folder), "-q")
    return count, Command(f"merge of {REPORTS:,} reports", argv)


def health_check() -> Command | None:
    """NHC, when the variable PREFLIGHT_NHC or the PATH knows it."""
    path = os.environ.get("PREFLIGHT_NHC") or shutil.which("nhc")
    return Command("nhc, as configured here", (path,)) if path else None


def main() -> bool:
    """Print one line for each; True when every bar holds."""
    from tests.bench.scripts import BASE, show

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nhc = health_check()
        rows = paired(BASE, [hook(folder), *([nhc] if nhc else [])])
        good = [show(row, HOOK_BAR if number == 0 else None) for number, row in enumerate(rows)]
        (folder / "reports").mkdir()
        reports(folder / "reports")
        base, ours = merging(folder / "reports")
        (ratio,) = paired(base, [ours])
        good.append(show(ratio, MERGE_BAR, f"  (base here: {base.name})"))
    return all(good)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
