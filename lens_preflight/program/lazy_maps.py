"""``map`` and ``functools.reduce``: a function called once an item, and when."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import access, calls, mentions, opaque_calls
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import Func, Lib, Tup, Value, Wrapped

MAX_ITEMS = 64
EAGER = ("list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "dict")
"""Builtins that ask for every item at once."""


def map_(this: Call) -> list[Outcome]:
    """``map`` over known items; what touches telemetry waits until somebody asks for the items."""
    fn = this.arg(0, "f")
    items = access.items_of(this.m, this.arg(1, "items"), this.state)
    late = touches(fn)
    if late:
        why = "map() calls nothing until somebody asks for its items"
        opaque_calls.undecided(this.state, this.site, why)
    if items is None or len(items) > MAX_ITEMS or len(this.args.plain) != 2:
        return opaque_calls.opaque(this.m, "map", this.args, this.state, this.frame, this.node)
    if late:
        return this.done(Wrapped("mapped", fn, tuple(items)))
    return each(this, fn, items)


def touches(fn: Value) -> bool:
    """True for a function that names the setup or a shutdown."""
    if isinstance(fn, Lib):
        return fn.path.endswith("setup_telemetry")
    return isinstance(fn, Func) and (
        mentions.function_mentions_shutdown(fn) or mentions.function_mentions_setup(fn)
    )


def is_lazy(args: calls.Args) -> bool:
    """True when the first argument is a map that nobody has asked yet."""
    return bool(args.plain) and isinstance(args.plain[0], Wrapped) and args.plain[0].role == "mapped"


def consumed(this: Call) -> list[Outcome]:
    """A builtin that asks for every item: the calls, then the builtin on what they return."""
    from lens_preflight.program import builtin_calls

    waiting = this.args.plain[0]
    assert isinstance(waiting, Wrapped)
    out: list[Outcome] = []
    for o in each(this, waiting.inner, list(waiting.extra)):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        args = calls.Args([o.value, *this.args.plain[1:]], this.args.names, this.args.open)
        again = builtin_calls.builtin(replace(this, args=args, state=o.state))
        out.extend(again if again is not None else [o])
    return out


def each(this: Call, fn: Value, items: list[Value]) -> list[Outcome]:
    """The function on each item in order: a list of what it returns."""
    live: list[tuple[State, list[Value]]] = [(this.state, [])]
    out: list[Outcome] = []
    for item in items:
        following = []
        for here, values in live:
            for o in calls.invoke(this.m, fn, calls.Args([item]), here, this.frame, this.node):
                if o.flow is Flow.NORMAL:
                    following.append((o.state, [*values, o.value]))
                else:
                    out.append(o)
        live = following
    for here, values in live:
        out.extend(normal(here, this.m.new(here, Cell("list", items=values))))
    return out


@model("functools.reduce")
def reduce_(this: Call) -> list[Outcome]:
    """``functools.reduce`` over known items."""
    fn = this.arg(0, "function")
    items = access.items_of(this.m, this.arg(1, "iterable", Tup(())), this.state)
    start = this.args.get(2, "initial")
    if items is None or len(items) > MAX_ITEMS or this.args.open or not (items or start is not None):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    first, rest = (start, items) if start is not None else (items[0], items[1:])
    live = normal(this.state, first)
    out: list[Outcome] = []
    for item in rest:
        done = [
            o
            for here in live
            for o in calls.invoke(
                this.m, fn, calls.Args([here.value, item]), here.state, this.frame, this.node
            )
        ]
        out.extend(o for o in done if o.flow is not Flow.NORMAL)
        live = [o for o in done if o.flow is Flow.NORMAL]
    return [*live, *out]
