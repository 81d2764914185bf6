"""How the file system of the host that runs the job is seen: injected, real or made up."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping
from typing import BinaryIO, Protocol

from lens_preflight.core.data import dataclass, field


class Kind(enum.Enum):
    """What is found under a path."""

    MISSING = "missing"
    DIRECTORY = "directory"
    UNREADABLE = "unreadable"
    """It is there, and this user may not open it."""
    PEM = "pem"
    """A file with a PEM block."""
    OTHER = "other"
    """A file without one."""


class Files(Protocol):
    """The files that a process of the job can open; paths as the job writes them, not expanded."""

    def kind(self, path: str) -> Kind:
        """What a process of the job finds under ``path``."""

    def text(self, path: str) -> str | None:
        """The text of a small file, None when it cannot be opened or is no text."""


LIMIT = 1 << 20
"""Bytes read at most of any file."""


class HostFiles:
    """The files of this machine, seen from the working directory of this process."""

    def kind(self, path: str) -> Kind:
        """What this process finds under ``path``."""
        try:
            with _opened(path) as file:
                return Kind.PEM if b"-----BEGIN " in (file.read(LIMIT) or b"") else Kind.OTHER
        except IsADirectoryError:
            return Kind.DIRECTORY
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return Kind.MISSING
        except OSError:
            return Kind.UNREADABLE

    def text(self, path: str) -> str | None:
        """The text of a small file of this machine."""
        try:
            with _opened(path) as file:
                return (file.read(LIMIT) or b"").decode()
        except (OSError, ValueError):
            return None


def _opened(path: str) -> BinaryIO:
    """The file, opened without waiting: a pipe that nobody writes to would hold this process for ever."""
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


@dataclass(frozen=True)
class MadeUpFiles:
    """Files that a test or a report names; every other path is missing."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def kind(self, path: str) -> Kind:
        """The declared kind, a file when only a text was declared."""
        return self.kinds.get(path, Kind.OTHER if path in self.texts else Kind.MISSING)

    def text(self, path: str) -> str | None:
        """The declared text."""
        return self.texts.get(path)


class AllThere:
    """A host on which every named file is there and right: for judging from another host."""

    def kind(self, path: str) -> Kind:
        """PEM, whatever the path."""
        return Kind.PEM if path else Kind.MISSING

    def text(self, path: str) -> str | None:
        """None: nothing is known about the content."""
        _ = path
        return None
