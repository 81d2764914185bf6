"""Reading a file whose name came from elsewhere: a pipe never makes us wait, a device never ends."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int) -> bytes:
    """The first ``most`` bytes of a regular file, and one more when there are more.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would wait for a writer
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "no regular file")
    with os.fdopen(number, "rb") as file:
        return file.read(most + 1)
