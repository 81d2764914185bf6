"""Context managers: entering and leaving them, those of the tree and those of libraries."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    awaiting,
    calls,
    children,
    classes,
    generators,
    objects,
    opaque_calls,
    protected,
    running,
    truths,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call
from lens_preflight.program.state import Cell, State
from lens_preflight.program.tables import CLEAN_MANAGERS
from lens_preflight.program.values import (
    NONE,
    RAISED,
    Bound,
    Choice,
    Func,
    Lib,
    Ref,
    Unknown,
    Value,
    Wrapped,
)


def enter(m: Machine, manager: Value, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Enter; the outcome's ``inner`` is what has to be left."""
    if isinstance(manager, Ref):
        kind = state.read(manager.id).kind
        if kind == "generator":
            return [o._replace(inner=manager) for o in generators.start(m, manager, state, frame, node)]
        if kind == "exitstack":
            return [Outcome(Flow.NORMAL, state, manager, inner=manager)]
        if kind == "instance":
            return enter_instance(m, manager, state, frame, node)
        if kind == "closing":
            return [Outcome(Flow.NORMAL, state, state.read(manager.id).attrs["thing"], inner=manager)]
        if kind in ("suppress", "nullcontext"):
            thing = state.read(manager.id).attrs.get("thing", NONE)
            return [Outcome(Flow.NORMAL, state, thing, inner=manager)]
        if kind in ("handle", "config", "list", "dict"):
            return [Outcome(Flow.RAISE, state, error="TypeError", origin=frame.chain(node, "with on it"))]
        if kind == "libobj":
            return enter_library(m, manager, str(state.read(manager.id).extra), state, frame, node)
    if isinstance(manager, Lib):
        return enter_library(m, manager, manager.path, state, frame, node)
    failed = opaque_calls.opaque_failures(m, state, frame, node)
    return [Outcome(Flow.NORMAL, state, Unknown(), inner=manager), *failed]


