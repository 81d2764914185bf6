"""Code in another thread: read where it is started, though nobody knows when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from lens_preflight.core.data import replace
from lens_preflight.program import running, self_ends
from lens_preflight.program.joins import merge
from lens_preflight.program.machine import Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call
from lens_preflight.program.seen import Seen
from lens_preflight.program.state import Facts, Running, Site, State
from lens_preflight.program.values import NONE, Value

Body = Callable[[Call], list[Outcome]]
"""The code of a thread, called in a frame of its own."""


def run(this: Call, number: int, kind: str, body: Body, later: bool = False) -> list[Outcome]:
    """Run a thread to its end: its exceptions end the thread, not the program.

    A hard end that it does not come to at once is that of a watchdog, whose time nobody knows, as it is
    when the thread begins ``later``.
    """
    m, before, waits = this.m, this.state.fork(), this.m.waits
    outer = own(this.state.facts)
    inner = replace(this, state=this.state, frame=replace(this.frame, thread=True))
    drop_own(inner.state)
    running.ended(inner.state, number)
    ways = body(inner)
    waited = later or m.waits > waits
    one = work_of(ways, number, kind)
    free = lanes_of(o for o in ways if o.flow is not Flow.HARD)
    out, dogs, going = list[Outcome](), list[Outcome](), list[State]()
    for o in ways:
        if o.flow is Flow.HARD:
            sure = not (waited or o.state.lanes & free) or works_there(o.state.facts)
            (out if sure or o.state.optional else dogs).append(o)
    guards = this.frame.cleanup  # armed while things are cleaned up, it bounds the shutdown itself
    armed = [o for o in dogs if not guards and not running.closed(o.state.facts)]
    rest = before.lanes & ~free & ~lanes_of(o for o in out if not o.state.optional)
    if rest:
        before.lanes = rest
        ways.append(Outcome(Flow.NORMAL, before))
    for o in ways:
        if o.flow is not Flow.HARD:
            drop_own(o.state)
            o.state.facts = replace(o.state.facts, running=(*o.state.facts.running, *outer))
            if one is not None:
                running.put(o.state, one)
            going.extend(watched(o.state, armed, number))
    going = merge(going, 2)  # where a thread ended matters little to the one that goes on
    out.extend(t for s in going for t in self_ends.timed(m, s))
    return reduce([*out, *(Outcome(Flow.NORMAL, s) for s in going)])


def lanes_of(outcomes: Iterable[Outcome]) -> int:
    """The lanes of some ways out."""
    mask = 0
    for o in outcomes:
        mask |= o.state.lanes
    return mask


def own(facts: Facts) -> tuple[Running, ...]:
    """What is known of the thread that is being read."""
    return tuple(r for r in facts.running if r.id == running.HERE)


def drop_own(state: State) -> None:
    """Another thread is read from here on."""
    rest = tuple(r for r in state.facts.running if r.id != running.HERE)
    state.facts = replace(state.facts, running=rest)


def begun(state: State, number: int, kind: str) -> None:
    """What was read in a frame of a thread goes on beside the one that is read from here on."""
    mine = own(state.facts)
    drop_own(state)
    for one in mine if not running.closed(state.facts) else ():
        running.put(state, one._replace(id=number, kind=kind))


def works_there(facts: Facts) -> bool:
    """True in a thread that does the training."""
    return any(r.sure for r in own(facts))


def work_of(ways: list[Outcome], number: int, kind: str) -> Running | None:
    """The training that a thread does with telemetry which it does not shut down itself."""
    found = [(o.flow, r) for o in ways if not running.closed(o.state.facts) for r in own(o.state.facts)]
    if not found:
        return None
    best = next((r for _, r in found if r.sure), found[0][1])
    plain = [r.told for flow, r in found if flow is Flow.NORMAL]
    told = all(plain) if plain else any(r.told for _, r in found)
    return best._replace(id=number, kind=kind, told=told)


def watched(state: State, dogs: list[Outcome], number: int) -> list[State]:
    """The states that go on beside a watchdog, and beside none in the other lanes."""
    mask = lanes_of(dogs) & state.lanes
    if not mask:
        return [state]
    others = state.fork()
    others.lanes &= ~mask
    state.lanes = mask
    origin = next(o.origin for o in dogs if o.origin)
    state.facts = state.facts.noted(timer(number), origin[0])
    return [state, others] if others.lanes else [state]


def timer(number: int) -> str:
    """The kind of the note about the watchdog that a thread is."""
    return f"{self_ends.TIMER} {number}"


def over(state: State, number: int) -> None:
    """A thread is at its end, or will never begin."""
    running.ended(state, number)
    notes = frozenset(n for n in state.facts.notes if n[0] != timer(number))
    if notes != state.facts.notes:
        state.facts = replace(state.facts, notes=notes)


@contextmanager
def unseen(m: Machine) -> Iterator[None]:
    """What is seen in between is forgotten."""
    seen, sampled = m.seen, m.sampled
    m.seen, m.sampled = Seen(), set(sampled)
    try:
        yield
    finally:
        m.seen, m.sampled = seen, sampled


def glance(this: Call, number: int, kind: str, body: Body, later: bool) -> list[Outcome] | None:
    """Start a thread that may never run, or not now: it is only looked at; None when it shuts down."""
    state = this.state
    with unseen(this.m):
        ways = run(replace(this, state=state.fork()), number, kind, body, later)
    if later and any(running.closed(o.state.facts) for o in ways) and not running.closed(state.facts):
        return None
    for o in ways:
        for r in o.state.facts.running:
            if r.id == number:
                running.put(state, r)
    notes: set[tuple[str, Site]] = {n for o in ways for n in o.state.facts.notes if n[0] == timer(number)}
    for kind_, site in sorted(notes)[:1]:
        state.facts = state.facts.noted(kind_, site)
    gone = [o for o in ways if o.flow is Flow.HARD and not o.state.optional]
    state.lanes &= ~lanes_of(gone) | lanes_of(o for o in ways if o.flow is not Flow.HARD)
    going: list[Outcome] = [*normal(state, NONE), *self_ends.timed(this.m, state)] if state.lanes else []
    return [*gone, *going]


def value_kept(ways: list[Outcome], value: Value) -> list[Outcome]:
    """The ordinary ways out with what the call that started the thread returns."""
    return [o._replace(value=value) if o.flow is Flow.NORMAL else o for o in ways]
