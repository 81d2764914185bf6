"""Checks and report formats from elsewhere: installed packages, and files named by the user.

Installed ones are found by reading ``entry_points.txt`` of the ``*.dist-info`` folders where this interpreter
installs packages, which costs a tenth of ``importlib.metadata``. The working directory and PYTHONPATH are not
looked at: what lies there was not installed. One that cannot be loaded becomes a check that errs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from lens_preflight.core.check import Check, stand_in
from lens_preflight.core.data import dataclass
from lens_preflight.core.guarded import kind
from lens_preflight.searchpath import home, of_others, site_folders

CHECKS = "lens_preflight.checks"
REPORTS = "lens_preflight.reports"
MOST = 1_000
"""Checks that one entry point may give."""


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
    for folder in own_folders() if path is None else path:
        for distribution, file in _metadata(folder):
            for name, target in _lines(file, group):
                found.setdefault((distribution, name), EntryPoint(distribution, group, name, target))
    return tuple(found[key] for key in sorted(found))


def own_folders() -> tuple[str, ...]:
    """Where packages are installed for this program: those of its interpreter, and the one it lies in itself."""
    folders, beside = tuple(dict.fromkeys(site_folders())), home()
    if beside in folders or not any(name.startswith("lens_preflight-") for name, _ in _named(beside)):
        return folders
    return (*folders, beside)


def _metadata(folder: str) -> Iterator[tuple[str, str]]:
    for name, path in _named(folder):
        yield name.partition("-")[0], os.path.join(path, "entry_points.txt")


def _named(folder: str) -> list[tuple[str, str]]:
    """Name and path of the folders with metadata, by name."""
    try:
        with os.scandir(folder) as entries:
            found = [(e.name, e.path) for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []
    return sorted(found)


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
    return tuple(check for entry in installed(CHECKS, path) for check in entry_checks(entry))


def entry_checks(entry: EntryPoint) -> tuple[Check, ...]:
    """The checks of one entry point: a check, or an iterable of them."""
    try:
        found = entry.load()
        if isinstance(found, Check):
            return (found,)
        some = isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping)
        checks = tuple(islice(found, MOST + 1)) if some else ()
    except BaseException as error:  # somebody else's import may raise anything
        reason = f"{entry.target} cannot be loaded: {kind(error)}; reinstall or remove {entry.distribution}"
        return (stand_in(entry_label(entry), reason),)
    if 0 < len(checks) <= MOST and all(isinstance(one, Check) for one in checks):
        return checks
    reason = f"{entry.target} is no Check and no list of 1 to {MOST} of them; see lens_preflight.api.check"
    return (stand_in(entry_label(entry), reason),)


def entry_label(entry: EntryPoint) -> str:
    """The id of the error that stands for an entry point."""
    return f"plugin:{entry.distribution}[{entry.name}]"


def local_label(file: str) -> str:
    """The id of the error that stands for a local file."""
    return f"local:{Path(file).name}"


def local_checks(file: str) -> tuple[Check, ...]:
    """The checks of one Python file that the user named.

    It is run. As root, a file that somebody else may change is refused.
    """
    path, label = Path(file), local_label(file)
    if not os.path.isfile(file):
        return (stand_in(label, f"{file}: there is no such file; correct --local"),)
    writable = of_others(file) if os.geteuid() == 0 else ""
    if writable:
        reason = (
            f"{file} is not run as root: {writable} can be changed by others; chown root and chmod go-w it"
        )
        return (stand_in(label, reason),)
    try:
        found = _execute(path)
    except BaseException as error:  # the user's code may raise anything
        return (stand_in(label, f"{file} cannot be loaded: {kind(error)}; correct that file"),)
    checks = {id(value): value for value in found.values() if isinstance(value, Check)}
    if not checks:
        return (stand_in(label, f"{file} holds no check; decorate a function with lens_preflight.api.check"),)
    return tuple(checks.values())


def _execute(path: Path) -> dict[str, Any]:
    """Run a file as a module, from its text: compiled files beside it are neither read nor written."""
    from zlib import crc32

    name = f"lens_preflight_local_{path.stem}_{crc32(os.fsencode(path.resolve())):08x}"
    module = ModuleType(name)
    module.__file__ = str(path)
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    sys.modules[name] = module  # where data classes look up the names of their annotations
    try:
        exec(code, vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return dict(vars(module))
