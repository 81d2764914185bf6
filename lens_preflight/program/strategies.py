"""Export strategies up to 0.2: which processes the library lets export."""

from __future__ import annotations

import hashlib

from lens_preflight.core.data import replace
from lens_preflight.program import calls, imports, objects, strategy_registry, truths, variables
from lens_preflight.program.outcomes import Flow
from lens_preflight.program.registry import Call
from lens_preflight.program.state import Cell, State, lane_numbers, part
from lens_preflight.program.values import (
    Const,
    Lanes,
    Ref,
    Unknown,
    Value,
)


def strategy_source(cell: Cell) -> str:
    """Who chose the strategy: nobody (default), the environment, or the code."""
    trail = [t.value[0] for t in objects.trail_of(cell) if isinstance(t, Const)]
    given = cell.attrs.get("given strategy")
    if "export_strategy" in trail or "export_rank" in trail or (isinstance(given, Const) and given.value):
        return "code"
    strategy = cell.attrs["export_strategy"]
    set_ = isinstance(strategy, Const) and any(t.startswith(("env:", "written:")) for t in strategy.taints)
    if set_ and isinstance(strategy, Const) and strategy.value != "single_rank":
        return "env"
    return "default"


def exporting(
    this: Call, config: Value, enabled: Value, strategy: Value, rank: Value | None, size: Value | None
) -> tuple[int, int]:
    """(mask of lanes that export, mask of lanes that may)."""
    on = maybe = 0
    asked = strategy_values(this, config, strategy, rank, size)
    for lane in lane_numbers(this.state.lanes):
        switch = truths.truth_of(part(enabled, lane), this.state)
        choice = asked.get(lane)
        if switch is False or choice is False:
            continue
        if switch and choice:
            on |= 1 << lane
        else:
            maybe |= 1 << lane
    return on, maybe


def strategy_values(
    this: Call, config: Value, strategy: Value, rank: Value | None, size: Value | None
) -> dict[int, bool | None]:
    """What the strategy says in each lane; None when it is not known."""
    lanes = lane_numbers(this.state.lanes)
    if not this.m.generation.has_strategy:
        return dict.fromkeys(lanes, True)
    own = strategy
    if isinstance(strategy, Const) and f"strategy {strategy.value}" in this.state.read(imports.MODULES).attrs:
        own = this.state.read(imports.MODULES).attrs[f"strategy {strategy.value}"]
    if isinstance(own, Lanes) and any(p and runs_here(p, this.state) for p in own.parts):
        each: dict[int, bool | None] = {}
        for here, option in objects.split_options(own, this.state.fork()):
            each |= strategy_values(replace(this, state=here), config, option, rank, size)
        return each
    if not isinstance(own, Const | Lanes | Unknown):
        args = calls.Args([config, rank or Const(0), size or Const(1)])
        done = calls.invoke(this.m, own, args, this.state.fork(), this.frame, this.node)
        found: dict[int, bool | None] = {}
        for o in done:
            for lane in lane_numbers(o.state.lanes):
                truth = truths.truth_of(part(o.value, lane), o.state) if o.flow is Flow.NORMAL else None
                found[lane] = truth if lane not in found or found[lane] is truth else None
        return found
    return {lane: named_strategy(this, config, part(own, lane), rank, size, lane) for lane in lanes}


def runs_here(strategy: Value, state: State) -> bool:
    """True for a function of the program, by itself or by the name under which it is registered."""
    return not isinstance(strategy, Const | Unknown) or strategy_registry.own(strategy, state)


def named_strategy(
    this: Call, config: Value, strategy: Value, rank: Value | None, size: Value | None, lane: int
) -> bool | None:
    """One of the four strategies of the library, in one lane."""
    name = strategy.value if isinstance(strategy, Const) else None
    if isinstance(strategy, Const) and not strategy_registry.known(name, this.state):
        return False  # the setup raises
    if name == "all_ranks":
        return True
    if name == "first_rank_per_node":
        local = part(variables.variable(this.m, "LOCAL_RANK", this.state), lane)
        return int(local.value or 0) == 0 if isinstance(local, Const) else None
    mine, whole = part(rank, lane) if rank else Const(0), part(size, lane) if size else Const(1)
    if not isinstance(mine, Const) or not isinstance(whole, Const) or not isinstance(config, Ref):
        return None
    attrs = this.state.read(config.id).attrs
    if name == "single_rank":
        chosen = part(attrs.get("export_rank", Const(-1)), lane)
        if (
            not isinstance(chosen, Const)
            or not isinstance(chosen.value, int)
            or not isinstance(whole.value, int)
        ):
            return None
        return bool(mine.value == (chosen.value if chosen.value >= 0 else whole.value - 1))
    if name == "sampled":
        rate = part(attrs.get("export_sample_rate", Const(1.0)), lane)
        digest = hashlib.md5(str(mine.value).encode(), usedforsecurity=False).hexdigest()
        if isinstance(rate, Const) and isinstance(rate.value, int | float):
            return (int(digest, 16) % 10000) / 10000.0 < rate.value
    return None
