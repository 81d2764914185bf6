"""Joining states: exactly where their lanes are disjoint, else with what both may be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from lens_preflight.program.state import DIFFERS, Cell, Facts, State, lane_numbers, part
from lens_preflight.program.values import (
    ABSENT,
    EMPTY,
    Choice,
    Const,
    Lanes,
    Tup,
    Unknown,
    Value,
    Wrapped,
    same,
    tainted,
    taints_of,
)

MAX_CHOICES = 4


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
        and ("absent" in a.taints) is ("absent" in b.taints)  # not there, and there as None, are two things
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
        there = max((v.parts for v in (a, b) if isinstance(v, Lanes)), key=len)
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
    """The join of two versions of one object; the first itself when the second tells nothing new."""

    def join(x: Value, y: Value) -> Value:
        if x is y:
            return x
        return by_lane(x, lanes_a, y, lanes_b) if lossless else joined(x, y)

    attrs = dict(a.attrs)
    for name, theirs in b.attrs.items():
        mine = attrs.get(name)
        if mine is theirs:
            continue
        if name == "trail" and isinstance(mine, Tup):
            more = theirs.items if isinstance(theirs, Tup) else ()
            attrs[name] = Tup((*mine.items, *(i for i in more if i not in mine.items)))
            continue
        attrs[name] = theirs if mine is None else join(mine, theirs)
    items, opened = join_items(a.items, b.items, join, lossless or a.kind == "environ")
    opened = opened or a.open or (b.open and isinstance(items, dict | list))
    if lossless and opened and not a.open and not b.open:
        attrs[DIFFERS] = Const(True)
    if opened == a.open and alike(attrs, a.attrs) and (items is a.items or alike(items, a.items)):
        return a
    new = Cell(a.kind, attrs, items, a.cls, a.extra)
    new.open = opened
    return new


def join_items(a: Any, b: Any, join: Callable[[Value, Value], Value], lossless: bool) -> tuple[Any, bool]:
    """The items of two versions of one object, and True when more or fewer may be there."""
    if isinstance(a, dict) and isinstance(b, dict):
        items = dict(a)
        for key in {**a, **b}:
            if lossless or (key in a and key in b):
                items[key] = join(a.get(key, ABSENT), b.get(key, ABSENT))
            elif key in b:
                items[key] = tainted(b[key], EMPTY)
        return items, not lossless and a.keys() != b.keys()
    if isinstance(a, list) and isinstance(b, list):
        if len(a) == len(b):
            return [join(x, y) for x, y in zip(a, b, strict=True)], False
        return list(a if len(a) > len(b) else b), True
    return a.copy() if isinstance(a, list | dict) else a, bool(a != b)


def alike(new: Any, old: Any) -> bool:
    """True when a container holds the very objects that the other holds."""
    if type(new) is not type(old) or len(new) != len(old):
        return False
    if isinstance(new, dict):
        return all(old.get(key) is value for key, value in new.items())
    return all(x is y for x, y in zip(new, old, strict=True))


def merge_pair(a: State, b: State) -> State:
    """One state for both; exact when their lanes are disjoint."""
    a.meter.spend(len(b.heap))
    lossless = not a.lanes & b.lanes
    out = a.fork()
    out.lanes = a.lanes | b.lanes
    known = a.heap.get
    for number, theirs in [(n, cell) for n, cell in b.heap.items() if known(n) is not cell]:
        mine = known(number)
        out.heap[number] = theirs if mine is None else join_cells(mine, theirs, a.lanes, b.lanes, lossless)
    b.token = object()
    out.assume = {k: v for k, v in a.assume.items() if b.assume.get(k) is v}
    out.cond = a.cond | b.cond
    out.optional = a.optional and b.optional
    return out


class Kinds:
    """Numbers of states that may be joined: equal for equal keys. Most share one object of facts."""

    __slots__ = ("_by_facts", "_by_id")

    def __init__(self) -> None:
        self._by_id: dict[int, int] = {}
        self._by_facts: dict[Facts, int] = {}

    def of(self, state: State) -> tuple[int, bool]:
        """The kind of a state; valid while the states live."""
        number = self._by_id.get(id(state.facts))
        if number is None:
            number = self._by_facts.setdefault(state.facts, len(self._by_facts))
            self._by_id[id(state.facts)] = number
        return number, state.hypo


def merge(states: Iterable[State], limit: int = 6) -> list[State]:
    """Fewer states for the same paths: those of disjoint lanes always, others beyond the limit.

    The limit of the states themselves counts when it is lower: that of a large program is 1.
    """
    states = list(states)
    if len(states) < 2:
        return states
    kinds = Kinds()
    groups: dict[Hashable, list[State]] = {}
    for state in states:
        groups.setdefault(kinds.of(state), []).append(state)
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
