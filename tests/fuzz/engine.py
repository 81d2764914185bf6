"""Executions: each from its own seed, under a watchdog, with what it must not do looked for afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from lens_preflight.cli.exits import one_line
from tests.fuzz.target import CANARY, Target

MEMORY = 2 << 30
"""Bytes of address space that executions may take beyond what the process has."""


class Hang(BaseException):
    """An execution took more CPU than it may; no ``except Exception`` stops it."""


class Leak(Exception):
    """A planted secret, a file or a thread that stays behind."""


@dataclass(frozen=True)
class Crash:
    """What went wrong, and how to see it again."""

    target: str
    seed: str
    index: int
    kind: str
    place: str
    detail: str
    shown: str

    @property
    def again(self) -> str:
        """What to type to run this input alone."""
        return f"python -m tests.fuzz --target {self.target} --seed {self.seed} --index {self.index}"


@dataclass
class Tally:
    """What became of the executions of one target."""

    target: str
    executions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_index: int = -1
    crashes: list[Crash] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take over the figures of some more executions."""
        self.executions += other.executions
        self.seconds += other.seconds
        if other.slowest > self.slowest:
            self.slowest, self.slowest_index = other.slowest, other.slowest_index
        self.crashes += other.crashes

    def line(self) -> str:
        """The figures on one line; times are CPU of this process."""
        return (
            f"fuzz {self.target}: {self.executions} executions, {len(self.crashes)} crashes, "
            f"{self.seconds:.1f} s, slowest {self.slowest * 1000:.0f} ms (index {self.slowest_index})"
        )


def source(target: Target, seed: str, index: int) -> Random:
    """The randomness of one execution: the same on every machine and in any order."""
    return Random(f"{seed}/{target.name}/{index}")


def run(target: Target, seed: str, indices: range, started: Path | None = None) -> Tally:
    """Some executions of a target; ``started`` is a file that names the one under way."""
    tally = Tally(target.name)
    note = os.open(started, os.O_WRONLY | os.O_CREAT, 0o644) if started is not None else -1
    before = _held()
    for index in indices:
        if note >= 0:
            os.pwrite(note, f"{target.name} {index}".ljust(60).encode(), 0)
        clock = time.process_time()
        crash = execute(target, seed, index)
        spent = time.process_time() - clock
        tally.executions += 1
        tally.seconds += spent
        if spent > tally.slowest:
            tally.slowest, tally.slowest_index = spent, index
        if crash is not None:
            tally.crashes.append(crash)
    stays = _stays(before)
    if stays:
        crash = Crash(target.name, seed, indices.start, "Leak", "", stays, f"indices {indices}")
        tally.crashes.append(crash)
    if note >= 0:
        os.close(note)
    return tally


def execute(target: Target, seed: str, index: int) -> Crash | None:
    """One execution; what went wrong, or None."""
    made: Any = None
    try:
        with watchdog(target.seconds):
            made = target.make(source(target, seed, index))
            _use(target, made)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        detail = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-4000:]
        return Crash(target.name, seed, index, type(error).__name__, _place(error), detail, repr(made)[:4000])
    return None


def _use(target: Target, made: Any) -> None:
    try:
        texts = list(target.use(made))
    except target.documented as error:
        texts = [one_line(str(error))]
    for text in texts:
        if CANARY in text:
            at = text.index(CANARY)
            raise Leak(f"the planted secret is in: ...{text[max(0, at - 150) : at + 60]}")


def _place(error: BaseException) -> str:
    """The innermost place outside the standard library and this folder; crashes at one place are one."""
    places = [
        f"{Path(frame.filename).name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "/tests/fuzz/" not in frame.filename and "/lib/python" not in frame.filename
    ]
    return places[-1] if places else ""


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Raise Hang in the main thread after so much CPU of this process, and again until it is heard.

    CPU and not time: a busy machine makes nothing hang.
    """

    def bark(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s of CPU")

    before = signal.signal(signal.SIGPROF, bark)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def bounded_memory(extra: int = MEMORY) -> Iterator[None]:
    """Let this process grow by so many bytes and no more: what needs more is a MemoryError."""
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + extra
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _held() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def _stays(before: tuple[int, int]) -> str:
    """What is held that was not before; modules loaded on the way may keep a file or two."""
    files, threads = _held()
    if files > before[0] + 4:
        return f"{files - before[0]} open files stay behind"
    return f"{threads - before[1]} threads stay behind" if threads > before[1] + 16 else ""
