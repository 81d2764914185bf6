"""Executions: each from its own seed, under a watchdog, with what it must not do looked for afterwards."""

from __future__ import annotations

import os
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from lens_preflight.cli.exits import one_line
from tests.fuzz.held import held, temporary_files
from tests.fuzz.tally import Crash, Tally
from tests.fuzz.target import CANARY, Target

WAITING = 60.0
"""Seconds of the clock that an execution may take with next to no CPU: it waits for what never comes."""

MEMORY = 2 << 30
"""Bytes of address space that executions may take beyond what the process has."""


class Hang(BaseException):
    """An execution took more CPU than it may; no ``except Exception`` stops it."""


class Leak(Exception):
    """A planted secret that leaves."""


def source(target: Target, seed: str, index: int) -> Random:
    """The randomness of one execution: the same on every machine and in any order."""
    return Random(f"{seed}/{target.name}/{index}")


def run(target: Target, seed: str, indices: range, started: Path | None = None) -> Tally:
    """Some executions of a target; ``started`` is a file that names the one under way."""
    tally = Tally(target.name)
    note = os.open(started, os.O_WRONLY | os.O_CREAT, 0o644) if started is not None else -1
    with temporary_files() as folder:
        before = held(folder)
        for index in indices:
            if note >= 0:
                os.pwrite(note, f"{target.name} {index}".ljust(60).encode(), 0)
            clock = time.process_time()
            crash = execute(target, seed, index)
            spent = time.process_time() - clock
            if crash is None and spent > target.seconds + 1:
                crash = Crash(target.name, seed, index, "Hang", "", f"{spent:.1f} s of CPU, unheard", "")
            tally.count(index, spent, crash)
        after = held(folder)
    tally.kept = after.blocks - before.blocks
    if stays := after.beyond(before):
        tally.crashes.append(Crash(target.name, seed, indices.start, "Leak", "", stays, f"indices {indices}"))
    if note >= 0:
        os.close(note)
    return tally


def execute(target: Target, seed: str, index: int) -> Crash | None:
    """One execution; what went wrong, or None."""
    made: Any = None
    try:
        with warnings.catch_warnings(), watchdog(target.seconds):
            warnings.simplefilter("ignore")  # as the command line does
            made = target.make(source(target, seed, index))
            use(target, made)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        detail = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-4000:]
        return Crash(target.name, seed, index, type(error).__name__, _place(error), detail, repr(made)[:4000])
    return None


def use(target: Target, made: Any) -> None:
    """Give an input to its target and look for the planted secret in what it says.

    Raises whatever the target raises that is not documented, and Leak.
    """
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

    CPU and not time: a busy machine makes nothing hang. Only what has waited for WAITING seconds, and
    used hardly any CPU in them, hangs by the clock.
    """
    began = time.process_time()

    def bark(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s of CPU")

    def look(_number: int, _frame: FrameType | None) -> None:
        nonlocal began
        used, began = time.process_time() - began, time.process_time()
        if used < WAITING / 100:
            raise Hang(f"waits for {WAITING:g} s")

    before = signal.signal(signal.SIGPROF, bark), signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    signal.setitimer(signal.ITIMER_REAL, WAITING, WAITING)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


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
