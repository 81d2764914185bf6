"""Do the span groups resolve, and do they fit the purpose of the job?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.variable import Variable
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.lens.config import LensConfig

KEY = "SPAN_GROUPS"
EVERYTHING = ("all", "profiling")
FINE = frozenset({"step", "rollout", "forward_backward", "agent", "model_call"})
"""Groups with a span for every step or finer."""

UNKNOWN = Rule(
    "span-groups/unknown",
    "a word of the spec is no span group and no preset: the exporting process dies at start",
    Severity.BLOCKER,
    help="`setup_telemetry` raises ValueError over it, after the providers are in place, and only in a "
    "process that exports: with the export strategy `single_rank` one rank of the job dies. Spell the "
    "preset as listed; they differ from framework to framework.",
)
NOT_HERE = Rule(
    "span-groups/not-registered",
    "a word of the spec is no span group and no preset here: nothing is recorded for it",
    Severity.CAUTION,
    help="With a registry of span groups an unknown word is one warning in the log, and no span is "
    "recorded for it. It is right only when another process of the job knows the word.",
)
EMPTY = Rule(
    "span-groups/empty",
    "the spec names no group, so no span is recorded",
    Severity.BLOCKER,
    help="A text that holds only commas and blanks is not empty for NeMo Lens: it means no group at all, "
    "without a word. Unset the variable for the preset `default`, or switch traces off on purpose with "
    "`NEMO_LENS_TRACES_ENABLED=0`.",
)
ALL = Rule(
    "span-groups/all",
    "every span group is enabled, which is for short debugging runs",
    Severity.CAUTION,
    help="`all` includes spans for every microbatch and layer where the framework has them. The checklist: "
    "use it for active debugging of short runs only, `default` for quiet production, `per_step` with "
    "aggressive sampling for a profiling window. Say `--purpose debug` when this run is one.",
)
UNSAMPLED = Rule(
    "span-groups/per-step-unsampled",
    "spans are recorded for every step, and all traces are kept",
    Severity.CAUTION,
    help="Groups that record a span for each step are meant for a profiling window, together with a low "
    "ratio: `OTEL_TRACES_SAMPLER=parentbased_traceidratio` and `OTEL_TRACES_SAMPLER_ARG=0.05`. In "
    "production keep `default`.",
)


@check(
    "span-groups",
    "The span groups resolve and fit the purpose of the job",
    scope=Scope.LAUNCH,
    needs=(Need.ENVIRONMENT,),
    rules=(UNKNOWN, NOT_HERE, EMPTY, ALL, UNSAMPLED),
)
def span_groups(ctx: Context) -> Iterator[Said]:
    """Span groups decide how much a process records: `default` a handful of spans a run, `per_step`
    several for each step, `all` several for each microbatch or layer. The spec is a comma-separated
    list of presets and groups; which words exist depends on the framework, and up to Lens 0.2 an
    unknown one kills the process that exports, while all others start as if nothing were wrong.

    Fails: a word that is unknown where that raises; a spec without any word. Warns: a word that is
    unknown where that only warns; `all` (or `profiling`, which is the same) unless the purpose is
    debugging or, for `profiling`, profiling; groups with a span a step while every trace is kept.
    """
    lens = ctx.lens.in_sight
    if not lens.traces_enabled:
        raise Skip("no traces are exported, so no span group matters")
    for name in lens.names(KEY):
        if not ctx.env.unlisted(name):
            ctx.env.text(name)  # Undecided, when a listed one is not known
    variable, resolved = lens.where(KEY), lens.resolved_groups
    if not lens.groups.names and resolved.unknown != ():
        words = ", ".join(resolved.unknown)
        if resolved.unknown != ("default",):
            raise Undecided(
                f"the libraries of the program register their own groups: {words}", variable.location
            )
        yield Proof("preset default of the libraries that the program imports")
        return
    for word in resolved.unknown:
        yield _unknown(lens, variable, word)
    if not resolved.groups and not resolved.unknown and lens.groups.names:
        yield Finding(
            EMPTY,
            f"{variable.name} names no group, so no span is recorded",
            variable.location,
            remedy=f"unset {variable.name}",
            settings=((variable.name, None),),
        )
    yield from _weight(ctx, lens, variable)
    presets = ", ".join(resolved.presets) or "no preset"
    yield Proof(f"{presets}: {', '.join(sorted(resolved.groups)) or 'all that is registered'}")


def _unknown(lens: LensConfig, variable: Variable, word: str) -> Finding:
    known = lens.groups.known
    plain = word.replace("-", "_").replace(";", ",").strip("'\"")
    meant = plain if plain in known else next((k for k in known if k.startswith(plain[:4])), "default")
    return Finding(
        UNKNOWN if lens.unknown_group_raises else NOT_HERE,
        f"{variable.name}: {word!r} is no span group and no preset of {lens.framework.title}",
        variable.location,
        evidence={"known": ", ".join(known)},
        remedy=f"export {variable.name}={meant}",
        settings=((variable.name, meant),),
    )


def _weight(ctx: Context, lens: LensConfig, variable: Variable) -> Iterator[Finding]:
    """Too much for the purpose: everything, or each step without sampling."""
    if ctx.purpose == "debug":
        return
    resolved = lens.resolved_groups
    everything = [p for p in resolved.presets if p in EVERYTHING]
    if everything and not (ctx.purpose == "profiling" and everything == ["profiling"]):
        yield Finding(
            ALL,
            f"{variable.name}={everything[0]} enables every span group; that is for short debugging runs",
            variable.location,
            remedy=f"export {variable.name}=default",
            settings=((variable.name, "default"),),
        )
    elif resolved.groups & FINE and _keeps_all(ctx, lens):
        yield Finding(
            UNSAMPLED,
            "spans are recorded for every step and all traces are kept",
            variable.location,
            remedy="export OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.05",
            settings=(
                ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
                ("OTEL_TRACES_SAMPLER_ARG", "0.05"),
            ),
        )


def _keeps_all(ctx: Context, lens: LensConfig) -> bool:
    """Whether the sampler in sight keeps every trace; a text that is not known is not held against it."""
    if lens.sampler_enabled:
        return lens.export_sample_rate == 1.0
    try:
        return ctx.otel.in_sight.sampler.ratio == 1.0
    except Undecided:
        return False
