"""Signals, exit hooks, threads, processes, event loops: what runs when, and in which process."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import (
    access,
    calls,
    children,
    classes,
    endings,
    imports,
    opaque_calls,
    signal_calls,
    statements,
    thread_calls,
)
from lens_preflight.program.machine import Frame
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.source import Unreadable
from lens_preflight.program.state import Cell, Facts, Installed, State
from lens_preflight.program.values import (
    FALSE,
    NONE,
    Bound,
    Const,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
)

LONG = 5
"""Seconds of sleep in a handler that still leave time to flush: an elastic agent gives 30."""


@model("signal.default_int_handler")
def interrupt(this: Call) -> list[Outcome]:
    """Python's own handler for Ctrl-C, called or installed for another signal."""
    origin = this.frame.chain(this.node, "default_int_handler")
    return [Outcome(Flow.EXIT, this.state, error="KeyboardInterrupt", origin=origin)]


@model("signal.pthread_sigmask")
def mask(this: Call) -> list[Outcome]:
    """A blocked signal is as good as ignored."""
    signals = access.items_of(this.m, this.arg(1, "mask"), this.state)
    how = this.arg(0, "how")
    if signals is None or any(isinstance(s, Const) and s.value == signal_calls.SIGTERM for s in signals):
        blocks = isinstance(how, Lib) and how.path in ("signal.SIG_BLOCK", "signal.SIG_SETMASK")
        before = this.state.facts.sigterm
        if blocks and signals is not None:
            installed = Installed(Lib("signal.SIG_IGN"), this.site)
            this.state.facts = replace(this.state.facts, sigterm=installed)
            this.m.seen.installs.append((installed, this.state.hypo, this.state.lanes))
        elif before is not None and before.handler == Lib("signal.SIG_IGN"):
            this.state.facts = replace(this.state.facts, sigterm=None)
    return this.done(Unknown())


@model("time.sleep")
def sleep(this: Call) -> list[Outcome]:
    """A handler that sleeps for long keeps the flush waiting."""
    this.m.waits += 1
    seconds = this.arg(0, "seconds")
    short = isinstance(seconds, Const) and isinstance(seconds.value, int | float) and seconds.value <= LONG
    if this.frame.phase == "handler" and not short and this.state.facts.open_handles:
        this.state.facts = this.state.facts.noted("blocks", this.site)
    return this.done()


@model("multiprocessing.get_context", "torch.multiprocessing.get_context")
def get_context(this: Call) -> list[Outcome]:
    """The start method of a context."""
    method = this.text(0, "method")
    return this.done(Lib(f"multiprocessing.{method or 'default'}()"))


@model(
    "multiprocessing.Process",
    "torch.multiprocessing.Process",
    "multiprocessing.fork().Process",
    "multiprocessing.spawn().Process",
    "multiprocessing.forkserver().Process",
    "multiprocessing.default().Process",
)
def process(this: Call) -> list[Outcome]:
    """A process, not started."""
    method = this.path.partition("multiprocessing.")[2].partition("()")[0]
    chosen = this.state.read(imports.MODULES).attrs.get("start method")
    if method in ("Process", "default"):
        method = str(chosen.value) if isinstance(chosen, Const) else "fork"
    attrs = {
        "target": this.args.get(1, "target", NONE) or NONE,
        "args": this.args.get(3, "args", Tup(())) or Tup(()),
        "names": this.args.get(4, "kwargs", NONE) or NONE,
        "method": Const(method),
        "daemon": this.args.names.get("daemon", FALSE),
    }
    return this.done(this.m.new(this.state, Cell("process", attrs)))


@model("multiprocessing.set_start_method", "torch.multiprocessing.set_start_method")
def start_method(this: Call) -> list[Outcome]:
    """The start method of the program."""
    method = this.text(0, "method")
    if method is not None:
        this.state.edit(imports.MODULES).attrs["start method"] = Const(method)
    return this.done()


