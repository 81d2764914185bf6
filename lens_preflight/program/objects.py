"""Objects of the program: names, attributes, items, functions and classes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from pathlib import PurePath

from lens_preflight.program import (
    attribute_writes,
    classes,
    expressions,
    failures,
    imports,
    libraries,
    natives,
    replacements,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.scopes import names_of
from lens_preflight.program.state import Cell, State, lane_numbers, part
from lens_preflight.program.values import (
    EMPTY,
    Bound,
    Choice,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
)

BUILTINS = frozenset(dir(builtins))


def lookup(m: Machine, name: str, state: State, frame: Frame) -> tuple[Value | None, int | None]:
    """The value of a name and the cell that holds it; (None, None) when it is bound nowhere."""
    for cell in (frame.cell, *frame.scope, frame.globals):
        found = state.read(cell).attrs.get(name)
        if found is not None:
            return found, cell
    if name in BUILTINS:
        return Lib(f"builtins.{name}"), None
    return None, None


def home_of(name: str, state: State, frame: Frame) -> int:
    """The cell in which a name of a function lives: its own, the module's, or one around it."""
    if frame.func is None:
        return frame.cell
    names = names_of(frame.func.node)
    if name in names.globals:
        return frame.globals
    if name in names.nonlocals:
        return next((c for c in frame.scope if name in state.read(c).attrs), frame.cell)
    return frame.cell


def bind(m: Machine, name: str, value: Value, state: State, frame: Frame) -> None:
    """Assign to a name, where the function says it lives."""
    cell = home_of(name, state, frame)
    if state.read(cell).attrs.get(name) is not value:
        state.edit(cell).attrs[name] = value


def unbind(name: str, state: State, frame: Frame) -> None:
    """``del name``, where the function says it lives."""
    state.edit(home_of(name, state, frame)).attrs.pop(name, None)


def split_options(value: Value, state: State) -> list[tuple[State, Value]]:
    """A choice or a value of lanes as several states with one value each."""
    if isinstance(value, Choice):
        return [(state.fork(), option) for option in value.options]
    groups: list[tuple[Value, int]] = []
    for lane in lane_numbers(state.lanes):
        mine = part(value, lane)
        for i, (other, mask) in enumerate(groups):
            if other == mine:
                groups[i] = (other, mask | 1 << lane)
                break
        else:
            groups.append((mine, 1 << lane))
    out = []
    for option, mask in groups:
        here = state.fork() if len(groups) > 1 else state
        here.lanes = mask
        out.append((here, option))
    return out


def all_plain(value: Lanes) -> bool:
    """True when every lane holds a plain value."""
    return all(p is None or isinstance(p, Const) for p in value.parts)


