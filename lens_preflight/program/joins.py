"""Joining states: exactly where their lanes are disjoint, else with what both may be."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from lens_preflight.program.state import Cell, State, lane_numbers, part
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
    a.meter.spend(len(b.heap))
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
    states = list(states)
    if len(states) < 2:
        return states
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
