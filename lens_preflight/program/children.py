"""Child processes from the side of their parent: who waits for them, and who ends them."""

from __future__ import annotations

from typing import NamedTuple

from lens_preflight.core.data import replace
from lens_preflight.program import running
from lens_preflight.program.machine import Machine
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Running, Site
from lens_preflight.program.values import FALSE, Lib, Ref, Unknown, Value

STARTS = ("fork", "spawn", "forkserver", "default")
HOMES = ("multiprocessing", *(f"multiprocessing.{how}()" for how in STARTS), "torch.multiprocessing")
CLASSES = tuple(f"{home}.Process" for home in HOMES)
KINDS = ("process", *CLASSES)
POOLS = tuple(f"{home}.Pool()" for home in HOMES)
RESULT = "multiprocessing.pool.AsyncResult()"
POOL = -2
"""Stands for the processes of a pool."""


class Born(NamedTuple):
    """What a new process does: where it sets up; whether that is left to its exit hooks, and SIGTERM heeded."""

    site: Site | None = None
    left: bool = False
    heeds: bool = False


def born(m: Machine, setups: int, installs: int, left: bool) -> Born:
    """What a process did that was read since so many setups and handlers were seen."""
    made = m.seen.setups[setups:]
    handlers = [one.handler for one, _, _ in m.seen.installs[installs:]]
    heeds = any(not (isinstance(h, Lib) and h.path.startswith("signal.SIG_")) for h in handlers)
    return Born(made[0].site if made else None, left, heeds)


def begun(this: Call, process: Ref, daemon: Value, found: Born) -> None:
    """A process with telemetry runs from here on."""
    if found.site is None:
        return
    running.put(this.state, Running(process.id, "child", found.site, heeds=found.heeds))
    if daemon != FALSE:
        this.state.facts = this.state.facts.noted("daemon child", this.site)


def of_pool(this: Call, found: Born, waits: bool) -> None:
    """The processes of a pool took tasks; ``waits``: the call returns when they are done."""
    if found.site is not None and (found.left or not waits):
        running.put(this.state, Running(POOL, "workers", found.site, sure=found.left, heeds=found.heeds))


def number(this: Call) -> int:
    """Which of what runs a call is about."""
    return this.receiver.id if isinstance(this.receiver, Ref) else running.HERE


@model(*(f"{kind}.join" for kind in KINDS))
def join(this: Call) -> list[Outcome]:
    """A daemon that is waited for without a limit comes to its end."""
    if not running.limited(this):
        notes = frozenset(n for n in this.state.facts.notes if n[0] != "daemon child")
        this.state.facts = replace(this.state.facts, notes=notes)
        running.ended(this.state, number(this))
    return this.done()


@model(*(f"{kind}.is_alive" for kind in KINDS))
def is_alive(this: Call) -> list[Outcome]:
    """Whether the child still runs."""
    return running.alive(this, number(this)) or this.done(Unknown(frozenset(("child",))))


@model(*(f"{kind}.close" for kind in KINDS))
def close(this: Call) -> list[Outcome]:
    """The child's end does not change the parent."""
    return this.done(Unknown(frozenset(("child",))))


@model(*(f"{kind}.{end}" for kind in KINDS for end in ("terminate", "kill")))
def end(this: Call) -> list[Outcome]:
    """A signal to the child."""
    ends(this, number(this), not this.path.endswith("kill"))
    return this.done(Unknown(frozenset(("child",))))


@model(*(f"{pool}.terminate" for pool in POOLS))
def end_pool(this: Call) -> list[Outcome]:
    """SIGTERM to all processes of a pool."""
    ends(this, POOL, True)
    return this.done()


@model(*(f"{pool}.join" for pool in POOLS))
def join_pool(this: Call) -> list[Outcome]:
    """A pool that was closed comes to its end."""
    running.ended(this.state, POOL)
    return this.done()


@model(*(f"{pool}.close" for pool in POOLS))
def close_pool(this: Call) -> list[Outcome]:
    """No more tasks."""
    return this.done()


@model(f"{RESULT}.get", f"{RESULT}.wait")
def wait(this: Call) -> list[Outcome]:
    """The end of the tasks of one call, not of the processes."""
    from lens_preflight.program import libraries

    if not running.limited(this):
        running.tasks_done(this.state)
    return libraries.unknown(this)


def ends(this: Call, which: int | None, softly: bool) -> None:
    """A child that nobody waited for gets a signal; None: any of them."""
    for r in this.state.facts.running:
        mine = r.kind == "child" if which is None else r.id == which
        if mine and not (softly and r.heeds):
            this.state.facts = this.state.facts.noted("ended child", this.site)
