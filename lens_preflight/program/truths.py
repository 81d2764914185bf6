"""Truth: which way a condition goes, in which lanes, and what is remembered of it."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.scopes import dotted
from lens_preflight.program.state import DIFFERS, State, lane_numbers, part
from lens_preflight.program.trees import walk
from lens_preflight.program.values import (
    RAISED,
    Bound,
    Choice,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Taints,
    Tup,
    Unknown,
    Value,
    Wrapped,
    derived_key,
    key_of,
    soft,
    taints_of,
)

Branches = list[tuple[State, bool]]
LazyBranches = list[tuple[State, bool | None]]

SIZED = (
    *(
        f"builtins.{name}"
        for name in ("bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
    ),
    "collections.",
)
"""Classes whose objects are false when they hold nothing, or are zero."""

PURE_CALLS = (
    "int",
    "str",
    "bool",
    "len",
    "float",
    "any",
    "all",
    "range",
    "os.environ.get",
    "os.getenv",
    "get_rank",
    "get_world_size",
    "random",
    "randbelow",
    "getppid",
    "hash",
)


def harmless(node: ast.AST) -> bool:
    """True when evaluating the node changes nothing, so that it may be evaluated in vain."""
    for here in walk(node):
        if isinstance(here, ast.Await | ast.NamedExpr | ast.Yield):
            return False
        if isinstance(here, ast.Call):
            name = dotted(here.func)
            if name not in PURE_CALLS and name.rpartition(".")[2] not in PURE_CALLS:
                return False
    return True


def certain(path: str) -> bool:
    """True for names of libraries that are known to be there: modules, builtins, Lens, OpenTelemetry."""
    if "()" in path:
        return False
    return "." not in path or path.startswith(("builtins.", "nemo.", "opentelemetry.", "signal."))


def truth_of(value: Value, state: State) -> bool | None:
    """The truth of a value that is the same in every lane; None when it is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tup):
        return bool(value.items)
    if value == RAISED:
        return True
    if isinstance(value, Lib):
        return True if certain(value.path) else None
    if isinstance(value, Bound) and isinstance(value.receiver, Ref) and isinstance(value.func, Lib):
        return None if state.read(value.receiver.id).kind in ("libobj", "instance") else True
    if isinstance(value, Func | Bound | Wrapped):
        return True
    if isinstance(value, Choice):
        found = {truth_of(o, state) for o in value.options}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind in ("list", "dict", "set"):
            return None if cell.open else bool(cell.items)
        return None if cell.kind == "instance" and decides(cell.cls, state) else True
    return None


def decides(cls: Value | None, state: State) -> bool:
    """True when a class of the tree, or one that it inherits from, says itself what its truth is."""
    stack, seen = [cls], set()
    while stack:
        here = stack.pop()
        if isinstance(here, Ref) and here.id not in seen:
            seen.add(here.id)
            cell = state.read(here.id)
            if "__bool__" in cell.attrs or "__len__" in cell.attrs:
                return True
            if any(isinstance(b, Lib) and b.path.startswith(SIZED) for b in cell.extra or ()):
                return True
            stack += cell.extra or ()
    return False


def doubts(value: Value, state: State) -> Taints:
    """What an unknown truth depends on: for an object, how much it holds or what its class says."""
    cell = state.read(value.id) if isinstance(value, Ref) else None
    if cell is not None and DIFFERS in cell.attrs:
        return frozenset(("opaque:something that differs between processes",))
    if cell is not None and cell.kind == "instance":
        return frozenset(("opaque:a __bool__ or __len__ of its own",))
    return taints_of(value)


def split(m: Machine, value: Value, state: State, frame: Frame, *, lazy: bool = False) -> Any:
    """The state, split by the truth of a value: (state, truth) pairs.

    A soft value also gives the branch that this launch does not take, marked as such. With
    ``lazy`` an unknown truth keeps the state whole, with None.
    """
    if not isinstance(value, Lanes):
        return split_one(value, state, lazy)
    groups: dict[tuple[bool | None, Value | None], int] = {}
    for lane in lane_numbers(state.lanes):
        mine = part(value, lane)
        truth = truth_of(mine, state)
        groups[truth, mine if truth is None else None] = groups.get(
            (truth, mine if truth is None else None), 0
        ) | (1 << lane)
    out: LazyBranches = []
    for (truth, unknown), mask in groups.items():
        here = state.fork() if len(groups) > 1 else state
        here.lanes = mask
        if truth is None and unknown is not None:
            out.extend(split_one(unknown, here, lazy))
        else:
            here.cond = here.cond | taints_of(value)
            out.append((here, truth))
    return out


def split_one(value: Value, state: State, lazy: bool) -> LazyBranches:
    """The branches of a value that is the same in every lane."""
    truth = truth_of(value, state)
    key = key_of(value)
    taints = doubts(value, state) if truth is None else taints_of(value)
    if truth is None and lazy:
        return [(state, None)]
    state.cond = state.cond | taints
    if key is not None and key in state.assume and (truth is None or soft(value)):
        return [(state, state.assume[key])]
    if truth is not None:
        if not soft(value):
            return [(state, truth)]
        other = state.fork()
        other.hypo = True
        if key is not None:
            state.assume[key] = truth
            other.assume[key] = not truth
        return [(state, truth), (other, not truth)]
    other = state.fork()
    if state.facts.handles and any(t.startswith(("cli:", "env:", "file")) for t in taints):
        state.optional = other.optional = True
    if key is not None:
        state.assume[key] = True
        other.assume[key] = False
        if isinstance(key, tuple) and key[0] == "exporting":
            silence(other, key[1])
            if state.limit == 1:  # a large program: nothing is left to lose on the other side
                return [(state, True)]
    return [(state, True), (other, False)]


def silence(state: State, handle: int) -> None:
    """A handle that is found not to export has nothing to flush."""
    fact = state.facts.handle(handle)
    if fact is not None:
        state.facts = state.facts.with_handle(handle, replace(fact, on=0, maybe_on=0))


def settled(value: Value, state: State, truth: bool, place: Hashable = None) -> Value:
    """The value on a branch; one that the branch contradicts is no longer known.

    An unknown one is remembered under its place in the source, so that it stays what it was taken for.
    """
    if isinstance(value, Unknown) and value.key is None and place is not None:
        state.assume[place] = truth
        return Unknown(value.taints, place)
    if isinstance(value, Const) and bool(value.value) is not truth:
        return Unknown(value.taints, value.key)
    return value


def taken_for(value: Value, state: State) -> Value:
    """An unknown value that these paths took for false is false on them."""
    if isinstance(value, Unknown) and value.key is not None and state.assume.get(value.key) is False:
        return Const(False, value.taints)
    return value


def negated(m: Machine, value: Value, state: State) -> Value:
    """``not value``, without splitting the state."""
    if isinstance(value, Lanes):
        return Lanes(tuple(None if p is None else negated(m, p, state) for p in value.parts))
    truth = truth_of(value, state)
    key = derived_key("not", value)
    if isinstance(value, Unknown | Const) and isinstance(value.key, tuple) and value.key[:1] == ("not",):
        key = value.key[1]
    if truth is None:
        return Unknown(doubts(value, state), key)
    return Const(not truth, taints_of(value), key)
