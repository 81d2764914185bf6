"""Does NEMO_LENS_ENABLED=0 really switch telemetry off?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity, State

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.rollback import Leak
    from lens_preflight.program.seen import SetupSeen

SWITCH = "NEMO_LENS_ENABLED"

HARD_CODED = Rule(
    "rollback/hard-coded",
    "the program switches telemetry on whatever the environment says",
    Severity.BLOCKER,
    help="With `enabled=True`, a plain assignment, or a write to the variable itself, rolling back takes "
    "an edit and a new submission of every job. Keep the environment's word: `config.enabled = "
    "config.enabled and ...`.",
)
OTHER_SWITCH = Rule(
    "rollback/other-switch",
    "something else than NEMO_LENS_ENABLED decides",
    Severity.CAUTION,
    help="A flag of the command line, a file or a variable of another name can switch telemetry off, but "
    "the variable that the runbook names cannot. Let it win: `config.enabled = config.enabled and "
    "args.telemetry`.",
)
PREFIX = Rule(
    "rollback/own-prefix",
    "the configuration is read under a prefix of its own, without NEMO_LENS behind it",
    Severity.CAUTION,
    help="`NemoLensConfig.from_env(prefix=...)` without a fallback never looks at NEMO_LENS_ENABLED. Add "
    '`fallback_prefix="NEMO_LENS"`, and put the name of the variable that works into the runbook.',
)
SHADOWED = Rule(
    "rollback/prefix-shadows",
    "a prefixed variable is set and wins over NEMO_LENS_ENABLED",
    Severity.CAUTION,
    help="The variable under the framework's prefix is looked at first; NEMO_LENS_ENABLED=0 is only the "
    "fallback. Roll back with the prefixed variable, or do not set it.",
)
FLAG = Rule(
    "rollback/flag-wins",
    "a flag of the launch wins over the environment",
    Severity.CAUTION,
    help="The framework sets `enabled` after reading the environment when the flag is given: "
    "NEMO_LENS_ENABLED=0 does not switch that job off. Take the flag away and switch by the "
    "variable.",
)


@check(
    "rollback",
    "NEMO_LENS_ENABLED=0 switches telemetry off",
    items=(9,),
    scope=Scope.LAUNCH,
    uses=(Need.SCRIPT, Need.ENVIRONMENT, Need.JOB),
    rules=(HARD_CODED, OTHER_SWITCH, PREFIX, SHADOWED, FLAG),
    decisive=True,
)
def rollback(ctx: Context) -> Iterator[Said]:
    """Runs the evaluation of the rank decision again with `NEMO_LENS_ENABLED=0`: nobody may export.

    Passes when on every rank and path the value that reaches the setup call is then false. Warns
    when another switch decides or wins: a flag, a file, a variable under a prefix. Fails when
    nothing short of an edit helps: `enabled=True`, an assignment that forgets the old value, a write
    to the variable in the program, `bool("0")`.

    The environment of the launch and its flags are judged too: `MEGATRON_OTEL_ENABLED=1` wins over
    `NEMO_LENS_ENABLED=0`, and so does `--otel-enabled`. Without a script the environment alone can
    warn, but never pass: whether the program listens to it is not known.
    """
    found = list(from_launch(ctx))
    yield from found
    try:
        reading = instrumented(ctx)
    except Skip:
        if found:
            return
        raise
    off = list(leaks(reading))
    if found and off and all(f.rule is OTHER_SWITCH for f in off):
        return
    yield from off
    if any(f.rule is HARD_CODED for f in off) and not ctx.stops(*off):
        refuse_unknown(reading)
        if reading.incomplete:
            raise Undecided(reading.incomplete, reading.model.at)
        yield ctx.nothing_else
    if not off:
        refuse_unknown(reading)
    if not off and not found:
        if reading.incomplete:
            raise Undecided(reading.incomplete, reading.model.at)
        yield Proof("with NEMO_LENS_ENABLED=0 no process exports")


def from_launch(ctx: Context) -> Iterator[Finding]:
    """What wins over the variable before the program starts: prefixed variables and flags."""
    framework = ctx.launch.framework
    prefix = framework.prefix
    if prefix and prefix != "NEMO_LENS":
        name = f"{prefix}_ENABLED"
        variable = ctx.env[name]
        word = (variable.value or "").strip().lower()
        if variable.state is State.VALUE and word in ("1", "true", "yes", "on"):
            message = f"{name}={variable.value} wins over {SWITCH}=0"
            remedy = f"roll back with {name}=0, or unset it and use {SWITCH}"
            settings = ((name, None), (SWITCH, "1"))
            yield Finding(SHADOWED, message, variable.location, remedy=remedy, settings=settings)
    for flag in framework.flags:
        if flag.key == "ENABLED" and flag.given(ctx.launch.args):
            at = ctx.launch.at or Location.option(flag.name)
            message = f"{flag.name} switches telemetry on after the environment was read"
            remedy = f"remove {flag.name} and type export {SWITCH}=1"
            yield Finding(FLAG, message, at, remedy=remedy, settings=((SWITCH, "1"),))


def leaks(reading: Reading) -> Iterator[Finding]:
    """Setup calls that still export with the switch off, each place once."""
    from lens_preflight.program.rollback import leaks as found

    told = set()
    for leak in found(reading):
        if leak.kind == "unknown":
            continue
        if (leak.kind, leak.at) in told:
            continue
        told.add((leak.kind, leak.at))
        yield about(reading, leak)


def refuse_unknown(reading: Reading) -> None:
    """Raise Undecided for a setup call of which nobody can say whether it still exports."""
    from lens_preflight.program.rollback import leaks as found

    for leak in found(reading):
        if leak.kind == "unknown":
            reason = f"what switches telemetry on is not in the source: {leak.what}"
            raise Undecided(reason, reading.location(leak.at))


def about(reading: Reading, leak: Leak) -> Finding:
    """The finding about one leak."""
    at = reading.location(leak.at)
    setup: SetupSeen = leak.setup
    places = [("telemetry is set up here", setup.site)]
    if setup.config is not None:
        places.append(("the configuration is made here", setup.config))
    around = related(reading, places, at)
    if leak.kind == "prefix":
        message = f"{leak.what}_ENABLED decides, {SWITCH} is never read"
        remedy = f'NemoLensConfig.from_env(prefix="{leak.what}", fallback_prefix="NEMO_LENS")'
        return Finding(PREFIX, message, at, related=around, remedy=remedy)
    if leak.kind == "switch":
        message = f"{SWITCH}=0 does not switch off: {leak.what} decides"
        return Finding(
            OTHER_SWITCH, message, at, related=around, remedy="config.enabled = config.enabled and ..."
        )
    message = f"{SWITCH}=0 does not switch off: telemetry is switched on in the code"
    return Finding(HARD_CODED, message, at, related=around, remedy="config.enabled = config.enabled and ...")
