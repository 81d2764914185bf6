"""What lies around in a folder that a check could look at, told by content, within bounds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lens_preflight.core.data import dataclass

DEPTH, FILES, BYTES = 2, 400, 65_536

_SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages", "build", "dist", "tests", "test"}


@dataclass(frozen=True)
class Seen:
    """Paths relative to the folder, by role; each list sorted, the shortest path first."""

    jobs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()
    collectors: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that judges the most of it; empty when there is no target."""
        target = next(iter((*self.jobs, *self.programs)), "")
        if not target:
            return ""
        options = [f" --dashboard {as_word(d)}" for d in self.dashboards[:3]]
        options += [f" --collector-config {as_word(c)}" for c in self.collectors[:1]]
        options += [f" --rules {as_word(r)}" for r in self.rules[:1]]
        return f"lens-preflight check {as_word(target)}{''.join(options)}"


def look(folder: Path) -> Seen:
    """What is in a folder and two levels below; hidden, installed and test folders are left out."""
    found: dict[str, list[str]] = {}
    for path in _files(folder):
        role = _role(path)
        if role:
            found.setdefault(role, []).append(str(path.relative_to(folder)))
    by_length = {role: tuple(sorted(names, key=lambda n: (n.count("/"), n))) for role, names in found.items()}
    return Seen(**by_length)


def _files(folder: Path) -> Iterator[Path]:
    left = FILES
    for root, folders, names in os.walk(folder):
        here = Path(root)
        deep = len(here.relative_to(folder).parts)
        kept = (f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        folders[:] = sorted(kept) if deep < DEPTH else []
        for name in sorted(names):
            if left <= 0:
                return
            left -= 1
            yield here / name


def _role(path: Path) -> str:
    suffix = path.suffix.lower()
    try:
        if not path.is_file():  # a named pipe would wait for a writer
            return ""
        with path.open("rb") as file:
            head = file.read(BYTES)
    except OSError:
        return ""
    if suffix == ".py":
        return "programs" if b"setup_telemetry" in head and b"__main__" in head else ""
    if suffix == ".json":
        return "dashboards" if b'"panels"' in head or b'"elements"' in head else ""
    if suffix in (".yaml", ".yml"):
        return _yaml_role(head)
    if b"#SBATCH" in head or (suffix in (".sh", ".sbatch", ".slurm") and b"srun" in head):
        return "jobs"
    return ""


def _yaml_role(head: bytes) -> str:
    tops = set(re.findall(rb"^([A-Za-z]+):", head, re.MULTILINE))
    if {b"receivers", b"exporters", b"service"} <= tops:
        return "collectors"
    if {b"apiVersion", b"kind"} <= tops:
        return "jobs" if re.search(rb"^kind:\s*(?:Job|PyTorchJob|TrainJob)\s*$", head, re.MULTILINE) else ""
    return "rules" if b"groups" in tops and (b"alert:" in head or b"record:" in head) else ""


def as_word(path: str) -> str:
    """A relative path as one word of a command line: quoted, and never taken for an option."""
    from shlex import quote

    path = f"./{path}" if path.startswith("-") else path
    if not path.isprintable():  # a line end, or bytes that are no text
        return "$" + "'" + "".join(_escaped(char) for char in os.fsencode(path).decode("latin-1")) + "'"
    return quote(path)


def _escaped(char: str) -> str:
    plain = char.isascii() and char.isprintable() and char not in "'\\"
    return char if plain else f"\\x{ord(char):02x}"
