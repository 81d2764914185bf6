"""Objects of the program: names, attributes, items, functions and classes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from pathlib import PurePath

from lens_preflight.program import expressions, libraries, natives
from lens_preflight.program.machine import Flow, Frame, Machine, Outcome, normal
from lens_preflight.program.scopes import names_of
from lens_preflight.program.state import Cell, State, lane_numbers, part
from lens_preflight.program.values import (
    EMPTY,
    NONE,
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
    taints_of,
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


def bind(m: Machine, name: str, value: Value, state: State, frame: Frame) -> None:
    """Assign to a name, where the function says it lives."""
    cell = frame.cell
    if frame.func is not None:
        names = names_of(frame.func.node)
        if name in names.globals:
            cell = frame.globals
        elif name in names.nonlocals:
            cell = next((c for c in frame.scope if name in state.read(c).attrs), frame.cell)
    state.edit(cell).attrs[name] = value


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
    if isinstance(value, Ref):
        return cell_attribute(m, value, name, state, frame, node)
    if isinstance(value, Wrapped):
        return wrapped_attribute(m, value, name, state, frame, node)
    if isinstance(value, Tup):
        return normal(state, Bound(value, Lib(f"plain.{name}")))
    if isinstance(value, Func | Bound):
        if name in ("__name__", "__qualname__"):
            return normal(state, Const(getattr(value, "name", name)))
        return normal(state, Unknown())
    fail = [o for o in expressions.may_fail(m, state, frame, node) if o.flow is Flow.RAISE]
    extra = frozenset((f"cli:{name}",)) if any("args" in t for t in value.taints) else EMPTY
    return [*normal(state, Unknown(value.taints | extra)), *fail]


def plain_attribute(
    m: Machine, value: Const, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of a known plain object; None has none."""
    if isinstance(value.value, PurePath) and name in ("parent", "name", "stem", "parents", "suffix"):
        return natives.apply(m, lambda p: getattr(p, name), [value], state, name)
    if not hasattr(value.value, name) and not isinstance(value.value, PurePath):
        if value.value is None and name == "shutdown":
            m.seen.none_calls.append((frame.chain(node, "None.shutdown"), state.lanes))
        return [expressions.failure(state, frame, node, "AttributeError")]
    return normal(state, Bound(value, Lib(f"plain.{name}")))


def cell_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of an object on the heap, by its kind."""
    cell = state.read(value.id)
    if cell.kind == "module":
        return libraries.module_attribute(m, value, name, state, frame, node)
    if cell.kind == "instance":
        return instance_attribute(m, value, name, state, frame, node)
    if cell.kind == "class":
        return class_attribute(m, value, name, state, frame, node)
    if name in cell.attrs:
        return normal(state, cell.attrs[name])
    return libraries.object_attribute(m, value, name, state, frame, node)


def mro(m: Machine, cls: Ref, state: State) -> tuple[list[Ref], bool]:
    """The classes of the tree that a class inherits from, itself first; True when all bases are known."""
    out: list[Ref] = []
    whole = True
    stack = [cls]
    while stack:
        here = stack.pop(0)
        if here in out:
            out.remove(here)
        out.append(here)
        bases = state.read(here.id).extra or ()
        refs = [b for b in bases if isinstance(b, Ref) and state.read(b.id).kind == "class"]
        for base in bases:
            known = base in refs or (isinstance(base, Lib) and base.path in libraries.PLAIN_BASES)
            whole = whole and known
        stack = refs + stack
        if len(out) > 60:
            break
    return out, whole


def find_in_class(
    m: Machine, cls: Ref, name: str, state: State, after: Ref | None = None
) -> tuple[Value | None, Ref | None]:
    """A name of a class and the class that has it; with ``after`` as ``super`` looks."""
    order, _ = mro(m, cls, state)
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for here in order:
        found = state.read(here.id).attrs.get(name)
        if found is not None:
            return found, here
    return None, None


def instance_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of an instance: its own, or its class's, bound."""
    cell = state.read(value.id)
    if name in cell.attrs:
        found = cell.attrs[name]
        if isinstance(found, Choice):
            out: list[Outcome] = []
            for option in found.options:
                here = state.fork()
                here.edit(value.id).attrs[name] = option
                out.extend(normal(here, option))
            return out
        return normal(state, found)
    assert isinstance(cell.cls, Ref)
    if name == "__class__":
        return normal(state, cell.cls)
    found_, owner = find_in_class(m, cell.cls, name, state)
    if found_ is not None:
        return bound(m, found_, value, owner, state, frame, node, name)
    _, whole = mro(m, cell.cls, state)
    if not whole or cell.open:
        return library_attribute(m, value, cell.cls, name, state)
    return [expressions.failure(state, frame, node, "AttributeError")]


