"""Fields of dataclasses: their defaults, and the ones that are made for each object."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from lens_preflight.program import calls, classes
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import FALSE, NONE, TRUE, Func, Ref, Unknown, Value, Wrapped

FIELD = "field"


def field(names: Mapping[str, Value]) -> Value:
    """What ``field(...)`` gives: a plain default where there is one and nothing else is said."""
    plain = names.get("default")
    special = {k: v for k, v in names.items() if k in ("default_factory", "init", "kw_only")}
    if plain is not None and not special:
        return plain
    return Wrapped(
        FIELD,
        names.get("default_factory", NONE),
        (plain,) if plain is not None else (),
        tuple(special.items()),
    )


def default(found: Wrapped) -> Value | None:
    """The plain default of a field, None when it has none."""
    return found.extra[0] if found.extra else None


def made(cls: Cell) -> bool:
    """True when making an object of the class runs a factory of the tree."""
    held = cls.attrs.values()
    return any(isinstance(v, Wrapped) and v.role == FIELD and isinstance(v.inner, Func) for v in held)


def fill(
    m: Machine,
    cls: Ref,
    this: Ref,
    names: list[str],
    args: calls.Args,
    state: State,
    frame: Frame,
    node: ast.AST,
) -> list[Outcome]:
    """Give every field its argument, its default, or what its factory makes now."""
    live = [state]
    out: list[Outcome] = []
    place = 0
    for name in names:
        found, _ = classes.find_in_class(m, cls, name, state)
        said = dict(found.names) if isinstance(found, Wrapped) and found.role == FIELD else {}
        taken = said.get("init", TRUE) != FALSE
        by_place = taken and said.get("kw_only", FALSE) != TRUE
        given = args.get(place if by_place else -1, name, NOT_GIVEN) if taken else NOT_GIVEN
        place += by_place
        following: list[State] = []
        for here in live:
            for o in value_of(m, found, given, args.open and taken, here, frame, node):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                o.state.edit(this.id).attrs[name] = o.value
                following.append(o.state)
        live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


NOT_GIVEN = Unknown(frozenset(("not given",)))
"""Stands for an argument that the call leaves out."""


def value_of(
    m: Machine,
    found: Value | None,
    given: Value | None,
    perhaps: bool,
    state: State,
    frame: Frame,
    node: ast.AST,
) -> list[Outcome]:
    """The value of one field; ``perhaps``: it may be among arguments that are not known."""
    if given is not None and given is not NOT_GIVEN:
        return [Outcome(Flow.NORMAL, state, given)]
    if not isinstance(found, Wrapped) or found.role != FIELD:
        return [Outcome(Flow.NORMAL, state, found if found is not None else Unknown())]
    plain = default(found)
    if plain is not None or "default_factory" not in dict(found.names):
        return [Outcome(Flow.NORMAL, state, plain or Unknown())]
    unmade = [Outcome(Flow.NORMAL, state.fork(), Unknown())] if perhaps else []
    return [*unmade, *calls.invoke(m, found.inner, calls.Args(), state, frame, node)]
