"""Is the sampler chosen on purpose, and does it sample what is meant?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.otel.sampler import Sampler

NAME = "OTEL_TRACES_SAMPLER"
ARGUMENT = "OTEL_TRACES_SAMPLER_ARG"
ALL = "parentbased_always_on"

UNSET = Rule(
    "sampler/unset",
    "no sampler is named, so every trace is kept",
    Severity.CAUTION,
    help="Without `OTEL_TRACES_SAMPLER` the SDK keeps 100 % of the traces (`parentbased_always_on`). "
    "That may be right; the checklist asks to say so. Type `export OTEL_TRACES_SAMPLER="
    "parentbased_always_on` to keep all, or name a ratio.",
)
MISSPELT = Rule(
    "sampler/misspelt",
    "the sampler is not a word that the SDK knows, so every trace is kept",
    Severity.BLOCKER,
    help="The SDK lower-cases the text and compares it with six words, without trimming. Anything else, "
    "an empty text and a blank in front included, is one warning in the log of each process and "
    "100 % sampling: with `per_step` on many ranks that is a flood nobody asked for. Words: always_on, "
    "always_off, parentbased_always_on, parentbased_always_off, traceidratio, parentbased_traceidratio.",
)
BAD_ARGUMENT = Rule(
    "sampler/bad-argument",
    "the ratio is no number from 0 to 1, so every trace is kept",
    Severity.BLOCKER,
    help="`OTEL_TRACES_SAMPLER_ARG` goes through `float()`: `10%`, `0,1`, `50`, `nan` and a missing "
    "argument are one warning and a ratio of 1.0. Write a share such as `0.05`.",
)
NOTHING = Rule(
    "sampler/nothing-sampled",
    "no trace is sampled although traces are enabled",
    Severity.BLOCKER,
    help="`always_off`, `parentbased_always_off` and a ratio of 0 drop every span before it is exported, "
    "while exporters and threads run all the same. To switch traces off on purpose set "
    "`NEMO_LENS_TRACES_ENABLED=0`; else name a sampler that keeps something.",
)
ROOT_LOST = Rule(
    "sampler/root-span",
    "one decision keeps or drops the whole run",
    Severity.CAUTION,
    help="The decision is made once for each trace, at its root span. With the group `job` enabled a "
    "span lasts as long as the job and every other span of the process is below it: with a ratio of "
    "0.05 the process is seen as a whole in one run of twenty and not at all in nineteen. Leave `job` "
    "out of the span groups while you sample by ratio, so that each step decides for itself.",
)
UNUSED = Rule(
    "sampler/argument-unused",
    "a ratio is set that no sampler reads",
    Severity.CAUTION,
    help="Only `traceidratio` and `parentbased_traceidratio` read `OTEL_TRACES_SAMPLER_ARG`. With any "
    "other sampler, or none, it is ignored without a word.",
)
REPLACED = Rule(
    "sampler/replaced",
    "NeMo Lens installs its own sampler and the named one is not used",
    Severity.CAUTION,
    help="`NEMO_LENS_SAMPLER_ENABLED=1` (Lens 0.1 and 0.2) installs a sampler that decides by rank with "
    "`NEMO_LENS_EXPORT_SAMPLE_RATE`, and `OTEL_TRACES_SAMPLER` is ignored: even `always_off` becomes "
    "everything. Keep one of the two.",
)
LEFT_OPEN = Rule(
    "sampler/left-to-submitter",
    "the job does not name a sampler; whoever submits it decides",
    Severity.CAUTION,
    help="The script does not set `OTEL_TRACES_SAMPLER`, and the environment of the shell that submits it "
    "reaches the job. Put the sampler into the script, so that two submissions do the same.",
)


@check(
    "sampler",
    "The trace sampler is chosen on purpose and keeps what is meant",
    items=(7,),
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    uses=(Need.SCRIPT, Need.COLLECTOR),
    rules=(UNSET, MISSPELT, BAD_ARGUMENT, NOTHING, ROOT_LOST, UNUSED, REPLACED, LEFT_OPEN),
    decisive=True,
)
def sampler(ctx: Context) -> Iterator[Said]:
    """Three layers thin out what a job sends: which processes export, the SDK's sampler, and tail
    sampling in the collector. This check looks at the second, because its mistakes are silent: a
    misspelt sampler, a ratio written as `10%` and no sampler at all are all the same thing, 100 %
    of the traces, and at most one warning scrolls by in the log of each process.

    Passes: one of the six words of the SDK with a legal argument. Warns: nothing is set (100 % is the
    default; say that you mean it), or one ratio decides about a whole run at once. Fails: a word that
    the SDK does not know, an argument that is no share, or a sampler that keeps nothing while traces
    are enabled. The evidence names all three layers. With a training script also by what the program
    writes into its environment and its configuration.
    """
    lens, env = ctx.lens.in_sight, ctx.env
    if not lens.traces_enabled:
        raise Skip(f"no traces are exported ({lens.where('TRACES_ENABLED').name} is off)")
    if env.unlisted("NEMO_LENS_TRACES_ENABLED"):
        yield Assumption("traces", "on", f"the job does not switch them off, and {env.opaque}")
    if lens.sampler_enabled:
        yield from _by_rank(ctx, lens)
        return
    found = ctx.otel.in_sight.sampler if env.unlisted(NAME) else _known(ctx)
    layers = _layers(ctx, lens, found)
    if found.asked is None:
        yield _unset(ctx)
    elif found.word != found.asked.lower():
        yield _misspelt(ctx, found)
        if not ctx.lifts(MISSPELT):
            return
    if found.by_ratio and found.fault is not None:
        yield _bad_argument(ctx, found)
        if not ctx.lifts(BAD_ARGUMENT):
            return
    if found.ratio == 0:
        yield from ctx.last(_nothing(ctx, found, layers))
        return
    if found.argument_from.value and not found.by_ratio:
        yield _unused(found)
    if 0 < found.ratio < 1:
        yield from _root_span(ctx, lens, found)
    share = "all" if found.ratio == 1 else f"{found.ratio:.6g} of all"
    yield Proof(f"{found.word} keeps {share} traces of an exporting process", layers)


def _known(ctx: Context) -> Sampler:
    """The sampler, the argument taken from what is in sight when only that is open."""
    if ctx.env.unlisted(ARGUMENT):
        ctx.env.text(NAME)
        return ctx.otel.in_sight.sampler
    return ctx.otel.sampler


def _layers(ctx: Context, lens: LensConfig, found: Sampler) -> dict[str, str]:
    processes = "every process with enabled"
    if ctx.generation.has_strategy:
        processes = f"export strategy {lens.export_strategy}, and what the program adds"
    return {
        "layer 1, processes": processes,
        "layer 2, sampler": found.description,
        "layer 3, collector": _collector(ctx),
    }


def _collector(ctx: Context) -> str:
    """The sampling of the collector, as far as its configuration was given."""
    try:
        config = ctx.collector
        found = config.tail_sampling() if config is not None else ()
    except Undecided as undecided:
        return f"not known: {undecided.reason}"
    if config is None:
        return "not given (--collector-config)"
    return ", ".join(one.id for one in found) or "keeps what it gets"


def _unset(ctx: Context) -> Finding:
    left = ctx.env.unlisted(NAME)
    message = f"{NAME} is not set: the default keeps 100 % of the traces; say that you mean it"
    if left:
        message = f"{NAME} is not set here: the default keeps 100 % of the traces, but {ctx.env.opaque}"
    return Finding(
        LEFT_OPEN if left else UNSET,
        message,
        ctx.env[NAME].location,
        remedy=f"export {NAME}={ALL}",
        settings=((NAME, ALL),),
    )


def _misspelt(ctx: Context, found: Sampler) -> Finding:
    asked = found.asked or ""
    meant = _meant(asked)
    return Finding(
        MISSPELT,
        f"{NAME}={asked!r} is no sampler of the SDK, so 100 % of the traces are kept",
        ctx.env[NAME].location,
        remedy=f"export {NAME}={meant}",
        settings=((NAME, meant),),
    )


def _meant(asked: str) -> str:
    """The word that was meant: trimmed, or the one with which it shares most."""
    words = (ALL, "parentbased_always_off", "parentbased_traceidratio", "always_on", "always_off")
    plain = asked.strip().strip("'\"").lower().replace("-", "_")
    if "ratio" in plain:
        return "parentbased_traceidratio" if "parent" in plain else "traceidratio"
    if plain in words:
        return plain
    kind = "always_off" if plain.endswith("off") else "always_on"
    return kind if plain.startswith("always") else f"parentbased_{kind}"


def _bad_argument(ctx: Context, found: Sampler) -> Finding:
    text = ctx.env.text(ARGUMENT) if not ctx.env.unlisted(ARGUMENT) else None
    said = f"{ARGUMENT}={text!r} is no number from 0 to 1" if text is not None else f"{ARGUMENT} is not set"
    share = _share(text or "")
    return Finding(
        BAD_ARGUMENT,
        f"{said}, so {found.word} keeps 100 % of the traces",
        ctx.env[ARGUMENT].location if text is not None else ctx.env[NAME].location,
        remedy=f"export {ARGUMENT}={share}",
        settings=((ARGUMENT, share),),
    )


def _share(text: str) -> str:
    """The share that was meant by a percentage or a decimal comma; a low one when nobody can tell."""
    plain = text.strip().strip("'\"").replace(",", ".")
    try:
        value = float(plain.removesuffix("%"))
    except ValueError:
        return "0.05"
    value = value / 100 if plain.endswith("%") or value > 1 else value
    return f"{value:g}" if 0 < value <= 1 else "0.05"


def _nothing(ctx: Context, found: Sampler, layers: dict[str, str]) -> Finding:
    ratio = found.by_ratio
    name = ARGUMENT if ratio else NAME
    what = f"{found.word} with a ratio of 0" if ratio else found.word
    setting = (ARGUMENT, "0.05") if ratio else (NAME, ALL)
    return Finding(
        NOTHING,
        f"{what} keeps no trace, and traces are enabled",
        ctx.env[name].location,
        evidence=layers,
        remedy=f"export {setting[0]}={setting[1]}, or export NEMO_LENS_TRACES_ENABLED=0 to have none",
        settings=(setting,),
    )


def _unused(found: Sampler) -> Finding:
    return Finding(
        UNUSED,
        f"{ARGUMENT} is set, but {found.word} does not read it: 100 % of the traces are kept",
        found.argument_from.location,
        remedy=f"export {NAME}=parentbased_traceidratio, or unset {ARGUMENT}",
        settings=((NAME, "parentbased_traceidratio"),),
    )


def _root_span(ctx: Context, lens: LensConfig, found: Sampler) -> Iterator[Finding]:
    """A warning when the span groups make one span last as long as the run, or may do so."""
    resolved, groups = lens.resolved_groups, lens.groups
    open_ended = not groups.names
    if "job" not in resolved.groups and not open_ended:
        return
    name = lens.names("SPAN_GROUPS")[0]
    rest = ",".join(sorted(resolved.groups - {"job"})) or "step"
    lost = f"{(1 - found.ratio) * 100:.3g} %"
    message = f"with a ratio of {found.ratio:g} a process loses its whole run with a probability of {lost}"
    reason = "the span `job` is the root of all others" if not open_ended else "if one span wraps the run"
    yield Finding(
        ROOT_LOST,
        f"{message}: {reason}",
        ctx.env[ARGUMENT].location,
        remedy=f"export {name}={rest}",
        settings=((name, rest),) if not open_ended else (),
    )


def _by_rank(ctx: Context, lens: LensConfig) -> Iterator[Said]:
    """The sampler of Lens 0.1 and 0.2 that decides by rank."""
    switch, rate = lens.where("SAMPLER_ENABLED"), lens.export_sample_rate
    if ctx.otel.in_sight.sampler.asked is not None:
        yield Finding(
            REPLACED,
            f"{switch.name} is on, so {NAME} is ignored",
            switch.location,
            remedy=f"unset {switch.name}",
            settings=((switch.name, None),),
        )
    if rate == 0:
        blame = lens.where("EXPORT_SAMPLE_RATE")
        none = Finding(
            NOTHING,
            f"{blame.name} is 0, so the sampler by rank keeps no trace, and traces are enabled",
            blame.location,
            remedy=f"export {blame.name}=1.0",
            settings=((blame.name, "1.0"),),
        )
        yield from ctx.last(none)
        return
    yield Proof(f"the sampler by rank keeps all traces of {rate:.6g} of the ranks")
