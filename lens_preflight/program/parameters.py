"""Parameters of a call: the arguments bound to their names."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    calls,
)
from lens_preflight.program.machine import Machine
from lens_preflight.program.on_node import kept
from lens_preflight.program.scopes import body_of, walk_body
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    Func,
    Tup,
    Unknown,
    Value,
)


@kept
def keeps_frame(node: ast.AST) -> bool:
    """True when functions made in the body may outlive the call."""
    kinds = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.GeneratorExp)
    return any(isinstance(n, kinds) for n in walk_body(ast.Module(body_of(node), [])))


def bind_parameters(m: Machine, fn: Func, args: calls.Args, state: State) -> dict[str, Value] | None:
    """Parameters by name; None when the call does not fit."""
    spec = fn.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    bound: dict[str, Value] = dict(zip(names, args.plain, strict=False))
    extra = args.plain[len(names) :]
    others = dict(args.names)
    for name in (*names, *(a.arg for a in spec.kwonlyargs)):
        if name in others and name not in bound:
            bound[name] = others.pop(name)
    if (extra and spec.vararg is None) or (others and spec.kwarg is None):
        return None
    defaults = dict(zip(names[len(names) - len(fn.defaults) :], fn.defaults, strict=False))
    defaults |= dict(fn.kwdefaults)
    for name in (*names, *(a.arg for a in spec.kwonlyargs)):
        if name not in bound:
            if name not in defaults and not args.open:
                return None
            bound[name] = defaults.get(name, Unknown())
    if spec.vararg is not None:
        bound[spec.vararg.arg] = Unknown() if args.open else Tup(tuple(extra))
    if spec.kwarg is not None:
        cell = Cell("dict", items=dict(others))
        cell.open = args.open
        bound[spec.kwarg.arg] = m.new(state, cell)
    return bound
