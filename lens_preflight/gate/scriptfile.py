"""A script on disk as Slurm would start it: there, executable, with an interpreter, and whose it is."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from lens_preflight.core.data import dataclass

_LEFT_OVER = (".rpmsave", ".rpmnew", ".rpmorig", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".orig", ".rej")
_EDITORS = ("~", ".swp", ".swo", ".bak", ".old", ".tmp", ".md", ".txt")
HEAD = 65_536


@dataclass(frozen=True)
class Trouble:
    """Why a script does not run, and what to type."""

    what: str
    fix: str


def troubles(path: Path) -> Iterator[Trouble]:
    """What makes the start of a script fail."""
    if not os.path.exists(path):  # False as well for a path that can be none
        kind = "is a dangling link" if os.path.islink(path) else "does not exist"
        yield Trouble(f"{path} {kind}", "install it again, or remove it from slurm.conf")
        return
    if path.is_dir():
        yield Trouble(f"{path} is a folder", f"write {path}/* or name one script")
        return
    if not path.stat().st_mode & 0o111:
        yield Trouble(f"{path} is not executable", f"type chmod 0755 {path}, or move it away")
    interpreter = _interpreter(path)
    if interpreter is None:
        yield Trouble(f"{path} has no #! line and is no program", "begin it with #!/bin/sh")
        return
    words = interpreter.split()
    if not words:
        return
    if not can_run(words[0]):
        yield Trouble(f"the interpreter {words[0]} of {path} is missing", f"correct the first line of {path}")
    elif words[0].endswith("/env") and len(words) > 1:
        yield Trouble(
            f"{path} looks for {words[-1]} on the PATH, and hooks have none",
            f"name the interpreter by its path in the first line of {path}",
        )


def can_run(program: str) -> bool:
    """Whether a program is there and may be run by this user."""
    return "\0" not in program and os.access(program, os.X_OK)


def _interpreter(path: Path) -> str | None:
    """What the ``#!`` line names; empty for a binary, None for text without such a line."""
    try:
        with path.open("rb") as file:
            first = file.read(256)
    except OSError:
        return ""
    if first.startswith(b"\x7fELF"):
        return ""
    if not first.startswith(b"#!"):
        return None
    return first[2:].split(b"\n")[0].split(b"\0")[0].decode("utf-8", "replace").strip()


def left_over(path: Path) -> bool:
    """True for what editors and package managers leave behind, and for documentation."""
    name = path.name.lower()
    return name.startswith((".", "#", "readme")) or name.endswith((*_LEFT_OVER, *_EDITORS))


def writable_by_others(path: Path) -> str:
    """Who besides root may change a script or put another one in its place; empty when nobody may."""
    for place in (path, path.parent):
        state = place.stat()
        if state.st_uid != 0 and os.geteuid() == 0:
            return f"{place} belongs to user {state.st_uid}, who may change what runs as root"
        sticky = place is not path and state.st_mode & stat.S_ISVTX
        if state.st_mode & 0o022 and not sticky:
            return f"{place} may be written by others (mode {stat.S_IMODE(state.st_mode):04o})"
    return ""


def head(path: Path) -> str:
    """The beginning of a script; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return ""


def assigned(path: Path, name: str) -> str:
    """The value that a script of ours gives to a name, unquoted; empty when it does not."""
    for line in head(path).splitlines():
        if line.startswith(f"{name}="):
            try:
                words = shlex.split(line.partition("=")[2])
            except ValueError:  # edited by hand: a quote is open
                return ""
            return words[0] if words else ""
    return ""
