"""``python -m tests.fuzz --executions N``: spread over the targets by their shares, on all cores."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.chunks import chunk
from tests.fuzz.engine import execute, source
from tests.fuzz.growth import Growth
from tests.fuzz.tally import Crash, Tally
from tests.fuzz.target import Target
from tests.fuzz.targets import BY_NAME, TARGETS


def main(argv: Sequence[str] | None = None) -> int:
    """Run the executions, print one line a target; 1 when anything crashed, hung or leaked."""
    options = _options(argv)
    seed = secrets.token_hex(4) if options.seed == "new" else options.seed
    chosen = [BY_NAME[name] for name in options.target] or list(TARGETS)
    if options.index is not None:
        return _again(chosen[0], seed, options.index)
    counts = spread(options.executions, chosen)
    print(f"fuzz: {sum(counts.values())} executions, seed {seed}, {options.jobs} processes", flush=True)
    chunks = list(_chunks(counts))
    growth = Growth(len(chunks))
    tallies = _run(chunks, seed, options.jobs, growth)
    found: dict[tuple[str, str, str], list[Crash]] = {}
    for tally in tallies:
        print(tally.line())
        for crash in tally.crashes:
            found.setdefault((crash.target, crash.kind, crash.place), []).append(crash)
    for line in growth.lines():
        print(line)
    for crash in growth.leaks(seed):
        found[crash.target, crash.kind, crash.place] = [crash]
    for (target, kind, place), crashes in found.items():
        print(f"\n{target}: {kind} at {place or '?'}, {len(crashes)} times\n{crashes[0].detail[-1500:]}")
        print(f"again: {crashes[0].again}")
    total = sum(t.executions for t in tallies)
    print(f"fuzz: {total} executions, {len(found)} different finds, seed {seed}")
    return 1 if found else 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--executions", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", default="1", help="any word; 'new' picks one [1]")
    parser.add_argument("--target", action="append", default=[], choices=sorted(BY_NAME), help="repeatable")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="J")
    parser.add_argument("--index", type=int, help="this one input of --target alone, with its traceback")
    options = parser.parse_args(argv)
    if options.index is not None and len(options.target) != 1:
        parser.error("--index needs one --target")
    return options


def spread(executions: int, targets: Sequence[Target]) -> dict[str, int]:
    """How many executions each target gets; all of them together, each at least one."""
    total = sum(target.share for target in targets)
    counts = {t.name: max(1, executions * t.share // total) for t in targets}
    largest = max(counts, key=lambda name: counts[name])
    counts[largest] = max(1, counts[largest] + max(executions, len(targets)) - sum(counts.values()))
    return counts


def _again(target: Target, seed: str, index: int) -> int:
    print(repr(target.make(source(target, seed, index)))[:20_000])
    crash = execute(target, seed, index)
    print(crash.detail if crash is not None else "no crash")
    return 1 if crash is not None else 0


def _run(chunks: Sequence[tuple[str, range]], seed: str, jobs: int, growth: Growth) -> list[Tally]:
    tallies = {name: Tally(name) for name, _ in chunks}
    with tempfile.TemporaryDirectory() as folder:
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
        waiting = [pool.submit(chunk, name, seed, r, folder) for name, r in chunks]
        try:
            for future in as_completed(waiting):
                tally, measured = future.result()
                growth.take(tally, measured)
                for crash in tally.crashes[:1]:
                    print(f"{crash.target}: {crash.kind} at {crash.place or '?'}: {crash.again}", flush=True)
                tallies[tally.target].add(tally)
        except KeyboardInterrupt:
            print("fuzz: interrupted; these are the executions until then")
        except BrokenProcessPool:
            for note in Path(folder).iterdir():
                name, index = note.read_text().split()
                crash = Crash(name, seed, int(index), "Died", "", "its process was killed, see above", "")
                tallies[name].crashes.append(crash)
        pool.shutdown(wait=False, cancel_futures=True)
    return list(tallies.values())


def _chunks(counts: dict[str, int]) -> Iterator[tuple[str, range]]:
    """Ranges of executions, the targets in turns, so that an early look shows something of each.

    Memory is looked at after each; those of quick targets are long, so that looking costs little.
    """
    sizes = {
        name: max(1, BY_NAME[name].share // (10 if BY_NAME[name].seconds > 10 else 2)) for name in counts
    }
    done = dict.fromkeys(counts, 0)
    while any(done[name] < counts[name] for name in counts):
        for name, size in sizes.items():
            start, stop = done[name], min(done[name] + size, counts[name])
            if start < stop:
                yield name, range(start, stop)
                done[name] = stop


if __name__ == "__main__":
    sys.exit(main())
