"""Does every process of the run carry one and the same nemo.run.id?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.run_id_across import across
from lens_preflight.checks.run_id_rules import (
    CHARACTERS,
    CONSTANT,
    DIFFERS,
    LEFT_OPEN,
    NOT_STABLE,
    OVERRIDDEN,
    PER_PROCESS,
    RANDOM,
    RULES,
    SHADOWED,
    UNUSABLE,
)
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Related
from lens_preflight.core.variable import Variable
from lens_preflight.core.words import Need, Scope, Spread, State

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.lens.run_id import RunId

SLURM = "SLURM_JOB_ID"
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST = 128
RESOURCE = "OTEL_RESOURCE_ATTRIBUTES"


@check(
    "run-id",
    "Every process of the run carries one and the same nemo.run.id",
    items=(4,),
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    uses=(Need.SCRIPT, Need.JOB),
    rules=RULES,
    decisive=True,
)
def run_id(ctx: Context) -> Iterator[Said]:
    """`nemo.run.id` is how a run is found again in every backend. NeMo Lens takes it from
    `<PREFIX>_RUN_ID` (trimmed), else from `SLURM_JOB_ID` (not trimmed), else every process makes up
    its own: then the ranks of one job look like as many runs.

    Passes: one value for all processes, as far as can be told before the start: a constant, a text
    with the job id, the job id itself. Notes: it changes when the job is requeued, or is equal for
    every submission. Warns: characters that queries must escape; made up by a single process. Fails:
    made up by each of several processes; a text that differs between tasks, nodes or pods; blank.

    With a training script also by what the program makes of it before its setup call: a variable that it
    writes or takes away, `config.run_id = ...`, `nemo.run.id` among the attributes of the call.

    With a job script also across launches: fails when the elements of an array, the pods of one job
    or the steps of one run do not fit together; warns when a loop of runs shares one run id.
    """
    if ctx.launch.job is not None and ctx.launch.job.helper:
        raise Skip("this launch starts daemons, and no training process")
    found = ctx.lens.run_ids
    _known_to_be_one(ctx, found)
    yield from _shadowed(ctx, found)
    yield from _overridden(ctx)
    if len(found) > 1:
        yield from _several(ctx, found)
        return
    yield from judge(ctx, found[0])


def _known_to_be_one(ctx: Context, found: tuple[RunId, ...]) -> None:
    """Raise Undecided where the program makes a run id of which nobody can tell whether it is one for all."""
    made = found[0].decided_by
    if made.name in ctx.inside.names and made.state is State.UNKNOWN and made.spread is Spread.JOB:
        if processes(ctx) == 1:
            return
        raise Undecided(
            f"{made.reason}; take it out of {made.location}, and type {remedy(ctx)[0]}", made.location
        )


def judge(ctx: Context, found: RunId) -> Iterator[Said]:
    """The verdict on one run id that is known to come out for the processes of one launch."""
    yield from across(ctx, found, where(ctx, found))
    if found.is_random:
        yield from _random(ctx, found)
    elif found.per_process and processes(ctx) != 1:
        yield from ctx.last(_differs(ctx, found))
    else:
        yield from _text(found)
        yield Proof(*_proof(found))


def processes(ctx: Context) -> int | None:
    """How many processes the launch starts, None when nobody says."""
    return ctx.world.size if ctx.world is not None else None


def where(ctx: Context, found: RunId) -> Location:
    """The line that sets the run id, or means to; else the launch that lacks it, else the variable."""
    at = found.decided_by.location
    launched = ctx.launch.at
    slips = [slip.location for slip in misspelt(ctx) if slip.location.line is not None]
    for place in (at, *slips, launched):
        if place is not None and place.line is not None:
            return place
    return at


def misspelt(ctx: Context) -> list[Variable]:
    """Variables that nothing reads and that were meant to be the run id."""
    names, catalogue = ctx.launch.framework.run_id_names, ctx.lens.catalogue
    set_ = [v for v in ctx.env if v.state.value != "unset"]
    return [v for v in set_ if catalogue.verdict(v.name).meant in names]


def remedy(ctx: Context) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What to type to have one run id, and the same as settings."""
    name = ctx.launch.framework.run_id_names[0]
    slurm = ctx.env[SLURM]
    in_slurm = slurm.value is not None or slurm.state.value == "provided"
    job = ctx.launch.job
    batch = job is not None and job.from_batch
    text = f"my-run-${{{SLURM}}}" if in_slurm or batch else "my-run-2026-01-31"
    if job is None or job.pods:
        return f"export {name}={text} before the processes start", ((name, text),)
    at = job.command_at
    return f"put `export {name}={text}` above line {at.line} of {at.what}", ((name, text),)


