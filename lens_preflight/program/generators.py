"""Generators of the tree: run to the next yield, and resumed there."""

from __future__ import annotations

import ast
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.program import loops, opaque_calls, protected, statements
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.scopes import body_of, walk_body
from lens_preflight.program.state import Cell, State
from lens_preflight.program.trees import walk
from lens_preflight.program.values import NONE, Ref, Tup, Value

STOP = "StopIteration"


def make(m: Machine, frame: Frame, state: State) -> Ref:
    """A generator over a call that was prepared but not begun; the frame is its own."""
    if frame.func is not None:
        unfold(frame.func.node)
    return m.new(state, Cell("generator", extra=(frame, None)))


def unfold(function: ast.AST) -> None:
    """``yield from x`` as the loop that it nearly is: ``for item in x: yield item``; once a function."""
    whole = ast.Module(body_of(function), [])
    for here in (whole, *walk_body(whole)):
        for name in ("body", "orelse", "finalbody"):
            block: Any = getattr(here, name, None)
            for i, node in enumerate(block if isinstance(block, list) else ()):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.YieldFrom):
                    item = ast.Name("__item__", ast.Store())
                    again = ast.Expr(ast.Yield(ast.Name("__item__", ast.Load())))
                    loop = ast.For(item, node.value.value, [again], [])
                    for child in walk(loop):
                        if not hasattr(child, "lineno"):
                            ast.copy_location(child, node)
                    block[i] = loop


def afresh(m: Machine, manager: Value, state: State) -> Value:
    """A generator made anew from the same call, as a manager that decorates makes one a call."""
    if not isinstance(manager, Ref) or state.read(manager.id).kind != "generator":
        return manager
    frame, _ = state.read(manager.id).extra
    cell = m.new(state, state.read(frame.cell).copy())
    return make(m, replace(frame, cell=cell.id), state)


def own_frame(gen: Ref, state: State, caller: Frame, node: ast.AST) -> tuple[Frame, Any]:
    """The generator's frame, called from here, and where it stands."""
    frame, path = state.read(gen.id).extra
    here = caller.chain(node, "")
    return replace(frame, stack=here, cleanup=caller.cleanup, phase=caller.phase), path


def advance(m: Machine, gen: Ref, outcomes: list[Outcome]) -> list[Outcome]:
    """Remember where each yield left the generator; its end becomes StopIteration."""
    out: list[Outcome] = []
    for o in outcomes:
        if o.flow is Flow.YIELD:
            cell = o.state.edit(gen.id)
            cell.extra = (cell.extra[0], o.path)
            out.append(Outcome(Flow.NORMAL, o.state, o.value))
        elif o.flow in (Flow.NORMAL, Flow.RETURN):
            out.append(Outcome(Flow.RAISE, o.state, error=STOP))
        else:
            out.append(o)
    return out


def start(m: Machine, gen: Ref, state: State, caller: Frame, node: ast.AST) -> list[Outcome]:
    """``next`` on a fresh generator, or on one that stands at a yield."""
    frame, path = own_frame(gen, state, caller, node)
    if path is not None:
        return resume(m, gen, Outcome(Flow.NORMAL, state), caller, node)
    assert frame.func is not None
    return advance(m, gen, statements.block(m, body_of(frame.func.node), state, frame))


def resume(m: Machine, gen: Ref, o: Outcome, caller: Frame, node: ast.AST) -> list[Outcome]:
    """Go on behind the yield, with a value or with an exception raised there."""
    frame, path = own_frame(gen, o.state, caller, node)
    if path is None or frame.func is None:
        return [o]
    sent = o if o.flow in protected.ABRUPT else Outcome(Flow.NORMAL, o.state)
    return advance(m, gen, resume_block(m, body_of(frame.func.node), path, sent, frame))


def finish(m: Machine, gen: Ref, o: Outcome, caller: Frame, node: ast.AST) -> list[Outcome]:
    """Leave a generator-based context manager with one way out of its body."""
    out: list[Outcome] = []
    raised = o.flow in protected.ABRUPT
    for r in resume(m, gen, o, caller, node):
        if r.flow is Flow.RAISE and r.error == STOP:
            out.append(Outcome(Flow.NORMAL, r.state) if raised else o.at(r.state))
        elif r.flow is Flow.NORMAL:
            out.append(Outcome(Flow.RAISE, r.state, error="RuntimeError", origin=caller.chain(node)))
        else:
            out.append(r)
    return reduce(out)


def resume_block(
    m: Machine, body: list[ast.stmt], path: tuple[Any, ...], sent: Outcome, frame: Frame
) -> list[Outcome]:
    """The rest of a block whose statement ``path[0]`` holds the yield."""
    index, inner = path[0], path[1:]
    live: list[State] = []
    done: list[Outcome] = []
    for o in resume_statement(m, body[index], inner, sent, frame):
        if o.flow is Flow.NORMAL:
            live.append(o.state)
        elif o.flow is Flow.YIELD:
            done.append(o._replace(path=(index, *o.path)))
        else:
            done.append(o)
    return statements.go_on(m, body, live, frame, index + 1, done)


