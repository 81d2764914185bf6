"""What the text of a function or class names, for calls that are not followed."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    classes,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.on_node import kept
from lens_preflight.program.registry import Call
from lens_preflight.program.scopes import walk_body
from lens_preflight.program.state import State
from lens_preflight.program.tables import (
    LAYOUT_KEYS,
)
from lens_preflight.program.values import Choice, Const, Func, Ref, Unknown, Value


def note_key(m: Machine, index: Value, state: State, frame: Frame, node: ast.AST) -> None:
    """Remember where resource keys are written or taken away, for findings about them."""
    if isinstance(index, Const) and index.value in ("nv.dl.rank", "nv.dl.world_size"):
        m.seen.late.append((str(index.value), frame.site(node)))


def note_span_attributes(this: Call) -> None:
    """Remember attributes of spans that belong on the resource."""
    last = this.path.rpartition(".")[2]
    keys: list[object] = []
    if last == "set_attribute":
        key = this.args.get(0, "key")
        keys = [key.value] if isinstance(key, Const) else []
    elif last in ("set_attributes", "start_as_current_span", "start_span", "managed_span", "span_cm"):
        for value in (*this.args.plain, *this.args.names.values()):
            if isinstance(value, Ref) and this.state.read(value.id).kind == "dict":
                keys.extend(this.state.read(value.id).items)
    for name in keys:
        if isinstance(name, str) and name.startswith(LAYOUT_KEYS):
            this.m.seen.layout.append((name, this.frame.site(this.node)))


def mentions_shutdown(m: Machine, this: Ref, state: State) -> bool:
    """True when a method of an object may shut telemetry down: by its own handle, or by one from outside."""
    cell = state.read(this.id)
    if not isinstance(cell.cls, Ref):
        return False
    order, _ = classes.mro(m, cell.cls, state)
    names: set[str] = set()
    for here in order:
        for found in state.read(here.id).attrs.values():
            if isinstance(found, Func):
                names |= shutdown_receivers(found.node)
    return "*" in names or any(holds_handle(m, cell.attrs.get(name), state) for name in names)


def holds_handle(m: Machine, value: Value | None, state: State) -> bool:
    """True for a handle, and for what may be one; what a large program sets unseen is taken to be none."""
    if isinstance(value, Ref):
        return state.read(value.id).kind in ("handle", "instance")
    return m.plan.small and (value is None or isinstance(value, Choice | Unknown))


@kept
def shutdown_receivers(function: ast.AST) -> frozenset[str]:
    """Whose ``shutdown`` a method names: ``x`` for ``self.x.shutdown``, ``*`` for anything else."""
    found = set()
    for node in walk_body(function):
        if isinstance(node, ast.Attribute) and node.attr == "shutdown":
            owner = node.value
            own = (
                isinstance(owner, ast.Attribute)
                and isinstance(owner.value, ast.Name)
                and owner.value.id == "self"
            )
            found.add(owner.attr if own and isinstance(owner, ast.Attribute) else "*")
    return frozenset(found)


def function_mentions_shutdown(fn: Func) -> bool:
    """True when the body of a function names a shutdown."""
    return body_mentions_shutdown(fn.node)


@kept
def body_mentions_shutdown(function: ast.AST) -> bool:
    """The same of a definition, remembered."""
    node: ast.AST = ast.Expr(function.body) if isinstance(function, ast.Lambda) else function
    return any(isinstance(n, ast.Attribute) and n.attr == "shutdown" for n in walk_body(node))


def function_mentions_setup(fn: Func) -> bool:
    """True when the body of a function names the setup."""
    return body_mentions_setup(fn.node)


@kept
def body_mentions_setup(function: ast.AST) -> bool:
    """The same of a definition, remembered."""
    node: ast.AST = ast.Expr(function.body) if isinstance(function, ast.Lambda) else function
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "setup_telemetry")
        or (isinstance(n, ast.Name) and n.id == "setup_telemetry")
        for n in walk_body(node)
    )
