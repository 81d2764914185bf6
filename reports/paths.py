"""Paths as code hosts want them: relative to the root of the repository, with slashes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.text import whole

_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<line>[1-9]\d{0,8}))?(?::\d+)?", re.DOTALL)


@dataclass(frozen=True)
class Repository:
    """The folder that paths are told from; absolute, without symbolic links."""

    root: str
    known: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def here(cls) -> Repository:
        """The nearest folder above the working directory that holds ``.git``, else that directory."""
        here = Path(os.path.realpath("."))
        tops = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
        return cls(str(next(tops, here)))

    def relative(self, path: str) -> str:
        """The path from the root, symbolic links resolved while they stay inside.

        A path that lies outside, or that no system can have, comes back absolute or as it is.
        """
        if path not in self.known:
            self.known[path] = whole(self._relative(path))
        return self.known[path]

    def _relative(self, path: str) -> str:
        try:
            absolute = os.path.abspath(path)
            for place in (os.path.realpath(path), absolute):
                told = os.path.relpath(place, self.root)
                if told != ".." and not told.startswith("../"):
                    return told
        except (OSError, ValueError):
            return path
        return absolute

    def uri(self, path: str) -> str:
        """The path as a URI reference: relative inside the repository, ``file:`` outside."""
        told = quote(self.relative(path), safe="/~")
        return f"file://{told}" if told.startswith("/") else told


@dataclass(frozen=True)
class Starts:
    """Where the launches of a run are started, for what has no place of its own.

    ``all`` are the (path, line) pairs of the launches, then of the files that were read.
    """

    by_key: Mapping[str, tuple[str, int]]
    all: tuple[tuple[str, int], ...]

    @classmethod
    def read(cls, record: RunRecord) -> Starts:
        """Take the places out of a run."""
        found: dict[str, tuple[str, int]] = {}
        for launch in record.subject.get("launches") or ():
            at = str(launch.get("at") or "") if isinstance(launch, Mapping) else ""
            place = None if at.startswith("$") else _PLACE.fullmatch(at)
            if place and place["path"].strip():
                found[str(launch.get("key"))] = (place["path"], int(place["line"] or 1))
        files = ((path, 1) for path, _ in record.inputs if path.strip())
        return cls(found, (*found.values(), *files))

    def of(self, key: str) -> tuple[str, int] | None:
        """The place of the launch that a target names: ``train.sbatch:13``, ``traces @ train.sbatch:13``."""
        alone = next(iter(self.by_key.values())) if len(self.by_key) == 1 else None
        return self.by_key.get(key.rpartition(" @ ")[2], alone)
