"""Named tuples: classes whose objects are tuples, by ``typing.NamedTuple`` and ``collections.namedtuple``."""

from __future__ import annotations

from lens_preflight.program import access, calls, classes, failures
from lens_preflight.program.machine import Machine
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import NONE, TRUE, Bound, Const, Lib, Ref, Tup, Unknown, Value

NAMED = "__named__"
"""The attribute of a class that makes it one."""

METHODS = ("_replace", "_asdict", "_make")


def attributes(names: Tup, defaults: dict[str, Value]) -> dict[str, Value]:
    """What such a class has beside what its body says."""
    return {**defaults, NAMED: TRUE, "_fields": names, "__dataclass__": names}


def names_of(m: Machine, cls: Value | None, state: State) -> list[str] | None:
    """The names of the fields; None for any other class."""
    if not isinstance(cls, Ref) or classes.find_in_class(m, cls, NAMED, state)[0] is None:
        return None
    held = classes.find_in_class(m, cls, "_fields", state)[0]
    return [str(f.value) for f in held.items if isinstance(f, Const)] if isinstance(held, Tup) else None


def items(m: Machine, value: Ref, state: State) -> list[Value] | None:
    """The items of an object that is one; None for any other object."""
    cell = state.read(value.id)
    names = names_of(m, cell.cls, state) if cell.kind == "instance" else None
    return None if names is None else [cell.attrs.get(name, Unknown()) for name in names]


def method(m: Machine, value: Ref, name: str, state: State) -> Bound | None:
    """A method that every named tuple has, of an object or of the class."""
    cell = state.read(value.id)
    cls = value if cell.kind == "class" else cell.cls
    if name not in METHODS or names_of(m, cls, state) is None:
        return None
    return Bound(value, Lib(f"namedtuple.{name}"))


@model("collections.namedtuple", "typing.NamedTuple")
def named(this: Call) -> list[Outcome]:
    """A class whose constructor takes the named fields."""
    found = access.items_of(this.m, this.arg(1, "field_names"), this.state)
    text = this.text(1, "field_names")
    if text is not None:
        found = [Const(word) for word in text.replace(",", " ").split()]
    if found is None:
        return this.done(Unknown())
    names = Tup(tuple(f.items[0] if isinstance(f, Tup) and f.items else f for f in found))
    last = access.items_of(this.m, this.args.names.get("defaults", NONE), this.state) or []
    pairs = zip(names.items[len(names.items) - len(last) :], last, strict=False)
    attrs = attributes(names, {str(n.value): v for n, v in pairs if isinstance(n, Const)})
    return this.done(this.m.new(this.state, Cell("class", attrs, extra=(), cls=Const("namedtuple"))))


@model("namedtuple._replace")
def replaced(this: Call) -> list[Outcome]:
    """A copy with other values in some fields."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    names = names_of(this.m, cell.cls, this.state) or []
    if set(this.args.names) - set(names) or this.args.plain:
        text = "_replace() with these arguments"
        return [failures.failure(this.state, this.frame, this.node, None, text)]
    attrs = {
        **cell.attrs,
        **({name: Unknown() for name in names} if this.args.open else {}),
        **this.args.names,
    }
    return this.done(this.m.new(this.state, Cell("instance", attrs, cls=cell.cls)))


@model("namedtuple._asdict")
def as_dict(this: Call) -> list[Outcome]:
    """The fields as a mapping."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    names = names_of(this.m, cell.cls, this.state) or []
    held = {name: cell.attrs.get(name, Unknown()) for name in names}
    return this.done(this.m.new(this.state, Cell("dict", items=held)))


@model("namedtuple._make")
def made(this: Call) -> list[Outcome]:
    """An object from the items of an iterable."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    cls = this.receiver if cell.kind == "class" else cell.cls
    given = access.items_of(this.m, this.arg(0, "iterable"), this.state)
    names = names_of(this.m, cls, this.state) or []
    if given is not None and len(given) != len(names):
        return [failures.failure(this.state, this.frame, this.node, "TypeError", "_make() with these items")]
    args = calls.Args(given or [], open=given is None)
    return calls.invoke(this.m, cls or Unknown(), args, this.state, this.frame, this.node)
