"""Threads and their pools: targets run when they are started, or when they are joined."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import access, calls, defaults, opaque_calls
from lens_preflight.program.machine import Frame
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Const,
    Func,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
)


@model("threading.Thread", "threading.Timer")
def thread(this: Call) -> list[Outcome]:
    """A thread, not started."""
    timer = this.path.endswith("Timer")
    target = this.args.get(1, "function" if timer else "target", NONE)
    args = this.args.get(-1, "args", Tup(()))
    daemon = this.args.names.get("daemon", FALSE)
    names = this.args.names.get("kwargs", NONE)
    cell = Cell(
        "thread", {"target": target or NONE, "args": args or Tup(()), "daemon": daemon, "names": names}
    )
    return this.done(this.m.new(this.state, cell))


def inside(this: Call) -> Frame:
    """The frame of calls in a thread beside the main one."""
    return replace(this.frame, thread=True)


def target_args(this: Call, cell: Cell) -> calls.Args:
    """The arguments for the target of a thread or process."""
    items = access.items_of(this.m, cell.attrs["args"], this.state)
    args = calls.Args(items or [], open=items is None)
    names = cell.attrs.get("names")
    if isinstance(names, Ref) and this.state.read(names.id).kind == "dict":
        args.names = {str(k): v for k, v in this.state.read(names.id).items.items()}
    return args


@model("thread.start")
def start_thread(this: Call) -> list[Outcome]:
    """A thread that is waited for at the end runs now; a daemon runs when it is joined."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    if this.frame.phase == "atexit":
        this.state.facts = this.state.facts.noted("thread at exit", this.site)
    daemon = cell.attrs["daemon"]
    if isinstance(daemon, Const) and not daemon.value:
        return run_thread(this, this.receiver)
    this.state.edit(this.receiver.id).attrs["pending"] = TRUE
    return this.done()


@model("threading.Thread.start")
def start_subclass(this: Call) -> list[Outcome]:
    """``start()`` of a subclass of the tree: its ``run``, whose exceptions end the thread only."""
    if not isinstance(this.receiver, Ref):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    out: list[Outcome] = []
    for o in defaults.call_method(this.m, this.receiver, "run", [], this.state, inside(this), this.node):
        out.append(o if o.flow is Flow.HARD else Outcome(Flow.NORMAL, o.state, NONE))
    return reduce(out)


@model("threading.Thread.join")
def join_subclass(this: Call) -> list[Outcome]:
    """It has run already."""
    return this.done()


@model("thread.join")
def join_thread(this: Call) -> list[Outcome]:
    """Wait for a thread; one that runs for long may outlast a limited wait."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    endless = not this.args.plain and not this.args.names and "pending" not in cell.attrs
    if endless and this.frame.phase == "handler" and this.state.facts.open_handles:
        this.state.facts = this.state.facts.noted("blocks", this.site)
    if cell.attrs.get("pending") == TRUE:
        this.state.edit(this.receiver.id).attrs.pop("pending")
        return run_thread(this, this.receiver)
    return this.done()


def run_thread(this: Call, thread_: Ref) -> list[Outcome]:
    """The target in its thread: its exceptions end the thread, not the program."""
    cell = this.state.read(thread_.id)
    args = target_args(this, cell)
    out: list[Outcome] = []
    for o in calls.invoke(this.m, cell.attrs["target"], args, this.state, inside(this), this.node):
        if o.flow is Flow.HARD:
            out.append(o)
        else:
            out.extend(normal(o.state))
    return reduce(out)


@model("concurrent.futures.ThreadPoolExecutor().submit", "concurrent.futures.ThreadPoolExecutor().map")
def submit(this: Call) -> list[Outcome]:
    """A function in a pool of threads: it runs; its exception shows where the result is asked."""
    fn, rest = this.arg(0, "fn"), list(this.args.plain[1:])
    if this.path.endswith("map") and isinstance(fn, Func | Bound | Wrapped) and len(rest) == 1:
        return map_in_pool(this, fn, rest[0])
    if not isinstance(fn, Func | Bound | Wrapped):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    out: list[Outcome] = []
    for o in calls.invoke(
        this.m, fn, calls.Args(rest, dict(this.args.names)), this.state, inside(this), this.node
    ):
        out.extend([o] if o.flow is Flow.HARD else normal(o.state, Lib("concurrent.futures.Future()")))
    return reduce(out)


@model("concurrent.futures.Future().result")
def result(this: Call) -> list[Outcome]:
    """Asking for what ran in a pool: its exception comes out here, nothing else happens."""
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    return [*this.done(Unknown(frozenset((f"opaque:{this.path}",)))), *failed]


@model(
    "concurrent.futures.Future().exception",
    "concurrent.futures.Future().done",
    "concurrent.futures.Future().cancel",
)
def look(this: Call) -> list[Outcome]:
    """Asking how it went."""
    return this.done(Unknown(frozenset((f"opaque:{this.path}",))))


def map_in_pool(this: Call, fn: Value, xs: Value) -> list[Outcome]:
    """A function in threads once an item; twice when the items are not known."""
    items = access.items_of(this.m, xs, this.state)
    live = [this.state]
    out: list[Outcome] = []
    for item in items[:16] if items is not None else [Unknown(), Unknown()]:
        done = [
            o
            for here in live
            for o in calls.invoke(this.m, fn, calls.Args([item]), here, inside(this), this.node)
        ]
        out.extend(o for o in done if o.flow is Flow.HARD)
        live = [o.state for o in reduce(normal(o.state)[0] for o in done if o.flow is not Flow.HARD)]
    return [*out, *(Outcome(Flow.NORMAL, s, Unknown()) for s in live)]


@model("concurrent.futures.ThreadPoolExecutor().shutdown")
def pool_shutdown(this: Call) -> list[Outcome]:
    """Waits for the threads of a pool; it has nothing to do with telemetry."""
    return this.done()
