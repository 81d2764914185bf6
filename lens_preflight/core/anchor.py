"""One name for a file, however it was typed: its path from the folder of the settings."""

from __future__ import annotations

import os

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.finding import Finding, Place


@dataclass(frozen=True)
class Anchor:
    """The folder that paths are seen from, when they are compared with what somebody wrote earlier."""

    folder: str = ""

    @classmethod
    def of(cls, settings: str) -> Anchor:
        """The folder of a settings file; without one the working directory."""
        return cls(os.path.dirname(settings))

    def path(self, path: str) -> str:
        """``./train.py``, ``/home/me/train.py`` and ``../g/train.py`` as ``train.py``."""
        if not path or "\0" in path:
            return path
        try:
            folder = os.path.realpath(os.path.dirname(path))
            whole = os.path.normpath(os.path.join(folder, os.path.basename(path)))
            return os.path.relpath(whole, os.path.realpath(self.folder))
        except (OSError, ValueError):  # a name that the file system refuses, a working directory that is gone
            return path

    def finding(self, finding: Finding) -> Finding:
        """The same finding with its file under one name."""
        what = finding.at.what
        named = self.path(what) if finding.at.kind is Place.FILE else what
        if named == what:
            return finding
        at, message = replace(finding.at, what=named), finding.message.replace(what, named)
        return replace(finding, at=at, message=message)
