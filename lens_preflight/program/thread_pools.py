"""Pools of threads, what their futures tell, and what threads tell each other."""

from __future__ import annotations

from lens_preflight.program import access, beside, calls, libraries, opaque_calls, running, thread_calls
from lens_preflight.program.joins import merge
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import FALSE, TRUE, Bound, Const, Func, Ref, Unknown, Value, Wrapped

POOL = "concurrent.futures.ThreadPoolExecutor()"
FUTURE = "concurrent.futures.Future()"


@model(f"{POOL}.submit", f"{POOL}.map")
def submit(this: Call) -> list[Outcome]:
    """A function in a pool of threads: it runs; its exception shows where the result is asked."""
    fn, rest = this.arg(0, "fn"), list(this.args.plain[1:])
    if this.path.endswith("map") and isinstance(fn, Func | Bound | Wrapped) and len(rest) == 1:
        return map_in_pool(this, fn, rest[0])
    if not isinstance(fn, Func | Bound | Wrapped):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    future = this.m.new(this.state, Cell("libobj", extra=FUTURE))
    body = thread_calls.body_of(fn, calls.Args(rest, dict(this.args.names)))
    return beside.value_kept(beside.run(this, future.id, "pool", body), future)


@model(f"{FUTURE}.result")
def result(this: Call) -> list[Outcome]:
    """Asking for what ran in a pool: its exception comes out here, nothing else happens."""
    waited(this)
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    return [*this.done(Unknown(frozenset((f"opaque:{this.path}",)))), *failed]


@model(f"{FUTURE}.exception")
def exception(this: Call) -> list[Outcome]:
    """Asking how it went; this waits as well."""
    waited(this)
    return this.done(Unknown(frozenset((f"opaque:{this.path}",))))


@model(f"{FUTURE}.done", f"{FUTURE}.running")
def done(this: Call) -> list[Outcome]:
    """Whether it is at its end."""
    number = this.receiver.id if isinstance(this.receiver, Ref) else running.HERE
    alive = running.alive(this, number)
    if alive and this.path.endswith("done"):
        alive = [o._replace(value=FALSE if o.value == TRUE else TRUE) for o in alive]
    return alive or this.done(Unknown(frozenset((f"opaque:{this.path}",))))


@model(f"{FUTURE}.cancel", f"{FUTURE}.add_done_callback", f"{FUTURE}.cancelled")
def look(this: Call) -> list[Outcome]:
    """Asking for other things: one that runs is not stopped."""
    return this.done(Unknown(frozenset((f"opaque:{this.path}",))))


def waited(this: Call) -> None:
    """The end of one future."""
    if isinstance(this.receiver, Ref) and not running.limited(this):
        beside.over(this.state, this.receiver.id)


def map_in_pool(this: Call, fn: Value, xs: Value) -> list[Outcome]:
    """A function in threads once an item; twice when the items are not known."""
    items = access.items_of(this.m, xs, this.state)
    given = items[:16] if items is not None else [Unknown(), Unknown()]
    live, out, bare = this.done(), list[Outcome](), this.m.bare
    for item in given:
        found: list[Outcome] = []
        for here in live:
            body = thread_calls.body_of(fn, calls.Args([item]))
            inner = Call(this.m, this.path, None, this.args, here.state, this.frame, this.node)
            found.extend(beside.run(inner, MAPPED, "pool", body))
        live = [Outcome(Flow.NORMAL, s) for s in merge([o.state for o in found if o.flow is Flow.NORMAL], 2)]
        out.extend(o for o in found if o.flow is not Flow.NORMAL)
    for o in live if bare is not this.node else ():
        beside.over(o.state, MAPPED)  # whoever keeps the results takes them, as a rule
    return [*out, *beside.value_kept(live, Unknown())]


MAPPED = -1
"""Stands for the threads of one call of ``map``."""


@model(f"{POOL}.shutdown")
def pool_shutdown(this: Call) -> list[Outcome]:
    """Waits for the threads of a pool, unless it is told not to; it has nothing to do with telemetry."""
    wait = this.args.get(0, "wait", TRUE)
    if not (isinstance(wait, Const) and not wait.value):
        running.all_ended(this.state, ("pool",))
    return this.done()


@model(
    "threading.Event().set",
    "threading.Condition().notify",
    "threading.Condition().notify_all",
    "threading.Semaphore().release",
    "threading.BoundedSemaphore().release",
    "threading.Barrier().wait",
    "threading.Event().wait",
    "threading.Condition().wait",
    "threading.Condition().wait_for",
    "threading.Semaphore().acquire",
    "threading.BoundedSemaphore().acquire",
)
def signalled(this: Call) -> list[Outcome]:
    """One thread tells, another one waits for that."""
    word = this.path.rpartition(".")[2]
    told = word in ("set", "notify", "notify_all", "release") or "Barrier" in this.path
    if told:
        running.tells(this.state, this.frame)
    if told and word != "wait":
        return libraries.safe(this)
    at = 1 if word in ("wait_for", "acquire") else 0
    if running.limited(this, at):
        return asked(this)
    running.heard(this.state)
    return libraries.safe(this)


@model("threading.Event().is_set", "threading.Event().isSet")
def asked(this: Call) -> list[Outcome]:
    """Whether a thread has told, without waiting for it, or not for long."""
    running.passed(this)
    if not any(r.told and r.id != running.HERE for r in this.state.facts.running):
        return libraries.safe(this)
    after = this.state.fork()
    running.heard(after)
    return [
        *this.done(FALSE),
        *Call(this.m, this.path, None, this.args, after, this.frame, this.node).done(TRUE),
    ]


@model(
    "queue.Queue().put", "queue.Queue().task_done", "queue.SimpleQueue().put", "queue.LifoQueue().task_done"
)
def handed_over(this: Call) -> list[Outcome]:
    """A thread hands over what it made, or says that it has done what it was given."""
    running.tells(this.state, this.frame)
    return libraries.unknown(this)