def library_attribute(m: Machine, value: Ref, cls: Ref, name: str, state: State) -> list[Outcome]:
    """An attribute that an instance has from a class outside the tree."""
    order, _ = mro(m, cls, state)
    for here in order:
        for base in state.read(here.id).extra or ():
            if isinstance(base, Lib):
                return normal(state, Bound(value, Lib(f"{base.path}.{name}")))
    return normal(state, Unknown())


def bound(
    m: Machine,
    found: Value,
    receiver: Ref,
    owner: Ref | None,
    state: State,
    frame: Frame,
    node: ast.AST,
    name: str,
) -> list[Outcome]:
    """What a class attribute becomes when it is read through an instance."""
    from lens_preflight.program import calls

    if isinstance(found, Func):
        return normal(state, Bound(receiver, owned(found, owner)))
    if isinstance(found, Wrapped):
        if found.role in ("property", "cached_property"):
            args = calls.Args([receiver])
            out = calls.invoke(m, owned(found.inner, owner), args, state, frame, node)
            if found.role == "cached_property":
                for o in out:
                    if o.flow is Flow.NORMAL:
                        o.state.edit(receiver.id).attrs[name] = o.value
            return out
        if found.role == "staticmethod":
            return normal(state, found.inner)
        if found.role == "classmethod":
            cls = state.read(receiver.id).cls
            return normal(state, Bound(cls if cls is not None else receiver, owned(found.inner, owner)))
        if found.role in ("cached", "context", "remote", "decorated"):
            return normal(state, Bound(receiver, found))
    return normal(state, found)


def owned(func: Value, owner: Ref | None) -> Value:
    """A function that knows the class it was found in, for ``super``."""
    if isinstance(func, Func) and owner is not None:
        return Func(func.node, func.path, func.globals, func.scope, func.defaults, func.kwdefaults, owner)
    return func


def owned_function(func: Func, owner: Ref | None) -> Func:
    """The same for what is surely a function."""
    found = owned(func, owner)
    return found if isinstance(found, Func) else func


