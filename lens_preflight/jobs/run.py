"""What all shells of one reading share: files, the parser, the budget, and what was noticed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.jobs.model import Loss, Opaque, Remark, Secret
from lens_preflight.jobs.syntax import LIMIT, Tree, parse
from lens_preflight.jobs.text import Symbol, Text, literal
from lens_preflight.jobs.written import Written

if TYPE_CHECKING:
    from lens_preflight.jobs.draft import Draft

_FIRST = 0xE000
_COUNT = 0x1600
_WORD = re.compile(r"[\w./:@%+-]+")
"""Private characters stand for symbols inside scripts that are composed at run time."""

COMPOSED = re.compile("([A-Za-z0-9_]*[\ue000-\uf5ff][A-Za-z0-9_\ue000-\uf5ff]*)\\+?=")
"""An assignment to a name with such a symbol in it."""

STEPS = 20_000
DEPTH = 40
MAX_LAUNCHES = 64
MAX_PARSES = 200


class TooMuch(Exception):
    """The script does more than is followed; what was found so far stands."""


@dataclass(frozen=True)
class Attempt:
    """Somebody set a variable; ``loss`` says why that did not export it, None when it did."""

    name: str
    at: Location
    inner: Location
    loss: Loss | None
    order: int


@dataclass(frozen=True)
class Frame:
    """Where the lines of a script are: ``offset`` to add, or ``fixed`` for all of them.

    ``outer`` is the place in the job file that started or sourced it, None for the job file.
    """

    path: str
    offset: int = 0
    fixed: int | None = None
    outer: Location | None = None
    executed: bool = False

    def inner(self, line: int) -> Location:
        """The place itself."""
        return Location.file(self.path, self.fixed if self.fixed is not None else line + self.offset)

    def at(self, line: int) -> Location:
        """The place in the job file that a reader would change."""
        return self.outer or self.inner(line)


class Files:
    """The files around the job, as far as they can be read; nothing is ever written.

    What the job writes goes before what is there now: ``written`` remembers it.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.written = Written()
        self._texts: dict[str, str | None] = {}

    def text(self, path: str) -> str | None:
        """The text of a file; None when it is missing, no file, too large, not readable or not known."""
        made = self.written.content(path)
        if made is not None:
            return made.text.text.certain if made.text is not None else None
        return self.found(path)

    def found(self, path: str) -> str | None:
        """The text that the disk holds now."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str | None:
        try:
            file = Path(path)
            if not file.is_file() or file.stat().st_size > LIMIT:
                return None
            data = file.read_bytes()
        except (OSError, ValueError):
            return None
        if b"\0" in data[:4096]:
            return None
        return data.decode("utf-8", "surrogateescape")

    def kind(self, path: str) -> str:
        """What is there now: ``file``, ``folder`` or empty."""
        try:
            return "folder" if Path(path).is_dir() else "file" if Path(path).is_file() else ""
        except (OSError, ValueError):
            return ""


@dataclass
class Run:
    """One reading of one job file."""

    path: str
    folder: str
    files: Files
    attempts: list[Attempt] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)
    opaque: list[Opaque] = field(default_factory=list)
    sourced: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    mounts: dict[str, str] = field(default_factory=dict)
    extra_map: tuple[tuple[str, str], ...] = ()
    ray_started: list[tuple[Location, frozenset[str]]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    resubmits: bool = False
    order: int = 0
    steps: int = 0
    muted: int = 0
    _trees: dict[str, Tree] = field(default_factory=dict)
    _symbols: list[Symbol] = field(default_factory=list)

    def step(self) -> None:
        """Count one statement.

        Raises:
            TooMuch: the budget is spent.
        """
        self.steps += 1
        if self.steps > STEPS:
            raise TooMuch(f"it runs more than {STEPS} statements")

    def tick(self) -> int:
        """The next number in the order of events."""
        self.order += 1
        return self.order

    def tree(self, text: str) -> Tree:
        """The syntax tree of a script text; read once."""
        if text not in self._trees:
            if len(self._trees) >= MAX_PARSES:
                return Tree((), failed="too many scripts inside the script")
            self._trees[text] = parse(text)
        return self._trees[text]

    def spelled(self, text: Text) -> str:
        """A text as a script: a symbol becomes one character that stands for it."""
        out = ""
        for piece in text.pieces:
            if isinstance(piece, str):
                out += piece
            elif piece.known is not None and not _WORD.fullmatch(piece.known):
                out += piece.known
            else:
                if piece not in self._symbols:
                    self._symbols.append(piece)
                index = self._symbols.index(piece)
                out += chr(_FIRST + index) if index < _COUNT else "_"
        return out

    def restored(self, text: str) -> Text:
        """A piece of such a script as a text again."""
        if not self._symbols or text.isascii():
            return literal(text)
        pieces: list[str | Symbol] = []
        for char in text:
            index = ord(char) - _FIRST
            pieces.append(self._symbols[index] if 0 <= index < len(self._symbols) else char)
        return Text.of(*pieces)

    def remark(self, remark: Remark) -> None:
        """Keep a remark, once."""
        if remark not in self.remarks and not self.muted:
            self.remarks.append(remark)

    def cannot_read(self, what: str, why: str, at: Location) -> None:
        """Keep an opaque place, once."""
        one = Opaque(what, why, at)
        if not self.muted and one not in self.opaque:
            self.opaque.append(one)

    def shown(self, path: str) -> str:
        """A path as the user would type it, beside the job file as it was given."""
        full = os.path.normpath(path)
        base = os.path.normpath(self.folder)
        if full == base or full.startswith(base + os.sep):
            given = os.path.dirname(self.path)
            return os.path.normpath(os.path.join(given, os.path.relpath(full, base)))
        if os.path.isabs(self.path):
            return full
        relative = os.path.relpath(full)
        return relative if len(relative) < len(full) and relative.count("..") <= 3 else full
