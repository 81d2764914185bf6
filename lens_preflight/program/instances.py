"""Instances: constructors of classes of the tree, those of dataclasses as well."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    calls,
    classes,
    config_classes,
    objects,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    Bound,
    Const,
    Func,
    Ref,
    Tup,
    Unknown,
)


def instantiate(
    m: Machine, cls: Ref, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Make an instance of a class of the tree."""
    if config_classes.inherits(m, cls, state):
        return config_classes.construct(m, cls, args, state, frame, node)
    maker, owner = classes.find_in_class(m, cls, "__new__", state)
    if isinstance(maker, Func):
        with_class = calls.Args([cls, *args.plain], args.names, args.open)
        made = calls.call_function(
            m, objects.owned_function(maker, owner), with_class, state, frame, node, cls
        )
        out: list[Outcome] = []
        for o in made:
            fits = o.flow is Flow.NORMAL and isinstance(o.value, Ref) and o.state.read(o.value.id).cls == cls
            if fits and isinstance(o.value, Ref):
                out.extend(calls.initialize(m, cls, o.value, args, o.state, frame, node))
            else:
                out.append(o)
        return reduce(out)
    return calls.initialize(m, cls, m.new(state, Cell("instance", cls=cls)), args, state, frame, node)


def fill_fields(
    m: Machine, cls: Ref, this: Ref, fields: Tup, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """The generated constructor of a dataclass, and its ``__post_init__``."""
    names = [f.value for f in fields.items if isinstance(f, Const)]
    cell = state.edit(this.id)
    for i, name in enumerate(names):
        default, _ = classes.find_in_class(m, cls, name, state)
        value = args.get(i, name, default)
        cell.attrs[name] = value if value is not None else Unknown()
    post, owner = classes.find_in_class(m, cls, "__post_init__", state)
    if post is None:
        return normal(state, this)
    call = Bound(this, classes.owned(post, owner))
    done = calls.invoke(m, call, calls.Args(), state, frame, node)
    return [o._replace(value=this) if o.flow is Flow.NORMAL else o for o in done]
