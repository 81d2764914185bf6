"""Calls of what is not known: anything may come back, any exception may come out."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import calls, fields, mentions, running, wrappers
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import (
    EMPTY,
    NONE,
    Bound,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Unknown,
    Value,
    Wrapped,
    taints_of,
)


def opaque_failures(m: Machine, state: State, frame: Frame, node: ast.AST, text: str = "") -> list[Outcome]:
    """The failures of a call that is not known."""
    out = [Outcome(Flow.RAISE, state.fork(), NONE, None, frame.chain(node, text))]
    if not frame.cleanup and frame.phase == "run":
        out.append(Outcome(Flow.EXIT, state.fork(), NONE, None, frame.chain(node, text)))
    return out


def opaque(
    m: Machine,
    name: str,
    args: calls.Args,
    state: State,
    frame: Frame,
    node: ast.AST,
    taints: frozenset[str] = EMPTY,
) -> list[Outcome]:
    """A call outside of what is known: anything may come back, any exception may come out."""
    from lens_preflight.program import self_ends, training

    site = frame.site(node, f"{name}()")
    training.opaque_call(m, name, site, state, frame)
    running.waited_outside(name, not args.plain and not args.names and not args.open, state)
    for value in (*args.plain, *args.names.values()):
        taints = taints | taints_of(value)
        state = escaping(m, value, name, state, site)
        taints = taints | (frozenset(("rank",)) if isinstance(value, Lanes) else EMPTY)
    out = [*training.signal_during(m, name, state, frame, node), *self_ends.timed(m, state)]
    out.extend(opaque_failures(m, state, frame, node, f"{name}()"))
    result: Value = Unknown(taints | {f"opaque:{name}"})
    if args.plain and isinstance(args.plain[0], Func | Wrapped) and wraps(name):
        result = wrappers.around(args.plain[0], name)
    out.extend(normal(state, result))
    return out


def wraps(name: str) -> bool:
    """True for the name of a call that may return the function it is given, wrapped."""
    return "()" in name or any(word in name.lower() for word in ("wrap", "restart", "decorat", "a call"))


def escaping(m: Machine, value: Value, name: str, state: State, site: Site) -> State:
    """A shutdown that is handed to something unknown may be called there, or not."""
    if (
        isinstance(value, Bound)
        and isinstance(value.func, Lib)
        and value.func.path.endswith("TelemetryHandle.shutdown")
    ):
        return undecided(state, site, f"{name}() is given the shutdown and may or may not call it")
    if isinstance(value, Ref):
        cell = state.read(value.id)
        closing = name.rpartition(".")[2].lower()
        if cell.kind == "handle" and any(
            w in closing for w in ("shutdown", "close", "finish", "stop", "end")
        ):
            return undecided(state, site, f"{name}() is given the handle and may shut it down")
        if cell.kind == "instance" and mentions.mentions_shutdown(m, value, state):
            return undecided(state, site, f"{name}() is given an object whose methods shut down")
        if cell.kind == "class" and not state.facts.setups and fields.made(cell):
            m.seen.opaque.append((f"{name}() is given a class and may make an object of it", site))
        changed_outside(value, name, state)
        if cell.kind in ("list", "set") and isinstance(cell.items, list):
            for item in cell.items:
                state = escaping(m, item, name, state, site)
    function = value.func if isinstance(value, Bound) else value
    if not isinstance(function, Func):
        return state
    if not state.facts.setups:
        m.seen.opaque.append((f"{name}() is given {function.name} and may call it", site))
    if mentions.function_mentions_shutdown(function):
        return undecided(state, site, f"{name}() is given a function that shuts down and may call it")
    return state


def changed_outside(value: Ref, name: str, state: State) -> None:
    """A configuration or mapping that was given away: its plain values may have changed."""
    from lens_preflight.program import config_classes

    kind = state.read(value.id).kind
    taint = frozenset((f"opaque:{name}",))
    if kind == "config" and not state.facts.setups:
        cell = state.edit(value.id)
        for field in config_classes.DECIDING:
            cell.attrs[field] = Unknown(taint | taints_of(cell.attrs.get(field)))
    elif kind == "dict":
        cell = state.edit(value.id)
        cell.open = True
        for key, item in cell.items.items():
            if isinstance(item, Const | Lanes):
                cell.items[key] = Unknown(taint | taints_of(item))


def undecided(state: State, site: Site, why: str) -> State:
    """Open handles are from here on perhaps shut down."""
    for number, fact in state.facts.open_handles:
        if fact.status == "open":
            state.facts = state.facts.with_handle(number, replace(fact, status="maybe", why=why, closer=site))
    return state
