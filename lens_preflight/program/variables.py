"""Environment variables as the program sees and writes them."""

from __future__ import annotations

import ast

from lens_preflight.program import natives
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.state import State, part
from lens_preflight.program.values import (
    Const,
    Ref,
    Unknown,
    Value,
    tainted,
    taints_of,
)

ENVIRON = 2


def environ_item(
    m: Machine, value: Ref, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``os.environ[name]``; a variable that is not set is taken to be given by the launch."""
    if not isinstance(index, Const):
        return normal(state, Unknown(taints_of(index) | {"env:?"}))
    found = variable(m, str(index.value), state, value.id)
    if isinstance(found, Const) and found.value is None:
        return normal(state, Unknown(found.taints, ("env", index.value)))
    return normal(state, found)


def variable(m: Machine, name: str, state: State, where: int = ENVIRON) -> Value:
    """A variable as the program sees it now, in the environment or a copy of it.

    Written by the program, else as it was started.
    """
    cell = state.read(where)
    written = cell.items.get(name)
    if written is None and cell.open and name == "NEMO_LENS_ENABLED":
        hidden = Unknown(frozenset(("opaque:os.environ",)))  # it may be among the names that were written
        started = m.variable(name)
        return m.per_lane(part(started, i) if lane.on else hidden for i, lane in enumerate(m.lanes))
    if written is None:
        return m.variable(name)
    return natives.without_absent(written, m.variable(name))


def set_environ(
    m: Machine, value: Ref, index: Value, new: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``os.environ[name] = text``."""
    cell = state.edit(value.id)
    if value.id != ENVIRON:  # a copy, for a child
        if isinstance(index, Const):
            cell.items[str(index.value)] = new
        cell.open = cell.open or not isinstance(index, Const)
        return normal(state)
    if isinstance(index, Const):
        cell.items[str(index.value)] = tainted(new, frozenset((f"written:{index.value}",)))
        if str(index.value) in ("OTEL_RESOURCE_ATTRIBUTES", "NEMO_LENS_ENABLED") or "ENABLED" in str(
            index.value
        ):
            cell.attrs[f"written {index.value}"] = Const((frame.path, getattr(node, "lineno", 1)))
        if "_EXPORT_" in str(index.value):
            m.seen.late.append(("strategy", frame.site(node)))
        if index.value == "OTEL_RESOURCE_ATTRIBUTES" and state.facts.setups:
            m.seen.late.append(("OTEL_RESOURCE_ATTRIBUTES", frame.site(node)))
    else:
        cell.open = True
    return normal(state)