def class_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of a class."""
    found, owner = find_in_class(m, value, name, state)
    if isinstance(found, Wrapped) and found.role == "classmethod":
        return normal(state, Bound(value, owned(found.inner, owner)))
    if isinstance(found, Wrapped) and found.role == "staticmethod":
        return normal(state, found.inner)
    if found is not None:
        return normal(state, owned(found, owner))
    if name in ("__name__", "__qualname__"):
        return normal(state, Const(state.read(value.id).cls and "class"))
    _, whole = mro(m, value, state)
    if name == "remote":
        return normal(state, Wrapped("remote-new", value))
    if whole:
        return [expressions.failure(state, frame, node, "AttributeError")]
    for base in state.read(value.id).extra or ():
        if isinstance(base, Lib):
            return normal(state, Bound(value, Lib(f"{base.path}.{name}")))
    return normal(state, Unknown())


def wrapped_attribute(
    m: Machine, value: Wrapped, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of something with a role."""
    if value.role == "super":
        receiver = value.inner
        after = value.extra[0] if value.extra else None
        cls = state.read(receiver.id).cls if isinstance(receiver, Ref) else None
        if isinstance(receiver, Ref) and state.read(receiver.id).kind == "class":
            cls = receiver
        if isinstance(cls, Ref) and isinstance(after, Ref) and isinstance(receiver, Ref):
            found, owner = find_in_class(m, cls, name, state, after)
            if found is not None:
                return bound(m, found, receiver, owner, state, frame, node, name)
        return normal(state, Lib(f"builtins.object.{name}"))
    if value.role == "remote" and name in ("remote", "options"):
        return normal(state, Wrapped("remote-call" if name == "remote" else "remote-options", value.inner))
    if value.role == "remote-options" and name == "remote":
        return normal(state, Wrapped("remote-call", value.inner))
    if value.role in ("command", "group"):
        return normal(state, Bound(value, Lib(f"{value.role}.{name}")))
    if value.role == "actor":
        return normal(state, Wrapped("actor-method", value.inner, (Const(name), *value.extra)))
    if value.role == "actor-method" and name == "remote":
        return normal(state, Wrapped("actor-call", value.inner, value.extra))
    if value.role == "partial" and name == "func":
        return normal(state, value.inner)
    if value.role in ("cached", "decorated", "context"):
        return normal(state, Bound(value, Lib(f"wrapped.{name}")))
    return normal(state, Unknown())


def set_attribute(
    m: Machine, target: Value, name: str, value: Value, state: State, frame: Frame, node: ast.AST
) -> list[State]:
    """``target.name = value``; the states that go on."""
    if isinstance(target, Choice | Lanes):
        out: list[State] = []
        for here, option in split_options(target, state):
            out.extend(set_attribute(m, option, name, value, here, frame, node))
        return out
    if isinstance(target, Ref):
        cell = state.edit(target.id)
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


def items_of(m: Machine, value: Value, state: State) -> list[Value] | None:
    """The items of an iterable of known length, None when it is not known."""
    if isinstance(value, Tup):
        return list(value.items)
    if isinstance(value, Const) and isinstance(value.value, str | range | bytes):
        if len(value.value) > natives.MAX_ITEMS:
            return None
        return [Const(item, value.taints) for item in value.value]
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.open or cell.kind not in ("list", "set", "dict"):
            return None
        if cell.kind == "dict":
            return [natives.lifted(m, key, state) for key in cell.items]
        return list(cell.items)
    if isinstance(value, Lanes):
        whole = [items_of(m, p, state) if p is not None else [] for p in value.parts]
        lengths = {len(x) for lane, x in enumerate(whole) if x is not None and state.lanes >> lane & 1}
        if len(lengths) == 1 and None not in whole:
            n = lengths.pop()
            columns = [[x[i] if x and i < len(x) else NONE for x in whole if x is not None] for i in range(n)]
            return [m.per_lane(column) for column in columns]
    return None