def resume_statement(
    m: Machine, node: ast.stmt, path: tuple[Any, ...], sent: Outcome, frame: Frame
) -> list[Outcome]:
    """The rest of the statement that holds the yield."""
    if not path:
        if isinstance(node, ast.Assign) and sent.flow is Flow.NORMAL:
            return statements.store(m, node.targets[0], NONE, sent.state, frame)
        return [sent]
    tag, inner = path[0], path[1:]
    if isinstance(node, ast.If):
        body = node.body if tag == "then" else node.orelse
        return statements.tagged(resume_block(m, body, inner, sent, frame), tag)
    if isinstance(node, ast.Match):
        return statements.tagged(resume_block(m, node.cases[tag].body, inner, sent, frame), tag)
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return resume_loop(m, node, tag, inner, sent, frame)
    if isinstance(node, ast.With | ast.AsyncWith):
        return resume_with(m, node, path, sent, frame)
    return resume_try(m, node, tag, inner, sent, frame)


def resume_try(
    m: Machine, node: Any, tag: Any, inner: tuple[Any, ...], sent: Outcome, frame: Frame
) -> list[Outcome]:
    """The rest of a try statement."""
    if tag == "try":
        outcomes = statements.tagged(resume_block(m, node.body, inner, sent, frame), tag)
        return protected.after_body(m, node, outcomes, frame)
    if tag[0] == "finally":
        rest = resume_block(m, node.finalbody, inner, sent, replace(frame, cleanup=True))
        return protected.behind_cleanup(tag[1], rest)
    body = node.orelse if tag == "try-else" else tag[1].body
    outcomes = statements.tagged(resume_block(m, body, inner, sent, frame), tag)
    return protected.at_last(m, node, outcomes, frame)


def resume_with(
    m: Machine, node: ast.With | ast.AsyncWith, path: tuple[Any, ...], sent: Outcome, frame: Frame
) -> list[Outcome]:
    """The rest of a with statement: its body, then the exits of its managers."""
    tag, inner = path[0], path[1:]
    if tag == "with":
        return statements.tagged(resume_block(m, node.body, inner, sent, frame), tag)
    index, manager = tag
    outcomes = resume_with(m, node, inner, sent, frame)
    outcomes = [o._replace(path=(tag, *o.path)) if o.flow is Flow.YIELD else o for o in outcomes]
    return protected.leave(m, manager, outcomes, frame, node.items[index].context_expr)


def resume_loop(
    m: Machine, node: Any, tag: Any, inner: tuple[Any, ...], sent: Outcome, frame: Frame
) -> list[Outcome]:
    """The rest of the round, then the rounds that are left."""
    if tag == "loop-else":
        return statements.tagged(resume_block(m, node.orelse, inner, sent, frame), tag)
    done: list[Outcome] = []
    again, left = loops.sort_out(resume_block(m, node.body, inner, sent, frame), tag, done)
    if isinstance(node, ast.While):
        rest = loops.while_from(m, node, again, frame) if again else []
        return reduce([*done, *rest, *(Outcome(Flow.NORMAL, s) for s in left)])
    if tag[0] == "items":
        items = list(tag[1].items) if isinstance(tag[1], Tup) else []
        rest = loops.exactly(m, node, items, again, frame)
    else:
        rest = [o for s in again for o in loops.rounds(m, node, tag[1], s, frame, [])]
    return reduce([*done, *rest, *(Outcome(Flow.NORMAL, s) for s in left)])


def loop_over(
    m: Machine, node: ast.For | ast.AsyncFor, gen: Value, state: State, frame: Frame
) -> list[Outcome]:
    """A for loop over a generator of the tree; leaving it early abandons the generator."""
    assert isinstance(gen, Ref)
    done: list[Outcome] = []
    ended: list[State] = []
    left: list[State] = []
    live = [state]
    for _ in range(loops.MAX_ROUNDS):
        following: list[State] = []
        for here in live:
            for o in start(m, gen, here, frame, node):
                if o.flow is Flow.RAISE and o.error == STOP:
                    ended.append(o.state)
                    continue
                if o.flow is not Flow.NORMAL:
                    done.append(o)
                    continue
                for s in statements.store(m, node.target, o.value, o.state, frame):
                    ways = statements.block(m, node.body, s.state, frame)
                    early: list[Outcome] = []
                    again, out_of = loops.sort_out(ways, ("any", NONE), early)
                    following.extend(again)
                    left.extend(abandoned(x, frame, node) for x in out_of)
                    done.extend(e.at(abandoned(e.state, frame, node)) for e in early)
        live = following
        if not live:
            break
    return loops.finish(m, node, ended, left, done, frame)


def abandoned(state: State, frame: Frame, node: ast.AST) -> State:
    """Open handles become undecided: a finally in an abandoned generator runs when it is collected."""
    return opaque_calls.undecided(
        state, frame.site(node), "a generator that is left early is closed when it is collected"
    )
