"""Memory of the worker processes over a whole run: caches fill and stay; what goes on growing is a leak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fuzz.tally import Crash, Tally

RESIDENT = 128 << 20
"""Bytes that a process may grow by in the second half of a run."""

BLOCKS = 300_000
"""Blocks of Python, some 20 MB, that a target may leave behind in the second half of a run."""


@dataclass(frozen=True)
class Measured:
    """Memory of one process after a chunk, in bytes."""

    process: int
    resident: int
    peak: int


@dataclass
class Growth:
    """What each process had at its first chunk, at half of the run, and last; what each target left behind."""

    chunks: int
    done: int = 0
    first: dict[int, Measured] = field(default_factory=dict)
    half: dict[int, Measured] = field(default_factory=dict)
    last: dict[int, Measured] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)

    def take(self, tally: Tally, measured: Measured) -> None:
        """Count one chunk; the order is that in which they end."""
        self.done += 1
        process = measured.process
        self.first.setdefault(process, measured)
        self.last[process] = measured
        if 2 * self.done <= self.chunks:
            self.half[process] = measured
        else:
            self.kept[tally.target] = self.kept.get(tally.target, 0) + tally.kept

    def lines(self) -> Iterator[str]:
        """The memory of each process on a line."""
        for process, last in self.last.items():
            first, half = self.first[process], self.half.get(process, last)
            yield (
                f"fuzz memory of process {process}: {first.resident >> 20} MiB after its first chunk, "
                f"{half.resident >> 20} at half, {last.resident >> 20} at the end, peak {last.peak >> 20}"
            )

    def leaks(self, seed: str) -> Iterator[Crash]:
        """Targets and processes that went on growing."""
        for name, blocks in self.kept.items():
            if blocks > BLOCKS:
                detail = f"{blocks} blocks of memory stay behind in the second half of the run"
                yield Crash(name, seed, 0, "Leak", "memory", detail, "")
        for process, last in self.last.items():
            more = last.resident - self.half.get(process, last).resident
            if more > RESIDENT:
                detail = f"process {process} grows by {more >> 20} MiB in the second half of the run"
                yield Crash("all", seed, 0, "Leak", "process", detail, "")
