"""Reading a file whose name came from elsewhere: a pipe never makes us wait for ever, a device never ends."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path

PATIENCE = 10_000
"""Milliseconds without a byte after which a pipe is given up."""


def read_regular(path: Path, most: int, *, pipes: bool = False) -> bytes:
    """The first ``most`` bytes of a regular file, and one more when there are more.

    ``pipes``: also of a pipe, such as ``<(env)`` of a shell.

    Raises:
        OSError: it cannot be read, is no regular file, or is a pipe into which nobody writes.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would wait for a writer
    mode = os.fstat(number).st_mode
    with os.fdopen(number, "rb", buffering=0) as file:
        if stat.S_ISREG(mode):
            return file.read(most + 1)
        if pipes and stat.S_ISFIFO(mode):
            return _drain(number, most + 1)
    raise OSError(errno.EINVAL, "no regular file")


def _drain(number: int, most: int) -> bytes:
    """What comes through a pipe until its end, at most so many bytes."""
    ready = select.poll()
    ready.register(number, select.POLLIN)
    data = b""
    while len(data) < most:
        if not ready.poll(PATIENCE):
            raise OSError(errno.ETIMEDOUT, "nobody writes into this pipe")
        more = os.read(number, most - len(data))
        if not more:
            break
        data += more
    return data
