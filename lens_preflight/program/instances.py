"""Instances: constructors of classes of the tree, those of dataclasses as well."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    calls,
    classes,
    config_classes,
    fields,
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
    new = Cell("instance", cls=cls)
    if "daemon" in args.names and classes.find_in_class(m, cls, "__init__", state)[0] is None:
        new.attrs["daemon"] = args.names["daemon"]  # of a thread or process
    return calls.initialize(m, cls, m.new(state, new), args, state, frame, node)


def fill_fields(
    m: Machine, cls: Ref, this: Ref, fields_: Tup, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """The generated constructor of a dataclass, and its ``__post_init__``."""
    names = [str(f.value) for f in fields_.items if isinstance(f, Const)]
    out: list[Outcome] = []
    for o in fields.fill(m, cls, this, names, args, state, frame, node):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        post, owner = classes.find_in_class(m, cls, "__post_init__", o.state)
        if post is None:
            out.extend(normal(o.state, this))
            continue
        call = Bound(this, classes.owned(post, owner))
        done = calls.invoke(m, call, calls.Args(), o.state, frame, node)
        out.extend(d._replace(value=this) if d.flow is Flow.NORMAL else d for d in done)
    return reduce(out)