def _several(ctx: Context, found: tuple[RunId, ...]) -> Iterator[Said]:
    """It is open whether a variable is set: judge all possibilities, and say what is open."""
    said = [list(judge(ctx, one)) for one in found]
    bad = [ctx.stops(*(w for w in words if isinstance(w, Finding))) for words in said]
    first = found[0].decided_by
    if all(bad):
        yield from said[0]
        return
    if any(bad):
        text, _ = remedy(ctx)
        why = first.reason or ctx.env.opaque
        raise Undecided(f"{first.name} may be set or not ({why}); without it there is no one run id: {text}")
    yield Finding(
        LEFT_OPEN,
        f"{first.name} may be set or not: {first.reason or ctx.env.opaque}",
        first.location,
        remedy=remedy(ctx)[0],
    )
    waived = [w for words in said[:-1] for w in words if isinstance(w, Finding) and ctx.lifts(w.rule)]
    yield from dict.fromkeys(w for w in waived if w not in said[-1])
    yield from said[-1]


def _random(ctx: Context, found: RunId) -> Iterator[Said]:
    count = processes(ctx)
    text, settings = remedy(ctx)
    at = where(ctx, found)
    if found.shared_by or count == 1:
        who = (
            f"the driver makes one up and hands it on as {found.shared_by}"
            if found.shared_by
            else ("the process makes one up at start")
        )
        gone = _gone(ctx)
        why = f"{SLURM} is gone at {gone}" if gone is not None else "no run id is set"
        yield Finding(RANDOM, f"{why}: {who}", at, _dropped(ctx), remedy=text, settings=settings)
        yield Proof("one run id, made up at start")
        return
    if count is None:
        message = "no run id is set: a single process makes one up, several make up several"
        yield Finding(RANDOM, message, at, remedy=text, settings=settings)
        raise Undecided(f"nobody says how many processes run; give --world-size N, or {text}")
    message = "no run id is set and there is no Slurm job id: each process makes up its own"
    if (gone := _gone(ctx)) is not None:
        message = f"no run id is set and {SLURM} is gone at {gone}: each process makes up its own"
    if slips := misspelt(ctx):
        message = f"nothing reads {slips[0].name}, and without a run id each process makes up its own"
    yield Finding(
        PER_PROCESS,
        message,
        at,
        _dropped(ctx),
        evidence={"processes": str(count)},
        remedy=text,
        settings=settings,
    )
    if ctx.lifts(PER_PROCESS):
        yield ctx.nothing_else


def _gone(ctx: Context) -> Location | None:
    """Where the job script drops the Slurm job id, when it does."""
    job = ctx.launch.job
    lost = [one for one in job.lost if one.name == SLURM] if job is not None else []
    return lost[0].at if lost else None


