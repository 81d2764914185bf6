"""Known values to Python objects and back, so that builtins can be applied for real."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from lens_preflight.core.numbers import huge
from lens_preflight.program import failures
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.state import Cell, State, lane_numbers, part
from lens_preflight.program.values import (
    EMPTY,
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
    derived_key,
    taints_of,
)

MAX_TEXT = 20_000
MAX_ITEMS = 5_000
NO_KEY = ("None",)
"""Stands for None among the keys of a dict."""


class NotKnown(Exception):
    """A value is not known; ``taints`` is what it depends on."""

    def __init__(self, taints: Taints = EMPTY) -> None:
        super().__init__()
        self.taints = taints


def known(m: Machine, value: Value, state: State, depth: int = 0) -> Any:
    """The Python object of a fully known value.

    Raises:
        NotKnown: it is not.
    """
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tup):
        return tuple(known(m, item, state, depth + 1) for item in value.items)
    if isinstance(value, Ref) and depth < 8:
        cell = state.read(value.id)
        if cell.open:
            raise NotKnown(frozenset().union(*map(taints_of, values_in(cell))) if cell.items else EMPTY)
        if cell.kind == "list":
            return [known(m, item, state, depth + 1) for item in cell.items]
        if cell.kind == "set":
            return {known(m, item, state, depth + 1) for item in cell.items}
        if cell.kind == "dict" and not any(isinstance(k, Lib | Func | Ref) for k in cell.items):
            return {k: known(m, v, state, depth + 1) for k, v in cell.items.items()}
    raise NotKnown(taints_of(value))


def key_object(key: Value, state: State) -> Any:
    """What stands for a key in the cell of a dict; None when it is not known or cannot be one."""
    if isinstance(key, Const):
        try:
            hash(key.value)
        except TypeError:
            return None
        return NO_KEY if key.value is None else key.value
    if isinstance(key, Tup) and all(isinstance(item, Const) for item in key.items):
        return tuple(item.value for item in key.items if isinstance(item, Const))
    if isinstance(key, Func) or (isinstance(key, Lib) and "()" not in key.path):
        return key
    if isinstance(key, Ref) and state.read(key.id).kind in ("class", "instance", "module", "handle"):
        return key
    return None


def values_in(cell: Cell) -> Iterable[Value]:
    """The values in a container."""
    return cell.items.values() if isinstance(cell.items, dict) else cell.items or ()


def deep_taints(value: Value, state: State, depth: int = 0) -> Taints:
    """What a value and what it contains depend on."""
    found = taints_of(value)
    if isinstance(value, Ref) and depth < 4:
        cell = state.read(value.id)
        if cell.kind in ("list", "set", "dict"):
            for item in values_in(cell):
                found |= deep_taints(item, state, depth + 1)
    if isinstance(value, Tup):
        for item in value.items:
            found |= deep_taints(item, state, depth + 1)
    return found


def lifted(m: Machine, thing: Any, state: State, taints: Taints = EMPTY, key: Any = None) -> Value:
    """The abstract value of a Python object, or of what stands for a key."""
    if isinstance(thing, Lib | Func | Ref):
        return thing
    if thing is NO_KEY:
        return Const(None, taints)
    if isinstance(thing, tuple):
        return Tup(tuple(lifted(m, item, state, taints) for item in thing))
    if isinstance(thing, list | set | frozenset):
        kind = "list" if isinstance(thing, list) else "set"
        items = [lifted(m, item, state, taints) for item in thing]
        return m.new(state, Cell(kind, items=items))
    if isinstance(thing, dict):
        items_ = {k: lifted(m, v, state, taints) for k, v in thing.items()}
        return m.new(state, Cell("dict", items=items_))
    if huge(thing) or (isinstance(thing, str | bytes) and len(thing) > MAX_TEXT):
        return Unknown(taints)
    return Const(thing, taints, key)


def is_absent(value: Value | None) -> bool:
    """True for the stand-in of a key that is not there; more dependencies may have been put on it."""
    return isinstance(value, Const) and "absent" in value.taints


def without_absent(value: Value, default: Value) -> Value:
    """The value, with the default in the lanes where a mapping has none."""
    if is_absent(value):
        return default
    if not isinstance(value, Lanes) or not any(map(is_absent, value.parts)):
        return value
    parts = enumerate(value.parts)
    return Lanes(tuple(part(default, lane) if is_absent(p) else p for lane, p in parts))


def varies(value: Value, state: State, depth: int = 0) -> bool:
    """True when the value, or something in it, differs between lanes."""
    if isinstance(value, Lanes):
        return True
    if isinstance(value, Tup):
        return any(varies(item, state, depth) for item in value.items)
    if isinstance(value, Ref) and depth < 3:
        cell = state.read(value.id)
        if cell.kind in ("list", "set", "dict"):
            return any(varies(item, state, depth + 1) for item in values_in(cell))
    return False


def in_lane(value: Value, lane: int, state: State, m: Machine, depth: int = 0) -> Value:
    """The value as one lane sees it; containers that vary are copied."""
    value = part(value, lane)
    if isinstance(value, Tup):
        return Tup(tuple(in_lane(item, lane, state, m, depth) for item in value.items))
    if isinstance(value, Ref) and depth < 3 and varies(value, state):
        cell = state.read(value.id).copy()
        if isinstance(cell.items, dict):
            cell.items = {k: in_lane(v, lane, state, m, depth + 1) for k, v in cell.items.items()}
        else:
            cell.items = [in_lane(v, lane, state, m, depth + 1) for v in cell.items]
        return m.new(state, cell)
    return value


def apply(
    m: Machine,
    function: Callable[..., Any],
    values: list[Value],
    state: State,
    label: str,
    frame: Frame | None = None,
    node: ast.AST | None = None,
) -> list[Outcome]:
    """The result of a pure function on values, lane by lane when they differ.

    With a node an exception becomes a way out of those lanes; without one the result is unknown.
    """
    if any(isinstance(v, Choice) for v in values):
        return normal(state, Unknown(frozenset().union(*(deep_taints(v, state) for v in values))))
    if not any(varies(v, state) for v in values):
        result, error = apply_once(m, function, values, state, label)
        return finish(m, {state.lanes: (result, error)}, state, frame, node)
    results: dict[int, tuple[Value, str | None]] = {}
    for lane in lane_numbers(state.lanes):
        mine = [in_lane(v, lane, state, m) for v in values]
        results[1 << lane] = apply_once(m, function, mine, state, label)
    return finish(m, results, state, frame, node)


def apply_once(
    m: Machine, function: Callable[..., Any], values: list[Value], state: State, label: str
) -> tuple[Value, str | None]:
    """(result, name of the exception or None) for values without lanes."""
    taints: Taints = frozenset().union(*(deep_taints(v, state) for v in values)) if values else EMPTY
    key = derived_key(label, *values) if values else None
    try:
        objects = [known(m, v, state) for v in values]
    except NotKnown as unknown:
        return Unknown(taints | unknown.taints, key), None
    try:
        result = function(*objects)
        if isinstance(result, Iterable) and not isinstance(result, str | bytes | range | slice):
            result = bounded(result)
        return lifted(m, result, state, taints, key), None
    except NotKnown as unknown:
        return Unknown(taints | unknown.taints, key), None
    except Exception as error:
        return Unknown(taints), type(error).__name__


def bounded(result: Any) -> Any:
    """The result, with lazy iterables turned into lists of limited length."""
    if isinstance(result, list | tuple | set | frozenset | dict):
        if len(result) > MAX_ITEMS:
            raise OverflowError
        return result
    out = []
    for item in result:
        out.append(item)
        if len(out) > MAX_ITEMS:
            raise OverflowError
    return out


def finish(
    m: Machine,
    results: dict[int, tuple[Value, str | None]],
    state: State,
    frame: Frame | None,
    node: ast.AST | None,
) -> list[Outcome]:
    """One outcome for the lanes that have a value, one for each exception."""

    failed: dict[str, int] = {}
    parts: list[Value | None] = [None] * len(m.lanes)
    good = 0
    whole: Value | None = None
    for mask, (value, error) in results.items():
        if error is not None and node is not None and frame is not None:
            failed[error] = failed.get(error, 0) | mask
            continue
        good |= mask
        whole = value
        for lane in lane_numbers(mask):
            parts[lane] = value
    out: list[Outcome] = []
    for error, mask in failed.items():
        here = state.fork()
        here.lanes = mask
        assert node is not None and frame is not None
        out.append(failures.failure(here, frame, node, error))
    if good:
        state.lanes = good
        same_everywhere = len(results) == 1 and whole is not None
        out.extend(normal(state, whole if same_everywhere and whole is not None else Lanes(tuple(parts))))
    return out
