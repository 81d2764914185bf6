"""Does the resource say which process of how many speaks?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related, worlds_tried
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import SetupSeen

MISSING = Rule(
    "resource-attributes/missing",
    "the resource does not say which process speaks",
    Severity.CAUTION,
    help="The generation without ranks puts no rank on the resource by itself. Without `nv.dl.rank` and "
    "`nv.dl.world_size` nobody can tell the exporting process, filter by rank, or see that a rank is "
    "missing. Type `resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size}` (from "
    "`nemo.lens.semconv`).",
)
WRONG = Rule(
    "resource-attributes/wrong",
    "the resource gives this process another place than it has",
    Severity.CAUTION,
    help="A local index in place of the rank makes the first process of every node rank 0; a constant "
    "makes them all the same. Pass the global rank and the size of the world.",
)
ON_SPANS = Rule(
    "resource-attributes/on-spans",
    "the layout of the job is put on spans",
    Severity.CAUTION,
    help="Rank, world size and the sizes of the parallel groups do not change while the process lives. On "
    "every span they cost bytes and are missing from metrics and logs. Put them on the resource.",
)
INSTANCE = Rule(
    "resource-attributes/instance-id",
    "the process is named by service.instance.id instead of a rank",
    Severity.NOTE,
    help="That tells processes apart, but dashboards and filters of the training look for `nv.dl.rank`.",
)

REMEDY = (
    "from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE\n"
    "setup_telemetry(config, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})"
)


@check(
    "resource-attributes",
    "The resource carries rank and world size",
    scope=Scope.LAUNCH,
    needs=(Need.SCRIPT,),
    uses=(Need.ENVIRONMENT,),
    rules=(MISSING, WRONG, ON_SPANS, INSTANCE),
)
def resource_attributes(ctx: Context) -> Iterator[Said]:
    """Evaluates the mapping that reaches the setup call, for every exporting rank.

    `nv.dl.rank` and `nv.dl.world_size` have to hold the values of this very process, given by the
    argument or by OTEL_RESOURCE_ATTRIBUTES as it stands when the call is made. What is filled in
    afterwards, taken out again, spelt differently, or put on spans instead warns. Up to 0.2 the
    library writes the rank itself (as `dl.rank`), and the check is skipped.
    """
    if ctx.generation.takes_rank:
        raise Skip(f"{ctx.generation.title} puts rank and world size on the resource by itself")
    reading = instrumented(ctx)
    yield from worlds_tried(ctx, reading)
    setups = [s for s in reading.setups if not s.rejected and not s.before]
    if not setups:
        raise Skip("this generation refuses the setup call")
    speaking = [s for s in setups if (s.exporting | s.maybe) & s.lanes & reading.mask()]
    said = False
    for setup in speaking or setups:
        for finding in about(reading, setup):
            said = True
            yield finding
            break
        if said:
            break
    for key, site in reading.seen.layout[:1]:
        said = True
        at = reading.location(site)
        places = [("telemetry is set up here", setups[0].site)]
        message = f"{key} is put on a span; it belongs on the resource"
        yield Finding(ON_SPANS, message, at, related=related(reading, places, at), remedy=REMEDY)
    if not said:
        yield Proof("rank and world size of each exporting process are on the resource")


def about(reading: Reading, setup: SetupSeen) -> Iterator[Finding]:
    """The findings about one setup call."""
    from lens_preflight.program.resource import RANK, WORLD_SIZE, has_instance, states

    counts = {key: states(reading, setup, key) for key in (RANK, WORLD_SIZE)}
    at = reading.location(setup.site)
    late = [("changed here", site) for kind, site in reading.seen.late if kind in (RANK, WORLD_SIZE)]
    late += [("set here, too late", s) for k, s in reading.seen.late if k == "OTEL_RESOURCE_ATTRIBUTES"]
    late += [(f"{key} is put on a span", site) for key, site in reading.seen.layout]
    missing = [key for key, c in counts.items() if c["missing"]]
    if len(missing) == 2 and has_instance(setup):
        yield Finding(INSTANCE, INSTANCE.summary, at, remedy=REMEDY)
        return
    if missing:
        message = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not on the resource"
        yield Finding(MISSING, message, at, related=related(reading, late, at), remedy=REMEDY)
        return
    wrong = [key for key, c in counts.items() if c["wrong"]]
    if wrong:
        message = (
            f"{wrong[0]} is not the {'rank' if wrong[0] == RANK else 'size of the world'} of the process"
        )
        yield Finding(WRONG, message, at, related=related(reading, late, at), remedy=REMEDY)
        return
    if any(c["unknown"] for c in counts.values()):
        raise Undecided("the resource attributes come from outside of the source", at)
