"""Builtins about attributes and types."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import (
    attribute_writes,
    calls,
    classes,
    failures,
    holding,
    natives,
    objects,
    opaque_calls,
)
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    TRUE,
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

BY_HAND = "builtins.object.__setattr__"


def get_attr(this: Call) -> list[Outcome]:
    """``getattr`` with a known name; with another one nothing is known."""
    target, name = this.arg(0, "o"), this.arg(1, "n")
    default = this.args.get(2, "d")
    if not isinstance(name, Const) or not isinstance(name.value, str):
        if isinstance(target, Ref) and this.state.read(target.id).kind == "handle":
            opaque_calls.undecided(this.state, this.site, "the method of the handle is computed")
        return this.done(Unknown(taints_of(target) | {"opaque:getattr"}))
    out = objects.get_attribute(this.m, target, name.value, this.state, this.frame, this.node)
    if default is None:
        return out
    result: list[Outcome] = []
    for o in out:
        if o.flow is Flow.NORMAL:
            result.append(o)
        elif o.error == "AttributeError":
            result.extend(normal(o.state, default))
    return result


def has_attr(this: Call) -> list[Outcome]:
    """``hasattr`` on objects of the tree and on handles."""
    target, name = this.arg(0, "o"), this.arg(1, "n")
    if isinstance(name, Const) and isinstance(name.value, str) and not isinstance(target, Unknown | Lib):
        probe = objects.get_attribute(this.m, target, name.value, this.state.fork(), this.frame, this.node)
        flows = {o.flow for o in probe}
        if flows == {Flow.NORMAL}:
            return this.done(TRUE)
        if flows == {Flow.RAISE}:
            return this.done(FALSE)
    return this.done(Unknown(frozenset(("opaque:hasattr",))))


def set_attr(this: Call) -> list[Outcome]:
    """``setattr``; with an unknown name any attribute may have changed."""
    name = this.arg(1, "n")
    target = this.arg(0, "o")
    if isinstance(name, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in objects.split_options(name, this.state):
            args = calls.Args([target, option, this.arg(2, "v")])
            out.extend(set_attr(replace(this, state=here, args=args)))
        return out
    if isinstance(name, Const) and isinstance(name.value, str):
        if holding.refuses(this.m, target, name.value, this.state, this.path == BY_HAND):
            text = f"setting {name.value}"
            return [failures.failure(this.state, this.frame, this.node, "AttributeError", text)]
        live = objects.set_attribute(
            this.m, target, name.value, this.arg(2, "v"), this.state, this.frame, this.node
        )
        return [Outcome(Flow.NORMAL, s) for s in live]
    attribute_writes.of_any(this.state, target, "setattr")
    return this.done()


@model(BY_HAND, "attributes.__setattr__")
def set_attr_by_hand(this: Call) -> list[Outcome]:
    """``object.__setattr__(x, name, value)`` and ``x.__setattr__(name, value)``."""
    if this.receiver is None:
        return set_attr(this)
    args = calls.Args([this.receiver, *this.args.plain])
    return set_attr(replace(this, receiver=None, args=args))


def is_instance(this: Call) -> list[Outcome]:
    """``isinstance``, where the class of the object is known."""
    target, kind = this.arg(0, "o"), this.arg(1, "c")
    kinds = list(kind.items) if isinstance(kind, Tup) else [kind]
    if isinstance(target, Ref) and this.state.read(target.id).kind == "instance":
        cls = this.state.read(target.id).cls
        assert isinstance(cls, Ref)
        order, whole = classes.mro(this.m, cls, this.state)
        if any(k in order for k in kinds):
            return this.done(TRUE)
        if whole and all(isinstance(k, Ref) for k in kinds):
            return this.done(FALSE)
    if isinstance(target, Const):
        types = {"str": str, "int": int, "bool": bool, "float": float, "bytes": bytes}
        names = [k.path.removeprefix("builtins.") if isinstance(k, Lib) else "" for k in kinds]
        if all(n in types for n in names):
            answer = any(isinstance(target.value, types[n]) for n in names)
            return this.done(Const(answer, target.taints))
        if target.value is None:
            return this.done(FALSE)
    handle = isinstance(target, Ref) and this.state.read(target.id).kind == "handle"
    if handle and all(isinstance(k, Lib) for k in kinds):
        return this.done(Const(any("TelemetryHandle" in k.path for k in kinds if isinstance(k, Lib))))
    return this.done(Unknown(frozenset(("opaque:isinstance",)) | taints_of(target)))


def callable_(this: Call) -> list[Outcome]:
    """``callable``."""
    value = this.arg(0, "o")
    if isinstance(value, Func | Bound | Wrapped):
        return this.done(TRUE)
    if isinstance(value, Const) or (isinstance(value, Lib) and value.path.startswith("signal.SIG_")):
        return this.done(FALSE)
    return this.done(Unknown(frozenset(("opaque:callable",))))


def vars_(this: Call) -> list[Outcome]:
    """``vars(x)``: the attributes as a mapping, through which they can be written."""
    target = this.args.get(0, "o")
    if isinstance(target, Ref):
        return this.done(this.m.new(this.state, Cell("attributes", extra=target)))
    made = Cell("dict", items={})
    made.open = True
    return this.done(this.m.new(this.state, made))


@model("attributes.get")
def read_attribute(this: Call) -> list[Outcome]:
    """``vars(x).get(name)``."""
    assert isinstance(this.receiver, Ref)
    target = this.state.read(this.receiver.id).extra
    names = [target, *this.args.plain]
    return get_attr(Call(this.m, this.path, None, calls.Args(names), this.state, this.frame, this.node))


@model("dataclasses.asdict", "attributes.copy", "attributes.items")
def as_dict(this: Call) -> list[Outcome]:
    """The fields of an object of the tree, copied."""
    target = this.args.get(0, "obj")
    if this.path.startswith("attributes.") and isinstance(this.receiver, Ref):
        target = this.state.read(this.receiver.id).extra
    cell = this.state.read(target.id) if isinstance(target, Ref) else None
    made = Cell("dict", items={})
    if cell is None or cell.kind not in ("instance", "namespace", "config"):
        made.open = True
        return this.done(this.m.new(this.state, made))
    made.items = {k: v for k, v in cell.attrs.items() if " " not in k and not natives.is_absent(v)}
    made.open = cell.kind == "config"
    if this.path.endswith("items"):
        pairs: list[Value] = [Tup((Const(k), v)) for k, v in made.items.items()]
        listed = Cell("list", items=pairs)
        listed.open = made.open
        return this.done(this.m.new(this.state, listed))
    return this.done(this.m.new(this.state, made))


def type_(this: Call) -> list[Outcome]:
    """``type(x)``."""
    target = this.arg(0, "o")
    if isinstance(target, Ref) and len(this.args.plain) == 1:
        cls = this.state.read(target.id).cls
        if cls is not None and this.state.read(target.id).kind == "instance":
            return this.done(cls)
    return this.done(Unknown())
