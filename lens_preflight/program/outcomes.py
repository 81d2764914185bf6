"""Ways out of statements and calls, and how many of them become few."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lens_preflight.program.joins import merge, merge_pair
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import (
    NONE,
    Value,
)

if TYPE_CHECKING:
    pass


MAX_OUTCOMES = 10


class Flow(enum.Enum):
    """How a statement or a call ends."""

    NORMAL = "normal"
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    RAISE = "raise"
    """An exception below Exception."""
    EXIT = "exit"
    """SystemExit, KeyboardInterrupt, or another exception beside Exception."""
    HARD = "hard"
    """The process ends here: no finally, no exit hook."""
    YIELD = "yield"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way out, the state there, and its value.

    ``error`` names the type of the exception, None when any may come. ``origin`` is the statement
    that raised, innermost call first. ``path`` leads back to a ``yield``.
    """

    flow: Flow
    state: State
    value: Value = NONE
    error: str | None = None
    origin: tuple[Site, ...] = ()
    path: tuple[object, ...] = ()
    inner: Value | None = None

    def at(self, state: State) -> Outcome:
        """The same way out of another state."""
        return replace(self, state=state)


def normal(state: State, value: Value = NONE) -> list[Outcome]:
    """A single ordinary outcome."""
    return [Outcome(Flow.NORMAL, state, value)]


def reduce(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Fewer outcomes for the same ways out: equal ones are joined, many origins become a few."""
    outcomes = list(outcomes)
    if len(outcomes) < 2:
        return outcomes
    ordinary: list[State] = []
    groups: dict[object, list[Outcome]] = {}
    out: list[Outcome] = []
    for o in outcomes:
        if o.flow is Flow.NORMAL and o.value is NONE:
            ordinary.append(o.state)
        elif o.flow in (Flow.YIELD, Flow.NORMAL, Flow.RETURN):
            out.append(o)
        else:
            groups.setdefault((o.flow, o.state.key, o.error, o.origin), []).append(o)
    counts: dict[object, int] = {}
    kept: dict[object, Outcome] = {}
    for group in groups.values():
        first = group[0]
        small = first.state.limit > 1
        for other in group[1:] if small else ():
            first = first.at(merge_pair(first.state, other.state))
        rough = (first.flow, group[0].state.key, first.error)
        counts[rough] = counts.get(rough, 0) + 1
        if not small and counts[rough] > MAX_OUTCOMES // 3:
            continue
        if counts[rough] > MAX_OUTCOMES:
            last = kept[rough]
            i = next(i for i, o in enumerate(out) if o is last)
            out[i] = kept[rough] = last.at(merge_pair(last.state, first.state))
        else:
            out.append(first)
            kept[rough] = first
    return [Outcome(Flow.NORMAL, s) for s in merge(ordinary)] + merge_values(out)


def merge_values(outcomes: list[Outcome]) -> list[Outcome]:
    """Join returns of disjoint lanes, and of equal values when there are many."""
    from lens_preflight.program.joins import by_lane, joined

    out: list[Outcome] = []
    for o in outcomes:
        if o.flow in (Flow.RETURN, Flow.NORMAL):
            many = sum(p.flow is o.flow for p in out) >= MAX_OUTCOMES
            for i, p in enumerate(out):
                if p.flow is not o.flow or p.state.key != o.state.key:
                    continue
                apart = not p.state.lanes & o.state.lanes and p.state.assume == o.state.assume
                if apart or many:
                    value = (
                        by_lane(p.value, p.state.lanes, o.value, o.state.lanes)
                        if not p.state.lanes & o.state.lanes
                        else joined(p.value, o.value)
                    )
                    out[i] = Outcome(o.flow, merge_pair(p.state, o.state), value)
                    break
            else:
                out.append(o)
        else:
            out.append(o)
    return out