def get_attribute(
    m: Machine, value: Value, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``value.name``."""
    if isinstance(value, Choice) or (isinstance(value, Lanes) and not all_plain(value)):
        out: list[Outcome] = []
        for here, option in split_options(value, state):
            out.extend(get_attribute(m, option, name, here, frame, node))
        return out
    if isinstance(value, Lanes):
        return normal(state, Bound(value, Lib(f"plain.{name}")))
    if isinstance(value, Const):
        return plain_attribute(m, value, name, state, frame, node)
    if isinstance(value, Lib):
        return libraries.attribute(m, value, name, state, frame, node)
    if (
        isinstance(value, Ref)
        and name == "__setattr__"
        and state.read(value.id).kind in ("instance", "config")
    ):
        return normal(state, Bound(value, Lib("attributes.__setattr__")))
    if isinstance(value, Ref) and name == "__dict__" and state.read(value.id).kind in ("instance", "config"):
        return normal(state, m.new(state, Cell("attributes", extra=value)))
    if isinstance(value, Ref):
        return cell_attribute(m, value, name, state, frame, node)
    if isinstance(value, Wrapped):
        return classes.wrapped_attribute(m, value, name, state, frame, node)
    if isinstance(value, Tup):
        return normal(state, Bound(value, Lib(f"plain.{name}")))
    if isinstance(value, Func | Bound):
        if name in ("__name__", "__qualname__"):
            return normal(state, Const(getattr(value, "name", name)))
        held = state.read(imports.MODULES).attrs.get(on_function(value, name))
        if held is not None:
            return normal(state, held)
        if isinstance(value, Func) and not name.startswith("__"):
            return [failures.failure(state, frame, node, "AttributeError")]
        return normal(state, Unknown())
    fail = [o for o in failures.may_fail(m, state, frame, node) if o.flow is Flow.RAISE]
    extra = frozenset((f"cli:{name}",)) if any("args" in t for t in value.taints) else EMPTY
    return [*normal(state, Unknown(value.taints | extra)), *fail]


def on_function(value: Func | Bound, name: str) -> str:
    """Where an attribute of a function is kept, among the modules."""
    function = value.func if isinstance(value, Bound) else value
    place = f"{function.path}:{function.node.lineno}" if isinstance(function, Func) else "?"
    return f"attribute {place} {name}"


def plain_attribute(
    m: Machine, value: Const, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of a known plain object; None has none."""
    if isinstance(value.value, PurePath) and name in ("parent", "name", "stem", "parents", "suffix"):
        return natives.apply(m, lambda p: getattr(p, name), [value], state, name)
    if not hasattr(value.value, name) and not isinstance(value.value, PurePath):
        if value.value is None and name == "shutdown":
            m.seen.none_calls.append((frame.chain(node, "None.shutdown"), state.lanes))
        return [failures.failure(state, frame, node, "AttributeError")]
    return normal(state, Bound(value, Lib(f"plain.{name}")))


def cell_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of an object on the heap, by its kind."""
    cell = state.read(value.id)
    if cell.kind == "module":
        return libraries.module_attribute(m, value, name, state, frame, node)
    if cell.kind == "instance":
        return classes.instance_attribute(m, value, name, state, frame, node)
    if cell.kind == "class":
        return classes.class_attribute(m, value, name, state, frame, node)
    if name in cell.attrs:
        return normal(state, cell.attrs[name])
    if cell.kind == "config" and isinstance(cell.cls, Ref):
        found, owner = classes.find_in_class(m, cell.cls, name, state)
        if found is not None:
            return classes.bound(m, found, value, owner, state, frame, node, name)
    return libraries.object_attribute(m, value, name, state, frame, node)


def owned_function(func: Func, owner: Ref | None) -> Func:
    """The same for what is surely a function."""
    found = classes.owned(func, owner)
    return found if isinstance(found, Func) else func


def set_attribute(
    m: Machine, target: Value, name: str, value: Value, state: State, frame: Frame, node: ast.AST
) -> list[State]:
    """``target.name = value``; the states that go on."""
    if isinstance(target, Choice | Lanes):
        out: list[State] = []
        for here, option in split_options(target, state):
            out.extend(set_attribute(m, option, name, value, here, frame, node))
        return out
    if isinstance(target, Lib):
        replacements.note(m, target, name, value, state, frame, node)
    if isinstance(target, Func | Bound):
        state.edit(imports.MODULES).attrs[on_function(target, name)] = value
    if isinstance(target, Ref):
        cell = state.edit(target.id)
        if name == "__dict__" and cell.kind in ("instance", "config"):
            attribute_writes.exchange(target, value, state)
            return [state]
        if cell.kind == "config":
            if state.facts.setups:
                m.seen.late.append(("enabled", frame.site(node)))
            cell.attrs["trail"] = Tup(
                (*trail_of(cell), Const((name, frame.path, getattr(node, "lineno", 1))))
            )
        cell.attrs[name] = value
    return [state]


def trail_of(cell: Cell) -> tuple[Value, ...]:
    """The assignments to a configuration so far."""
    trail = cell.attrs.get("trail")
    return trail.items if isinstance(trail, Tup) else ()


def make_function(
    m: Machine, node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef, state: State, frame: Frame
) -> list[Outcome]:
    """A function object, its defaults evaluated now."""
    arguments = node.args
    named = [(a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    live, out = expressions.sequence(m, [*arguments.defaults, *(d for _, d in named)], state, frame)
    count = len(arguments.defaults)
    in_function = frame.func is not None
    scope = (frame.cell, *frame.scope) if in_function else frame.scope
    for here, values in live:
        kwdefaults = tuple((n, v) for (n, _), v in zip(named, values[count:], strict=True))
        func = Func(node, frame.path, frame.globals, scope, tuple(values[:count]), kwdefaults)
        out.extend(normal(here, func))
    return out


def make_class(
    m: Machine, node: ast.ClassDef, bases: Sequence[Value], attrs: dict[str, Value], state: State
) -> Ref:
    """A class object."""
    cell = Cell("class", attrs=attrs, extra=tuple(bases), cls=Const(node.name))
    return m.new(state, cell)