def get_item(
    m: Machine, container: Value, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``container[index]``."""
    if isinstance(container, Choice) or (isinstance(container, Lanes) and not all_plain(container)):
        out: list[Outcome] = []
        for here, option in split_options(container, state):
            out.extend(get_item(m, option, index, here, frame, node))
        return out
    if isinstance(index, Lanes | Choice) and isinstance(container, Ref | Tup):
        out = []
        for here, option in split_options(index, state):
            out.extend(get_item(m, container, option, here, frame, node))
        return out
    if isinstance(container, Ref):
        cell = state.read(container.id)
        if cell.kind == "environ":
            return libraries.environ_item(m, container, index, state, frame, node)
        if cell.kind == "dict" and isinstance(index, Const):
            return dict_item(m, container, index, state, frame, node)
        if cell.kind == "list" and not cell.open and isinstance(index, Const):
            container = Tup(tuple(cell.items))
        elif cell.kind == "instance" and cell.cls is not None:
            return libraries.call_method(m, container, "__getitem__", [index], state, frame, node)
        elif cell.kind in ("list", "dict"):
            return unknown_item(m, natives.deep_taints(container, state), state, frame, node)
    if isinstance(container, Tup) and isinstance(index, Const):
        try:
            found = container.items[index.value]
        except (IndexError, TypeError) as error:
            return [expressions.failure(state, frame, node, type(error).__name__)]
        return normal(state, Tup(found) if isinstance(found, tuple) else found)
    if isinstance(container, Const | Lanes) and isinstance(index, Const | Lanes):
        return natives.apply(m, lambda a, b: a[b], [container, index], state, "item", frame, node)
    if isinstance(container, Lib) and "()" not in container.path:
        return normal(state, container)
    return unknown_item(m, taints_of(container) | taints_of(index), state, frame, node)


def unknown_item(
    m: Machine, taints: frozenset[str], state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An item that is not known, and the failure to get it."""
    failed = [o for o in expressions.may_fail(m, state, frame, node, "a lookup") if o.flow is Flow.RAISE]
    return [*normal(state, Unknown(taints)), *failed]


def dict_item(
    m: Machine, container: Ref, index: Const, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An item of a dict under a known key."""
    cell = state.read(container.id)
    try:
        found = cell.items.get(index.value)
    except TypeError:
        return [expressions.failure(state, frame, node, "TypeError")]
    if isinstance(found, Choice) or (isinstance(found, Lanes) and any(map(natives.is_absent, found.parts))):
        out: list[Outcome] = []
        for here, option in split_options(found, state):
            if natives.is_absent(option):
                here.edit(container.id).items.pop(index.value)
            else:
                here.edit(container.id).items[index.value] = option
            out.extend(dict_item(m, container, index, here, frame, node))
        return out
    if natives.is_absent(found):
        found = None
    if found is not None:
        from lens_preflight.program.values import tainted

        return normal(state, tainted(found, index.taints))
    if cell.extra is not None:
        return libraries.default_item(m, container, index, state, frame, node)
    if cell.open:
        return unknown_item(m, EMPTY, state, frame, node)
    return [expressions.failure(state, frame, node, "KeyError")]


def put_item(cell: Cell, key: Value, value: Value) -> None:
    """Store into a dict cell; a key that is not known leaves it open."""
    if isinstance(key, Const):
        try:
            cell.items[key.value] = value
        except TypeError:
            cell.open = True
    else:
        cell.open = True


def update_dict(m: Machine, cell: Cell, other: Value, state: State) -> None:
    """``dict.update`` with another mapping."""
    if isinstance(other, Ref):
        theirs = state.read(other.id)
        if theirs.kind == "dict":
            cell.items.update(theirs.items)
            cell.open = cell.open or theirs.open
            return
    cell.open = True


def set_item(
    m: Machine, container: Value, index: Value, value: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``container[index] = value``."""
    if isinstance(container, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in split_options(container, state):
            out.extend(set_item(m, option, index, value, here, frame, node))
        return out
    if isinstance(container, Ref):
        cell = state.edit(container.id)
        if cell.kind == "environ":
            return libraries.set_environ(m, container, index, value, state, frame, node)
        if cell.kind == "dict":
            put_item(cell, index, value)
            libraries.note_key(m, index, state, frame, node)
            return normal(state)
        if cell.kind == "list" and not cell.open and isinstance(index, Const):
            try:
                cell.items[index.value] = value
            except (IndexError, TypeError) as error:
                return [expressions.failure(state, frame, node, type(error).__name__)]
            return normal(state)
        if cell.kind == "instance":
            return libraries.call_method(m, container, "__setitem__", [index, value], state, frame, node)
        cell.open = True
    failed = [o for o in expressions.may_fail(m, state, frame, node, "a store") if o.flow is Flow.RAISE]
    return [*normal(state), *failed]


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
