"""Comprehensions and generator expressions, as the loops that they abbreviate."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import opaque_calls, statements
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.state import Cell, State
from lens_preflight.program.trees import walk
from lens_preflight.program.values import Unknown


def comprehension(m: Machine, node: ast.expr, state: State, frame: Frame) -> list[Outcome]:
    """A comprehension, for the values when the items are known and for its effects in any case."""
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
    if isinstance(node, ast.GeneratorExp) and any(
        isinstance(n, ast.Attribute) and n.attr == "shutdown" for n in walk(node)
    ):
        why = "a generator expression runs nothing until somebody asks for its items"
        return normal(opaque_calls.undecided(state, frame.site(node), why), Unknown())
    result = m.new(
        state,
        Cell(
            "dict" if isinstance(node, ast.DictComp) else "list",
            items={} if isinstance(node, ast.DictComp) else [],
        ),
    )
    body = append_statement(node, generators)
    out: list[Outcome] = []
    inner = m.new(state, Cell("frame", {"__result__": result}))
    scope = (frame.cell, *frame.scope)
    func = frame.func
    nested = replace(frame, cell=inner.id, scope=scope, func=None)
    for o in statements.block(m, body, state, nested):
        if o.flow is Flow.NORMAL:
            cell = o.state.edit(result.id)
            if isinstance(node, ast.SetComp):
                cell.kind = "set"
            out.extend(normal(o.state, result))
        else:
            out.append(o)
    assert func is frame.func
    return reduce(out)


def append_statement(node: ast.expr, generators: list[ast.comprehension]) -> list[ast.stmt]:
    """The loops of a comprehension as statements that fill ``__result__``."""
    target = ast.Name("__result__", ast.Load())
    if isinstance(node, ast.DictComp):
        stored = ast.Subscript(target, node.key, ast.Store())
        inner: ast.stmt = ast.Assign([stored], node.value)
    else:
        element: ast.expr = node.elt  # type: ignore[attr-defined]
        inner = ast.Expr(ast.Call(ast.Attribute(target, "append", ast.Load()), [element], []))
    return nested(inner, generators, node)


def nested(inner: ast.stmt, generators: list[ast.comprehension], node: ast.expr) -> list[ast.stmt]:
    """A statement inside the loops and conditions of a comprehension."""
    body: list[ast.stmt] = [inner]
    for g in reversed(generators):
        for condition in reversed(g.ifs):
            body = [ast.If(condition, body, [])]
        body = [ast.For(g.target, g.iter, body, [])]
    for statement_ in body:
        ast.copy_location(statement_, node)
        for child in walk(statement_):
            if not hasattr(child, "lineno") and isinstance(child, ast.expr | ast.stmt):
                ast.copy_location(child, node)
    return body
