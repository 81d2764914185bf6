"""Ways out of statements and calls, and how many of them become few."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from lens_preflight.program.joins import Kinds, by_lane, joined, merge, merge_pair
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import (
    NONE,
    Value,
)

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

    __hash__ = object.__hash__
    """That of Enum runs Python code for each look-up."""


PLAIN = (Flow.YIELD, Flow.NORMAL, Flow.RETURN)


class Outcome(NamedTuple):
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
        return self._replace(state=state)


def normal(state: State, value: Value = NONE) -> list[Outcome]:
    """A single ordinary outcome."""
    return [Outcome(Flow.NORMAL, state, value)]


def reduce(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Fewer outcomes for the same ways out: equal ones are joined, many origins become a few."""
    outcomes = list(outcomes)
    if len(outcomes) < 2:
        return outcomes
    ordinary: list[State] = []
    abrupt: list[Outcome] = []
    out: list[Outcome] = []
    for o in outcomes:
        if o.flow is Flow.NORMAL and o.value is NONE:
            ordinary.append(o.state)
        elif o.flow in PLAIN:
            out.append(o)
        else:
            abrupt.append(o)
    if abrupt:
        out.extend(fewest(abrupt) if abrupt[0].state.meter.drops else fewer(abrupt))
    return [Outcome(Flow.NORMAL, s) for s in merge(ordinary)] + merge_values(out)


def fewer(outcomes: list[Outcome]) -> list[Outcome]:
    """Abrupt ways out: those of one origin as one, and of all origins not more than a few."""
    kinds = Kinds()
    most = MAX_OUTCOMES if outcomes[0].state.limit > 1 else 1
    groups: dict[tuple[Flow, tuple[int, bool], str | None, tuple[Site, ...]], list[Outcome]] = {}
    for o in outcomes:
        groups.setdefault((o.flow, kinds.of(o.state), o.error, o.origin), []).append(o)
    kept: dict[object, list[Outcome]] = {}
    for key, group in groups.items():
        first = group[0]
        for other in group[1:]:
            first = first.at(merge_pair(first.state, other.state))
        alike = kept.setdefault(key[:3], [])
        if len(alike) < most:
            alike.append(first)
        else:
            alike[-1] = alike[-1].at(merge_pair(alike[-1].state, first.state))
    return [o for alike in kept.values() for o in alike]


def fewest(outcomes: list[Outcome]) -> list[Outcome]:
    """Abrupt ways out of a large program: the first few origins stand for all."""
    kinds = Kinds()
    kept: dict[object, dict[object, Outcome]] = {}
    for o in outcomes:
        alike = kept.setdefault((o.flow, kinds.of(o.state), o.error), {})
        if len(alike) < MAX_OUTCOMES // 3:
            alike.setdefault(o.origin, o)
    return [o for alike in kept.values() for o in alike.values()]


def merge_values(outcomes: list[Outcome]) -> list[Outcome]:
    """Join returns of disjoint lanes, and of equal values when there are many."""
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
