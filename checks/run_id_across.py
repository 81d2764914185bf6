"""One run id within a run and different ones between runs: array elements, pods, steps, loops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.run_id_rules import (
    ARRAY,
    ARRAY_CHAIN,
    REPLICAS,
    SAME_DAY,
    SHARED,
    SHARED_JOBS,
    STEPS,
)
from lens_preflight.core.data import replace
from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.finding import Finding, Location, Related

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.jobs.model import JobLaunch
    from lens_preflight.jobs.text import Symbol
    from lens_preflight.lens.run_id import RunId
    from lens_preflight.subject.launch import Launch

OWN = frozenset({"SLURM_ARRAY_TASK_ID", "SLURM_JOB_ID", "SLURM_JOBID"})
"""Variables that differ between the elements of an array."""

STEADY = frozenset({"SLURM", "PLACE", "POD"})
"""Causes of symbols that are equal for all elements, their own numbers aside."""

VOLATILE = frozenset({"CLOCK", "RANDOM"})
_COARSE = re.compile(r"\bdate\b[^|]*\+\S*%[YymdjbeaUVGDF]")
_FINE = re.compile(r"%[-_0^#]*[sSMHNTcRrXIkl]")


def across(ctx: Context, found: RunId, at: Location) -> Iterator[Finding]:
    """What is wrong with a run id among other launches and other elements of the job."""
    launch = ctx.launch.job
    if launch is None or found.decided_by.name in ctx.inside.names:
        return
    yield from _array(launch, found)
    yield from _same_day(launch, found)
    yield from _each_turn(ctx, launch, found)
    mine = identity(ctx.launch, found)
    for other in _others(ctx):
        theirs = _run_id(ctx, other, found)
        if theirs is None:
            continue
        yield from _compared(ctx, other, found, mine, identity(other, theirs), at)


def identity(launch: Launch, found: RunId) -> tuple[str, ...] | None:
    """What makes the run ids of two launches one: the text, and where a volatile one was made.

    None: every process makes up its own.
    """
    if found.is_random and not found.shared_by:
        return None
    if found.value is not None:
        return ("value", found.value)
    symbols = symbols_of(launch.job, found)
    text = launch.job.written.get(found.decided_by.name) if launch.job is not None else None
    shown = text.template if text is not None else found.decided_by.name
    serials = [str(s.serial) for s in symbols if s.cause.name in VOLATILE]
    return ("text", shown, ",".join(serials))


def symbols_of(launch: JobLaunch | None, found: RunId) -> tuple[Symbol, ...]:
    """What a run id is made of, as far as it is filled in at start."""
    text = launch.written.get(found.decided_by.name) if launch is not None else None
    return text.symbols if text is not None else ()


def _array(launch: JobLaunch, found: RunId) -> Iterator[Finding]:
    if not launch.array or not found.is_set:
        return
    symbols = symbols_of(launch, found)
    unknown = [s for s in symbols if s.known is None]
    if any(s.name in OWN for s in symbols) or any(s.cause.name not in STEADY for s in unknown):
        return
    name, at = found.decided_by.name, found.decided_by.location
    if launch.array.endswith("%1"):
        message = f"{name} is the same for all elements of the array, which run one after the other"
        yield Finding(
            ARRAY_CHAIN,
            message,
            at,
            remedy=f"append -${{SLURM_ARRAY_TASK_ID}} to {name}, if they are several runs",
        )
        return
    message = f"{name} is the same for all elements of the array {launch.array}"
    yield Finding(ARRAY, message, at, remedy=f"append -${{SLURM_ARRAY_TASK_ID}} to {name}")


def _same_day(launch: JobLaunch, found: RunId) -> Iterator[Finding]:
    symbols = symbols_of(launch, found)
    clocks = [s for s in symbols if s.cause.name == "CLOCK"]
    if not clocks or any(s.name in OWN or s.cause.name == "RANDOM" for s in symbols):
        return
    if all(_COARSE.search(s.source) and not _FINE.search(s.source) for s in clocks):
        name = found.decided_by.name
        message = f"{name} holds a date without a time: jobs of one day share it"
        yield Finding(
            SAME_DAY, message, found.decided_by.location, remedy=f"append -${{SLURM_JOB_ID}} to {name}"
        )


def _each_turn(ctx: Context, launch: JobLaunch, found: RunId) -> Iterator[Finding]:
    """A loop that starts the parts of one run, and makes up a run id for each of them."""
    inside = [
        s for s in symbols_of(launch, found) if s.cause.name in VOLATILE and s.serial > launch.loop_start
    ]
    part = (launch.agent_nodes or 0) > (launch.tasks or 1)
    if launch.loop_start and launch.background and part and inside:
        name = ctx.launch.framework.run_id_names[0]
        message = (
            f"{found.decided_by.name} is made anew in each turn of the loop that starts the parts of one run"
        )
        yield Finding(STEPS, message, found.decided_by.location, remedy=f"export {name} once, above the loop")


def _others(ctx: Context) -> list[Launch]:
    """The launches above this one in the same job file that start training."""
    mine = ctx.launch
    above = []
    for other in ctx.launches:
        if other is mine:
            break
        trains = other.job is not None and not other.job.helper and _same_file(other, mine)
        if trains and not ctx.subject.aside(other, ctx.generation):
            above.append(other)
    return above


def _same_file(a: Launch, b: Launch) -> bool:
    return a.at is not None and b.at is not None and a.at.what == b.at.what


def _run_id(ctx: Context, other: Launch, mine: RunId) -> RunId | None:
    """The run id of another launch; where several are possible, the one that comes about as ours does."""
    try:
        found = replace(ctx, current=other).lens.run_ids
    except (Undecided, LibraryFailure):
        return None
    alike = [one for one in found if one.source is mine.source]
    return found[0] if len(found) == 1 else next(iter(alike), None)


def _compared(
    ctx: Context,
    other: Launch,
    found: RunId,
    mine: tuple[str, ...] | None,
    theirs: tuple[str, ...] | None,
    at: Location,
) -> Iterator[Finding]:
    """This launch against one above it."""
    launch, first = ctx.launch.job, other.job
    assert launch is not None and first is not None and other.at is not None
    name = ctx.launch.framework.run_id_names[0]
    there = (Related("the other launch", other.at),)
    if launch.pods and first.pods:
        if mine != theirs:
            message = f"{_label(launch)} and {_label(first)} of one job have different run ids"
            yield Finding(
                REPLICAS,
                message,
                at,
                there,
                remedy=f"name {name} in the env of every template, with one value",
            )
        return
    if launch.conditional or first.conditional:
        return
    if launch.submission != first.submission:
        if mine == theirs and mine is not None and not launch.follows and not _own_job(launch, found):
            message = f"{found.decided_by.name} is the same in several jobs that are submitted here"
            yield Finding(
                SHARED_JOBS, message, at, there, remedy=f"export {name}=my-run-${{SLURM_JOB_ID}} in the job"
            )
        return
    segments = launch.segment and launch.command_at == first.command_at
    together = (launch.background and first.background) or segments
    same = _same_program(ctx.launch, other)
    volatile = mine is not None and theirs is not None and mine[:2] == theirs[:2]
    half = same and found.is_set is not _is_set(ctx, other, found)
    parts = same and together and _in_one_world(launch, first)
    if mine != theirs and mine is not None and (parts or volatile or half):
        message = f"{found.decided_by.name} differs between the launches of one run"
        yield Finding(STEPS, message, at, there, remedy=f"export {name} once, above the first launch")
    elif same and mine == theirs and mine is not None and _two_runs(launch, first, together):
        message = (
            f"runs of {ctx.launch.program} with other arguments share the run id from {found.decided_by.name}"
        )
        remedy = f"{name}=my-run-${{SLURM_JOB_ID}}-$i srun ..., one for each"
        yield Finding(SHARED, message, launch.at, there if launch.at != other.at else (), remedy=remedy)


def _own_job(launch: JobLaunch, found: RunId) -> bool:
    """True when the run id holds something that each job has of its own."""
    if not found.is_set:
        return True
    return any(s.name in OWN or s.cause.name in VOLATILE for s in symbols_of(launch, found))


def _is_set(ctx: Context, other: Launch, mine: RunId) -> bool:
    theirs = _run_id(ctx, other, mine)
    return theirs is not None and theirs.is_set


def _two_runs(a: JobLaunch, b: JobLaunch, together: bool) -> bool:
    """True when two launches with one run id are rather two runs: their arguments differ."""
    if a.args == b.args or (together and _in_one_world(a, b)):
        return False
    differing = [x + y for x, y in zip(a.args, b.args, strict=False) if x != y]
    return not any("rank" in text for text in (*differing, *(w for w in a.args if together)))


def _label(launch: JobLaunch) -> str:
    return launch.chain[0] if launch.chain else "a pod"


def _same_program(a: Launch, b: Launch) -> bool:
    return (a.program, a.module) == (b.program, b.module) and (a.program or a.module) is not None


def _in_one_world(a: JobLaunch, b: JobLaunch) -> bool:
    """True when two launches at the same time may be parts of one run, false for a sweep."""
    waits = any((one.agent_nodes or 0) > (one.tasks or 0) > 0 for one in (a, b))
    return waits or a.segment or a.args == b.args
