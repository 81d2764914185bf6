"""Classes of the tree that inherit from the configuration of Lens: their fields, and what they do when made."""

from __future__ import annotations

import ast

from lens_preflight.program import calls, classes, fields, replacements
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import MODELS, Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.tables import PLAIN_BASES
from lens_preflight.program.values import Bound, Const, Func, Lib, Ref, Unknown, Value, Wrapped

CONFIG = replacements.CONFIG
DECIDING = ("enabled", "export_strategy", "export_rank", "export_sample_rate")
"""Fields that say whether, and in which processes, a setup exports."""

OWN_RULES = ("__new__", "__init__", "__setattr__", "__getattribute__")
"""Methods after which nobody knows what the fields hold, unless they are run."""


def inherits(m: Machine, cls: Ref, state: State) -> bool:
    """True for a class of the tree below the configuration of Lens."""
    return classes.lens_base(m, cls, state) == CONFIG


def doubt(cell: Cell, why: str) -> None:
    """Whatever decides about the export is no longer known."""
    for name in DECIDING:
        cell.attrs[name] = Unknown(frozenset((f"opaque:{why}",)))


def default(this: Call, name: str, base: Value) -> Value:
    """The default of a field: that of the subclass where it is a dataclass, else that of Lens."""
    cls = this.receiver
    if not isinstance(cls, Ref) or "__dataclass__" not in this.state.read(cls.id).attrs:
        return base
    found, _ = classes.find_in_class(this.m, cls, name, this.state)
    if isinstance(found, Wrapped) and found.role == fields.FIELD:
        return fields.default(found) or Unknown()
    return base if found is None or isinstance(found, Func | Wrapped) else found


def construct(
    m: Machine, cls: Ref, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """A configuration of a class of the tree, built by hand."""
    made = MODELS[CONFIG](Call(m, CONFIG, cls, args, state, frame, node))
    fields = classes.find_in_class(m, cls, "__dataclass__", state)[0]
    for o in made:
        if o.flow is Flow.NORMAL and isinstance(o.value, Ref) and fields is not None:
            own = {k: v for k, v in args.names.items() if k not in o.state.read(o.value.id).attrs}
            o.state.edit(o.value.id).attrs.update(own)
    return made


def complete(this: Call, cell: Cell) -> list[Outcome]:
    """The new configuration, as its class and what the program replaced in Lens leave it."""
    why = replacements.of_config(this.state)
    cls = this.receiver
    if isinstance(cls, Ref) and this.state.read(cls.id).kind == "class":
        cell.cls = cls
        why = why or strange(this.m, cls, this.state) or replacements.of_reading(this.state)
    if why:
        doubt(cell, why)
    return finished(this, this.m.new(this.state, cell))


def strange(m: Machine, cls: Ref, state: State) -> str:
    """Why the fields of a subclass are not known; empty when they are."""
    name = state.read(cls.id).cls
    words = f"the class {name.value}" if isinstance(name, Const) else "a class of the tree"
    for rule in OWN_RULES:
        if classes.find_in_class(m, cls, rule, state)[0] is not None:
            return f"{words} with a {rule} of its own"
    for field in DECIDING:
        held = classes.find_in_class(m, cls, field, state)[0]
        if isinstance(held, Func) or (isinstance(held, Wrapped) and held.role != fields.FIELD):
            return f"{words} with {field} computed"
    for here in classes.mro(m, cls, state)[0]:
        for base in state.read(here.id).extra or ():
            inside = isinstance(base, Ref) and state.read(base.id).kind == "class"
            if (
                not inside
                and base != Lib(CONFIG)
                and not (isinstance(base, Lib) and base.path in PLAIN_BASES)
            ):
                return f"{words} with a base outside of the tree"
    return ""


def finished(this: Call, made: Ref) -> list[Outcome]:
    """The configuration after the ``__post_init__`` of its class."""
    cls = this.state.read(made.id).cls
    if not isinstance(cls, Ref):
        return this.done(made)
    post, owner = classes.find_in_class(this.m, cls, "__post_init__", this.state)
    if not isinstance(post, Func):
        return this.done(made)
    call = Bound(made, classes.owned(post, owner))
    out = calls.invoke(this.m, call, calls.Args(), this.state, this.frame, this.node)
    return [o._replace(value=made) if o.flow is Flow.NORMAL else o for o in out]


@model(f"{CONFIG}.__post_init__")
def checked(this: Call) -> list[Outcome]:
    """What Lens itself does with a new configuration: it checks a number, and changes nothing."""
    return this.done()
