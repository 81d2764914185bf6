"""Files that the job itself writes, changes or removes: what the disk holds now is not what they will hold."""

from __future__ import annotations

import fnmatch
import os
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.jobs.draft import Where, resolve
from lens_preflight.jobs.names import NAME, is_telemetry

if TYPE_CHECKING:
    from lens_preflight.jobs.field import Field
    from lens_preflight.jobs.run import Run
    from lens_preflight.jobs.text import Text

WHY = "the job itself writes that file, and its text is not known here"


@dataclass(frozen=True)
class Content:
    """What the job made of one file: ``text`` None: something that is not known; ``gone``: removed.

    ``names`` are the variables of telemetry that the commands which wrote it speak of.
    """

    text: Field | None = None
    gone: bool = False
    names: frozenset[str] = frozenset()
    turn: int = 0


@dataclass(frozen=True)
class Sweep:
    """All files below a folder that fit a pattern were written or removed, one cannot say how."""

    folder: str
    pattern: str
    turn: int


class Written:
    """What the statements so far did to files, by full path (or as spelled, where the folder is not known)."""

    def __init__(self) -> None:
        self._files: dict[str, Content] = {}
        self._sweeps: tuple[Sweep, ...] = ()
        self._turn = 0

    def content(self, key: str) -> Content | None:
        """What became of a file; None when no statement touched it."""
        one = self._files.get(key)
        turn = -1 if one is None else one.turn
        if any(s.turn > turn and _covers(s, key) for s in self._sweeps):
            return Content(turn=self._turn)
        return one

    def write(
        self, key: str, text: Field | None, *, gone: bool = False, names: frozenset[str] = frozenset()
    ) -> None:
        """The file now holds a text (None: not known), or is removed."""
        self._turn += 1
        old = self._files.get(key)
        if text is None and old is not None:
            names |= old.names | (mentioned(old.text.text.template) if old.text is not None else frozenset())
        self._files[key] = Content(text, gone, names, self._turn)

    def sweep(self, folder: str, pattern: str) -> None:
        """Files below a folder are written or removed; which ones, only a pattern tells."""
        self._turn += 1
        one = Sweep(folder, pattern, self._turn)
        self._sweeps = (*(s for s in self._sweeps if (s.folder, s.pattern) != (folder, pattern)), one)

    def state(self) -> tuple[dict[str, Content], tuple[Sweep, ...]]:
        """All of it, to come back to."""
        return dict(self._files), self._sweeps

    def back_to(self, state: tuple[dict[str, Content], tuple[Sweep, ...]]) -> None:
        """Forget what happened since."""
        self._files, self._sweeps = dict(state[0]), state[1]

    def join(self, other: tuple[dict[str, Content], tuple[Sweep, ...]]) -> None:
        """Either this happened or the ``other``: what they leave alike is certain."""
        files, sweeps = other
        self._turn += 1
        for key in {*files, *self._files}:
            one, two = self._files.get(key), files.get(key)
            if one is None or two is None or (one.text, one.gone) != (two.text, two.gone):
                names = _names(one) | _names(two)
                self._files[key] = Content(names=names, turn=self._turn)
        self._sweeps = tuple(dict.fromkeys((*self._sweeps, *sweeps)))

    def unsettle(self, before: tuple[dict[str, Content], tuple[Sweep, ...]]) -> None:
        """What changed since ``before`` may have changed any number of times."""
        files, _ = before
        self._turn += 1
        for key, one in list(self._files.items()):
            if files.get(key) != one:
                self._files[key] = Content(names=_names(one), turn=self._turn)


def mentioned(text: str) -> frozenset[str]:
    """The variables of telemetry that a text speaks of."""
    return frozenset(name for name in NAME.findall(text) if is_telemetry(name))


def mentioned_in(node: object) -> frozenset[str]:
    """The same of statements, whatever stands in them."""
    found: list[str] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            found += [value for key, value in one.items() if key == "Value" and isinstance(value, str)]
            stack += one.values()
        elif isinstance(one, list | tuple):
            stack += one
    return mentioned(" ".join(found))


def _names(one: Content | None) -> frozenset[str]:
    if one is None:
        return frozenset()
    return one.names | (mentioned(one.text.text.template) if one.text is not None else frozenset())


def _covers(sweep: Sweep, key: str) -> bool:
    root = sweep.folder.rstrip("/") + "/"
    return key.startswith(root) and fnmatch.fnmatchcase(key[len(root) :], sweep.pattern)


def key_of(run: Run, text: Text, cwd: str | None, where: Where) -> str:
    """The name under which a file is remembered: its full path, else how it is spelled; empty for none."""
    named = text.path
    full = resolve(named, cwd, where, run.extra_map) if named else None
    if full is not None:
        return full
    serial = "".join(f"#{s.serial}" for s in text.symbols if s.serial)
    return os.path.normpath(text.template) + serial if text.template else ""


def made(run: Run, text: Text, cwd: str | None, where: Where) -> Content | None:
    """What the job made of the file that a word names; None when no statement touched it."""
    key = key_of(run, text, cwd, where)
    return run.files.written.content(key) if key else None
