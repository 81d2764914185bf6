"""Path patterns: ``*`` stays within one folder, ``**`` stands for any number of folders."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase


def path_matches(path: str, pattern: str) -> bool:
    """Whether a pattern covers a path: ``legacy/*.py`` one folder, ``legacy/**`` or ``**/x.py`` all below."""
    return _matches(path.split("/"), pattern.removeprefix("./").split("/"))


def _matches(parts: Sequence[str], globs: Sequence[str]) -> bool:
    """Column by column, so that a pattern of many ``**`` costs no more than its length times the path's."""
    reached = {0}
    for glob in globs:
        if glob == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {n + 1 for n in reached if n < len(parts) and fnmatchcase(parts[n], glob)}
        if not reached:
            return False
    return len(parts) in reached
