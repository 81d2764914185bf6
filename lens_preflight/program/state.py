"""The state of a set of paths: heap, branch memory, and what became of telemetry so far."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import Any, NamedTuple

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.program.budget import Meter
from lens_preflight.program.values import (
    EMPTY,
    Lanes,
    Taints,
    Unknown,
    Value,
)


class Site(NamedTuple):
    """A place in the program: file and line, and the words of the call or statement there."""

    path: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class HandleFact:
    """One telemetry handle: where it was made, and whether it was shut down.

    ``status``: open, closed, or maybe (``why`` says what is not decided). ``on`` and ``maybe_on``
    are masks of the lanes in which it exports or may.
    """

    site: Site
    on: int
    maybe_on: int
    process: str
    status: str = "open"
    closer: Site | None = None
    how: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Hook:
    """A callable registered for the end of the process; two from one place are alike."""

    func: Value = field(compare=False)
    args: tuple[Value, ...] = field(compare=False)
    names: tuple[tuple[str, Value], ...] = field(compare=False)
    site: Site
    kind: str = "atexit"


@dataclass(frozen=True, slots=True)
class Installed:
    """What SIGTERM does now: a callable, ``signal.SIG_DFL`` or ``signal.SIG_IGN``."""

    handler: Value = field(compare=False)
    site: Site
    loop: bool = False
    args: tuple[Value, ...] = field(default=(), compare=False)


class Running(NamedTuple):
    """Something that was started and that nobody has waited for yet.

    ``kind``: thread, daemon, pool (a thread of one), child (a process), workers (a pool of processes).
    ``id`` is its object, 0 for the thread that is being read. ``site`` is where it trains, or sets up.
    ``sure``: it is the training; else it may be a helper. ``told``: it says so when it has done the work;
    ``perhaps``: somebody may have waited for it. ``heeds``: SIGTERM makes it shut down.
    """

    id: int
    kind: str
    site: Site
    sure: bool = True
    told: bool = False
    perhaps: bool = False
    heeds: bool = False


@dataclass(frozen=True)
class Facts:
    """What the paths of a state have in common as far as telemetry goes; states are joined by it.

    ``setups`` are the places that set up in this process, in order. ``signalled``: the handler
    that ran because SIGTERM was delivered, ``struck`` the call that it hit. ``notes``: (kind, site) pairs worth a finding.
    """

    handles: tuple[tuple[int, HandleFact], ...] = ()
    setups: tuple[Site, ...] = ()
    hooks: tuple[Hook, ...] = ()
    sigterm: Installed | None = None
    signalled: Site | None = None
    notes: frozenset[tuple[str, Site]] = frozenset()
    process: str = "main"
    tasks: tuple[int, ...] = ()
    running: tuple[Running, ...] = ()
    struck: tuple[Site, ...] = ()

    @functools.cached_property
    def number(self) -> int:
        """The hash, computed once."""
        told = (self.signalled, self.struck, self.notes, self.tasks, self.running)
        return hash((self.handles, self.setups, self.hooks, self.sigterm, *told))

    def __hash__(self) -> int:
        return self.number

    def handle(self, id: int) -> HandleFact | None:
        """The fact of one handle."""
        for key, fact in self.handles:
            if key == id:
                return fact
        return None

    def with_handle(self, id: int, fact: HandleFact) -> Facts:
        """A copy with one handle's fact replaced or added."""
        rest = tuple((k, f) for k, f in self.handles if k != id)
        return replace(self, handles=(*rest, (id, fact)))

    @property
    def open_handles(self) -> list[tuple[int, HandleFact]]:
        """Handles of this process that nothing has shut down yet."""
        return [(k, f) for k, f in self.handles if f.status != "closed" and f.process == self.process]

    def noted(self, kind: str, site: Site) -> Facts:
        """A copy with a note more; the first one of a kind stays the only one."""
        if any(known == kind for known, _ in self.notes):
            return self
        return replace(self, notes=self.notes | {(kind, site)})


DIFFERS = "__differs__"
"""The attribute of a list or dict that holds more in some lanes than in others."""


class Cell:
    """One mutable object: its kind, its attributes, and its items (list or dict) when it has some."""

    __slots__ = ("attrs", "cls", "extra", "items", "kind", "open", "owner")

    def __init__(
        self,
        kind: str,
        attrs: dict[str, Value] | None = None,
        items: Any = None,
        cls: Value | None = None,
        extra: Any = None,
    ) -> None:
        self.kind = kind
        self.attrs: dict[str, Value] = attrs if attrs is not None else {}
        self.items: Any = items
        self.cls = cls
        self.extra = extra
        self.open = False
        self.owner: object = None

    def copy(self) -> Cell:
        """A copy that shares the values, not the containers."""
        items = self.items.copy() if isinstance(self.items, list | dict) else self.items
        new = Cell(self.kind, dict(self.attrs), items, self.cls, self.extra)
        new.open = self.open
        return new


class State:
    """A set of paths that go on together: in which lanes, with which heap.

    ``assume`` remembers how unknown conditions were taken; ``cond`` what the branches depended on;
    ``hypo`` is True after a branch that this launch's variables and flags do not take; ``optional``
    after one, with telemetry up, that an option takes whose value is not known.
    """

    __slots__ = (
        *("lanes", "heap", "assume", "cond", "hypo", "facts", "token"),
        *("last", "limit", "optional", "meter"),
    )

    def __init__(
        self,
        lanes: int,
        heap: dict[int, Cell],
        assume: dict[Hashable, bool] | None = None,
        cond: Taints = EMPTY,
        hypo: bool = False,
        facts: Facts | None = None,
        limit: int = 6,
    ) -> None:
        self.lanes = lanes
        self.heap = heap
        self.assume: dict[Hashable, bool] = {} if assume is None else assume
        self.cond = cond
        self.hypo = hypo
        self.facts = Facts() if facts is None else facts
        self.token = object()
        self.last: tuple[Site, ...] = ()
        self.limit = limit
        self.optional = False
        self.meter = Meter()

    def fork(self) -> State:
        """An independent copy; cells are copied when one side writes."""
        self.token = object()
        copy = State.__new__(State)
        copy.lanes = self.lanes
        copy.heap = self.heap.copy()
        copy.assume = self.assume.copy()
        copy.cond = self.cond
        copy.hypo = self.hypo
        copy.facts = self.facts
        copy.token = object()
        copy.last = self.last
        copy.limit = self.limit
        copy.optional = self.optional
        copy.meter = self.meter
        return copy

    def read(self, id: int) -> Cell:
        """A cell, not to be changed."""
        return self.heap[id]

    def edit(self, id: int) -> Cell:
        """A cell that may be changed by this state."""
        cell = self.heap[id]
        if cell.owner is not self.token:
            cell = cell.copy()
            cell.owner = self.token
            self.heap[id] = cell
        return cell

    def add(self, id: int, cell: Cell) -> None:
        """Put a new cell on the heap."""
        cell.owner = self.token
        self.heap[id] = cell

    @property
    def key(self) -> Hashable:
        """States with equal keys may be joined."""
        return (self.facts, self.hypo)


def lane_numbers(mask: int) -> list[int]:
    """The numbers of the lanes in a mask, lowest first."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def part(value: Value, lane: int) -> Value:
    """The value in one lane."""
    if isinstance(value, Lanes):
        found = value.parts[lane] if lane < len(value.parts) else None
        return found if found is not None else Unknown(frozenset(("rank",)))
    return value
