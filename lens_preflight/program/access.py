"""Containers: their items by index, by key and in order."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    attribute_writes,
    byte_variables,
    defaults,
    failures,
    mentions,
    named_tuples,
    natives,
    objects,
    variables,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    EMPTY,
    NONE,
    Choice,
    Const,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    taints_of,
)


def items_of(m: Machine, value: Value, state: State) -> list[Value] | None:
    """The items of an iterable of known length, None when it is not known."""
    if isinstance(value, Tup):
        return list(value.items)
    if isinstance(value, Const) and isinstance(value.value, str | range | bytes):
        if len(value.value) > natives.MAX_ITEMS:
            return None
        return [Const(item, value.taints) for item in value.value]
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind == "environ":
            return [name for name, _ in variables.listed(m, state, value.id)]
        if cell.kind == "instance":
            return named_tuples.items(m, value, state)
        if cell.open or cell.kind not in ("list", "set", "dict"):
            return None
        if cell.kind == "dict":
            return [natives.lifted(m, key, state) for key in cell.items]
        return list(cell.items)
    if isinstance(value, Lanes):
        whole = [items_of(m, p, state) if p is not None else [] for p in value.parts]
        lengths = {len(x) for lane, x in enumerate(whole) if x is not None and state.lanes >> lane & 1}
        if len(lengths) == 1 and None not in whole:
            n = lengths.pop()
            columns = [[x[i] if x and i < len(x) else NONE for x in whole if x is not None] for i in range(n)]
            return [m.per_lane(column) for column in columns]
    return None


def get_item(
    m: Machine, container: Value, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``container[index]``."""
    if isinstance(container, Choice) or (isinstance(container, Lanes) and not objects.all_plain(container)):
        out: list[Outcome] = []
        for here, option in objects.split_options(container, state):
            out.extend(get_item(m, option, index, here, frame, node))
        return out
    if isinstance(index, Lanes | Choice) and isinstance(container, Ref | Tup):
        out = []
        for here, option in objects.split_options(index, state):
            out.extend(get_item(m, container, option, here, frame, node))
        return out
    if isinstance(container, Ref):
        cell = state.read(container.id)
        if cell.kind == "environ":
            return variables.environ_item(m, container, index, state, frame, node)
        if cell.kind == "environb":
            return normal(state, Unknown(frozenset((f"env:{byte_variables.decoded(index) or '?'}",))))
        if cell.kind == "dict" and natives.key_object(index, state) is not None:
            return dict_item(m, container, index, state, frame, node)
        if cell.kind == "attributes" and isinstance(index, Const) and isinstance(cell.extra, Ref):
            found = objects.get_attribute(m, cell.extra, str(index.value), state, frame, node)
            return [o._replace(error="KeyError") if o.error == "AttributeError" else o for o in found]
        named = named_tuples.items(m, container, state)
        if cell.kind == "list" and not cell.open and isinstance(index, Const):
            container = Tup(tuple(cell.items))
        elif named is not None:
            container = Tup(tuple(named))
        elif cell.kind == "instance" and cell.cls is not None:
            return defaults.call_method(m, container, "__getitem__", [index], state, frame, node)
        elif cell.kind in ("list", "dict"):
            return unknown_item(m, natives.deep_taints(container, state), state, frame, node)
    if isinstance(container, Tup) and isinstance(index, Const):
        try:
            found = container.items[index.value]
        except (IndexError, TypeError) as error:
            return [failures.failure(state, frame, node, type(error).__name__)]
        return normal(state, Tup(found) if isinstance(found, tuple) else found)
    if isinstance(container, Const | Lanes) and isinstance(index, Const | Lanes):
        return natives.apply(m, lambda a, b: a[b], [container, index], state, "item", frame, node)
    if isinstance(container, Lib) and "()" not in container.path:
        return normal(state, container)
    if always_there(container, index, node):
        return normal(state, Unknown(taints_of(container) | taints_of(index)))
    return unknown_item(m, taints_of(container) | taints_of(index), state, frame, node)


