"""Raising: new exceptions, the one in hand, and the names of both."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    expressions,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.state import State
from lens_preflight.program.values import Const, Lib, Ref, Value


def raised(m: Machine, node: ast.Raise, state: State, frame: Frame) -> list[Outcome]:
    """``raise``: the exception in hand, or a new one."""
    if node.exc is None:
        held = state.read(frame.cell).attrs.get("__handling__")
        error = held.value if isinstance(held, Const) else None
        flow = Flow.EXIT if error and error.startswith("exit:") else Flow.RAISE
        name = error.partition(":")[2] if error else ""
        origin = state.read(frame.cell).extra if held is not None else None
        origin = origin if isinstance(origin, tuple) else frame.chain(node, "raise")
        return [Outcome(flow, state, error=name or None, origin=origin)]
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.exc, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        name_ = error_name(o.value, o.state)
        if name_ is None and isinstance(node.exc, ast.Name):
            held = o.state.read(frame.cell).attrs.get("__handling__")
            if isinstance(held, Const) and held.value.startswith("exit:"):
                name_ = "SystemExit"
        flow = Flow.EXIT if name_ in EXITS else Flow.RAISE
        out.append(Outcome(flow, o.state, error=name_, origin=frame.chain(node, "raise")))
    return out


EXITS = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException")


def error_name(value: Value, state: State) -> str | None:
    """The name of a builtin exception that a value is or inherits from; None when not known."""
    if isinstance(value, Lib):
        words = value.path.split(".")
        return words[-1] if words[0] == "builtins" else None
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind == "libobj":
            return error_name(Lib(str(cell.extra)), state)
        if cell.kind == "instance" and isinstance(cell.cls, Ref):
            return error_name(cell.cls, state)
        if cell.kind == "class":
            for base in cell.extra or ():
                found = error_name(base, state)
                if found is not None:
                    return found
    return None
