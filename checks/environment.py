"""Is every telemetry variable one that somebody reads, with a text that means what it says?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.environment_remedies import remedy
from lens_preflight.checks.environment_rules import (
    BY_CODE,
    DISABLED,
    FATAL,
    LATER,
    LOST,
    NEVER_RETURNS,
    NOT_KNOWN,
    NOTHING_SENT,
    OFF,
    OTHER_GENERATION,
    PLUGIN,
    RULES,
    STRAY,
    UNKNOWN,
    UNREAD,
)
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Harm, LibraryFailure, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.variable import Variable
from lens_preflight.core.words import Need, Scope, Severity, State

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.lens.survey import Survey
    from lens_preflight.lens.variables import Verdict


@check(
    "environment",
    "Every telemetry variable is read, and means what it says",
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    uses=(Need.SCRIPT, Need.JOB),
    rules=RULES,
)
def environment(ctx: Context) -> Iterator[Said]:
    """NeMo Lens and OpenTelemetry read some 120 variables and complain about few of them. A misspelt
    name is not read and nothing says so. A text that is not understood kills the job at start
    (`NEMO_LENS_ENABLED=enabled`, `OTEL_EXPORTER_OTLP_COMPRESSION=none` with gRPC), aborts the
    interpreter (a client certificate without its key), blocks the first export for ever
    (`OTEL_EXPORTER_OTLP_TIMEOUT=inf`), or is silently taken for something else
    (`OTEL_EXPORTER_OTLP_INSECURE=1` means *encrypted*).

    Fails: a name within a slip of a known one that is not set itself; a text that raises, aborts,
    hangs, inverts its meaning, or keeps every export from arriving. What matters only once telemetry
    is enabled is a warning while it is not. Warns: a text that is read as something else than it
    says; a variable that this generation of Lens no longer reads; telemetry that goes to no collector.
    Notes: variables without effect, and texts that are known only when the job starts. Judged is what the
    job and its environment set in plain sight, and what the training script makes of it; files that
    variables name are looked at only on a node.
    """
    lens = ctx.lens.in_sight
    otel = ctx.otel.in_sight if ctx.profile == "node" else ctx.otel.in_sight.with_all_files
    found = lens.survey(otel)
    on = _on(ctx)
    yield from _names(ctx)
    yield from _failures(ctx, found, on)
    yield from _losses(ctx, found, on)
    yield from _remarks(ctx, found, on)
    if otel.disabled:
        yield _disabled(ctx, on)
    if on:
        yield from _nothing_sent(lens)
    for undecided in found.unknown:
        at = undecided.at or ctx.env["NEMO_LENS_ENABLED"].location
        yield Finding(NOT_KNOWN, undecided.reason, at)
    if not on:
        yield _off(ctx)
    read = [v.name for v in ctx.env if v.state is not State.UNSET and v.name in lens.catalogue.read]
    yield Proof(f"read by nemo-lens {ctx.generation}: {', '.join(read) or 'no variable, all defaults hold'}")


def _on(ctx: Context) -> bool:
    """Whether telemetry is on as far as anybody can tell from outside the program."""
    framework, lens = ctx.launch.framework, ctx.lens.in_sight
    flag = framework.flag("ENABLED")
    if flag is not None and flag.name in ctx.launch.args:
        return True
    try:
        elsewhere = framework.yaml_path and not lens.where("ENABLED").value
        return lens.enabled or bool(elsewhere)
    except (Undecided, LibraryFailure):
        return True


def _names(ctx: Context) -> Iterator[Finding]:
    """Variables that nothing reads, or not here."""
    catalogue = ctx.lens.catalogue
    for variable in ctx.env:
        if variable.state is State.UNSET:
            continue
        verdict = catalogue.verdict(variable.name)
        kind = verdict.standing.value
        if kind == "unknown":
            yield _unknown(ctx, variable, verdict)
        elif kind == "other generation":
            message = f"nemo-lens {ctx.generation} does not read {variable.name}, without a word"
            yield _unset(OTHER_GENERATION, message, variable)
        elif kind == "other framework":
            yield _unset(
                STRAY, f"{variable.name} belongs to another framework; nothing here reads it", variable
            )
        elif kind == "without effect":
            meant = (variable.value or "otlp").strip().lower() in ("", "otlp")
            message = f"{variable.name} has no effect: {verdict.why}"
            yield _unset(STRAY if meant else UNREAD, message, variable)


def _unset(rule: Rule, message: str, variable: Variable) -> Finding:
    name = variable.name
    return Finding(rule, message, variable.location, remedy=f"unset {name}", settings=((name, None),))


def _unknown(ctx: Context, variable: Variable, verdict: Verdict) -> Finding:
    """A name that nobody reads, with the one it was meant to be."""
    name, meant = variable.name, verdict.meant
    if not meant:
        lens = name.startswith(tuple(f"{p}_" for p in ctx.launch.framework.prefixes))
        return _unset(UNREAD if lens else STRAY, f"nothing reads {name}", variable)
    target = ctx.env[meant]
    there = not ctx.env.unlisted(meant) and target.state is not State.UNSET
    if there:
        rule = UNREAD if verdict.sure else STRAY
        return _unset(rule, f"nothing reads {name}; {meant} is set and read", variable)
    value = variable.value if variable.value is not None else _template(ctx, name)
    value = None if value is None or "HEADERS" in meant or "@" in value else value
    return Finding(
        UNKNOWN if verdict.sure else UNREAD,
        f"nothing reads {name}; {meant} is what is read",
        variable.location,
        remedy=f'export {meant}="${name}"',
        settings=((name, None),) if value is None else ((name, None), (meant, value)),
    )


def _template(ctx: Context, name: str) -> str | None:
    """The text that Slurm completes, for a shell: ``gpt-${SLURM_JOB_ID}``; None when more is open."""
    text = ctx.launch.job.written.get(name) if ctx.launch.job is not None else None
    if text is None or not all(s.known or s.name.startswith("SLURM_") for s in text.symbols):
        return None
    return text.plain.template.replace("{", "${")


def _failures(ctx: Context, found: Survey, on: bool) -> Iterator[Finding]:
    """What raises, aborts or hangs."""
    for failure in found.failures:
        always = failure.when in ("import", "from_env") or failure.variable.endswith("_EXPORT_STRATEGY")
        rule = FATAL if on or always else LATER
        if failure.plugin:
            rule = PLUGIN
        verb = {Harm.RAISES: "raises", Harm.ABORTS: "aborts the process with", Harm.HANGS: "hangs:"}
        text, settings = remedy(failure.exception, ctx.env[failure.variable])
        yield Finding(
            rule,
            f"{failure.variable}: {failure.message}; {failure.when} {verb[failure.harm]} {failure.exception}",
            ctx.env[failure.variable].location,
            remedy=text,
            settings=settings,
        )


def _losses(ctx: Context, found: Survey, on: bool) -> Iterator[Finding]:
    """Settings with which nothing ever arrives; one finding for all signals that share them."""
    signals: dict[tuple[str, str, str], list[str]] = {}
    for signal, delivery in found.losses:
        signals.setdefault((delivery.variable, delivery.error, delivery.why), []).append(signal)
    for (name, error, why), lost in signals.items():
        rule = LATER if not on else NEVER_RETURNS if error == "hangs" else LOST
        text, settings = remedy(error, ctx.env[name])
        yield Finding(
            rule,
            f"{name}: {why}; no export arrives",
            ctx.env[name].location,
            evidence={"signals": ", ".join(lost), "error": error},
            remedy=text,
            settings=settings,
        )


def _remarks(ctx: Context, found: Survey, on: bool) -> Iterator[Finding]:
    """Settings that do something else than they say, each variable and kind once."""
    seen: set[tuple[str, str]] = set()
    for remark in found.remarks:
        rule = BY_CODE[remark.code]
        if (remark.code, remark.variable) in seen:
            continue
        seen.add((remark.code, remark.variable))
        if rule.severity is Severity.BLOCKER and not on:
            rule = LATER
        variable = ctx.env[remark.variable]
        text, settings = remedy(remark.code, variable)
        loud = "one warning" if remark.volume.value == "warns" else "nothing says so"
        yield Finding(
            rule,
            f"{remark.variable}: {remark.effect} ({loud})",
            variable.location,
            remedy=text,
            settings=settings,
        )


def _disabled(ctx: Context, on: bool) -> Finding:
    name = "OTEL_SDK_DISABLED"
    return Finding(
        DISABLED if on else LATER,
        f"{name}: nothing is exported, although exporters and threads are built and nothing says so",
        ctx.env[name].location,
        remedy=f"unset {name}",
        settings=((name, None),),
    )


def _nothing_sent(lens: LensConfig) -> Iterator[Finding]:
    """An exporter that prints, or no signal at all."""
    try:
        signals, exporter = lens.signals, lens.exporter
    except (Undecided, LibraryFailure):  # said as such
        return
    if exporter != "console" and signals:
        return
    key = "EXPORTER" if signals else "TRACES_ENABLED"
    name = lens.names(key)[0]
    what = f"{name}=console: all is printed" if signals else "traces, metrics and logs are switched off"
    yield Finding(
        NOTHING_SENT,
        f"{what}, and nothing goes to a collector",
        lens.where(key).location,
        remedy=f"unset {name}",
        settings=((name, None),),
    )


def _off(ctx: Context) -> Finding:
    lens = ctx.lens
    names = lens.names("ENABLED")
    open_ = all(ctx.env.unlisted(name) for name in names)
    message = f"{names[0]} is not on: telemetry stays off unless the program enables it"
    if open_:
        message = f"{names[0]} is not set here, but {ctx.env.opaque}"
    at = ctx.env[names[0]] if open_ else lens.in_sight.where("ENABLED")
    return Finding(OFF, message, at.location, remedy=f"export {names[0]}=1", settings=())