def enter_library(
    m: Machine, manager: Value, path: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """A manager of a library: it may fail to open unless it is known not to."""
    value = manager if path.startswith(CLEAN_MANAGERS) else Unknown()
    if path.endswith(("Executor", "Pool", "TaskGroup")):
        value = manager
    done = [Outcome(Flow.NORMAL, state, value, inner=manager)]
    if path.startswith(CLEAN_MANAGERS):
        return done
    return [*done, *opaque_calls.opaque_failures(m, state, frame, node)]


def enter_instance(m: Machine, manager: Ref, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """``__enter__`` (or ``__aenter__``) of a class of the tree."""
    names = ("__aenter__", "__enter__") if asynchronous(node) else ("__enter__", "__aenter__")
    out: list[Outcome] = []
    for o in method(m, manager, names, [], state, frame, node):
        for r in awaiting.settle(m, o, frame, node):
            out.append(r._replace(inner=manager) if r.flow is Flow.NORMAL else r)
    return out


def asynchronous(node: ast.AST) -> bool:
    """Nothing in the tree tells; both names are tried."""
    return isinstance(node, ast.AsyncWith)


def method(
    m: Machine,
    manager: Ref,
    names: tuple[str, ...],
    args: list[Value],
    state: State,
    frame: Frame,
    node: ast.AST,
) -> list[Outcome]:
    """Call the first method that the class of the object has."""
    cls = state.read(manager.id).cls
    for name in names:
        if isinstance(cls, Ref):
            found, owner = classes.find_in_class(m, cls, name, state)
            if isinstance(found, Func):
                call = Bound(manager, classes.owned(found, owner))
                return calls.invoke(m, call, calls.Args(list(args)), state, frame, node)
    if isinstance(cls, Ref) and not classes.mro(m, cls, state)[1]:
        return [Outcome(Flow.NORMAL, state, Unknown() if args else manager)]
    return [Outcome(Flow.RAISE, state, error="TypeError", origin=frame.chain(node, "with on it"))]


def leave(m: Machine, manager: Value, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Leave with one way out of the body; an exception may stop here."""
    if isinstance(manager, Ref):
        kind = o.state.read(manager.id).kind
        if kind == "generator":
            return generators.finish(m, manager, o, frame, node)
        if kind == "exitstack":
            return unwind(m, manager, o, frame, node)
        if kind == "instance":
            return leave_instance(m, manager, o, frame, node)
        if kind == "closing":
            thing = o.state.read(manager.id).attrs["thing"]
            return after(o, close(m, thing, o.state, frame, node))
        if kind == "nullcontext":
            return [o]
        if kind == "suppress":
            return suppress(m, manager, o)
        if kind == "libobj":
            return leave_library(m, str(o.state.read(manager.id).extra), o, frame, node)
    if isinstance(manager, Lib):
        return leave_library(m, manager.path, o, frame, node)
    return swallowing(o)


def leave_library(m: Machine, path: str, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """A library's manager passes exceptions on when it is known to; else it may swallow them."""
    if path == "concurrent.futures.ThreadPoolExecutor()" and o.flow is not Flow.HARD:
        running.all_ended(o.state, ("pool",))
    if path in children.POOLS and o.flow is not Flow.HARD:
        args = calls.Args()
        children.ends(Call(m, "Pool.__exit__", None, args, o.state, frame, node), children.POOL, True)
    return [o] if path.startswith(CLEAN_MANAGERS) else swallowing(o)


def swallowing(o: Outcome) -> list[Outcome]:
    """An exception may stop here, or not."""
    if o.flow is not Flow.RAISE:
        return [o]
    other = Outcome(Flow.NORMAL, o.state.fork())
    other.state.hypo = True
    return [o, other]


def after(o: Outcome, done: list[Outcome]) -> list[Outcome]:
    """The first way out again, in the states after an exit; an exit that fails wins."""
    return [o.at(d.state) if d.flow is Flow.NORMAL else d for d in done]


def close(m: Machine, thing: Value, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """``thing.close()``."""
    out: list[Outcome] = []
    for o in objects.get_attribute(m, thing, "close", state, frame, node):
        if o.flow is Flow.NORMAL:
            out.extend(calls.invoke(m, o.value, calls.Args([]), o.state, frame, node))
        else:
            out.append(o)
    return out


def leave_instance(m: Machine, manager: Ref, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """``__exit__``: a true result stops the exception."""
    raised = o.flow in protected.ABRUPT
    info: list[Value] = [RAISED if raised else NONE] * 3
    out: list[Outcome] = []
    for called in method(m, manager, ("__exit__", "__aexit__"), info, o.state, frame, node):
        for r in awaiting.settle(m, called, frame, node):
            if r.flow is not Flow.NORMAL:
                out.append(r)
            elif not raised:
                out.append(o.at(r.state))
            else:
                for branch, truth in truths.split(m, r.value, r.state, frame):
                    out.append(Outcome(Flow.NORMAL, branch) if truth else o.at(branch))
    return out


def suppress(m: Machine, manager: Ref, o: Outcome) -> list[Outcome]:
    """``contextlib.suppress``: stops what it names."""
    if o.flow not in protected.ABRUPT:
        return [o]
    kinds = o.state.read(manager.id).attrs["thing"]
    found = [protected.takes(k, o, o.state) for k in protected.flattened(kinds, o.state)]
    if True in found:
        return [Outcome(Flow.NORMAL, o.state)]
    if None in found:
        return [o.at(o.state.fork()), Outcome(Flow.NORMAL, o.state)]
    return [o]


def unwind(m: Machine, stack: Ref, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Run the callbacks of an ExitStack, last first."""
    live = [o]
    out: list[Outcome] = []
    while live:
        current = live.pop()
        cell = current.state.edit(stack.id)
        if not cell.items:
            out.append(current)
            continue
        entry = cell.items[-1]
        cell.items = cell.items[:-1]
        if cell.open:  # paths were joined that had pushed more or less
            live.append(current.at(current.state.fork()))
        live.extend(leave_entry(m, entry, current, frame, node))
    return reduce(out)


def leave_entry(m: Machine, entry: Value, o: Outcome, frame: Frame, node: ast.AST) -> list[Outcome]:
    """One entry of an ExitStack: a manager to leave, a callback, or an exit function."""
    if isinstance(entry, Choice):
        ways = ((option, o.at(o.state.fork())) for option in entry.options)
        return [r for option, way in ways for r in leave_entry(m, option, way, frame, node)]
    if not isinstance(entry, Wrapped):
        why = "an exit stack holds something that differs between the paths to its end"
        return [o.at(opaque_calls.undecided(o.state, frame.site(node), why))]
    if entry.role == "enter":
        return leave(m, entry.inner, o, frame, node)
    raised = o.flow in protected.ABRUPT
    if entry.role == "callback":
        done = calls.invoke(
            m, entry.inner, calls.Args(list(entry.extra), dict(entry.names)), o.state, frame, node
        )
        settled = [s for d in done for s in awaiting.settle(m, d, frame, node)]
        return after(o, settled)
    info: list[Value] = [RAISED if raised else NONE] * 3
    out: list[Outcome] = []
    if isinstance(entry.inner, Ref):
        return leave(m, entry.inner, o, frame, node)
    for r in calls.invoke(m, entry.inner, calls.Args(info), o.state, frame, node):
        if r.flow is not Flow.NORMAL:
            out.append(r)
        elif not raised:
            out.append(o.at(r.state))
        else:
            for branch, truth in truths.split(m, r.value, r.state, frame):
                out.append(Outcome(Flow.NORMAL, branch) if truth else o.at(branch))
    return out


def new_stack(m: Machine, state: State) -> list[Outcome]:
    """A fresh ExitStack."""
    return normal(state, m.new(state, Cell("exitstack", items=[])))
