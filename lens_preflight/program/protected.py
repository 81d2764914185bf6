"""``try`` and ``with``: what runs on the way out, and which exceptions stop there."""

from __future__ import annotations

import ast
import builtins

from lens_preflight.core.data import replace
from lens_preflight.program import expressions, managers, objects, raising, statements
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.state import State
from lens_preflight.program.values import NONE, Const, Lib, Ref, Tup, Unknown, Value

ABRUPT = (Flow.RAISE, Flow.EXIT)


def attempt(m: Machine, node: ast.Try, state: State, frame: Frame) -> list[Outcome]:
    """``try``: body, handlers, else, finally."""
    inner = replace(frame, guarded=True) if node.handlers else frame
    outcomes = statements.tagged(statements.block(m, node.body, state, inner), "try")
    return after_body(m, node, outcomes, frame)


def after_body(m: Machine, node: ast.Try, outcomes: list[Outcome], frame: Frame) -> list[Outcome]:
    """Handlers, else and finally for the ways out of a try's body."""
    handled: list[Outcome] = []
    for o in reduce(outcomes):
        if o.flow is Flow.NORMAL and node.orelse:
            handled.extend(statements.tagged(statements.block(m, node.orelse, o.state, frame), "try-else"))
        elif o.flow in ABRUPT and node.handlers:
            handled.extend(dispatch(m, node, o, frame))
        else:
            handled.append(o)
    return at_last(m, node, reduce(handled), frame)


def at_last(m: Machine, node: ast.Try, outcomes: list[Outcome], frame: Frame) -> list[Outcome]:
    """The finally body, once for every way out; leaving it another way wins."""
    if not node.finalbody:
        return outcomes
    inner = replace(frame, cleanup=True)
    out: list[Outcome] = []
    for o in outcomes:
        if o.flow in (Flow.YIELD, Flow.HARD):
            out.append(o)
            continue
        out += behind_cleanup(o, statements.block(m, node.finalbody, o.state, inner))
    return reduce(out)


def behind_cleanup(before: Outcome, outcomes: list[Outcome]) -> list[Outcome]:
    """The ways out of a finally body that was entered some way: that way goes on, unless it leaves another."""
    out = []
    for f in outcomes:
        if f.flow is Flow.YIELD:  # it goes on in the finally body, which knows what it was entered with
            f = f._replace(path=(("finally", before), *f.path))
        out.append(before.at(f.state) if f.flow is Flow.NORMAL else f)
    return out


def dispatch(m: Machine, node: ast.Try, o: Outcome, frame: Frame) -> list[Outcome]:
    """One exception and the handlers: those that take it, may take it, or let it pass."""
    out: list[Outcome] = []
    here: State | None = o.state
    for handler in node.handlers:
        if here is None:
            break
        verdict = True if handler.type is None else catches(m, handler.type, o, here, frame)
        if verdict is False:
            continue
        inside = here.fork() if verdict is None else here
        out.extend(run_handler(m, handler, o.at(inside), frame))
        if verdict:
            here = None
    if here is not None:
        out.append(o.at(here))
    return out


def run_handler(m: Machine, handler: ast.ExceptHandler, o: Outcome, frame: Frame) -> list[Outcome]:
    """The body of a handler with the exception in hand, for ``raise`` without words."""
    kind = "exit" if o.flow is Flow.EXIT else "raise"
    cell = o.state.edit(frame.cell)
    before, extra = cell.attrs.get("__handling__"), cell.extra
    cell.attrs["__handling__"] = Const(f"{kind}:{o.error or ''}")
    cell.extra = o.origin
    if handler.name:
        objects.bind(m, handler.name, Unknown(frozenset(("exception",))), o.state, frame)
    out = statements.block(m, handler.body, o.state, replace(frame, cleanup=True))
    for r in out:
        if r.flow is not Flow.YIELD:
            here = r.state.edit(frame.cell)
            here.extra = extra
            if before is None:
                here.attrs.pop("__handling__", None)
            else:
                here.attrs["__handling__"] = before
    return statements.tagged(out, ("handler", handler))


