"""Context managers of the standard library, and stacks of them."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import (
    calls,
    generators,
    managers,
    variables,
)
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    NONE,
    Const,
    Lib,
    Ref,
    Tup,
    Value,
    Wrapped,
)


@model("contextlib.contextmanager", "contextlib.asynccontextmanager")
def context_manager(this: Call) -> list[Outcome]:
    """A generator function is a manager as it is: calling it makes the generator."""
    return this.done(Wrapped("manager", this.arg(0, "f")))


@model("wrapped:manager")
def call_manager(this: Call) -> list[Outcome]:
    """``with f(...)``, or the manager as a decorator."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    return calls.invoke(this.m, fn.inner, this.args, this.state, this.frame, this.node)


@model("wrapped:context")
def call_in_context(this: Call) -> list[Outcome]:
    """A function inside of a manager, by a ContextDecorator."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    out: list[Outcome] = []
    manager = generators.afresh(this.m, fn.extra[0], this.state)
    for e in managers.enter(this.m, manager, this.state, this.frame, this.node):
        if e.flow is not Flow.NORMAL:
            out.append(e)
            continue
        inner = e.inner if e.inner is not None else NONE
        for o in reduce(calls.invoke(this.m, fn.inner, this.args, e.state, this.frame, this.node)):
            if o.flow is Flow.HARD:
                out.append(o)
            else:
                cleanup = replace(this.frame, cleanup=True)
                out.extend(managers.leave(this.m, inner, o, cleanup, this.node))
    return reduce(out)


@model("generator.__enter__", "generator.__aenter__")
def enter_by_hand(this: Call) -> list[Outcome]:
    """A manager entered without ``with``."""
    out = managers.enter(this.m, this.receiver or NONE, this.state, this.frame, this.node)
    return [o._replace(inner=None) for o in out]


@model("generator.__exit__", "generator.__aexit__")
def leave_by_hand(this: Call) -> list[Outcome]:
    """A manager left without ``with``, told of no exception."""
    o = Outcome(Flow.NORMAL, this.state)
    return managers.leave(this.m, this.receiver or NONE, o, this.frame, this.node)


@model("generator.__next__", "generator.send")
def next_of_generator(this: Call) -> list[Outcome]:
    """The next item."""
    assert isinstance(this.receiver, Ref)
    return generators.start(this.m, this.receiver, this.state, this.frame, this.node)


@model("generator.close", "generator.aclose")
def close_generator(this: Call) -> list[Outcome]:
    """GeneratorExit at the yield where it stands."""
    assert isinstance(this.receiver, Ref)
    sent = Outcome(Flow.EXIT, this.state, error="GeneratorExit")
    out: list[Outcome] = []
    for o in generators.resume(this.m, this.receiver, sent, this.frame, this.node):
        ended = o.error in ("GeneratorExit", generators.STOP)
        out.append(Outcome(Flow.NORMAL, o.state, NONE) if ended else o)
    return out


@model("contextlib.closing", "contextlib.aclosing")
def closing(this: Call) -> list[Outcome]:
    """``close()`` at the end."""
    return this.done(this.m.new(this.state, Cell("closing", {"thing": this.arg(0, "thing")})))


@model("contextlib.suppress")
def suppress(this: Call) -> list[Outcome]:
    """Stops some exceptions."""
    thing = Tup(tuple(this.args.plain))
    return this.done(this.m.new(this.state, Cell("suppress", {"thing": thing})))


@model("contextlib.nullcontext")
def nullcontext(this: Call) -> list[Outcome]:
    """Does nothing."""
    thing = this.args.get(0, "enter_result", NONE)
    return this.done(this.m.new(this.state, Cell("nullcontext", {"thing": thing or NONE})))


@model("contextlib.ExitStack", "contextlib.AsyncExitStack")
def exit_stack(this: Call) -> list[Outcome]:
    """A stack of things to do at the end."""
    return managers.new_stack(this.m, this.state)


def push(this: Call, entry: Value) -> None:
    """One more thing to do at the end of a stack."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.edit(this.receiver.id)
    cell.items = [*cell.items, entry]


@model("exitstack.callback", "exitstack.push_async_callback")
def stack_callback(this: Call) -> list[Outcome]:
    """A call at the end."""
    function = this.arg(0, "callback")
    rest, names = tuple(this.args.plain[1:]), tuple(this.args.names.items())
    push(this, Wrapped("callback", function, rest, names))
    return this.done(function)


@model("exitstack.push", "exitstack.push_async_exit")
def stack_push(this: Call) -> list[Outcome]:
    """An exit function, or the exit of a manager."""
    push(this, Wrapped("push", this.arg(0, "exit")))
    return this.done(this.arg(0, "exit"))


@model("exitstack.enter_context", "exitstack.enter_async_context")
def stack_enter(this: Call) -> list[Outcome]:
    """Enter a manager now, leave it with the stack."""
    out: list[Outcome] = []
    for e in managers.enter(this.m, this.arg(0, "cm"), this.state, this.frame, this.node):
        if e.flow is Flow.NORMAL:
            after = replace(this, state=e.state)
            push(after, Wrapped("enter", e.inner if e.inner is not None else NONE))
            if this.path.endswith("async_context"):
                done = this.m.new(e.state, Cell("done", {"result": e.value}))
                out.extend(normal(e.state, done))
                continue
        out.append(e)
    return out


@model("exitstack.close", "exitstack.aclose", "exitstack.__exit__", "exitstack.__aexit__")
def stack_close(this: Call) -> list[Outcome]:
    """Unwind now."""
    assert isinstance(this.receiver, Ref)
    out = managers.unwind(this.m, this.receiver, Outcome(Flow.NORMAL, this.state), this.frame, this.node)
    return [o._replace(value=NONE) if o.flow is Flow.NORMAL else o for o in out]


@model("exitstack.__enter__")
def stack_self(this: Call) -> list[Outcome]:
    """The stack itself."""
    return this.done(this.receiver if this.receiver is not None else NONE)


@model("exitstack.pop_all")
def stack_pop_all(this: Call) -> list[Outcome]:
    """Move everything to a stack that nobody leaves by itself."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.edit(this.receiver.id)
    moved, cell.items = cell.items, []
    if this.state.facts.open_handles:
        this.state.facts = this.state.facts.noted("popped", this.site)
    return this.done(this.m.new(this.state, Cell("exitstack", items=moved)))


@model("unittest.mock.patch.dict")
def patch_dict(this: Call) -> list[Outcome]:
    """Variables set for a while; they are taken to stay."""
    target, values = this.arg(0, "in_dict"), this.arg(1, "values")
    if isinstance(target, Ref) and this.state.read(target.id).kind == "environ" and isinstance(values, Ref):
        items = this.state.read(values.id).items
        for name, text in dict(items if isinstance(items, dict) else {}).items():
            variables.set_environ(this.m, target, Const(name), text, this.state, this.frame, this.node)
    return this.done(Lib("unittest.mock.patch.dict()"))