def always_there(container: Value, index: Value, node: ast.AST) -> bool:
    """True for a part of what a library returned that is there in any case: a slice, the first word of a split."""
    if not isinstance(container, Lib):
        return False
    if isinstance(getattr(node, "slice", None), ast.Slice):
        return True
    words = container.path.endswith((".split()", ".rsplit()", ".partition()", ".rpartition()"))
    return words and isinstance(index, Const) and index.value in (0, -1)


def unknown_item(
    m: Machine, taints: frozenset[str], state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An item that is not known, and the failure to get it."""
    failed = [o for o in failures.may_fail(m, state, frame, node, "a lookup") if o.flow is Flow.RAISE]
    return [*normal(state, Unknown(taints)), *failed]


def dict_item(
    m: Machine, container: Ref, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An item of a dict under a known key."""
    cell = state.read(container.id)
    key = natives.key_object(index, state)
    found = cell.items.get(key)
    if isinstance(found, Choice) or (isinstance(found, Lanes) and any(map(natives.is_absent, found.parts))):
        out: list[Outcome] = []
        for here, option in objects.split_options(found, state):
            if natives.is_absent(option):
                here.edit(container.id).items.pop(key)
            else:
                here.edit(container.id).items[key] = option
            out.extend(dict_item(m, container, index, here, frame, node))
        return out
    if natives.is_absent(found):
        found = None
    if found is not None:
        from lens_preflight.program.values import tainted

        return normal(state, tainted(found, taints_of(index) if isinstance(index, Const) else EMPTY))
    if cell.extra is not None:
        return defaults.default_item(m, container, index, state, frame, node)
    if cell.open:
        return unknown_item(m, EMPTY, state, frame, node)
    return [failures.failure(state, frame, node, "KeyError")]


def put_item(cell: Cell, key: Value, value: Value, state: State) -> None:
    """Store into a dict cell; a key that is not known leaves it open."""
    known = natives.key_object(key, state)
    if known is not None:
        cell.items[known] = value
    elif not variables.is_other(key):
        cell.open = True


def update_dict(m: Machine, cell: Cell, other: Value, state: State) -> None:
    """``dict.update`` with another mapping."""
    if isinstance(other, Ref):
        theirs = state.read(other.id)
        if theirs.kind == "dict":
            cell.items.update(theirs.items)
            cell.open = cell.open or theirs.open
            return
    cell.open = True


def set_item(
    m: Machine, container: Value, index: Value, value: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``container[index] = value``."""
    if isinstance(container, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in objects.split_options(container, state):
            out.extend(set_item(m, option, index, value, here, frame, node))
        return out
    if isinstance(container, Ref):
        cell = state.edit(container.id)
        if cell.kind == "environ":
            return variables.set_environ(m, container, index, value, state, frame, node)
        if cell.kind == "environb":
            byte_variables.put(m, index, value, state, frame, node)
            return normal(state)
        if cell.kind == "dict":
            put_item(cell, index, value, state)
            mentions.note_key(m, index, state, frame, node)
            return normal(state)
        if cell.kind == "attributes" and isinstance(index, Const) and isinstance(cell.extra, Ref):
            live = objects.set_attribute(m, cell.extra, str(index.value), value, state, frame, node)
            return [Outcome(Flow.NORMAL, s) for s in live]
        if cell.kind == "attributes" and not isinstance(index, Choice | Lanes):
            attribute_writes.of_any(state, cell.extra, "__dict__")
            return normal(state)
        if cell.kind == "list" and isinstance(index, Const) and isinstance(index.value, slice):
            new = items_of(m, value, state)
            cell.open = cell.open or new is None
            cell.items = list(cell.items)
            cell.items[index.value] = new or []
            return normal(state)
        if cell.kind == "list" and not cell.open and isinstance(index, Const):
            try:
                cell.items[index.value] = value
            except (IndexError, TypeError) as error:
                return [failures.failure(state, frame, node, type(error).__name__)]
            return normal(state)
        if cell.kind == "instance":
            return defaults.call_method(m, container, "__setitem__", [index, value], state, frame, node)
        cell.open = True
    failed = [o for o in failures.may_fail(m, state, frame, node, "a store") if o.flow is Flow.RAISE]
    return [*normal(state), *failed]
