"""Items and methods that an object of the tree computes."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    access,
    calls,
    classes,
    natives,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.state import State
from lens_preflight.program.values import (
    EMPTY,
    Bound,
    Ref,
    Value,
)


def call_method(
    m: Machine, value: Ref, name: str, args: list[Value], state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Call a method of an object of the tree, when its class has it."""
    cls = state.read(value.id).cls
    if isinstance(cls, Ref):
        found, owner = classes.find_in_class(m, cls, name, state)
        if found is not None:
            call_ = Bound(value, classes.owned(found, owner))
            return calls.invoke(m, call_, calls.Args(list(args)), state, frame, node)
    return access.unknown_item(m, EMPTY, state, frame, node)


def default_item(
    m: Machine, container: Ref, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An item of a defaultdict that is not there yet."""
    factory: Value = state.read(container.id).extra
    out = calls.invoke(m, factory, calls.Args(), state, frame, node)
    for o in out:
        if o.flow is Flow.NORMAL:
            o.state.edit(container.id).items[natives.key_object(index, state)] = o.value
    return out
