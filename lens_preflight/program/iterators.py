"""Loops over objects of the tree that say themselves what they give, by ``__iter__`` and ``__next__``."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from lens_preflight.program import loops, special_methods, statements
from lens_preflight.program.joins import merge
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.state import State
from lens_preflight.program.values import Const, Ref, Unknown, Value


def by_method(
    m: Machine, node: ast.For | ast.AsyncFor, value: Value, state: State, frame: Frame
) -> list[Outcome]:
    """A for loop over what ``__iter__`` of an object of the tree gives, else over the value itself."""
    begun = special_methods.called(m, value, ("__iter__",), [], state, frame, node.iter)
    if begun is None:
        return loops.over(m, node, value, state, frame)
    out: list[Outcome] = []
    for o in begun:
        if o.flow is not Flow.NORMAL:
            out.append(o)
        elif loops.is_generator(o.value, o.state):
            from lens_preflight.program import generators

            out.extend(generators.loop_over(m, node, o.value, o.state, frame))
        elif isinstance(o.value, Ref) and special_methods.has(m, o.value, "__next__", o.state):
            out.extend(driven(m, node, o.value, o.state, frame))
        else:
            out.extend(loops.over(m, node, o.value, o.state, frame))
    return out


def driven(
    m: Machine, node: ast.For | ast.AsyncFor, source: Ref, state: State, frame: Frame
) -> list[Outcome]:
    """Rounds with what ``__next__`` of an object of the tree gives, until it raises StopIteration."""
    done: list[Outcome] = []
    ended: list[State] = []
    left: list[State] = []
    live = [state]
    known: set[Hashable] = set()
    patience = loops.MAX_EXACT if m.plan.small and not m.coarse else 0
    for n in range(loops.MAX_EXACT + loops.MAX_ROUNDS):
        following: list[State] = []
        for here in live:
            for o in special_methods.called(m, source, ("__next__",), [], here, frame, node.iter) or ():
                if o.flow is Flow.RAISE and o.error == "StopIteration":
                    ended.append(o.state)
                    continue
                stored = (
                    statements.store(m, node.target, o.value, o.state, frame)
                    if o.flow is Flow.NORMAL
                    else [o]
                )
                for s in stored:
                    if s.flow is not Flow.NORMAL:
                        done.append(s)
                        continue
                    again, out_of = loops.sort_out(
                        statements.block(m, node.body, s.state, frame), ("any", o.value), done
                    )
                    following.extend(again)
                    left.extend(out_of)
        live, left, done = merge(following, 3), merge(left), reduce(done)
        if n >= patience:
            live = [uncounted(source, loops.widened(m, s, node.body, frame)) for s in live]
        fresh = {(s.key, s.lanes) for s in live}
        if not live or (n > patience and fresh <= known):
            break
        known |= fresh
    return loops.finish(m, node, ended, left, done, frame)


def uncounted(source: Ref, state: State) -> State:
    """The state with the numbers that an iterator keeps no longer known."""
    cell = state.edit(source.id)
    for name, value in cell.attrs.items():
        if isinstance(value, Const) and type(value.value) in (int, float):
            cell.attrs[name] = Unknown(value.taints | {"number"})
    return state
