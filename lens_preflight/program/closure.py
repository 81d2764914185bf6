"""Which files a program is made of: import roots, modules in them, and which of them matter."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.program.source import Source, Unreadable, parse, read_bytes

if TYPE_CHECKING:
    from lens_preflight.program.relevance import Plan

COLD_BYTES = 64 * 1024
WARM = (b"setup_telemetry", b"nemo", b"shutdown", b"_exit", b"signal", b"atexit", b"environ", b"exec")
"""A large file that holds none of these is data: it is not parsed."""


@dataclass(frozen=True)
class Found:
    """A module in the tree: its file, None for a namespace package, and the folders of its submodules."""

    name: str
    path: str | None
    folders: tuple[str, ...] = ()


class Closure:
    """The tree of one program: finds modules in its roots and parses files on demand.

    ``roots`` grow while the program is read, as it changes ``sys.path``. Folders are listed once.
    """

    def __init__(self, roots: list[str], base: str | None = None) -> None:
        self.roots = list(roots)
        self.base = base or str(Path.cwd())
        self.listings: dict[str, frozenset[str]] = {}
        self.known: dict[str, Found | None] = {}
        self.sources: dict[str, Source] = {}
        self.failures: dict[str, Unreadable] = {}
        self.bytes: dict[str, bytes] = {}
        self.parsed = 0
        self.plans: dict[tuple[int, str, str], Plan] = {}

    def listing(self, folder: str) -> frozenset[str]:
        """The names in a folder; empty when there is none."""
        if folder not in self.listings:
            try:
                with os.scandir(folder) as entries:
                    self.listings[folder] = frozenset(e.name for e in entries)
            except OSError:
                self.listings[folder] = frozenset()
        return self.listings[folder]

    def add_root(self, folder: str, first: bool = True) -> None:
        """One more entry of ``sys.path``."""
        folder = os.path.normpath(os.path.join(self.base, folder))
        if folder not in self.roots and self.listing(folder):
            self.roots.insert(0 if first else len(self.roots), folder)
            self.known.clear()

    def find(self, name: str) -> Found | None:
        """The module of that dotted name, None when it is not in the tree."""
        if name not in self.known:
            self.known[name] = self._find(name)
        return self.known[name]

    def _find(self, name: str) -> Found | None:
        above, dot, word = name.rpartition(".")
        if not word:
            return None
        if not dot:
            return self.in_folders(name, word, tuple(self.roots))
        package = self.find(above)
        return self.in_folders(name, word, package.folders) if package is not None else None

    def in_folders(self, name: str, word: str, folders: tuple[str, ...]) -> Found | None:
        """One step of the search: a package, a module, or a namespace package."""
        namespace: list[str] = []
        for folder in folders:
            names = self.listing(folder)
            if word in names:
                inner = os.path.join(folder, word)
                if "__init__.py" in self.listing(inner):
                    return Found(name, os.path.join(inner, "__init__.py"), (inner,))
            if f"{word}.py" in names:
                return Found(name, os.path.join(folder, f"{word}.py"))
            if word in names and os.path.isdir(os.path.join(folder, word)):
                namespace.append(os.path.join(folder, word))
        return Found(name, None, tuple(namespace)) if namespace else None

    def data(self, path: str) -> bytes:
        """The bytes of a file; Unreadable when it cannot be read."""
        if path not in self.bytes:
            self.bytes[path] = read_bytes(Path(path))
        return self.bytes[path]

    def source(self, path: str) -> Source:
        """The parsed file.

        Raises:
            Unreadable: it cannot be read or parsed; remembered.
        """
        if path in self.failures:
            raise self.failures[path]
        if path not in self.sources:
            try:
                self.sources[path] = parse(path, self.data(path))
                self.parsed += 1
            except Unreadable as error:
                self.failures[path] = error
                raise
        return self.sources[path]

    def hot(self, path: str) -> bool:
        """True when a file holds one of the words, or it is small enough to just read."""
        try:
            data = self.data(path)
        except Unreadable:
            return True
        return len(data) < COLD_BYTES or any(word in data for word in WARM)

    def shown(self, path: str) -> str:
        """A path as reports show it: relative to the working directory when below it."""
        prefix = self.base.rstrip(os.sep) + os.sep
        if not os.path.isabs(path):
            return os.path.normpath(path)
        return path[len(prefix) :] if path.startswith(prefix) else path
