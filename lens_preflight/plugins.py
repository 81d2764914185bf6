"""Checks and report formats from elsewhere: installed packages, and files named by the user.

Installed ones are found by reading ``entry_points.txt`` of the ``*.dist-info`` folders on ``sys.path``,
which costs a tenth of ``importlib.metadata``. One that cannot be loaded becomes a check that errs.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lens_preflight.core.check import Check, stand_in
from lens_preflight.core.data import dataclass

CHECKS = "lens_preflight.checks"
REPORTS = "lens_preflight.reports"


@dataclass(frozen=True)
class EntryPoint:
    """One line of an installed package: ``name = module:attribute`` in a group."""

    distribution: str
    group: str
    name: str
    target: str

    def load(self) -> Any:
        """Import the object; whatever the import raises comes through."""
        from importlib import import_module

        module, _, attribute = self.target.partition(":")
        found: Any = import_module(module.strip())
        for part in attribute.split("[")[0].strip().split(".") if attribute else ():
            found = getattr(found, part)
        return found


def installed(group: str, path: Sequence[str] | None = None) -> tuple[EntryPoint, ...]:
    """The entry points of a group, by distribution and name; the first folder on the path wins."""
    found: dict[tuple[str, str], EntryPoint] = {}
    for folder in sys.path if path is None else path:
        for distribution, file in _metadata(folder):
            for name, target in _lines(file, group):
                found.setdefault((distribution, name), EntryPoint(distribution, group, name, target))
    return tuple(found[key] for key in sorted(found))


def _metadata(folder: str) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder or ".") as entries:
            names = [e.name for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return
    for name in sorted(names):
        yield name.partition("-")[0], os.path.join(folder, name, "entry_points.txt")


def _lines(file: str, group: str) -> Iterator[tuple[str, str]]:
    try:
        with open(file, "rb") as stream:
            data = stream.read(1 << 20)
    except OSError:
        return
    if group.encode() not in data:
        return
    section = ""
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            section = text[1:-1].strip()
        elif section == group and "=" in text and not text.startswith(("#", ";")):
            name, _, target = text.partition("=")
            yield name.strip(), target.strip()


def installed_checks(path: Sequence[str] | None = None) -> tuple[Check, ...]:
    """The checks of installed packages; a package that breaks gives one check that errs."""
    return tuple(check for entry in installed(CHECKS, path) for check in _checks_of(entry))


def _checks_of(entry: EntryPoint) -> tuple[Check, ...]:
    label = f"plugin:{entry.distribution}[{entry.name}]"
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # somebody else's import may raise anything
        return (stand_in(label, f"{entry.target} cannot be loaded: {_kind(error)}; reinstall or remove it"),)
    return _as_checks(found, label, entry.target)


def _as_checks(found: Any, label: str, what: str) -> tuple[Check, ...]:
    if isinstance(found, Check):
        return (found,)
    if isinstance(found, list | tuple) and found and all(isinstance(one, Check) for one in found):
        return tuple(found)
    return (stand_in(label, f"{what} is no Check and no list of them; see lens_preflight.api.check"),)


def local_checks(file: str) -> tuple[Check, ...]:
    """The checks of one Python file that the user named.

    It is run. As root, a file that somebody else may change is refused.
    """
    label = f"local:{Path(file).name}"
    path = Path(file)
    if not path.is_file():
        return (stand_in(label, f"{file}: there is no such file; correct --local"),)
    writable = others_can_change(path) if os.geteuid() == 0 else None
    if writable is not None:
        reason = (
            f"{file} is not run as root: {writable} can be changed by others; chown root and chmod go-w it"
        )
        return (stand_in(label, reason),)
    try:
        found = _execute(path)
    except (Exception, SystemExit) as error:  # the user's code may raise anything
        return (stand_in(label, f"{file} cannot be loaded: {_kind(error)}; correct that file"),)
    checks = tuple(value for value in found.values() if isinstance(value, Check))
    if not checks:
        return (stand_in(label, f"{file} holds no check; decorate a function with lens_preflight.api.check"),)
    return tuple(dict.fromkeys(checks))


def _execute(path: Path) -> dict[str, Any]:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(f"lens_preflight_local_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError("not a .py file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module)


def others_can_change(path: Path) -> Path | None:
    """The first of the file and its folders that somebody other than root may change, else None.

    A sticky folder such as ``/tmp`` is safe for what root owns in it.
    """
    whole = path.resolve()
    for part in (whole, *whole.parents):
        status = part.stat()
        sticky = part.is_dir() and status.st_mode & stat.S_ISVTX
        if status.st_uid != 0 or (status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not sticky):
            return part
    return None


def _kind(error: BaseException) -> str:
    """The kind of an exception and, for a syntax error, its line; never a value that it carries."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError in line {error.lineno}"
    if isinstance(error, ImportError) and error.name:
        return f"{type(error).__name__}: no module {error.name}"
    return type(error).__name__
