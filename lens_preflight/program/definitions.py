"""Definitions: functions and classes, their decorators, annotated names."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import expressions, named_tuples, objects, statements
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import Const, Lib, Ref, Tup, Value


def annotated(m: Machine, node: ast.AnnAssign, state: State, frame: Frame) -> list[Outcome]:
    """``x: T = value``; the annotation is not looked at."""
    if isinstance(node.target, ast.Name) and frame.func is None:
        fields = state.edit(frame.cell).attrs.get("__fields__")
        names = fields.items if isinstance(fields, Tup) else ()
        state.edit(frame.cell).attrs["__fields__"] = Tup((*names, Const(node.target.id)))
    if node.value is None:
        return normal(state)
    return statements.assign(m, ast.Assign([node.target], node.value, lineno=node.lineno), state, frame)


def definition(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State, frame: Frame
) -> list[Outcome]:
    """``def``, its decorators applied from the inside out."""
    out: list[Outcome] = []
    for o in objects.make_function(m, node, state, frame):
        if o.flow is Flow.NORMAL:
            out.extend(decorate(m, node, o.value, o.state, frame))
        else:
            out.append(o)
    return out


def decorate(
    m: Machine,
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    value: Value,
    state: State,
    frame: Frame,
) -> list[Outcome]:
    """Apply the decorators and bind the name."""
    from lens_preflight.program import calls

    live: list[tuple[State, Value]] = [(state, value)]
    out: list[Outcome] = []
    for decorator in reversed(node.decorator_list):
        following: list[tuple[State, Value]] = []
        for here, inner in live:
            for o in expressions.evaluate(m, decorator, here, frame):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                for r in calls.apply_decorator(m, o.value, inner, o.state, frame, decorator):
                    if r.flow is Flow.NORMAL:
                        following.append((r.state, r.value))
                    else:
                        out.append(r)
        live = following
    for here, result in live:
        objects.bind(m, node.name, result, here, frame)
        out.extend(normal(here))
    return out


def class_definition(m: Machine, node: ast.ClassDef, state: State, frame: Frame) -> list[Outcome]:
    """``class``: its body runs in a scope of its own."""
    metas = [k.value for k in node.keywords if k.arg == "metaclass"]
    live, out = expressions.sequence(m, [*node.bases, *metas], state, frame)
    for here, bases in live:
        meta = bases.pop() if metas else None
        cell = m.new(here, Cell("frame"))
        scope = (frame.cell, *frame.scope) if frame.func is not None else frame.scope
        inner = replace(frame, cell=cell.id, scope=scope, func=None, receiver=None, found=None)
        for o in statements.block(m, node.body, here, inner):
            if o.flow is not Flow.NORMAL:
                out.append(o)
                continue
            attrs = dict(o.state.read(cell.id).attrs)
            if Lib("typing.NamedTuple") in bases:
                names = attrs.get("__fields__")
                attrs = named_tuples.attributes(names if isinstance(names, Tup) else Tup(()), attrs)
            if isinstance(meta, Ref):
                attrs["__metaclass__"] = meta
            cls = objects.make_class(m, node, bases, attrs, o.state)
            out.extend(decorate(m, node, cls, o.state, frame))
    return out
