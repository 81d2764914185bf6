"""What a process holds: files, threads, children, temporary files, memory; what stays behind is a leak."""

from __future__ import annotations

import gc
import os
import resource
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FILES = 4
"""Modules loaded on the way may keep a file or two."""

THREADS = 16
"""Threads of a deadline that are at their end, and pools of the libraries."""


@dataclass(frozen=True)
class Held:
    """What a process holds at one moment."""

    files: int
    threads: int
    children: int
    temporary: int
    blocks: int

    def beyond(self, before: Held) -> str:
        """What is held that was not before, apart from memory; empty when nothing is."""
        grown = (
            (self.files - before.files, FILES, "open files"),
            (self.threads - before.threads, THREADS, "threads"),
            (self.children - before.children, 0, "child processes"),
            (self.temporary - before.temporary, 0, "temporary files"),
        )
        return ", ".join(f"{more} {what}" for more, most, what in grown if more > most)


def held(folder: Path) -> Held:
    """What this process holds; ``folder`` is where its temporary files are."""
    gc.collect()
    return Held(
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        _children(),
        sum(1 for _ in folder.iterdir()),
        sys.getallocatedblocks(),
    )


def _children() -> int:
    lists = Path("/proc/self/task").glob("*/children")
    return sum(len(path.read_text("ascii").split()) for path in lists)


@contextmanager
def temporary_files() -> Iterator[Path]:
    """A folder of its own for what is made with ``tempfile``; as long as it lasts, nothing else is there."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="preflight-fuzz-tmp-") as folder:
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before


def resident() -> int:
    """Bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak() -> int:
    """The most bytes of memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
