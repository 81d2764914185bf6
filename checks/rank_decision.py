"""Which processes export, and was that decided?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related, worlds_tried
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.ranks import Exporters
    from lens_preflight.program.state import Site

EVERYBODY = Rule(
    "rank-decision/everybody",
    "every process exports and nothing decides it",
    Severity.BLOCKER,
    help="Each process opens its own connection and sends the same metrics: the collector gets as many "
    "copies as there are ranks, and averages over ranks look like values of one. Say who speaks: "
    "`config.enabled = config.enabled and rank == world_size - 1` before the setup.",
)
ON_PURPOSE = Rule(
    "rank-decision/everybody-on-purpose",
    "every process exports on purpose",
    Severity.CAUTION,
    help="Right for the hunt of a hang, too much for production. Filter by the rank in the collector, or "
    "go back to one rank when the hunt is over.",
)
MOST = Rule(
    "rank-decision/most",
    "more than half of the processes export",
    Severity.CAUTION,
    help="One rank, or one per node, tells the same story: `rank == world_size - 1` or `local_rank == 0`.",
)
SINGLE = Rule(
    "rank-decision/claims-one-process",
    "every process tells the library that it is the only one",
    Severity.CAUTION,
    help="With rank 0 of 1 every process is its own last rank and exports. Right for one driver process; "
    "in a world of several pass the real rank and world size.",
)
NOBODY = Rule(
    "rank-decision/nobody",
    "no process exports",
    Severity.BLOCKER,
    help="The condition is true for no rank: text from the environment compared with a number is never "
    "equal; the index of a node is not a rank; a gate on rank 0 meets the default strategy, which "
    'lets only the last rank export. Convert first: `int(os.environ["RANK"])`.',
)
REJECTED = Rule(
    "rank-decision/rejected",
    "this generation of Lens refuses the setup call, so no process exports",
    Severity.BLOCKER,
    help="The TypeError comes at start. Make the call fit the generation first: see setup-once/rejected.",
)
DEFAULT = Rule(
    "rank-decision/library-default",
    "the library's default strategy decides, not the program",
    Severity.NOTE,
    help="Up to 0.2 `single_rank` lets the last rank export when rank and world size are passed; "
    "`NEMO_LENS_EXPORT_STRATEGY` changes it from outside. Later generations have no strategy: the "
    "same program then exports everywhere. Write the decision down: `config.enabled = config.enabled "
    "and rank == world_size - 1`.",
)

REMEDY = "config.enabled = config.enabled and rank == world_size - 1  # before setup_telemetry"


@check(
    "rank-decision",
    "It is decided which ranks export",
    items=(7,),
    scope=Scope.LAUNCH,
    needs=(Need.SCRIPT,),
    uses=(Need.ENVIRONMENT, Need.COLLECTOR),
    rules=(EVERYBODY, ON_PURPOSE, MOST, SINGLE, NOBODY, REJECTED, DEFAULT),
    decisive=True,
)
def rank_decision(ctx: Context) -> Iterator[Said]:
    """Evaluates what reaches `enabled` at the setup call, for every rank of the world.

    The value is computed from the code (comparisons, helper functions, dicts of rules, properties),
    from the launcher's variables and calls that tell the rank, and from the strategy of the
    generation: up to 0.2 `single_rank` is the default and picks the last rank if rank and world size
    are passed; with neither passed every process is rank 0 of 1 and exports. Later there is no
    strategy, and its variables are not read. Changes of the configuration behind the setup, on a
    copy that is thrown away, or of a misspelt field have no effect.

    One rank, one per node, or at most half of the world passes, with the set as evidence. By the
    library's default alone it is a note. Everybody without a decision fails, on purpose it warns
    (and passes with one process, or under `--purpose debug`); nobody fails. What depends on chance,
    data, the machine or code outside of the tree is unknown. Without options for the world the
    sizes 1, 8 (4 per node) and 64 are tried.
    """
    reading = instrumented(ctx)
    yield from worlds_tried(ctx, reading)
    refused = next((s for s in reading.setups if s.rejected), None)
    if refused is not None and all(s.rejected for s in reading.setups):
        at = reading.location(refused.site)
        message = f"setup_telemetry raises here: {refused.rejected}"
        yield from ctx.last(Finding(REJECTED, message, at, remedy=REMEDY))
        return
    yield from judge(ctx, reading)


def judge(ctx: Context, reading: Reading) -> Iterator[Said]:
    """The verdict over all worlds: the first finding, else the sets as a proof."""
    from lens_preflight.program.ranks import exporters

    sets = [exporters(reading, world) for world in reading.worlds]
    doubts = [s for s in sets if s.doubt and not harmless(s)]
    if spawned(reading) and not reading.incomplete:
        yield default_note(reading, sets[0])
        return
    if doubts:
        if "rank-decision" in ctx.lifted:  # else the doubt about one world would hide a fault in another
            yield from by_weight(ctx, reading, [s for s in sets if s not in doubts])
        at = reading.location(doubts[0].doubt_at) if doubts[0].doubt_at is not None else None
        raise Undecided(f"which ranks export is not decided by the source: {doubts[0].doubt}", at)
    found = by_weight(ctx, reading, sets)
    yield from found
    if not ctx.stops(*found) and all(f.severity is not Severity.CAUTION for f in found):
        if reading.incomplete:
            raise Undecided(reading.incomplete, reading.model.at)
        if any(f.severity is Severity.BLOCKER for f in found):
            yield ctx.nothing_else
            return
        evidence = {f"world {s.world.size}": shown(s.sure) for s in sets}
        yield Proof("the exporting ranks are decided", evidence)


def by_weight(ctx: Context, reading: Reading, sets: list[Exporters]) -> list[Finding]:
    """The heaviest finding of all worlds, and those behind it as long as each may be waived."""
    found = [f for s in sets if (f := about(ctx, reading, s)) is not None]
    found.sort(key=lambda f: -f.rule.severity)
    needed = next((n for n, f in enumerate(found) if not ctx.lifts(f.rule)), len(found))
    return found[: needed + 1]


def spawned(reading: Reading) -> bool:
    """True when the rank comes from somewhere unseen and the library picks one by it."""
    from lens_preflight.program.ranks import in_doubt, unknown_taints
    from lens_preflight.program.values import Lib, Unknown

    return reading.generation.has_strategy and all(
        isinstance(s.rank, Unknown | Lib)
        and s.strategy_from == "default"
        and not in_doubt(unknown_taints(s.enabled))
        for s in reading.setups
    )


def harmless(found: Exporters) -> bool:
    """True when whatever the doubt decides, at most half of the world exports."""
    together = len(found.sure | found.maybe)
    return bool(found.sure) and 2 * together <= found.tried


def shown(ranks: frozenset[int]) -> str:
    """Ranks for people: ``7``, ``0, 4`` or a count."""
    listed = sorted(ranks)
    return (
        ", ".join(map(str, listed))
        if len(listed) <= 16
        else f"{len(listed)} ranks, {listed[0]} to {listed[-1]}"
    )


def about(ctx: Context, reading: Reading, found: Exporters) -> Finding | None:
    """The finding about one world, None when it is as it should be."""
    size, tried, count = found.world.size, found.tried, len(found.sure)
    evidence = {"world": str(size), "exporting": shown(found.sure) or "none"}
    if count == 0 and tried < size:
        raise Undecided(
            f"none of the first and last {tried // 2} ranks exports; the others are not evaluated"
        )
    if count == 0:
        return finding(reading, NOBODY, f"no process of {size} exports", evidence)
    if size == 1:
        return None
    if found.by == "default" and all(s.process != "main" for s in reading.setups):
        return default_note(reading, found)
    if count == tried:
        return everybody(ctx, reading, found, evidence)
    if 2 * count > tried:
        return finding(reading, MOST, f"{count} of {tried} processes export", evidence)
    if found.by in ("default", "single"):
        return default_note(reading, found)
    return None


def everybody(ctx: Context, reading: Reading, found: Exporters, evidence: dict[str, str]) -> Finding | None:
    """All processes export: by decision, by a claim, or by nothing."""
    size = found.world.size
    if ctx.purpose == "debug" or filtered(ctx):
        return None
    if found.by == "single":
        return finding(
            reading, SINGLE, f"all {size} processes say that they are rank 0 of 1, and export", evidence
        )
    if found.by in ("purpose", "environment"):
        return finding(reading, ON_PURPOSE, f"all {size} processes export, on purpose", evidence)
    return finding(reading, EVERYBODY, f"all {size} processes export, and nothing decides it", evidence)


def filtered(ctx: Context) -> bool:
    """True when the collector given drops telemetry by the rank."""
    return ctx.collector is not None and ctx.collector.filters_rank((ctx.generation.rank_key,))


def finding(reading: Reading, rule: Rule, message: str, evidence: dict[str, str]) -> Finding:
    """A finding at the last assignment that decides, else at the setup."""
    setups = reading.setups
    setup = next((s for s in setups if not s.rejected), setups[0])
    trail: list[Site] = [s for s in setup.trail if s.text.startswith("enable") or "strategy" in s.text]
    at: Location = reading.location(trail[-1] if trail else setup.site)
    places = [("telemetry is set up here", setup.site)]
    places += [(f"{s.text} is assigned here", s) for s in trail[:-1]]
    late = [(kind, site) for kind, site in reading.seen.late if kind in ("enabled", "copy", "strategy")]
    texts = {
        "enabled": "too late: telemetry is up",
        "copy": "this copy",
        "strategy": "this variable is written here",
    }
    places += [(texts[kind], site) for kind, site in late]
    return Finding(rule, message, at, related=related(reading, places, at), evidence=evidence, remedy=REMEDY)


def default_note(reading: Reading, found: Exporters) -> Finding:
    """The note that the library decides."""
    at = reading.location(reading.setups[0].site)
    evidence = {"world": str(found.world.size), "exporting": shown(found.sure) or "the last rank"}
    return Finding(DEFAULT, DEFAULT.summary, at, evidence=evidence, remedy=REMEDY)
