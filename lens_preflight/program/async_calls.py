"""Event loops: coroutines, tasks, and what nobody awaits."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import access, awaiting, beside, calls, mentions, opaque_calls, running
from lens_preflight.program.machine import Frame
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    NONE,
    Bound,
    Func,
    Ref,
    Unknown,
    Wrapped,
)


@model(
    "asyncio.run",
    "asyncio.get_event_loop().run_until_complete",
    "asyncio.new_event_loop().run_until_complete",
    "asyncio.Runner().run",
    "anyio.run",
    "uvloop.run",
)
def asyncio_run(this: Call) -> list[Outcome]:
    """Run a coroutine to its end; tasks that nobody awaited may get a last turn, or not."""
    value = this.arg(0, "main")
    if this.path == "anyio.run":
        started = calls.invoke(
            this.m, value, calls.Args(list(this.args.plain[1:])), this.state, this.frame, this.node
        )
    else:
        started = normal(this.state, value)
    out: list[Outcome] = []
    for s in started:
        if s.flow is not Flow.NORMAL:
            out.append(s)
            continue
        for o in awaiting.run_awaitable(this.m, s.value, s.state, this.frame, this.node):
            running.all_ended(o.state, ("pool",))
            out.append(o.at(leftover_tasks(this, o.state)))
    return reduce(out)


def leftover_tasks(this: Call, state: State) -> State:
    """Scheduled coroutines that were never awaited: their shutdown is not decided."""
    for number in state.facts.tasks:
        cell = state.heap.get(number)
        coroutine = cell.attrs.get("coroutine") if cell is not None else None
        inner = state.read(coroutine.id).extra if isinstance(coroutine, Ref) else None
        if (
            isinstance(inner, Frame)
            and inner.func is not None
            and mentions.function_mentions_shutdown(inner.func)
        ):
            state = opaque_calls.undecided(
                state, this.site, "a task is scheduled that shuts down, and nothing awaits it"
            )
            state.facts = state.facts.noted("scheduled", cell.extra if cell is not None else this.site)
    state.facts = replace(state.facts, tasks=())
    return state


@model(
    "asyncio.create_task",
    "asyncio.ensure_future",
    "asyncio.get_running_loop().create_task",
    "asyncio.get_event_loop().create_task",
)
def create_task(this: Call) -> list[Outcome]:
    """A coroutine that runs later."""
    value = this.arg(0, "coro")
    if not (isinstance(value, Ref) and this.state.read(value.id).kind == "coroutine"):
        return this.done(Unknown(frozenset(("opaque:task",))))
    task = this.m.new(this.state, Cell("task", {"coroutine": value}, extra=this.site))
    this.state.facts = replace(this.state.facts, tasks=(*this.state.facts.tasks, task.id))
    return this.done(task)


@model("task.cancel", "task.done", "task.add_done_callback")
def task_method(this: Call) -> list[Outcome]:
    """Of a task; a cancelled one raises where it is awaited."""
    if this.path.endswith("cancel") and this.frame.phase == "handler":
        origin = this.frame.chain(this.node, "cancel()")
        return [Outcome(Flow.EXIT, this.state, error="CancelledError", origin=origin)]
    return this.done(Unknown())


@model("asyncio.TaskGroup().create_task")
def group_task(this: Call) -> list[Outcome]:
    """A task of a group is awaited at the end of the group."""
    return awaiting.run_awaitable(this.m, this.arg(0, "coro"), this.state, this.frame, this.node)


@model("asyncio.gather", "asyncio.wait", "asyncio.wait_for", "asyncio.shield")
def gather(this: Call) -> list[Outcome]:
    """Run what is given, one after the other; any of it may fail."""
    live = [this.state]
    out: list[Outcome] = []
    for value in this.args.plain:
        items = access.items_of(this.m, value, this.state) or [value]
        for item in items:
            following = []
            for state in live:
                for o in awaiting.run_awaitable(this.m, item, state, this.frame, this.node):
                    (following.append(o.state) if o.flow is Flow.NORMAL else out.append(o))
            live = following
    for state in live:
        out.extend(normal(state, this.m.new(state, Cell("done", {"result": Unknown()}))))
    return reduce(out)


@model("asyncio.sleep")
def asyncio_sleep(this: Call) -> list[Outcome]:
    """Other tasks get a turn."""
    return this.done(this.m.new(this.state, Cell("done", {"result": NONE})))


@model(
    "asyncio.to_thread",
    "asyncio.get_running_loop().run_in_executor",
    "asyncio.get_event_loop().run_in_executor",
)
def to_thread(this: Call) -> list[Outcome]:
    """A function in a thread, awaited for its result."""
    skip = 0 if this.path.endswith("to_thread") else 1
    function, args = this.arg(skip, "func"), list(this.args.plain[skip + 1 :])
    if isinstance(function, Func | Bound | Wrapped):
        frame = replace(this.frame, thread=True) if skip else this.frame
        given = calls.Args(args, dict(this.args.names))
        out: list[Outcome] = []
        for o in calls.invoke(this.m, function, given, this.state, frame, this.node):
            if o.flow is not Flow.NORMAL:
                out.append(o)
                continue
            future = this.m.new(o.state, Cell("done", {"result": o.value}))
            if skip and not this.frame.thread:
                beside.begun(o.state, future.id, "pool")
            out.extend(normal(o.state, future))
        return out
    return this.done(Unknown(frozenset(("opaque:to_thread",))))
