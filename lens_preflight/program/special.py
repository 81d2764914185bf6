"""Lambdas, named expressions, awaits, yields and comprehensions."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    awaiting,
    expressions,
    objects,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.state import State
from lens_preflight.program.values import (
    NONE,
)


def function(m: Machine, node: ast.Lambda, state: State, frame: Frame) -> list[Outcome]:
    """A lambda."""
    return objects.make_function(m, node, state, frame)


def named(m: Machine, node: ast.NamedExpr, state: State, frame: Frame) -> list[Outcome]:
    """``x := value``."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.value, state, frame):
        if o.flow is Flow.NORMAL:
            objects.bind(m, node.target.id, o.value, o.state, frame)
        out.append(o)
    return out


def awaited(m: Machine, node: ast.Await, state: State, frame: Frame) -> list[Outcome]:
    """``await x``: a coroutine of the tree runs, anything else may fail."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.value, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
        else:
            out.extend(awaiting.run_awaitable(m, o.value, o.state, frame, node))
    return reduce(out)


def yielded(m: Machine, node: ast.Yield, state: State, frame: Frame) -> list[Outcome]:
    """A yield as a whole statement; statements see to the rest of it."""
    if node.value is None:
        return [Outcome(Flow.YIELD, state, NONE)]
    return [
        Outcome(Flow.YIELD, o.state, o.value) if o.flow is Flow.NORMAL else o
        for o in expressions.evaluate(m, node.value, state, frame)
    ]


def comprehension(m: Machine, node: ast.expr, state: State, frame: Frame) -> list[Outcome]:
    """A comprehension: run as the loops that it abbreviates."""
    from lens_preflight.program import comprehensions

    return comprehensions.comprehension(m, node, state, frame)


def starred(m: Machine, node: ast.Starred, state: State, frame: Frame) -> list[Outcome]:
    """A star outside of a display."""
    return expressions.evaluate(m, node.value, state, frame)
