"""Classes of the tree: their order of inheritance, and attributes through instances."""

from __future__ import annotations

import ast

from lens_preflight.program import failures, named_tuples, natives
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.registry import MODELS
from lens_preflight.program.state import State
from lens_preflight.program.tables import LENS, PLAIN_BASES
from lens_preflight.program.values import (
    Bound,
    Choice,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Unknown,
    Value,
    Wrapped,
)


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
            known = base in refs or (isinstance(base, Lib) and base.path in PLAIN_BASES)
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
    found = cell.attrs.get(name)
    gone = isinstance(found, Lanes) and any(map(natives.is_absent, found.parts))
    if found is not None and (gone or isinstance(found, Choice)):
        from lens_preflight.program import objects

        out: list[Outcome] = []
        for here, option in objects.split_options(found, state):
            here.edit(value.id).attrs[name] = option
            out.extend(instance_attribute(m, value, name, here, frame, node))
        return out
    if found is not None and not natives.is_absent(found):
        return normal(state, found)
    assert isinstance(cell.cls, Ref)
    if name == "__class__":
        return normal(state, cell.cls)
    found_, owner = find_in_class(m, cell.cls, name, state)
    if found_ is not None:
        return bound(m, found_, value, owner, state, frame, node, name)
    method = named_tuples.method(m, value, name, state)
    if method is not None:
        return normal(state, method)
    fallback, owner = find_in_class(m, cell.cls, "__getattr__", state)
    if isinstance(fallback, Func) and not name.startswith("__"):
        from lens_preflight.program import calls

        call = Bound(value, owned(fallback, owner))
        return calls.invoke(m, call, calls.Args([Const(name)]), state, frame, node)
    _, whole = mro(m, cell.cls, state)
    if not whole or cell.open:
        return library_attribute(m, value, cell.cls, name, state)
    return [failures.failure(state, frame, node, "AttributeError")]


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
        if found.role == "field":
            return normal(state, Unknown())
        if found.role == "classmethod":
            cls = state.read(receiver.id).cls
            return normal(state, Bound(cls if cls is not None else receiver, owned(found.inner, owner)))
        if found.role in ("cached", "context", "remote", "decorated", "gated", "chosen", "perhaps"):
            return normal(state, Bound(receiver, found))
    return normal(state, found)


def owned(func: Value, owner: Ref | None) -> Value:
    """A function that knows the class it was found in, for ``super``."""
    if isinstance(func, Func) and owner is not None:
        return Func(func.node, func.path, func.globals, func.scope, func.defaults, func.kwdefaults, owner)
    return func


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
    method = named_tuples.method(m, value, name, state)
    if method is not None:
        return normal(state, method)
    meta, _ = find_in_class(m, value, "__metaclass__", state)
    if isinstance(meta, Ref):
        found, owner = find_in_class(m, meta, name, state)
        if found is not None:
            return bound(m, found, value, owner, state, frame, node, name)
    if name in ("__name__", "__qualname__"):
        return normal(state, Const(state.read(value.id).cls and "class"))
    _, whole = mro(m, value, state)
    if name == "remote":
        return normal(state, Wrapped("remote-new", value))
    if whole:
        return [failures.failure(state, frame, node, "AttributeError")]
    for base in state.read(value.id).extra or ():
        if isinstance(base, Lib):
            return normal(state, Bound(value, Lib(f"{base.path}.{name}")))
    return normal(state, Unknown())


def lens_base(m: Machine, cls: Ref, state: State) -> str | None:
    """The class of NeMo Lens that a class of the tree inherits from."""
    for here in mro(m, cls, state)[0]:
        for base in state.read(here.id).extra or ():
            if isinstance(base, Lib) and base.path.startswith(f"{LENS}."):
                return base.path
    return None


def library_of(m: Machine, cls: Ref, name: str, state: State) -> Lib | None:
    """A method of a library's class that is followed, for a class of the tree that inherits from it."""
    for here in mro(m, cls, state)[0]:
        for base in state.read(here.id).extra or ():
            if isinstance(base, Lib) and f"{base.path}.{name}" in MODELS:
                return Lib(f"{base.path}.{name}")
    return None


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
            after_meta = after not in mro(m, cls, state)[0]
            found, owner = (None, None) if after_meta else find_in_class(m, cls, name, state, after)
            if found is not None:
                return bound(m, found, receiver, owner, state, frame, node, name)
        library = lens_base(m, cls, state) if isinstance(cls, Ref) else None
        if library is not None:
            return normal(state, Bound(receiver, Lib(f"{library}.{name}")))
        outside = library_of(m, cls, name, state) if isinstance(cls, Ref) else None
        if outside is not None:
            return normal(state, Bound(receiver, outside))
        if name == "__call__" and cls == receiver:
            return normal(state, Bound(receiver, Lib("builtins.type.__call__")))
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
