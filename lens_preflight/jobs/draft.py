"""Where a command stands on its way to the program, and the launch it ends in."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Container, Lost, Signal
from lens_preflight.jobs.state import Exported


@dataclass(frozen=True)
class Counts:
    """Nodes and tasks at one point of the chain; None where nobody says."""

    nodes: int | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    gpus_per_node: int | str | None = None
    procs_per_task: int | None = None
    replicas: int = 1


@dataclass(frozen=True)
class Where:
    """The surroundings of a command: what it runs under and in.

    ``width`` is over what processes repeat here: JOB for one process, NODE for one on each node,
    TASK for several. ``shell_pid1``: the first process of the container is a shell that stays.
    """

    chain: tuple[str, ...] = ()
    in_job: bool = False
    in_step: bool = False
    width: Spread = Spread.JOB
    counts: Counts = field(default_factory=Counts)
    container: Container | None = None
    pid1: str = ""
    background: bool = False
    execs: bool = False
    last: bool = False
    remote: bool = False
    lost: tuple[Lost, ...] = ()
    command_at: Location | None = None
    conditional: bool = False
    pods: bool = False
    depth: int = 0
    segment: bool = False
    loop_start: int = 0
    from_batch: bool = False
    submission: int = 0
    follows: bool = False
    array: str = ""
    signal: Signal | None = None
    batch: bool = True

    def link(self, word: str, **changes: object) -> Where:
        """The surroundings behind one more link."""
        return replace(self, chain=(*self.chain, word), **changes)  # type: ignore[arg-type]

    def dropped(self, before: Exported, after: Exported, loss: object, at: Location, link: str) -> Where:
        """With a Lost for every variable that ``before`` has and ``after`` has not."""
        from lens_preflight.jobs.model import Loss

        assert isinstance(loss, Loss)
        known = {one.name for one in self.lost}
        new = [
            Lost(name, loss, at, bound.at, link)
            for name, bound in before
            if bound.value is not None and after.value(name) is None and name not in known
        ]
        return replace(self, lost=(*self.lost, *new))


@dataclass(frozen=True)
class Step:
    """One command on its way: its words, the environment it gets, the folder it runs in."""

    words: tuple[Field, ...]
    env: Exported
    where: Where
    cwd: str | None
    at: Location
    heredoc: Field | None = None

    def next(self, words: tuple[Field, ...], **changes: object) -> Step:
        """The rest of the command, behind a link."""
        return replace(self, words=words, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Draft:
    """A launch as the interpreter met it, before it is put into words."""

    at: Location
    where: Where
    agent_env: Exported
    env: Exported
    program: Field | None
    module: str | None
    args: tuple[Field, ...]
    cwd: str | None
    order: int
    opaque: str = ""
    agents: int | None = None
    agent_nodes: int | None = None
    framework_hint: str = ""
    traps: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    shell_ends: bool = False


def resolve(path: str, cwd: str | None, where: Where, extra: tuple[tuple[str, str], ...]) -> str | None:
    """The file on this side that a path names where the command runs; None when there is none."""
    container = where.container
    if os.path.isabs(path):
        full = os.path.normpath(path)
    elif cwd is not None:
        full = os.path.normpath(os.path.join(cwd, path))
    else:
        return None
    if container is None:
        return mapped(full, extra) or full
    inside = mapped(full, (*extra, *container.mounts))
    if inside is not None:
        return inside
    return full if container.runtime == "apptainer" and container.image != "" and _bound(full, cwd) else None


def _bound(full: str, cwd: str | None) -> bool:
    return cwd is not None and full.startswith(cwd.rstrip("/") + "/")


def mapped(full: str, mounts: tuple[tuple[str, str], ...]) -> str | None:
    """The path outside for a path inside, by the longest mount that covers it."""
    best: tuple[int, str] | None = None
    for inside, outside in mounts:
        prefix = inside.rstrip("/") or "/"
        covers = full == prefix or full.startswith(prefix if prefix == "/" else prefix + "/")
        if covers and (best is None or len(prefix) > best[0]):
            rest = full[len(prefix) :].lstrip("/")
            best = (len(prefix), os.path.normpath(os.path.join(outside, rest)) if rest else outside)
    return None if best is None else best[1]
