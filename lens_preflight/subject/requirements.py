"""The Lens generation that a project's own files name: requirements, lock files, container tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lens_preflight.jobs.model import JobModel

NAMES = ("requirements.txt", "pyproject.toml", "uv.lock", "poetry.lock", "constraints.txt")
LIMIT = 4 << 20

_PIN = re.compile(
    r"nemo[-_.]lens(?:\[[^\]]*\])?\s*(?:==|~=)\s*[\"']?([0-9]{1,9})\.([0-9]{1,9})", re.IGNORECASE
)
_LOCK = re.compile(
    r"name\s*=\s*[\"']nemo[-_.]lens[\"']\s*\n\s*version\s*=\s*[\"']([0-9]{1,9})\.([0-9]{1,9})", re.IGNORECASE
)
_SOURCE = re.compile(r"nemo[-_.]lens\s*@\s*git\+|NeMo-?Lens(?:\.git)?@", re.IGNORECASE)
_TAG = re.compile(r"nemo-?lens[:/_-]v?([0-9]{1,9})\.([0-9]{1,9})", re.IGNORECASE)


def pinned(folder: Path, programs: Iterable[str | None], jobs: Sequence[JobModel] = ()) -> frozenset[str]:
    """The generation ids named beside the programs or in ``folder``; empty when nothing names one.

    A pin on 0.1.x is generation 0.1, any later release 0.2; a pin on the source repository is the
    nightly. The image names of the job scripts count as well.
    """
    found: set[str] = set()
    folders = {folder, *(Path(p).parent for p in programs if p)}
    for place in sorted(folders):
        for name in NAMES:
            found |= _named(_read(place / name))
    for job in jobs:
        for image in getattr(job, "images", ()):
            found |= {_generation(*m.groups()) for m in _TAG.finditer(image)}
    return frozenset(found)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""


def _named(text: str) -> set[str]:
    found = {_generation(*m.groups()) for pattern in (_PIN, _LOCK) for m in pattern.finditer(text)}
    return found | ({"nightly"} if _SOURCE.search(text) else set())


def _generation(major: str, minor: str) -> str:
    return "0.1" if (int(major), int(minor)) < (0, 2) else "0.2"
