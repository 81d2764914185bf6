"""Attributes that an object cannot hold: of frozen dataclasses, beside slots, and of named tuples."""

from __future__ import annotations

from lens_preflight.program import access, classes, named_tuples
from lens_preflight.program.machine import Machine
from lens_preflight.program.state import State
from lens_preflight.program.values import TRUE, Const, Func, Lib, Ref, Tup, Unknown, Value, Wrapped

FROZEN = "__frozen__"
"""The attribute of a class that is a frozen dataclass."""

WITHOUT_DICT = ("builtins.object", "abc.ABC", "typing.Protocol", "typing.Generic")
"""Bases outside of the tree that give no ``__dict__``."""


def refuses(m: Machine, target: Value, name: str, state: State, by_hand: bool = False) -> bool:
    """True when setting the attribute raises; ``by_hand``: by ``object.__setattr__``."""
    cell = state.read(target.id) if isinstance(target, Ref) else None
    if cell is None or cell.kind != "instance" or not isinstance(cell.cls, Ref) or name.startswith("__dict"):
        return False
    if isinstance(classes.find_in_class(m, cell.cls, "__setattr__", state)[0], Func):
        return False
    order, whole = classes.mro(m, cell.cls, state)
    for here in order if not by_hand else ():
        attrs = state.read(here.id).attrs
        if attrs.get(FROZEN) == TRUE and (here == cell.cls or Const(name) in fields(attrs)):
            return True
    held = classes.find_in_class(m, cell.cls, name, state)[0]
    if isinstance(held, Func | Wrapped | Unknown):  # a property, perhaps with a setter
        return False
    names = named_tuples.names_of(m, cell.cls, state)
    if names is not None:
        return name in names or named_tuples.NAMED in state.read(cell.cls.id).attrs
    return whole and beside_slots(m, order, name, state)


def fields(attrs: dict[str, Value]) -> tuple[Value, ...]:
    """The fields of a dataclass."""
    found = attrs.get("__dataclass__")
    return found.items if isinstance(found, Tup) else ()


def beside_slots(m: Machine, order: list[Ref], name: str, state: State) -> bool:
    """True when all classes have slots, and none for the name."""
    for here in order:
        cell = state.read(here.id)
        if any(isinstance(b, Lib) and b.path not in WITHOUT_DICT for b in cell.extra or ()):
            return False
        slots = cell.attrs.get("__slots__")
        if slots is None:
            return False
        one = isinstance(slots, Const) and isinstance(slots.value, str)
        found = [slots] if one else access.items_of(m, slots, state)
        known = [s.value for s in found or () if isinstance(s, Const)]
        if found is None or len(known) != len(found) or name in known or "__dict__" in known:
            return False
    return True
