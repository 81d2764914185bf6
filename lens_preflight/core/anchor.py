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
        """``./train.py``, ``/home/me/train.py`` and ``../g/train.py`` as ``train.py``.

        What is no file here, such as a path inside a container, has no other name than its own.
        """
        real = _real(path)
        try:
            return os.path.relpath(real, os.path.realpath(self.folder)) if real else _tidy(path)
        except OSError:  # the working directory is gone
            return _tidy(path)

    def whole(self, path: str) -> str:
        """The absolute path; as typed when there is no such file here."""
        return _real(path) or _tidy(path)

    def finding(self, finding: Finding) -> Finding:
        """The same finding with its file under one name."""
        what = finding.at.what
        named = self.path(what) if finding.at.kind is Place.FILE else what
        if named == what:
            return finding
        at, message = replace(finding.at, what=named), finding.message.replace(what, named)
        return replace(finding, at=at, message=message)


def _real(path: str) -> str:
    """The path of a file from the root, a link at its end as it is; empty when there is no such file."""
    for name, cell in ((path, ""), (path.partition("#")[0], "#" + path.partition("#")[2])):
        try:
            if name and os.path.lexists(name):
                folder = os.path.realpath(os.path.dirname(name))
                return os.path.normpath(os.path.join(folder, os.path.basename(name))) + cell
        except (OSError, ValueError):  # a name that no file can have
            continue
    return ""


def _tidy(path: str) -> str:
    return os.path.normpath(path) if path else path
