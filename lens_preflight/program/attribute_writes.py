"""Writes to attributes behind the back of assignments: through ``vars(x)``, ``x.__dict__`` and unknown names."""

from __future__ import annotations

import ast

from lens_preflight.program import config_classes, deletions, natives, objects
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import State
from lens_preflight.program.values import ABSENT, NONE, Ref, Unknown, Value


def of_any(state: State, target: Value, why: str) -> None:
    """A write under an unknown name: of a configuration nothing that decides is known any more."""
    if not isinstance(target, Ref):
        return
    cell = state.edit(target.id)
    if cell.kind == "config":
        config_classes.doubt(cell, why)
    elif cell.kind == "instance":
        cell.open = True


def exchange(target: Ref, value: Value, state: State) -> None:
    """``x.__dict__ = mapping``: what the object held is gone."""
    deletions.remove_all(target, state)
    given = state.read(value.id) if isinstance(value, Ref) else None
    cell = state.edit(target.id)
    if given is not None and given.kind == "dict" and not given.open:
        cell.attrs.update({str(k): v for k, v in given.items.items()})
        return
    for name in cell.attrs:
        cell.attrs[name] = Unknown(frozenset(("opaque:__dict__",)))
    cell.open = True


def update(m: Machine, view: Ref, value: Value, state: State, frame: Frame, node: ast.AST) -> None:
    """Items of a mapping become attributes."""
    target = state.read(view.id).extra
    given = state.read(value.id) if isinstance(value, Ref) else None
    if given is None or given.kind != "dict" or given.open:
        of_any(state, target, "vars")
    if given is not None and given.kind == "dict":
        for name, item in dict(given.items).items():
            objects.set_attribute(m, target, str(name), item, state, frame, node)


@model("attributes.update")
def update_all(this: Call) -> list[Outcome]:
    """``vars(x).update(...)``."""
    assert isinstance(this.receiver, Ref)
    for value in this.args.plain:
        update(this.m, this.receiver, value, this.state, this.frame, this.node)
    target = this.state.read(this.receiver.id).extra
    if this.args.open:
        of_any(this.state, target, "vars")
    for name, value in this.args.names.items():
        objects.set_attribute(this.m, target, name, value, this.state, this.frame, this.node)
    return this.done()


@model("attributes.setdefault", "attributes.pop")
def set_or_take(this: Call) -> list[Outcome]:
    """``vars(x).pop(name)`` and ``vars(x).setdefault(name, value)``."""
    assert isinstance(this.receiver, Ref)
    target = this.state.read(this.receiver.id).extra
    name, default = this.text(0, "k"), this.args.get(1, "d", NONE)
    if name is None or not isinstance(target, Ref) or default is None:
        of_any(this.state, target, "vars")
        return this.done(Unknown())
    held = natives.without_absent(this.state.read(target.id).attrs.get(name, ABSENT), default)
    if this.path.endswith("pop"):
        deletions.delete_attribute(this.m, target, name, this.state, this.frame, this.node)
    elif natives.is_absent(this.state.read(target.id).attrs.get(name, ABSENT)):
        objects.set_attribute(this.m, target, name, default, this.state, this.frame, this.node)
    return this.done(held)


@model("attributes.clear", "attributes.popitem")
def take_all(this: Call) -> list[Outcome]:
    """``vars(x).clear()``."""
    assert isinstance(this.receiver, Ref)
    target = this.state.read(this.receiver.id).extra
    if isinstance(target, Ref):
        deletions.remove_all(target, this.state)
    return this.done()
