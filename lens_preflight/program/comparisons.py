"""Comparisons: by content, by identity, and by membership, lane by lane."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from lens_preflight.program import truths
from lens_preflight.program.machine import Machine
from lens_preflight.program.state import State, lane_numbers, part
from lens_preflight.program.values import (
    ABSENT,
    NONE,
    RAISED,
    Choice,
    Const,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    derived_key,
    taints_of,
)

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
    if op in ("Eq", "NotEq") and any(natives.varies(v, state) for v in (left, right)):
        parts = [None] * len(m.lanes)
        for lane in lane_numbers(state.lanes):
            mine = [natives.in_lane(v, lane, state, m) for v in (left, right)]
            parts[lane] = comparison(m, op, mine[0], mine[1], state)
        return Lanes(tuple(parts))
    if op in ("In", "NotIn") and isinstance(right, Ref):
        found = membership(m, left, right, state)
        if found is not None:
            return found if op == "In" else truths.negated(m, found, state)
    taints = taints_of(left) | taints_of(right)
    key = derived_key(op, left, right)
    if op in ("Is", "IsNot", "Eq", "NotEq"):
        answer = identity(left, right, state)
        by_identity = op in ("Is", "IsNot") or not all(by_content(v, state) for v in (left, right))
        if answer is not None and by_identity:
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
        held = there.attrs.get(known, ABSENT)
        options = held.parts if isinstance(held, Lanes) else held.options if isinstance(held, Choice) else ()
        if any(map(natives.is_absent, options)):
            return None
        return Const(True) if not natives.is_absent(held) else (None if there.open else Const(False))
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


def by_content(value: Value, state: State) -> bool:
    """True for values that compare by content."""
    if not isinstance(value, Ref):
        return isinstance(value, Const | Tup)
    cell = state.read(value.id)
    if cell.kind == "instance" and isinstance(cell.cls, Ref):
        return "__dataclass__" in state.read(cell.cls.id).attrs
    return cell.kind in ("list", "dict", "set")


def identity(left: Value, right: Value, state: State) -> bool | None:
    """Whether two values are one object; None when that is not known."""
    if RAISED in (left, right) and NONE in (left, right):
        return False
    if isinstance(left, Unknown | Choice) or isinstance(right, Unknown | Choice):
        return None
    if any(isinstance(v, Lib) and not truths.certain(v.path) for v in (left, right)):
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
    found = [truths.truth_of(r, state) for r in results]
    if False in found:
        return Const(False, taints)
    return Unknown(taints) if None in found else Const(True, taints)
