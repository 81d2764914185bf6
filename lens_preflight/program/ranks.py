"""Which processes of a world export, and who decided it."""

from __future__ import annotations

from lens_preflight.core.data import dataclass
from lens_preflight.core.world import World
from lens_preflight.program.model import MAX_RANKS, Reading
from lens_preflight.program.seen import SetupSeen
from lens_preflight.program.state import Site, lane_numbers, part
from lens_preflight.program.values import Const, Lanes, Lib, Unknown, Value, hard_variable, taints_of

SWITCHES = ("cli:", "file", "env:")


@dataclass(frozen=True)
class Exporters:
    """The exporting processes of one world.

    ``sure`` and ``maybe`` are ranks. ``by``: code (a predicate, a branch or a named strategy),
    environment (a named strategy), default (the library's own strategy), purpose (everybody, on
    purpose), single (every process claims to be the whole world), nobody.
    """

    world: World
    sure: frozenset[int]
    maybe: frozenset[int]
    by: str
    doubt: str = ""
    doubt_at: Site | None = None

    @property
    def tried(self) -> int:
        """How many ranks were evaluated: all of them but for a very large world."""
        return min(self.world.size, MAX_RANKS)


def exporters(reading: Reading, world: World) -> Exporters:
    """The exporting set of one world, from the setup calls that this launch reaches."""
    mask = reading.mask(world)
    setups = [s for s in reading.setups if s.lanes & mask and not s.before and not s.rejected]
    main = [s for s in setups if not s.hypo] or setups
    on = maybe = 0
    for setup in main:
        on |= setup.exporting & mask
        maybe |= setup.maybe & mask
    maybe &= ~on
    doubt, at = "", None
    if maybe and world.size == 1:  # whatever decides is the same in every process
        on, maybe = on | maybe, 0
    if maybe:
        on, maybe, doubt, at = settle(reading, main, on, maybe)
    unsettled, why, where = disputed(main, on)
    if not unsettled and 2 * on.bit_count() > mask.bit_count():
        unsettled, why, where = torn(main, on)
    if unsettled and not doubt:
        on, maybe, doubt, at = on & ~unsettled, maybe | unsettled, why, where
    ranks = frozenset(reading.lanes[i].rank for i in lane_numbers(on))
    unsure = frozenset(reading.lanes[i].rank for i in lane_numbers(maybe))
    return Exporters(world, ranks, unsure, decided_by(reading, main, mask), doubt, at)


def disputed(setups: list[SetupSeen], on: int) -> tuple[int, str, Site | None]:
    """The lanes that export on one path and not on another, when something unseen chooses the path."""
    against, doubt, at = 0, "", None
    for setup in setups:
        silent = setup.lanes & on & ~setup.exporting & ~setup.maybe
        unseen = frozenset(t for t in setup.cond if t.startswith("opaque:"))
        if silent and unseen:
            against |= silent
            doubt, at = in_doubt(unseen), setup.site
    return against, doubt, at


def torn(setups: list[SetupSeen], on: int) -> tuple[int, str, Site | None]:
    """The lanes switched on on one path and off on another, when no switch is known to choose the path."""
    for setup in setups:
        silent = 0
        for lane in lane_numbers(setup.lanes & on & ~setup.exporting & ~setup.maybe):
            enabled = part(setup.enabled, lane)
            silent |= (1 << lane) if isinstance(enabled, Const) and not enabled.value else 0
        chosen = any(t.startswith((*SWITCHES, "const:", "choice:")) for t in open_taints(setup))
        if silent and not chosen:
            return silent, "it depends on the way that the program takes", setup.site
    return 0, "", None


def open_taints(setup: SetupSeen) -> frozenset[str]:
    """What the path to a setup depends on, but for what tells the place of a process or is decided anyway."""
    return frozenset(t for t in setup.cond if not hard_variable(t))


def settle(
    reading: Reading, setups: list[SetupSeen], on: int, maybe: int
) -> tuple[int, int, str, Site | None]:
    """Take a switch that is the same in every process as on; keep what depends on more in doubt."""
    doubt, at = "", None
    for setup in setups:
        for lane in lane_numbers(setup.maybe & maybe):
            taints = unknown_taints(part(setup.enabled, lane)) | unknown_taints(
                part(setup.rank or Const(0), lane)
            )
            taints |= unknown_taints(part(setup.strategy, lane))
            reason = in_doubt(taints) if taints else "it depends on something that is not followed"
            if reason:
                doubt, at = reason, setup.site
                continue
            on |= 1 << lane
            maybe &= ~(1 << lane)
    return on, maybe, doubt, at


def unknown_taints(value: Value) -> frozenset[str]:
    """What an unknown value depends on; nothing for a known one."""
    return taints_of(value) | {"?"} if isinstance(value, Unknown | Lib) else frozenset()


def in_doubt(taints: frozenset[str]) -> str:
    """Why an unknown decision may differ between processes; empty when it is one switch for all."""
    if not taints:
        return ""
    others = sorted(t for t in taints if t.startswith("opaque:"))
    if "rank" in taints:
        sources = [t for t in taints if t.startswith(("env:", "cli:", "file")) and t != "env:RANK"]
        return f"it depends on the rank and on {name(sources[0]) if sources else 'something outside of the tree'}"
    if others:
        return f"it depends on {name(others[0])}"
    if any(t.startswith(SWITCHES) for t in taints):
        return ""
    return "it depends on something that is not in the source"


def name(taint: str) -> str:
    """A dependency in words."""
    kind, _, what = taint.partition(":")
    if kind == "env":
        return f"${what}"
    if kind == "cli":
        return f"the command line ({what})"
    if kind == "file":
        return "a file"
    if kind != "opaque":
        return taint
    return what if " " in what else f"{what.removesuffix('()')}()"


def decided_by(reading: Reading, setups: list[SetupSeen], mask: int) -> str:
    """Who chose the exporting processes."""
    conditions = frozenset().union(*(s.cond for s in setups)) if setups else frozenset()
    taints = frozenset().union(*(taints_of(s.enabled) for s in setups)) if setups else frozenset()
    reached_at: dict[tuple[Site, ...], int] = {}
    for setup in setups:
        reached_at[setup.chain] = reached_at.get(setup.chain, 0) | (setup.lanes & mask)
    if any(by_code(s, mask) for s in setups) or any(lanes != mask for lanes in reached_at.values()):
        return "code"
    sources = {s.strategy_from for s in setups}
    if reading.generation.has_strategy:
        if any(alone(s) for s in setups):
            return "single"
        if "code" in sources:
            return "purpose"
        if "env" in sources:
            return "environment"
        if any(s.rank is not None or s.world_size is not None for s in setups):
            return "default"
    purpose = any(t.startswith("const:") for t in taints | conditions)
    purpose = purpose or any(t.startswith("choice:") for t in taints)
    return "purpose" if purpose else "nobody"


def by_code(setup: SetupSeen, mask: int) -> bool:
    """True when what reaches ``enabled`` differs between the processes of the world."""
    values = [part(setup.enabled, lane) for lane in lane_numbers(setup.lanes & mask)]
    truths = {v.value if isinstance(v, Const) else None for v in values}
    if not isinstance(setup.enabled, Lanes):
        return False
    return len({bool(t) if t is not None else None for t in truths}) > 1


def alone(setup: SetupSeen) -> bool:
    """True when the program tells the library that its world has one process."""
    return (
        isinstance(setup.world_size, Const)
        and setup.world_size.value == 1
        and "rank" not in setup.world_size.taints
    )