@model("process.start")
def start_process(this: Call) -> list[Outcome]:
    """Read the child as a process of its own; the parent goes on."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    method = cell.attrs["method"]
    born = child(
        this,
        cell.attrs["target"],
        thread_calls.target_args(this, cell),
        str(method.value) if isinstance(method, Const) else "",
    )
    children.begun(this, this.receiver, cell.attrs["daemon"], born)
    return [*this.done(), *opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, "start()")]


@model("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
def spawn(this: Call) -> list[Outcome]:
    """Some processes with a number each; an exception in one is raised again here."""
    items = access.items_of(this.m, this.arg(1, "args", Tup(())), this.state)
    number = Unknown(frozenset(("number", "spawned")), ("spawned",))
    args = calls.Args([number, *(items or [])], open=items is None)
    method = this.args.names.get("start_method", Const("spawn"))
    name = str(method.value) if isinstance(method, Const) else "spawn"
    child(this, this.arg(0, "fn"), args, name)
    return [
        *this.done(),
        *opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()"),
    ]


def child(
    this: Call,
    target: Value,
    args: calls.Args,
    method: str,
    times: int = 1,
    first: tuple[Value, calls.Args] | None = None,
) -> children.Born:
    """Run a target in a new process that starts by fork or with a fresh interpreter; as often as told.

    ``first`` is what the process calls before.
    """
    m = this.m
    state = this.state.fork()
    name = f"{method}:{this.site.path}:{this.site.line}"
    if len(this.state.facts.process) > 200:
        return children.Born()
    setups, installs, left = len(m.seen.setups), len(m.seen.installs), False
    m.seen.children.append((method, this.site))
    inherited = this.state.facts.handles if method == "fork" else ()
    notes = (
        frozenset((("forked", this.site),))
        if method == "fork" and this.state.facts.open_handles
        else frozenset()
    )
    state.facts = Facts(handles=inherited, process=name, notes=notes)
    live = [state]
    if method == "spawn" and m.main:
        live = again_as_child(this, state)
    frame = replace(this.frame, cleanup=False, phase="run", thread=False)
    for here in live:
        ready, out = [here], list[Outcome]()
        for function, given in (*((first,) if first is not None else ()), *((target, args),) * times):
            done = reduce([o for s in ready for o in calls.invoke(m, function, given, s, frame, this.node)])
            ready = [o.state for o in done if o.flow is Flow.NORMAL]
            out = [*(o for o in out if o.flow is not Flow.NORMAL), *done]
        left = left or any(o.flow is Flow.NORMAL and o.state.facts.open_handles for o in out)
        finish_process(this, reduce(out), name)
    return children.born(m, setups, installs, left)


def again_as_child(this: Call, state: State) -> list[State]:
    """A spawned child imports the script again, under another name."""
    m = this.m
    try:
        source = m.closure.source(m.main)
    except Unreadable:
        return [state]
    modules = state.read(imports.MODULES).attrs
    main = modules.get("__main__")
    if not isinstance(main, Ref):
        return [state]
    keep = {k: v for k, v in modules.items() if " " in k or k == "__main__"}
    state.edit(imports.MODULES).attrs = keep
    state.edit(main.id).attrs["__name__"] = Const("__mp_main__")
    frame = Frame(m.main, main.id, main.id, stack=this.frame.chain(this.node, "spawn"))
    out = statements.block(m, source.tree.body, state, frame)
    return [o.state for o in out if o.flow is Flow.NORMAL]


def finish_process(this: Call, outcomes: list[Outcome], name: str) -> None:
    """Exit hooks and the record of every end of a process."""
    endings.end_all(this, outcomes, name)


@model(*(f"{kind}.start" for kind in children.CLASSES))
def start_process_subclass(this: Call) -> list[Outcome]:
    """``start()`` of a subclass of the tree: its ``run`` in a process of its own."""
    cls = this.state.read(this.receiver.id).cls if isinstance(this.receiver, Ref) else None
    found = classes.find_in_class(this.m, cls, "run", this.state) if isinstance(cls, Ref) else (None, None)
    if found[0] is None or this.receiver is None:
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    chosen = this.state.read(imports.MODULES).attrs.get("start method")
    method = str(chosen.value) if isinstance(chosen, Const) else "fork"
    born = child(this, Bound(this.receiver, classes.owned(found[0], found[1])), calls.Args(), method)
    if isinstance(this.receiver, Ref):
        daemon = this.state.read(this.receiver.id).attrs.get("daemon", FALSE)
        children.begun(this, this.receiver, daemon, born)
    return [*this.done(), *opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, "start()")]
