"""What does SIGTERM do to telemetry?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related, worlds_tried
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Related, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import SignalSeen

REMEDY = (
    "def on_term(signum, frame):\n    handle.shutdown()\n    raise SystemExit(128 + signum)\n\n"
    "signal.signal(signal.SIGTERM, on_term)  # inside the try, before training"
)

NO_HANDLER = Rule(
    "sigterm/no-handler",
    "no handler: SIGTERM ends the process without finally and without exit hook",
    Severity.NOTE,
    help="Python's default for SIGTERM is to die on the spot. Whoever stops the job (time limit, "
    "preemption, `scancel`, an elastic agent that restarts its workers) then loses what is queued. "
    "Install a handler that raises SystemExit, so that the finally runs.",
)
EXPECTED = Rule(
    "sigterm/expected",
    "the job is stopped by SIGTERM on purpose and the program has no handler",
    Severity.CAUTION,
    help="The job script asks for a signal before its end, may be requeued or preempted, or starts the "
    "workers through an agent that stops them by SIGTERM. Each time the queued telemetry of the "
    "process is lost. Install a handler that raises SystemExit.",
)
HARD = Rule(
    "sigterm/hard-exit",
    "the handler leaves the hard way without shutdown",
    Severity.BLOCKER,
    help="`os._exit`, `os.abort` and `exec` in a handler skip every finally and exit hook: each "
    "preemption loses the end of the run. Call `handle.shutdown()` first, or raise SystemExit "
    "instead.",
)
IGNORED = Rule(
    "sigterm/ignored",
    "SIGTERM is ignored, and SIGKILL follows",
    Severity.CAUTION,
    help="`signal.SIG_IGN` is no handler, nor is `faulthandler.register` alone: when the grace period is over "
    "the process is killed with all that is queued. Let the handler raise SystemExit.",
)
TAKEN_OFF = Rule(
    "sigterm/taken-off",
    "the handler is taken off again before training",
    Severity.CAUTION,
    help="The last call of `signal.signal` wins, and `faulthandler.register` without `chain=True` puts a handler in C "
    "in its place. Keep the handler installed for as long as telemetry is up.",
)
ONLY_RETURNS = Rule(
    "sigterm/only-returns",
    "the handler neither shuts down nor leaves",
    Severity.CAUTION,
    help="A flag helps when the training loop reads it between steps and a step is shorter than the grace "
    "period; else the job runs on until SIGKILL. Let the handler raise SystemExit, or shut down in "
    "it.",
)
NOTHING_UNWOUND = Rule(
    "sigterm/nothing-shuts-down",
    "the handler ends the program, but nothing on that way shuts down",
    Severity.CAUTION,
    help="SystemExit from a handler runs the finally blocks and exit hooks around the statement it hits. "
    "There is none that shuts down. Put the training into `try:` / `finally: handle.shutdown()`.",
)
SWALLOWED = Rule(
    "sigterm/swallowed",
    "what the handler raises is caught, and training goes on",
    Severity.CAUTION,
    help="An `except` around the steps (retry, skip the batch) catches the exception of the handler, and the job runs "
    "on until SIGKILL. Raise SystemExit or another BaseException that nothing on the way catches.",
)
BLOCKS = Rule(
    "sigterm/blocks",
    "the handler may wait for others before it shuts down",
    Severity.CAUTION,
    help="A collective waits for ranks that got the signal too, and a join for a thread that may never "
    "end; the grace period runs out first (an elastic agent gives 30 s). Call `handle.shutdown()` "
    "first.",
)
NOT_DELIVERED = Rule(
    "sigterm/not-delivered",
    "the signal that ends the job early does not reach Python",
    Severity.CAUTION,
    help="A handler in the program is of no use when the signal stops at a shell: `--signal=B:` goes to "
    "the batch shell only, a shell as first process of a container passes nothing on, and a trap "
    "runs after the program. Start the program with `exec` or `srun`, or let the trap send the "
    "signal on.",
)
CONDITIONAL = Rule(
    "sigterm/conditional",
    "the handler is installed on some paths only",
    Severity.CAUTION,
    help="Under another flag, variable or branch there is none. Install it always.",
)

ORDER = {"hard": HARD, "ignored": IGNORED, "default": TAKEN_OFF, "blocks": BLOCKS, "returns": ONLY_RETURNS}


@check(
    "sigterm",
    "SIGTERM reaches a shutdown",
    scope=Scope.LAUNCH,
    any_of=(Need.SCRIPT, Need.JOB),
    rules=(
        NO_HANDLER,
        EXPECTED,
        HARD,
        IGNORED,
        TAKEN_OFF,
        ONLY_RETURNS,
        NOTHING_UNWOUND,
        SWALLOWED,
        BLOCKS,
        NOT_DELIVERED,
        CONDITIONAL,
    ),
)
def sigterm(ctx: Context) -> Iterator[Said]:
    """Asks what the handler of SIGTERM that is installed while training runs does to telemetry.

    The handler is followed like any function: one that calls `handle.shutdown()`, or raises into a
    finally or exit hook that does, passes. `os._exit` and `exec` without it fail. Ignoring the
    signal, taking the handler off again, installing it under a condition, waiting for other ranks
    first, or only setting a flag warn. No handler at all is a note, and a caution when the job
    script shows where a SIGTERM will come from. Python runs handlers between bytecodes of the main
    thread: while it sits in a C call nothing happens.
    """
    stopped = list(not_delivered(ctx))
    yield from stopped
    try:
        reading = instrumented(ctx)
    except (Skip, Undecided):
        if stopped:
            return
        raise
    yield from worlds_tried(ctx, reading)
    seen = [s for s in reading.seen.signals if s.lanes & reading.mask()]
    installed = {s.installed for s in seen if s.installed is not None}
    if not installed and not reading.seen.installs:
        yield no_handler(ctx, reading)
        return
    if not seen:
        at = reading.location(reading.seen.installs[0][0].site)
        raise Undecided("no call that SIGTERM could interrupt with telemetry up is reached in the source", at)
    found = list(judge(ctx, reading, seen))
    yield from found
    if not found:
        where = next(iter(sorted(str(reading.location(s)) for s in installed)), "")
        yield Proof("the handler reaches the shutdown", {"handler": where})


def not_delivered(ctx: Context) -> Iterator[Finding]:
    """The finding for a job whose signal stops before it reaches the program."""
    job = ctx.launch.job
    if job is None or job.sigterm_delivery.value not in ("batch-shell-only", "swallowed"):
        return
    at = job.sigterm_at or job.at
    yield Finding(
        NOT_DELIVERED, f"SIGTERM does not reach the program: {job.sigterm_why}", at, remedy="exec srun ..."
    )


def no_handler(ctx: Context, reading: Reading) -> Finding:
    """The finding for a program without a handler, heavier when the job says that SIGTERM comes."""
    at = reading.location(reading.setups[0].site)
    source = signal_source(ctx)
    message = "SIGTERM ends the process without handle.shutdown(): no handler is installed"
    if source is None:
        return Finding(NO_HANDLER, message, at, remedy=REMEDY)
    return Finding(EXPECTED, f"{message}, and {source.text}", at, related=(source,), remedy=REMEDY)


def signal_source(ctx: Context) -> Related | None:
    """Where the job script shows that SIGTERM will come; None when it does not."""
    job = ctx.launch.job
    if job is None:
        return None
    if job.sigterm_at is not None:
        return Related("the job is signalled before its end", job.sigterm_at)
    if job.agents is not None:
        return Related("an elastic agent stops its workers by SIGTERM", job.command_at)
    return None


def judge(ctx: Context, reading: Reading, seen: list[SignalSeen]) -> Iterator[Finding]:
    """The findings about the handlers in force while training runs."""
    training = [s for s in seen if s.training] or seen
    armed = [s for s in training if s.installed is not None]
    for became, rule in ORDER.items():
        told = set()
        for worst in (s for s in armed if s.became == became):
            place = worst.at or worst.installed
            if place not in told:
                yield about(reading, rule, worst)
            told.add(place)
            if not ctx.lifts(rule):
                return
    left = next(
        (e for e in reading.seen.ends if e.facts.signalled is not None and relevant_open(reading, e)), None
    )
    if left is not None and left.facts.signalled is not None:
        at = reading.location(left.facts.signalled)
        places = [("telemetry is set up here", reading.setups[0].site)]
        message = "SIGTERM ends the program here, and no finally or exit hook on that way shuts down"
        yield Finding(NOTHING_UNWOUND, message, at, related=related(reading, places, at), remedy=REMEDY)
        return
    yield from swallowed(reading)
    yield from conditional(reading, training, armed)
    unknown = next((s for s in armed if s.became == "unknown"), None)
    if unknown is not None and unknown.installed is not None:
        raise Undecided("the handler is not a function of the tree", reading.location(unknown.installed))


def swallowed(reading: Reading) -> Iterator[Finding]:
    """Training that goes on after the handler raised."""
    for handler, site, lanes in reading.seen.swallowed:
        if lanes & reading.mask():
            at = reading.location(handler)
            places = [("telemetry is set up here", reading.setups[0].site), ("training goes on here", site)]
            yield Finding(
                SWALLOWED, SWALLOWED.summary, at, related=related(reading, places, at), remedy=REMEDY
            )
            return


def relevant_open(reading: Reading, end: object) -> bool:
    """True when something is left to flush at an end that SIGTERM began."""
    return any(f.status == "open" for f in reading.relevant(end))  # type: ignore[arg-type]


def conditional(reading: Reading, training: list[SignalSeen], armed: list[SignalSeen]) -> Iterator[Finding]:
    """A call that runs with the handler on some paths and without it on others."""
    covered = {s.chain[0] for s in armed}
    bare = [s for s in training if s.installed is None and (s.chain[0] in covered or not armed or s.training)]
    if not bare or not reading.seen.installs:
        return
    site = reading.seen.installs[0][0].site
    at = reading.location(site)
    places = [("telemetry is set up here", reading.setups[0].site), ("no handler here", bare[0].chain[0])]
    message = "the handler is installed under a condition, or only after training began"
    yield Finding(CONDITIONAL, message, at, related=related(reading, places, at), remedy=REMEDY)


def about(reading: Reading, rule: Rule, seen: SignalSeen) -> Finding:
    """The finding about one handler."""
    from lens_preflight.program.state import Site

    where = seen.at if seen.at is not None else seen.installed
    assert isinstance(where, Site)
    at = reading.location(where)
    places = [("installed here", seen.installed)] if seen.installed is not None else []
    places.append(("telemetry is set up here", reading.setups[0].site))
    places.append(("SIGTERM may come here", seen.chain[0]))
    return Finding(
        rule,
        f"SIGTERM while {seen.chain[0].text} runs: {rule.summary}",
        at,
        related=related(reading, places, at),
        remedy=REMEDY,
    )
