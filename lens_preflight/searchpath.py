"""Where this process imports from: never the folder it stands in, nor the tree that is being judged.

``python -m`` puts the working directory before everything else, and ``PYTHONPATH=.`` is common around
training code: a ``yaml.py`` of the checked tree would be run in the place of the library. This module
is imported before any other and itself imports what the interpreter has loaded already, nothing else.
"""

from __future__ import annotations

import os
import sys

MARKS = (".git", ".hg", "pyproject.toml", "preflight.toml")
"""What the root folder of a project holds."""


def keep_out(paths: tuple[str, ...] = ("",)) -> None:
    """Drop from ``sys.path`` what the caller's folder or PYTHONPATH bring in from the trees of these paths.

    As root, also what somebody else can change. The folder that holds this very package stays, and so
    does what is installed with this interpreter, even when that is inside the tree.
    """
    given = {os.path.realpath(entry) for entry in (os.environ.get("PYTHONPATH") or "").split(os.pathsep)}
    given.add(os.path.realpath(""))
    given -= {home(), *map(os.path.realpath, site_folders())}
    front = sys.path[: _front()]
    doubtful = [entry for entry in front if os.path.realpath(entry) in given]
    if not doubtful:
        return
    trees = {root for path in paths for root in roots(path)}
    dropped = {e for e in doubtful if _inside(os.path.realpath(e), trees) or (_root() and of_others(e))}
    sys.path[: len(front)] = [entry for entry in front if entry not in dropped]


def _front() -> int:
    """How many entries stand before the standard library: what was installed adds its own behind that."""
    library = os.path.dirname(os.__file__)
    return sys.path.index(library) if library in sys.path else len(sys.path)


def home() -> str:
    """The folder that holds this package."""
    return os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def site_folders() -> tuple[str, ...]:
    """Where packages are installed for this interpreter; no folder of PYTHONPATH is among them."""
    site = sys.modules.get("site")
    if site is None:
        return ()
    folders = [*site.getsitepackages()]
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return tuple(folders)


def roots(path: str) -> tuple[str, ...]:
    """The root folders of what a path belongs to, as it is written and as its links lead.

    That is the outermost folder with a mark of a project, so that a mark deeper down, which the tree
    itself can bring, takes nothing out of it; without any mark, the folder of the path.
    """
    return tuple(dict.fromkeys(_outermost(whole(path)) for whole in (os.path.abspath, os.path.realpath)))


def _outermost(path: str) -> str:
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    found, up = folder, folder
    while True:
        if any(os.path.lexists(os.path.join(up, mark)) for mark in MARKS):
            found = up
        if up == os.path.dirname(up):
            return found
        up = os.path.dirname(up)


def inside(path: str, trees: set[str]) -> bool:
    """Whether a path, as it is written or as its links lead, is in one of the folders."""
    return any(_inside(form, trees) for form in (os.path.abspath(path), os.path.realpath(path)))


def _inside(path: str, trees: set[str]) -> bool:
    return any(tree == path or path.startswith(tree.rstrip("/") + "/") for tree in trees)


def of_others(path: str) -> str:
    """The first of a path and its folders that somebody other than root may change, else empty.

    A sticky folder such as ``/tmp`` is safe for what root owns in it.
    """
    part = os.path.realpath(path)
    while True:
        try:
            status = os.stat(part)
        except OSError:
            return part
        sticky = os.path.isdir(part) and status.st_mode & 0o1000
        if status.st_uid != 0 or (status.st_mode & 0o022 and not sticky):
            return part
        if part == os.path.dirname(part):
            return ""
        part = os.path.dirname(part)


def _root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
