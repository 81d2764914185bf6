"""Loops: exactly when the items are known, else until nothing new happens."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from lens_preflight.program import (
    access,
    expressions,
    failures,
    iterators,
    running,
    special_methods,
    statements,
    truths,
)
from lens_preflight.program.joins import merge
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.on_node import kept
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.scopes import dotted
from lens_preflight.program.state import State
from lens_preflight.program.trees import walk
from lens_preflight.program.values import Const, Ref, Tup, Unknown, Value, soft, taints_of

MAX_EXACT = 9
MAX_ROUNDS = 4


def sort_out(outcomes: list[Outcome], tag: object, done: list[Outcome]) -> tuple[list[State], list[State]]:
    """(states that begin the next round, states that left by break); the rest is done."""
    again: list[State] = []
    left: list[State] = []
    for o in outcomes:
        if o.flow in (Flow.NORMAL, Flow.CONTINUE):
            again.append(o.state)
        elif o.flow is Flow.BREAK:
            left.append(o.state)
        elif o.flow is Flow.YIELD:
            done.append(o._replace(path=(tag, *o.path)))
        else:
            done.append(o)
    return again, left


def finish(
    m: Machine,
    node: ast.While | ast.For | ast.AsyncFor,
    ended: list[State],
    left: list[State],
    done: list[Outcome],
    frame: Frame,
) -> list[Outcome]:
    """The else branch of states that ran out, and those that broke out."""
    out = list(done)
    for state in merge(ended):
        out.extend(statements.tagged(statements.block(m, node.orelse, state, frame), "loop-else"))
    out.extend(Outcome(Flow.NORMAL, s) for s in left)
    return reduce(out)


def while_loop(m: Machine, node: ast.While, state: State, frame: Frame) -> list[Outcome]:
    """``while``: exactly for some rounds, then with what changes in it unknown."""
    if state.facts.running and not frame.thread and polls(node):
        running.polled(state)
    return while_from(m, node, [state], frame)


@kept
def polls(node: ast.While) -> bool:
    """True for a loop that sleeps, or waits for a while, until something has changed."""
    called = (n.func for n in walk(node) if isinstance(n, ast.Call))
    return any(dotted(f).rpartition(".")[2] in ("sleep", "wait") for f in called)


def while_from(m: Machine, node: ast.While, live: list[State], frame: Frame) -> list[Outcome]:
    """The rounds of a while loop from some states on."""
    done: list[Outcome] = []
    ended: list[State] = []
    left: list[State] = []
    known: set[Hashable] = set()
    patience = 2 if m.plan.small and not m.coarse else 0
    for n in range(MAX_EXACT + MAX_ROUNDS):
        following: list[State] = []
        for here in live:
            tests = expressions.evaluate(m, node.test, here, frame)
            for o in special_methods.tested(m, tests, frame, node.test):
                if o.flow is not Flow.NORMAL:
                    done.append(o)
                    continue
                for branch, truth in truths.split(m, o.value, o.state, frame):
                    if not truth:
                        ended.append(branch)
                        continue
                    again, out_of = sort_out(statements.block(m, node.body, branch, frame), "loop", done)
                    following.extend(again)
                    left.extend(out_of)
        live = merge(following, 3)
        done = reduce(done)
        left = merge(left)
        if n >= patience:
            live = [widened(m, s, node.body, frame) for s in live]
        fresh = {(s.key, s.lanes) for s in live}
        if not live or (n > patience and fresh <= known):
            break
        known |= fresh
    return finish(m, node, ended, left, done, frame)


def widened(m: Machine, state: State, body: list[ast.stmt], frame: Frame) -> State:
    """The state with the plain values that the body assigns no longer known."""
    from lens_preflight.program.scopes import names_in

    if body[0] not in m.bound:
        m.bound[body[0]] = names_in(body)
    cell = state.edit(frame.cell)
    for name in m.bound[body[0]]:
        value = cell.attrs.get(name)
        if isinstance(value, Const) and not isinstance(value.value, bool) and value.value is not None:
            extra = frozenset(("number",)) if isinstance(value.value, int | float) else frozenset()
            cell.attrs[name] = Unknown(value.taints | extra)
    return state


def for_loop(m: Machine, node: ast.For | ast.AsyncFor, state: State, frame: Frame) -> list[Outcome]:
    """``for``: over known items one by one, over a generator of the tree by resuming it."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.iter, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
        elif is_generator(o.value, o.state):
            from lens_preflight.program import generators

            out.extend(generators.loop_over(m, node, o.value, o.state, frame))
        else:
            out.extend(iterators.by_method(m, node, o.value, o.state, frame))
    return reduce(out)


