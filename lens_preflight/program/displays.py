"""Displays and texts: tuples, lists, sets, dicts, f-strings, slices."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lens_preflight.program import access, expressions, natives, special_methods
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    Const,
    Tup,
    Unknown,
    Value,
    taints_of,
)


def display(m: Machine, node: ast.expr, state: State, frame: Frame) -> list[Outcome]:
    """Tuple, list and set displays, with unpacking."""
    elements: list[ast.expr] = node.elts  # type: ignore[attr-defined]
    plain = [e.value if isinstance(e, ast.Starred) else e for e in elements]
    live, out = expressions.sequence(m, plain, state, frame)
    for here, values in live:
        items: list[Value] = []
        whole = True
        for element, value in zip(elements, values, strict=True):
            if not isinstance(element, ast.Starred):
                items.append(value)
                continue
            inner = access.items_of(m, value, here)
            whole = whole and inner is not None
            items.extend(inner or ())
        if isinstance(node, ast.Tuple):
            out.extend(normal(here, Tup(tuple(items)) if whole else Unknown()))
            continue
        cell = Cell("list" if isinstance(node, ast.List) else "set", items=items)
        cell.open = not whole
        out.extend(normal(here, m.new(here, cell)))
    return out


def mapping(m: Machine, node: ast.Dict, state: State, frame: Frame) -> list[Outcome]:
    """A dict display; unknown keys leave the dict open."""
    parts = [x for k, v in zip(node.keys, node.values, strict=True) for x in ((k, v) if k else (v,))]
    live, out = expressions.sequence(m, parts, state, frame)
    for here, values in live:
        cell = Cell("dict", items={})
        rest = iter(values)
        for key in node.keys:
            if key is None:
                access.update_dict(m, cell, next(rest), here)
            else:
                access.put_item(cell, next(rest), next(rest), here)
        out.extend(normal(here, m.new(here, cell)))
    return out


def joined_text(m: Machine, node: ast.JoinedStr, state: State, frame: Frame) -> list[Outcome]:
    """An f-string."""
    live, out = expressions.sequence(m, node.values, state, frame)
    for here, values in live:
        out.extend(natives.apply(m, lambda *parts: "".join(map(str, parts)), values, here, "f-string"))
    return out


def formatted(m: Machine, node: ast.FormattedValue, state: State, frame: Frame) -> list[Outcome]:
    """One replacement field; a format is only followed when it is absent."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.value, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        names = special_methods.TEXT.get(node.conversion, special_methods.FORMAT)
        own = special_methods.text(m, o.value, names, o.state, frame, node)
        if own is not None:
            out.extend(own)
        elif node.format_spec is not None:
            out.extend(normal(o.state, Unknown(taints_of(o.value))))
        else:
            convert: Callable[..., object] = repr if node.conversion == ord("r") else str
            out.extend(natives.apply(m, convert, [o.value], o.state, "format"))
    return out


def sliced(m: Machine, node: ast.Slice, state: State, frame: Frame) -> list[Outcome]:
    """A slice with known bounds."""
    parts = [p if p is not None else ast.Constant(None) for p in (node.lower, node.upper, node.step)]
    live, out = expressions.sequence(m, parts, state, frame)
    for here, values in live:
        known = all(isinstance(v, Const) for v in values)
        bounds = [v.value if isinstance(v, Const) else None for v in values]
        out.extend(normal(here, Const(slice(*bounds)) if known else Unknown()))
    return out
