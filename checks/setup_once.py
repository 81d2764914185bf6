"""Is telemetry set up exactly once in each process?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import outside, read, related, worlds_tried
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import SetupSeen

NEVER = Rule(
    "setup-once/never",
    "no path from the entry reaches setup_telemetry of nemo.lens",
    Severity.BLOCKER,
    help="The program may import Lens, mention it in a comment, or define a function of the same name; "
    "none of that exports anything. Type `handle = setup_telemetry(NemoLensConfig.from_env(), ...)` "
    "where the process starts, and `try:` / `finally: handle.shutdown()` around the rest.",
)
TWICE = Rule(
    "setup-once/twice",
    "one process sets telemetry up a second time",
    Severity.BLOCKER,
    help="With telemetry enabled the second call raises RuntimeError and the job dies; after a disabled "
    "first call it returns a handle that says it exports while its providers stay no-ops. Set up in "
    "one place and pass the handle on, or guard it: `if _HANDLE is None: _HANDLE = "
    "setup_telemetry(...)`.",
)
REINIT = Rule(
    "setup-once/allow-reinit",
    "the guard against a second setup is switched off",
    Severity.BLOCKER,
    help="`_allow_reinit=True` is for tests: the global providers of OpenTelemetry are set once, so what "
    "a second setup builds is never used (the log says `Overriding of current TracerProvider is not "
    "allowed`). Remove the argument.",
)
REJECTED = Rule(
    "setup-once/rejected",
    "this generation of Lens refuses the call",
    Severity.BLOCKER,
    help="0.1 and 0.2 take `setup_telemetry(config, rank, world_size, ...)`; the generation without ranks "
    "takes everything after the configuration by keyword and knows neither rank nor strategy. The "
    "wrong call raises TypeError at start. Pin the version that the program was written for, or "
    "change the call. Up to 0.2 a strategy by a name that nobody registered raises ValueError, in every "
    "process and also with telemetry switched off; so does registering a name that is taken without "
    "`allow_override=True`.",
)

TAKEN = Rule(
    "setup-once/provider-taken",
    "the program sets a global provider of its own before Lens does",
    Severity.BLOCKER,
    help="OpenTelemetry keeps the first global provider and refuses the next with one line in the log "
    "(`Overriding of current TracerProvider is not allowed`). What Lens builds is then never used: no span "
    "carries `nemo.run.id`, and nothing fails. Let `setup_telemetry` come first, and add what the "
    "program needs to its provider: `trace.get_tracer_provider().add_span_processor(...)`.",
)


@check(
    "setup-once",
    "Telemetry is set up once in each process",
    items=(1,),
    scope=Scope.LAUNCH,
    needs=(Need.SCRIPT,),
    uses=(Need.ENVIRONMENT, Need.JOB),
    rules=(NEVER, TWICE, REINIT, REJECTED, TAKEN),
    decisive=True,
)
def setup_once(ctx: Context) -> Iterator[Said]:
    """Follows the program from its entry and counts the calls of `setup_telemetry` on every path.

    A call is a call of the library's own function, whatever it was renamed to and through however
    many files it was passed on; a function of the same name of your own does not count. One call on
    each path passes, also when the branches hold one each, or a module global, a cache or a flag
    keeps later ones away. Two calls on one path, a call in a loop, a hook that a framework runs
    every epoch, or a helper that imports the running script under its module name fail: with
    telemetry enabled the second call raises RuntimeError. Processes that the program starts
    (multiprocessing, torch.multiprocessing.spawn, ray) are counted each for itself. A setup behind a
    global provider of the program's own fails too: OpenTelemetry keeps the first one.

    When no path reaches a call, the program is not instrumented and the other checks of the script
    are skipped. A program of a job that calls nothing that trains (a download, a conversion), beside one
    that is instrumented, is skipped by all checks of a launch. When the only way to a call leads through
    a package outside of the tree, a computed name or another program, the answer is unknown; so it is when
    a function that holds a call is named by code that runs, or belongs to a class in use that Python or a
    library may call by itself, and what calls it is not followed.
    """
    reading = read(ctx)
    yield from worlds_tried(ctx, reading)
    if not reading.setups:
        for why, site in reading.seen.refusals:
            yield Finding(REJECTED, why, reading.location(site), remedy="register another name")
            if not ctx.lifts(REJECTED):
                return
        if reading.seen.refusals:
            return
        reason, at = outside(reading)
        if reason:
            raise Undecided(f"setup_telemetry is not reached in the source, but {reason}", at)
        yield never(reading)
        return
    found = list(problems(ctx, reading))
    yield from found
    if not ctx.stops(*found):
        if reading.incomplete:
            raise Undecided(reading.incomplete, reading.model.at)
        for reason, site in reading.seen.uncounted[:1]:
            raise Undecided(reason, reading.location(site))
        if found:
            yield ctx.nothing_else
            return
        places = sorted({str(reading.location(s.site)) for s in reading.setups})
        yield Proof("one call of setup_telemetry on every path", {"calls": ", ".join(places)})


def never(reading: Reading) -> Finding:
    """The finding for a program that is not instrumented; it points at a call that nobody reaches."""
    at = reading.model.at
    mentions = reading.model.mentions("setup_telemetry")
    if mentions:
        at = reading.location(mentions[0])
    message = "not instrumented: no path reaches setup_telemetry of nemo.lens"
    remedy = (
        "handle = setup_telemetry(NemoLensConfig.from_env())  # from nemo.lens\n"
        "try: main()\n"
        "finally: handle.shutdown()"
    )
    return Finding(NEVER, message, at, remedy=remedy)


def problems(ctx: Context, reading: Reading) -> Iterator[Finding]:
    """Refused and repeated calls, each place once; behind one that may be waived, the next."""
    told: set[Location] = set()
    said: set[tuple[Location, str]] = set()
    for setup in reading.setups:
        at = reading.location(setup.site)
        if at in told:
            continue
        for found in faults(reading, setup, at):
            if (at, found.rule.id) not in said:
                said.add((at, found.rule.id))
                yield found
            if not ctx.lifts(found.rule):
                told.add(at)
                break


def faults(reading: Reading, setup: SetupSeen, at: Location) -> Iterator[Finding]:
    """What is wrong with one call, the heaviest first."""
    if setup.rejected:
        message = f"{reading.generation.title} refuses this call: {setup.rejected}"
        yield Finding(REJECTED, message, at, remedy=call_of(reading))
    if setup.before:
        yield repeated(reading, setup, at)
    if reinit_on_purpose(setup):
        yield Finding(REINIT, "_allow_reinit switches the guard off", at, remedy="remove _allow_reinit")
    taken = setup.surroundings.own_provider
    if taken is not None:
        yield Finding(
            TAKEN,
            "the program has set a global provider by then, and OpenTelemetry refuses that of Lens",
            at,
            related=related(reading, [("the first provider", taken)], at),
            remedy="call setup_telemetry before set_tracer_provider and set_meter_provider, and drop those",
        )


def reinit_on_purpose(setup: SetupSeen) -> bool:
    """True when the argument is a plain True."""
    return setup.reinit_true


def repeated(reading: Reading, setup: SetupSeen, at: Location) -> Finding:
    """The finding for a second setup on one path."""
    first = setup.before[0]
    again = "again in a loop" if first == setup.site else "a second time on this path"
    places = [("the first setup", first), *(("called from", s) for s in setup.chain[1:])]
    rule = REINIT if setup.reinit_true else TWICE
    return Finding(
        rule,
        f"setup_telemetry is called {again}",
        at,
        related=related(reading, places, at),
        remedy="_HANDLE = None\n\ndef telemetry():\n    global _HANDLE\n    if _HANDLE is None:\n"
        "        _HANDLE = setup_telemetry(...)\n    return _HANDLE",
    )


def call_of(reading: Reading) -> str:
    """The call that the generation takes."""
    if reading.generation.takes_rank:
        return "handle = setup_telemetry(config, rank=rank, world_size=world_size)"
    return (
        "config.enabled = config.enabled and rank == world_size - 1\n"
        "handle = setup_telemetry(config, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})"
    )