def catches(m: Machine, node: ast.expr, o: Outcome, state: State, frame: Frame) -> bool | None:
    """Whether a handler of that type takes an exception; None when it may."""
    values = [r.value for r in expressions.evaluate(m, node, state.fork(), frame) if r.flow is Flow.NORMAL]
    if not values:
        return None
    found = [takes(one, o, state) for one in flattened(values[0], state)]
    if True in found:
        return True
    return None if None in found else False


def flattened(value: Value, state: State) -> list[Value]:
    """The types of a handler."""
    return [x for item in value.items for x in flattened(item, state)] if isinstance(value, Tup) else [value]


def takes(value: Value, o: Outcome, state: State) -> bool | None:
    """Whether one type takes the exception."""
    if isinstance(value, Ref):
        base = raising.error_name(value, state)
        if base in ("SystemExit", "KeyboardInterrupt", "BaseException"):
            return None
        return None if o.flow is Flow.RAISE else False
    if not isinstance(value, Lib):
        return None
    words = value.path.split(".")
    if words[0] != "builtins":
        last = words[-1]
        if last in ("CancelledError",):
            return None if o.flow is Flow.EXIT else False
        return None if o.flow is Flow.RAISE else False
    mine = getattr(builtins, words[-1], None)
    if not (isinstance(mine, type) and issubclass(mine, BaseException)):
        return None
    return class_takes(mine, o)


def class_takes(mine: type[BaseException], o: Outcome) -> bool | None:
    """Whether a builtin exception type takes the exception of an outcome."""
    if mine is BaseException:
        return True
    if o.error:
        theirs = getattr(builtins, o.error, None)
        if isinstance(theirs, type) and issubclass(theirs, BaseException):
            if issubclass(theirs, mine):
                return True
            return None if issubclass(mine, theirs) else False
    if o.flow is Flow.EXIT:
        return None if mine in (SystemExit, KeyboardInterrupt, GeneratorExit) else False
    if mine is Exception:
        return True
    return None if issubclass(mine, Exception) else False


def managed(m: Machine, node: ast.With | ast.AsyncWith, state: State, frame: Frame) -> list[Outcome]:
    """``with``, item by item."""
    return enter_item(m, node, 0, state, frame)


def enter_item(
    m: Machine, node: ast.With | ast.AsyncWith, index: int, state: State, frame: Frame
) -> list[Outcome]:
    """Enter one manager, run what is inside, leave it."""
    if index == len(node.items):
        return statements.tagged(statements.block(m, node.body, state, frame), "with")
    item = node.items[index]
    out: list[Outcome] = []
    for o in expressions.evaluate(m, item.context_expr, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        for e in managers.enter(m, o.value, o.state, frame, item.context_expr):
            if e.flow is not Flow.NORMAL:
                out.append(e)
                continue
            out.extend(inside(m, node, index, e, frame))
    return reduce(out)


def inside(
    m: Machine, node: ast.With | ast.AsyncWith, index: int, entered: Outcome, frame: Frame
) -> list[Outcome]:
    """The body of one manager, after it was entered; its exit for every way out."""
    item = node.items[index]
    manager = entered.inner if entered.inner is not None else NONE
    live = [entered.state]
    out: list[Outcome] = []
    if item.optional_vars is not None:
        stored = statements.store(m, item.optional_vars, entered.value, entered.state, frame)
        live = [s.state for s in stored if s.flow is Flow.NORMAL]
        out = [s for s in stored if s.flow is not Flow.NORMAL]
    for here in live:
        out.extend(enter_item(m, node, index + 1, here, frame))
    out = [o._replace(path=((index, manager), *o.path)) if o.flow is Flow.YIELD else o for o in out]
    return leave(m, manager, out, frame, item.context_expr)


def leave(m: Machine, manager: Value, outcomes: list[Outcome], frame: Frame, node: ast.AST) -> list[Outcome]:
    """Run a manager's exit for every way out of its body."""
    out: list[Outcome] = []
    inner = replace(frame, cleanup=True)
    for o in reduce(outcomes):
        if o.flow in (Flow.YIELD, Flow.HARD):
            out.append(o)
        else:
            out.extend(managers.leave(m, manager, o, inner, node))
    return reduce(out)