def is_generator(value: Value, state: State) -> bool:
    """True for a generator of the tree."""
    return isinstance(value, Ref) and state.read(value.id).kind == "generator"


def over(
    m: Machine, node: ast.For | ast.AsyncFor, iterable: Value, state: State, frame: Frame
) -> list[Outcome]:
    """A for loop over a value."""
    items = access.items_of(m, iterable, state)
    if items is not None and len(items) <= MAX_EXACT and not soft(iterable):
        return exactly(m, node, items, [state], frame)
    done: list[Outcome] = []
    if items is None and isinstance(iterable, Unknown) and not iterable.taints & {"number"}:
        done.extend(failures.may_fail(m, state, frame, node, "the loop"))
    sample = items[0] if items else None
    number = isinstance(sample, Const) and isinstance(sample.value, int)
    taints = taints_of(iterable) | (frozenset(("number",)) if number else frozenset())
    item: Value = Unknown(taints)
    if items and isinstance(sample, Tup):
        item = Tup(tuple(Unknown(taints) for _ in sample.items))
    at_least_once = bool(items) and not soft(iterable)
    return rounds(m, node, item, state, frame, done, at_least_once)


def exactly(
    m: Machine, node: ast.For | ast.AsyncFor, items: list[Value], live: list[State], frame: Frame
) -> list[Outcome]:
    """One round per item."""
    done: list[Outcome] = []
    left: list[State] = []
    for i, item in enumerate(items):
        following: list[State] = []
        for here in live:
            for s in statements.store(m, node.target, item, here, frame):
                if s.flow is not Flow.NORMAL:
                    done.append(s)
                    continue
                rest = tuple(items[i + 1 :])
                again, out_of = sort_out(
                    statements.block(m, node.body, s.state, frame), ("items", Tup(rest)), done
                )
                following.extend(again)
                left.extend(out_of)
        live = merge(following, 4)
        left = merge(left)
        done = reduce(done)
    return finish(m, node, live, left, done, frame)


def rounds(
    m: Machine,
    node: ast.For | ast.AsyncFor,
    item: Value,
    state: State,
    frame: Frame,
    done: list[Outcome],
    at_least_once: bool = False,
) -> list[Outcome]:
    """Any number of rounds with an unknown item, until no new kind of state comes out."""
    ended: list[State] = [] if at_least_once else [state.fork()]
    left: list[State] = []
    live = [state]
    known: set[Hashable] = set()
    for n in range(MAX_ROUNDS):
        following: list[State] = []
        for here in live:
            for s in statements.store(m, node.target, item, here, frame):
                if s.flow is not Flow.NORMAL:
                    done.append(s)
                    continue
                again, out_of = sort_out(statements.block(m, node.body, s.state, frame), ("any", item), done)
                following.extend(again)
                left.extend(out_of)
        live = [s.fork() for s in merge(following, 2)]
        if n >= 1:
            live = [widened(m, s, node.body, frame) for s in live]
        ended.extend(s.fork() for s in live)
        ended = merge(ended, 3)
        left = merge(left)
        done = reduce(done)
        fresh = {(s.key, s.lanes) for s in live}
        if fresh <= known:
            break
        known |= fresh
    return finish(m, node, ended, left, done, frame)
