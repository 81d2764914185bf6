"""What runs beside the main thread: who trains there, until somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable

from lens_preflight.core.data import replace
from lens_preflight.program import training
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call
from lens_preflight.program.state import Facts, Running, Site, State
from lens_preflight.program.tables import WAITING
from lens_preflight.program.values import NONE, Const

HERE = 0
"""The number of the thread that is being read."""

MOST = 16
THREADS = ("thread", "daemon", "pool")
SPANS = ("start_as_current_span", "start_span", "managed_span", "span_cm")
ENDLESS = 1_000_000
"""Seconds of a limited wait that nobody sees the end of."""

BY_MAIN = "the main thread trains"
WHY = "a thread that trains may still run at the shutdown"


def limited(this: Call, index: int = 0) -> bool:
    """True for a wait that may be over before what it waits for."""
    seconds = this.args.get(index, "timeout", NONE)
    if isinstance(seconds, Const):
        known = isinstance(seconds.value, int | float) and seconds.value > ENDLESS
        return seconds.value is not None and not known
    return getattr(seconds, "path", "") != "threading.TIMEOUT_MAX"


def works(m: Machine, name: str, site: Site, state: State, frame: Frame, own: bool = False) -> None:
    """Note a call that belongs to the training: in a thread, or in the main one; ``own``: of the tree."""
    word = training.last_word(name)
    trains = training.trains(name)
    if not (trains or word in SPANS) or frame.phase != "run" or closed(state.facts):
        return
    helps = word in SPANS or word == "forward" or word.startswith(("eval", "valid", "test"))
    if not frame.thread:
        if not helps and not own:
            m.sampled.add(BY_MAIN)
        return
    before = next((r for r in state.facts.running if r.id == HERE), None)
    now = Running(HERE, "thread", site, not helps)
    if before is not None and (before.sure or helps):
        now = before._replace(told=False)
    put(state, now)


def passed(this: Call) -> None:
    """A call of a library that does not raise: a span, or a wait."""
    works(this.m, this.path, this.site, this.state, this.frame)
    if not this.path.startswith(WAITING):
        return
    this.m.waits += 1
    endless = not this.args.plain and not this.args.names
    if endless and this.frame.phase == "handler" and this.state.facts.open_handles:
        this.state.facts = this.state.facts.noted("blocks", this.site)


def closed(facts: Facts) -> bool:
    """True when there was telemetry and it is down."""
    return bool(facts.handles) and not facts.open_handles


def put(state: State, one: Running) -> None:
    """Add or replace what is known of one thing that runs."""
    rest = tuple(r for r in state.facts.running if r.id != one.id)
    if one not in state.facts.running:
        state.facts = replace(state.facts, running=(*rest, one)[-MOST:])


def change(state: State, new: Callable[[Running], Running | None]) -> None:
    """Change, or forget, all that runs beside the thread that is being read."""
    before = state.facts.running
    found = ((r if r.id == HERE else new(r)) for r in before)
    after = tuple(r for r in found if r is not None)
    if after != before:
        state.facts = replace(state.facts, running=after)


def ended(state: State, number: int) -> None:
    """Somebody waited for one of them."""
    change(state, lambda r: None if r.id == number else r)


def all_ended(state: State, kinds: tuple[str, ...] = (*THREADS, "child")) -> None:
    """Somebody waited for all of some kinds."""
    change(state, lambda r: None if r.kind in kinds else r)


def tells(state: State, frame: Frame) -> None:
    """The thread that is being read says that it got so far."""
    if frame.thread:
        here = tuple(r._replace(told=True) if r.id == HERE else r for r in state.facts.running)
        if here != state.facts.running:
            state.facts = replace(state.facts, running=here)


def heard(state: State) -> None:
    """Somebody waited until a thread said that it got so far."""
    change(state, lambda r: None if r.told else r)


def heard_once(state: State) -> None:
    """Somebody took one thing that a thread made: it may be the last."""
    change(state, lambda r: r._replace(perhaps=True) if r.told else r)


def polled(state: State) -> None:
    """Somebody looked again and again at something that is not followed."""
    change(state, lambda r: r._replace(perhaps=True) if r.kind in THREADS else r)


def tasks_done(state: State) -> None:
    """Somebody took the results of a pool of processes; what its workers leave to their end is still open."""
    change(state, lambda r: None if r.kind == "workers" and not r.sure else r)


def alive(this: Call, number: int) -> list[Outcome]:
    """``is_alive()``: yes, or no, and then it needs no wait."""
    if all(r.id != number for r in this.state.facts.running):
        return []
    over = this.state.fork()
    ended(over, number)
    return [Outcome(Flow.NORMAL, this.state, Const(True)), Outcome(Flow.NORMAL, over, Const(False))]


def waited_outside(name: str, plain: bool, state: State) -> None:
    """A call that is not followed and may be a wait; ``plain``: without arguments."""
    if not state.facts.running:
        return
    word = training.last_word(name)
    if name.startswith(("queue.", "multiprocessing.", "torch.multiprocessing.")):
        if word == "join" and plain:
            heard(state)
        elif word == "get":
            heard_once(state)
    elif word in ("join", "result") and plain:
        all_ended(state)
    elif word in ("get", "wait") and plain:
        tasks_done(state)
    elif name in ("concurrent.futures.wait", "concurrent.futures.as_completed"):
        all_ended(state, ("pool",))


def at_shutdown(m: Machine, state: State, site: Site) -> None:
    """The shutdown in one thread while others go on."""
    beside = [r for r in state.facts.running if r.id != HERE and r.kind in THREADS]
    beside = [r for r in beside if r.sure or BY_MAIN not in m.sampled]
    sure = next((r for r in beside if not r.perhaps), None)
    if sure is not None:
        # where the main thread trains as well, its own end is that of the training
        state.facts = state.facts.noted("beside" if BY_MAIN in m.sampled else "outlived", sure.site)
    for number, fact in state.facts.handles if beside and sure is None else ():
        if fact.closer == site and fact.status == "closed":
            state.facts = state.facts.with_handle(number, replace(fact, status="maybe", why=WHY))


def at_exit(state: State) -> None:
    """Python waits for threads that are no daemons before it runs exit hooks."""
    all_ended(state, ("thread", "pool"))
