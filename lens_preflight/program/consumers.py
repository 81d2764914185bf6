"""Builtins that are given a generator expression and ask it for its items at once, all or some of them."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import comprehensions, expressions, objects, statements, truths
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.state import Cell, State
from lens_preflight.program.trees import walk
from lens_preflight.program.values import FALSE, TRUE, Lib

STOPPING = ("any", "all")
"""Those that stop at the first item that decides."""

ASKING = ("dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple")
"""Those that ask for all items."""


def consumed(m: Machine, node: ast.Call, state: State, frame: Frame) -> list[Outcome] | None:
    """A call that uses up a generator expression with effects; None for any other call."""
    if not isinstance(node.func, ast.Name) or not node.args or node.func.id not in (*STOPPING, *ASKING):
        return None
    name, given = node.func.id, node.args[0]
    if not isinstance(given, ast.GeneratorExp) or truths.harmless(given):
        return None
    if objects.lookup(m, name, state, frame)[0] != Lib(f"builtins.{name}"):
        return None
    if name in STOPPING:
        return until_decided(m, given, name == "any", state, frame) if len(node.args) == 1 else None
    if not any(isinstance(n, ast.Attribute) and n.attr == "shutdown" for n in walk(given)):
        return None
    listed = ast.copy_location(ast.ListComp(given.elt, given.generators), given)
    again = ast.copy_location(ast.Call(node.func, [listed, *node.args[1:]], node.keywords), node)
    return expressions.call(m, again, state, frame)


def until_decided(
    m: Machine, node: ast.GeneratorExp, wanted: bool, state: State, frame: Frame
) -> list[Outcome]:
    """``any`` and ``all``: item by item, as the loop that returns at the first that decides."""
    answer: ast.stmt = ast.Return(ast.Constant(wanted))
    test = node.elt if wanted else ast.UnaryOp(ast.Not(), node.elt)
    body = comprehensions.nested(ast.If(test, [answer], []), node.generators, node)
    cell = m.new(state, Cell("frame"))
    inner = replace(frame, cell=cell.id, scope=(frame.cell, *frame.scope), func=None)
    out: list[Outcome] = []
    for o in statements.block(m, body, state, inner):
        if o.flow is Flow.RETURN:
            out.append(Outcome(Flow.NORMAL, o.state, TRUE if wanted else FALSE))
        elif o.flow is Flow.NORMAL:
            out.append(o._replace(value=FALSE if wanted else TRUE))
        else:
            out.append(o)
    return reduce(out)
