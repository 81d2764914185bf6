"""The state of a set of paths: heap, branch memory, and what became of telemetry so far."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lens_preflight.program.values import (
    ABSENT,
    EMPTY,
    Choice,
    Const,
    Lanes,
    Taints,
    Tup,
    Unknown,
    Value,
    Wrapped,
    same,
    tainted,
    taints_of,
)

MAX_CHOICES = 4


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


@dataclass(frozen=True)
class Facts:
    """What the paths of a state have in common as far as telemetry goes; states are joined by it.

    ``setups`` are the places that set up in this process, in order. ``signalled``: the handler
    that ran because SIGTERM was delivered. ``notes``: (kind, site) pairs worth a finding.
    """

    handles: tuple[tuple[int, HandleFact], ...] = ()
    setups: tuple[Site, ...] = ()
    hooks: tuple[Hook, ...] = ()
    sigterm: Installed | None = None
    signalled: Site | None = None
    notes: frozenset[tuple[str, Site]] = frozenset()
    process: str = "main"
    tasks: tuple[int, ...] = ()

    @functools.cached_property
    def number(self) -> int:
        """The hash, computed once."""
        return hash(
            (self.handles, self.setups, self.hooks, self.sigterm, self.signalled, self.notes, self.tasks)
        )

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


@dataclass(slots=True)
class State:
    """A set of paths that go on together: in which lanes, with which heap.

    ``assume`` remembers how unknown conditions were taken; ``cond`` what the branches depended on;
    ``hypo`` is True after a branch that this launch's variables and flags do not take; ``optional``
    after one, with telemetry up, that an option takes whose value is not known.
    """

    lanes: int
    heap: dict[int, Cell]
    assume: dict[Hashable, bool] = field(default_factory=dict)
    cond: Taints = EMPTY
    hypo: bool = False
    facts: Facts = field(default_factory=Facts)
    token: object = field(default_factory=object)
    last: tuple[Site, ...] = ()
    limit: int = 6
    optional: bool = False

    def fork(self) -> State:
        """An independent copy; cells are copied when one side writes."""
        self.token = object()
        copy = State(self.lanes, dict(self.heap), dict(self.assume), self.cond, self.hypo, self.facts)
        copy.last = self.last
        copy.limit = self.limit
        copy.optional = self.optional
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


def by_lane(a: Value, mask_a: int, b: Value, mask_b: int) -> Value:
    """The join of two values of disjoint lanes; nothing is lost."""
    if same(a, b):
        return a
    size = max(mask_a.bit_length(), mask_b.bit_length())
    parts: list[Value | None] = [None] * size
    for lane in lane_numbers(mask_a):
        parts[lane] = part(a, lane)
    for lane in lane_numbers(mask_b):
        parts[lane] = part(b, lane)
    return Lanes(tuple(parts))


def joined(a: Value, b: Value) -> Value:
    """The join of two values on the same lanes."""
    if same(a, b):
        return a
    if (
        isinstance(a, Const)
        and isinstance(b, Const)
        and a.value == b.value
        and type(a.value) is type(b.value)
    ):
        return Const(a.value, a.taints | b.taints)
    if isinstance(a, Lanes) and isinstance(b, Lanes) and len(a.parts) == len(b.parts):
        return Lanes(
            tuple(
                joined(x, y) if x is not None and y is not None else None
                for x, y in zip(a.parts, b.parts, strict=True)
            )
        )
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Wrapped) and one.role == "perhaps" and one.inner == other:
            return one
    if isinstance(a, Lanes) or isinstance(b, Lanes):
        size = max(len(v.parts) for v in (a, b) if isinstance(v, Lanes))
        there = next(v.parts for v in (a, b) if isinstance(v, Lanes))
        pairs = ((part(a, i), part(b, i), there[i]) for i in range(size))
        return Lanes(tuple(None if p is None else joined(x, y) for x, y, p in pairs))
    options: list[Value] = []
    for value in (a, b):
        for option in value.options if isinstance(value, Choice) else (value,):
            if not any(same(option, o) for o in options):
                options.append(option)
    simple = all(not isinstance(o, Unknown | Lanes) for o in options)
    if len(options) <= MAX_CHOICES and simple:
        return Choice(tuple(options))
    return Unknown(taints_of(a) | taints_of(b))


def join_cells(a: Cell, b: Cell, lanes_a: int, lanes_b: int, lossless: bool) -> Cell:
    """The join of two versions of one object."""

    def join(x: Value, y: Value) -> Value:
        return by_lane(x, lanes_a, y, lanes_b) if lossless else joined(x, y)

    new = a.copy()
    for name in b.attrs:
        mine = a.attrs.get(name)
        if name == "trail" and isinstance(mine, Tup):
            theirs = b.attrs[name]
            more = theirs.items if isinstance(theirs, Tup) else ()
            new.attrs[name] = Tup((*mine.items, *(i for i in more if i not in mine.items)))
            continue
        new.attrs[name] = b.attrs[name] if mine is None else join(mine, b.attrs[name])
    if isinstance(a.items, dict) and isinstance(b.items, dict):
        for key in {**a.items, **b.items}:
            if lossless or (key in a.items and key in b.items):
                new.items[key] = join(a.items.get(key, ABSENT), b.items.get(key, ABSENT))
            elif key in b.items:
                new.items[key] = tainted(b.items[key], EMPTY)
        new.open = a.open or b.open or (not lossless and a.items.keys() != b.items.keys())
    elif isinstance(a.items, list) and isinstance(b.items, list):
        if len(a.items) == len(b.items):
            new.items = [join(x, y) for x, y in zip(a.items, b.items, strict=True)]
        else:
            new.items = list(a.items if len(a.items) > len(b.items) else b.items)
            new.open = True
        new.open = new.open or a.open or b.open
    elif a.items != b.items:
        new.open = True
    return new


def merge_pair(a: State, b: State) -> State:
    """One state for both; exact when their lanes are disjoint."""
    lossless = not a.lanes & b.lanes
    out = a.fork()
    out.lanes = a.lanes | b.lanes
    for number, theirs in b.heap.items():
        mine = a.heap.get(number)
        if mine is None:
            out.heap[number] = theirs
        elif mine is not theirs:
            out.heap[number] = join_cells(mine, theirs, a.lanes, b.lanes, lossless)
    b.token = object()
    out.assume = {k: v for k, v in a.assume.items() if b.assume.get(k) is v}
    out.cond = a.cond | b.cond
    out.optional = a.optional and b.optional
    return out


def merge(states: Iterable[State], limit: int = 6) -> list[State]:
    """Fewer states for the same paths: those of disjoint lanes always, others beyond the limit.

    The limit of the states themselves counts when it is lower: that of a large program is 1.
    """
    groups: dict[Hashable, list[State]] = {}
    for state in states:
        groups.setdefault(state.key, []).append(state)
    out: list[State] = []
    for group in groups.values():
        kept: list[State] = []
        for state in group:
            for i, other in enumerate(kept):
                if not other.lanes & state.lanes and other.assume.keys() == state.assume.keys():
                    kept[i] = merge_pair(other, state)
                    break
            else:
                kept.append(state)
        while len(kept) > min(limit, kept[0].limit):
            last = kept.pop()
            kept[-1] = merge_pair(kept[-1], last)
        out.extend(kept)
    return out
