"""Threads: targets are read when they are started, or when they are joined."""

from __future__ import annotations

from lens_preflight.program import access, beside, calls, defaults, opaque_calls, running
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Const,
    Ref,
    Tup,
    Unknown,
    Value,
)


@model("threading.Thread", "threading.Timer")
def thread(this: Call) -> list[Outcome]:
    """A thread, not started."""
    timer = this.path.endswith("Timer")
    target = this.args.get(1, "function" if timer else "target", NONE)
    args = this.args.get(-1, "args", Tup(()))
    daemon = this.args.names.get("daemon", FALSE)
    names = this.args.names.get("kwargs", NONE)
    attrs = {"target": target or NONE, "args": args or Tup(()), "daemon": daemon, "names": names}
    cell = Cell("thread", {**attrs, "timer": TRUE} if timer else attrs)
    return this.done(this.m.new(this.state, cell))


def target_args(this: Call, cell: Cell) -> calls.Args:
    """The arguments for the target of a thread or process."""
    items = access.items_of(this.m, cell.attrs["args"], this.state)
    args = calls.Args(items or [], open=items is None)
    names = cell.attrs.get("names")
    if isinstance(names, Ref) and this.state.read(names.id).kind == "dict":
        args.names = {str(k): v for k, v in this.state.read(names.id).items.items()}
    return args


def body_of(target: Value, args: calls.Args) -> beside.Body:
    """The code of a thread with a target."""
    return lambda this: calls.invoke(this.m, target, args, this.state, this.frame, this.node)


def plain_false(value: Value) -> bool:
    """True for a value that is known to be false."""
    return isinstance(value, Const) and not value.value


@model("thread.start")
def start_thread(this: Call) -> list[Outcome]:
    """A thread that is waited for at the end runs now; a daemon runs when it is joined, a timer later."""
    assert isinstance(this.receiver, Ref)
    number, cell = this.receiver.id, this.state.read(this.receiver.id)
    if this.frame.phase == "atexit":
        this.state.facts = this.state.facts.noted("thread at exit", this.site)
    daemon, timer = not plain_false(cell.attrs["daemon"]), "timer" in cell.attrs
    if not daemon and not timer:
        return run_thread(this, this.receiver)
    body = body_of(cell.attrs["target"], target_args(this, cell))
    seen = beside.glance(this, number, "daemon" if daemon else "thread", body, timer)
    if seen is None:
        return run_thread(this, this.receiver)
    for o in seen:
        o.state.edit(number).attrs["pending"] = TRUE
    return seen


@model("threading.Thread.start")
def start_subclass(this: Call) -> list[Outcome]:
    """``start()`` of a subclass of the tree: its ``run``, whose exceptions end the thread only."""
    if not isinstance(this.receiver, Ref):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    receiver = this.receiver
    daemon = this.state.read(receiver.id).attrs.get("daemon", FALSE)

    def body(inner: Call) -> list[Outcome]:
        return defaults.call_method(inner.m, receiver, "run", [], inner.state, inner.frame, inner.node)

    out = beside.run(this, receiver.id, "thread" if plain_false(daemon) else "daemon", body)
    return beside.value_kept(out, NONE)


@model("threading.Thread.__init__")
def init_subclass(this: Call) -> list[Outcome]:
    """``super().__init__(...)`` of a subclass."""
    given = this.args.plain[0] if this.receiver is None and this.args.plain else this.receiver
    if isinstance(given, Ref) and "daemon" in this.args.names:
        this.state.edit(given.id).attrs["daemon"] = this.args.names["daemon"]
    return this.done()


@model("threading.Thread.join")
def join_subclass(this: Call) -> list[Outcome]:
    """It has run already."""
    if isinstance(this.receiver, Ref) and not running.limited(this):
        beside.over(this.state, this.receiver.id)
    return this.done()


@model("thread.join")
def join_thread(this: Call) -> list[Outcome]:
    """Wait for a thread; one that runs for long may outlast a limited wait."""
    assert isinstance(this.receiver, Ref)
    number, cell = this.receiver.id, this.state.read(this.receiver.id)
    limited = running.limited(this)
    endless = not limited and "pending" not in cell.attrs
    if endless and this.frame.phase == "handler" and this.state.facts.open_handles:
        this.state.facts = this.state.facts.noted("blocks", this.site)
    this.m.waits += 1
    out = this.done()
    if cell.attrs.get("pending") == TRUE:
        this.state.edit(number).attrs.pop("pending")
        out = run_thread(this, this.receiver)
    for o in out:
        if not limited and o.flow is Flow.NORMAL:
            beside.over(o.state, number)
    return out


@model("thread.cancel")
def cancel_timer(this: Call) -> list[Outcome]:
    """A timer that has not begun never will."""
    assert isinstance(this.receiver, Ref)
    if "timer" in this.state.read(this.receiver.id).attrs:
        this.state.edit(this.receiver.id).attrs.pop("pending", None)
        beside.over(this.state, this.receiver.id)
    return this.done()


@model("thread.is_alive", "threading.Thread.is_alive")
def is_alive(this: Call) -> list[Outcome]:
    """Whether a thread still runs."""
    number = this.receiver.id if isinstance(this.receiver, Ref) else running.HERE
    return running.alive(this, number) or this.done(Unknown())


@model("thread.setDaemon", "thread.setName", "thread.getName", "thread.isDaemon")
def old_names(this: Call) -> list[Outcome]:
    """What attributes do by now."""
    if this.path.endswith("setDaemon") and isinstance(this.receiver, Ref):
        this.state.edit(this.receiver.id).attrs["daemon"] = this.arg(0, "daemonic")
    return this.done(Unknown())


def run_thread(this: Call, thread_: Ref) -> list[Outcome]:
    """The target in its thread, now."""
    cell = this.state.read(thread_.id)
    kind = "thread" if plain_false(cell.attrs["daemon"]) else "daemon"
    body = body_of(cell.attrs["target"], target_args(this, cell))
    return beside.value_kept(beside.run(this, thread_.id, kind, body, "timer" in cell.attrs), NONE)
