"""What a program takes away: names, attributes and items."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    byte_variables,
    classes,
    config_classes,
    expressions,
    failures,
    mentions,
    natives,
    objects,
    opaque_calls,
    variables,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import State
from lens_preflight.program.values import ABSENT, NONE, Choice, Const, Lanes, Ref, Value, Wrapped

FOLLOWED = ("instance", "class", "module", "namespace", "handle", "config")
"""Kinds of objects whose attributes are known by name."""


def deletion(m: Machine, node: ast.Delete, state: State, frame: Frame) -> list[Outcome]:
    """``del``, target by target."""
    out: list[Outcome] = []
    live = [state]
    for target in flat(node.targets):
        following: list[State] = []
        for here in live:
            for o in delete(m, target, here, frame):
                (following.append(o.state) if o.flow is Flow.NORMAL else out.append(o))
        live = following
    return reduce([*out, *(Outcome(Flow.NORMAL, s) for s in live)])


def flat(targets: list[ast.expr]) -> list[ast.expr]:
    """Targets with those in parentheses one by one."""
    return [x for t in targets for x in (flat(t.elts) if isinstance(t, ast.Tuple | ast.List) else [t])]


def delete(m: Machine, target: ast.expr, state: State, frame: Frame) -> list[Outcome]:
    """One target of a ``del``."""
    if isinstance(target, ast.Name):
        objects.unbind(target.id, state, frame)
        return normal(state)
    out: list[Outcome] = []
    if isinstance(target, ast.Attribute):
        for o in expressions.evaluate(m, target.value, state, frame):
            if o.flow is not Flow.NORMAL:
                out.append(o)
            else:
                out.extend(delete_attribute(m, o.value, target.attr, o.state, frame, target))
    elif isinstance(target, ast.Subscript):
        pairs, out = expressions.sequence(m, [target.value, target.slice], state, frame)
        for here, (container, index) in pairs:
            out.extend(delete_item(m, container, index, here, frame, target))
    return out


def delete_attribute(
    m: Machine, target: Value, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``del target.name``; what the class has under the name shows again."""
    if isinstance(target, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in objects.split_options(target, state):
            out.extend(delete_attribute(m, option, name, here, frame, node))
        return out
    if not isinstance(target, Ref) or state.read(target.id).kind not in FOLLOWED:
        return normal(state)
    cell = state.edit(target.id)
    if cell.kind == "config":
        config_classes.doubt(cell, "del")
    elif name in cell.attrs and not natives.is_absent(cell.attrs[name]):
        remove(target, name, state)
    elif isinstance(cell.cls, Ref) and isinstance(
        classes.find_in_class(m, cell.cls, name, state)[0], Wrapped
    ):
        return [*normal(state), *opaque_calls.opaque_failures(m, state, frame, node)[:1]]  # a deleter
    elif not cell.open:
        return [failures.failure(state, frame, node, "AttributeError")]
    return normal(state)


def remove(target: Ref, name: str, state: State) -> None:
    """Take a name off; an instance remembers it, so that other paths do not bring it back."""
    cell = state.edit(target.id)
    cell.attrs.pop(name, None)
    if cell.kind == "instance":
        cell.attrs[name] = ABSENT


def remove_all(target: Ref, state: State) -> None:
    """Take off whatever an object holds by itself."""
    cell = state.edit(target.id)
    if cell.kind == "config":
        config_classes.doubt(cell, "clear")
        return
    for name in list(cell.attrs):
        if cell.kind == "instance" or not name.startswith("__"):
            remove(target, name, state)


def delete_item(
    m: Machine, container: Value, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Take an item out of a container."""
    if not isinstance(container, Ref):
        return normal(state)
    cell = state.edit(container.id)
    if cell.kind == "attributes" and isinstance(cell.extra, Ref) and isinstance(index, Const):
        return delete_attribute(m, cell.extra, str(index.value), state, frame, node)
    if cell.kind == "environb":
        byte_variables.put(m, index, NONE, state, frame, node)
    elif isinstance(cell.items, dict) and isinstance(index, Const):
        if cell.kind == "environ":
            variables.set_environ(m, container, index, NONE, state, frame, node)
        else:
            cell.items.pop(index.value, None)
        mentions.note_key(m, index, state, frame, node)
    elif cell.kind == "environ":
        variables.set_environ(m, container, index, NONE, state, frame, node)
    else:
        cell.open = True
    return normal(state)


@model("builtins.delattr", "builtins.object.__delattr__")
def delete_by_name(this: Call) -> list[Outcome]:
    """``delattr(x, name)``; with an unknown name any attribute may be gone."""
    target, name = this.arg(0, "o"), this.text(1, "n")
    if name is not None:
        return delete_attribute(this.m, target, name, this.state, this.frame, this.node)
    return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
