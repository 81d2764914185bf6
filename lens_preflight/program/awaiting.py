"""Coroutines: run where they are awaited."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import (
    calls,
    opaque_calls,
    running,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import State
from lens_preflight.program.values import (
    Const,
    Ref,
    Unknown,
    Value,
    taints_of,
)


def run_awaitable(m: Machine, value: Value, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Run a coroutine or scheduled task of the tree to its end; anything else may fail."""
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind == "coroutine":
            inner: Frame = cell.extra
            assert inner.func is not None
            here = replace(inner, stack=frame.chain(node), cleanup=frame.cleanup, phase=frame.phase)
            return calls.run_body(m, inner.func, state, here)
        if cell.kind == "task":
            coroutine = cell.attrs["coroutine"]
            state.facts = replace(state.facts, tasks=tuple(t for t in state.facts.tasks if t != value.id))
            return run_awaitable(m, coroutine, state, frame, node)
        running.ended(state, value.id)
        if cell.kind in ("done", "list"):
            return normal(state, cell.attrs.get("result", Unknown()))
    if isinstance(value, Const):
        return normal(state, value)
    running.all_ended(state, ("pool",))
    return opaque_calls.opaque(m, "await", calls.Args(), state, frame, node, taints_of(value))


def settle(m: Machine, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Run a coroutine that a call returned, where the language awaits it by itself."""
    if o.flow is Flow.NORMAL and isinstance(o.value, Ref) and o.state.read(o.value.id).kind == "coroutine":
        return run_awaitable(m, o.value, o.state, frame, node)
    return [o]
