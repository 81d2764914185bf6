"""Truth: which way a condition goes, in which lanes, and what is remembered of it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.scopes import dotted
from lens_preflight.program.state import State, lane_numbers, part
from lens_preflight.program.values import (
    Bound,
    Choice,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
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
    for here in ast.walk(node):
        if isinstance(here, ast.Await | ast.NamedExpr | ast.Yield):
            return False
        if isinstance(here, ast.Call):
            name = dotted(here.func)
            if name not in PURE_CALLS and name.rpartition(".")[2] not in PURE_CALLS:
                return False
    return True


def truth_of(value: Value, state: State) -> bool | None:
    """The truth of a value that is the same in every lane; None when it is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tup):
        return bool(value.items)
    if isinstance(value, Lib):
        return None if "()" in value.path else True
    if isinstance(value, Func | Bound | Wrapped):
        return True
    if isinstance(value, Choice):
        found = {truth_of(o, state) for o in value.options}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind in ("list", "dict", "set"):
            return None if cell.open else bool(cell.items)
        return True
    return None


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
    taints = taints_of(value)
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
        return Unknown(taints_of(value), key)
    return Const(not truth, taints_of(value), key)


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}


def comparison(m: Machine, op: str, left: Value, right: Value, state: State) -> Value:
    """One comparison, lane by lane."""
    from lens_preflight.program import natives

    if isinstance(left, Lanes) or isinstance(right, Lanes):
        parts: list[Value | None] = [None] * len(m.lanes)
        for lane in lane_numbers(state.lanes):
            parts[lane] = comparison(m, op, part(left, lane), part(right, lane), state)
        return Lanes(tuple(parts))
    if op in ("In", "NotIn") and isinstance(right, Ref):
        found = membership(m, left, right, state)
        if found is not None:
            return found if op == "In" else negated(m, found, state)
    taints = taints_of(left) | taints_of(right)
    key = derived_key(op, left, right)
    if op in ("Is", "IsNot", "Eq", "NotEq"):
        answer = identity(left, right, state)
        if answer is not None and (op in ("Is", "IsNot") or not plain(left) or not plain(right)):
            taints = frozenset().union(*(surface(v) for v in (left, right) if not branched(v)))
            return Const(answer if op in ("Is", "Eq") else not answer, taints, key)
    try:
        a, b = natives.known(m, left, state, 0), natives.known(m, right, state, 0)
        return Const(bool(COMPARE[op](a, b)), taints, key)
    except natives.NotKnown as unknown:
        return Unknown(taints | unknown.taints, key)
    except Exception:  # the comparison itself raises, as it will in the program
        return Unknown(taints, key)


def membership(m: Machine, key: Value, container: Ref, state: State) -> Value | None:
    """Whether a mapping has a key, in each lane; None for other containers and unknown keys."""
    from lens_preflight.program import natives, variables

    cell = state.read(container.id)
    known = natives.key_object(key, state)
    if known is None or cell.kind not in ("dict", "environ", "attributes"):
        return None
    if cell.kind == "attributes":
        there = state.read(cell.extra.id)
        return Const(True) if known in there.attrs else (None if there.open else Const(False))
    if cell.kind == "environ":
        found = variables.variable(m, str(known), state, container.id)
        if isinstance(found, Lanes):
            return Lanes(tuple(p and is_set(p, key) for p in found.parts))
        return is_set(found, key)
    if known not in cell.items:
        return None if cell.open else Const(False, surface(key), derived_key("in", key))
    held = cell.items[known]
    if isinstance(held, Lanes) and any(map(natives.is_absent, held.parts)):
        return Lanes(tuple(p and Const(not natives.is_absent(p), surface(key)) for p in held.parts))
    return Const(not natives.is_absent(held), surface(key), derived_key("in", key))


def is_set(variable: Value, name: Value) -> Value:
    """Whether a variable of the environment is set."""
    taints = surface(variable) | surface(name)
    if isinstance(variable, Const):
        key = ("is set", variable.key) if variable.key is not None else None
        return Const(variable.value is not None, taints, key)
    return Unknown(taints)


def surface(value: Value) -> frozenset[str]:
    """The taints of plain values only; objects are known by being there."""
    return taints_of(value) if isinstance(value, Const | Unknown) else frozenset()


def branched(value: Value) -> bool:
    """True for a None that stands on one branch of a condition: what decided it was asked there."""
    return isinstance(value, Const) and value.value is None and value.key is None


def plain(value: Value) -> bool:
    """True for values that compare by content."""
    return isinstance(value, Const | Tup)


def identity(left: Value, right: Value, state: State) -> bool | None:
    """Whether two values are one object; None when that is not known."""
    if isinstance(left, Unknown | Choice) or isinstance(right, Unknown | Choice):
        return None
    if any(isinstance(v, Lib) and "()" in v.path for v in (left, right)):
        return None
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value is right.value or (
            type(left.value) is type(right.value) and left.value == right.value
        )
    if any(isinstance(v, Lib) for v in (left, right)) and any(
        isinstance(v, Const) and v.value is not None for v in (left, right)
    ):
        return None  # a constant of a library may be anything but None
    if isinstance(left, Const) or isinstance(right, Const):
        return False
    if isinstance(left, Tup) or isinstance(right, Tup):
        return None
    if isinstance(left, Lib) and isinstance(right, Lib):
        return True if left == right else None
    return left == right


def conjunction(m: Machine, results: list[Value], state: State) -> Value:
    """All of some truth values, lane by lane."""
    if len(results) == 1:
        return results[0]
    if any(isinstance(r, Lanes) for r in results):
        parts: list[Value | None] = [None] * len(m.lanes)
        for lane in lane_numbers(state.lanes):
            parts[lane] = conjunction(m, [part(r, lane) for r in results], state)
        return Lanes(tuple(parts))
    taints = frozenset().union(*map(taints_of, results))
    truths = [truth_of(r, state) for r in results]
    if False in truths:
        return Const(False, taints)
    return Unknown(taints) if None in truths else Const(True, taints)