def _dropped(ctx: Context) -> tuple[Related, ...]:
    """The links that took the run id or the Slurm job id away, when there are any."""
    job = ctx.launch.job
    if job is not None:
        names = (*ctx.launch.framework.run_id_names, SLURM)
        lost = [one for one in job.lost if one.name in names]
        related = [Related(f"{one.name} is dropped here", one.at) for one in lost]
        related += [
            Related(f"{o.name} is set here", o.set_at)
            for o in lost
            if o.set_at is not None and o.set_at != o.at
        ]
        return tuple(related)
    slurm = ctx.env[SLURM]
    if not slurm.reason or slurm.origin is None or slurm.origin.at is None:
        return ()
    return (Related(f"{SLURM} does not get here: {slurm.reason}", slurm.origin.at),)


def _differs(ctx: Context, found: RunId) -> Finding:
    over = {Spread.TASK: "process to process", Spread.NODE: "node to node"}[found.spread]
    text, settings = remedy(ctx)
    why = f" ({found.decided_by.reason})" if found.decided_by.reason else ""
    return Finding(
        DIFFERS,
        f"{found.decided_by.name} differs from {over}{why}",
        found.decided_by.location,
        remedy=text,
        settings=settings,
    )


def _text(found: RunId) -> Iterator[Finding]:
    """What is wrong with the text itself, or worth a note."""
    at, name, value = found.decided_by.location, found.decided_by.name, found.value
    if value is not None and (not value.strip() or not value.isprintable()):
        message = f"the run id from {name} is blank or holds control characters"
        yield Finding(UNUSABLE, message, at, remedy=f"export {name}=my-run-2026-01-31")
        return
    if value is not None and (not SAFE.fullmatch(value) or len(value) > LONGEST):
        message = f"the run id {value[:40]!r} needs escaping in queries, or is longer than {LONGEST}"
        safe = re.sub(r"[^A-Za-z0-9._-]+", "-", value).strip("-._")[:LONGEST] or "my-run"
        yield Finding(CHARACTERS, message, at, remedy=f"export {name}={safe}", settings=((name, safe),))
    if found.spread is Spread.RUN:
        message = f"{name} is worked out again at each start: a requeued job gets another run id"
        yield Finding(NOT_STABLE, message, at, remedy=f"export {name}=my-run-${{{SLURM}}}")
    elif value is not None and found.is_set and _from_script(found):
        message = f"{name} is a constant: every submission has this run id"
        yield Finding(CONSTANT, message, at, remedy=f"export {name}={value}-${{{SLURM}}} for one id a job")


def _from_script(found: RunId) -> bool:
    """True when a line of a file sets it; in a process environment it is already one run's."""
    origin = found.decided_by.origin
    return origin is not None and origin.at is not None and origin.at.line is not None


def _proof(found: RunId) -> tuple[str, dict[str, str]]:
    name = found.decided_by.name
    if found.value is not None:
        return f"one run id for all processes, from {name}", {"nemo.run.id": found.value}
    return f"one run id for all processes, from {name}, known at start", {}


def _shadowed(ctx: Context, found: tuple[RunId, ...]) -> Iterator[Finding]:
    """A run id behind a prefix that the framework does not ask."""
    framework = ctx.launch.framework
    asked = framework.run_id_names
    for prefix in framework.prefixes:
        name = f"{prefix}_RUN_ID"
        variable = ctx.env[name]
        if name in asked or ctx.env.unlisted(name) or variable.state.value == "unset":
            continue
        if not found[0].is_set:
            yield Finding(
                SHADOWED,
                f"{framework.title} does not ask for {name}; it takes {asked[0]}",
                variable.location,
                remedy=f'export {asked[0]}="${name}"',
            )


def _overridden(ctx: Context) -> Iterator[Finding]:
    """A run id among the resource attributes."""
    try:
        given = "nemo.run.id" in ctx.otel.in_sight.resource
    except Undecided:
        return
    if given:
        name = ctx.launch.framework.run_id_names[0]
        yield Finding(
            OVERRIDDEN,
            f"nemo.run.id in {RESOURCE} has no effect: NeMo Lens sets its own",
            ctx.env[RESOURCE].location,
            remedy=f"export {name}=...",
        )
