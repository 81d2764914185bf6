"""Statements: every way a block goes on or ends."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Sequence

from lens_preflight.program import (
    access,
    attribute_writes,
    definitions,
    expressions,
    failures,
    holding,
    objects,
    operators,
    raising,
    special_methods,
    summary,
    truths,
    variables,
)
from lens_preflight.program.joins import merge
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.scopes import dotted
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import Const, Ref, Unknown, Value, taints_of


def block(m: Machine, body: Sequence[ast.stmt], state: State, frame: Frame, start: int = 0) -> list[Outcome]:
    """Some statements in order."""
    return go_on(m, body, [state], frame, start, [])


def go_on(
    m: Machine, body: Sequence[ast.stmt], live: list[State], frame: Frame, start: int, done: list[Outcome]
) -> list[Outcome]:
    """The rest of a block from one statement on."""
    for i in range(start, len(body)):
        following: list[State] = []
        for state in live:
            for o in statement(m, body[i], state, frame):
                if o.flow is Flow.NORMAL:
                    following.append(o.state)
                elif o.flow is Flow.YIELD:
                    done.append(o._replace(path=(i, *o.path)))
                else:
                    done.append(o)
        live = merge(following)
        if not live:
            break
    return reduce([*done, *(Outcome(Flow.NORMAL, s) for s in live)])


def statement(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """One statement."""
    m.step()
    m.seen.ran.add(node)
    if state.facts.handles and frame.phase == "run":
        start = getattr(frame.func.node, "lineno", 1) if frame.func is not None else 1
        state.last = (frame.site(node), Site(frame.path, start))
    if not m.plan.small and not summary.followed(m, node, frame):
        return summary.summed_up(m, node, state, frame)
    handler = HANDLERS.get(type(node))
    return normal(state) if handler is None else handler(m, node, state, frame)


def expression(m: Machine, node: ast.Expr, state: State, frame: Frame) -> list[Outcome]:
    """An expression for its effect."""
    m.bare = node.value
    return expressions.evaluate(m, node.value, state, frame)


def assign(m: Machine, node: ast.Assign, state: State, frame: Frame) -> list[Outcome]:
    """``a = b = value``."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.value, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        value = o.value
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool | str):
            target = node.targets[0]
            kind = "const" if isinstance(node.value.value, bool) else "choice"
            if isinstance(target, ast.Name):
                value = Const(node.value.value, frozenset((f"{kind}:{target.id}",)))
        live = [o.state]
        for target in node.targets:
            following: list[State] = []
            for here in live:
                for a in store(m, target, value, here, frame):
                    if a.flow is Flow.NORMAL:
                        following.append(a.state)
                    else:
                        out.append(a)
            live = following
        out.extend(Outcome(Flow.NORMAL, s) for s in live)
    return out


def store(m: Machine, target: ast.expr, value: Value, state: State, frame: Frame) -> list[Outcome]:
    """Assign a value to a target."""
    if isinstance(target, ast.Name):
        objects.bind(m, target.id, value, state, frame)
        return normal(state)
    if isinstance(target, ast.Starred):
        return store(m, target.value, Unknown(taints_of(value)), state, frame)
    if isinstance(target, ast.Tuple | ast.List):
        return unpack(m, target, value, state, frame)
    out: list[Outcome] = []
    if isinstance(target, ast.Attribute):
        for o in expressions.evaluate(m, target.value, state, frame):
            if o.flow is not Flow.NORMAL:
                out.append(o)
                continue
            if holding.refuses(m, o.value, target.attr, o.state):
                text = f"setting {target.attr}"
                out.append(failures.failure(o.state, frame, target, "AttributeError", text))
                continue
            live = objects.set_attribute(m, o.value, target.attr, value, o.state, frame, target)
            out.extend(Outcome(Flow.NORMAL, s) for s in live)
        return out
    if isinstance(target, ast.Subscript):
        live_, out = expressions.sequence(m, [target.value, target.slice], state, frame)
        for here, (container, index) in live_:
            out.extend(access.set_item(m, container, index, value, here, frame, target))
    return out


def unpack(
    m: Machine, target: ast.Tuple | ast.List, value: Value, state: State, frame: Frame
) -> list[Outcome]:
    """Position by position, when the length is known."""
    items = access.items_of(m, value, state)
    starred = any(isinstance(e, ast.Starred) for e in target.elts)
    out: list[Outcome] = []
    if items is None or starred or len(items) != len(target.elts):
        if items is None:
            failed = failures.may_fail(m, state, frame, target, "unpacking")
            out = [o for o in failed if o.flow is Flow.RAISE] if not isinstance(value, Unknown) else []
        items = [Unknown(taints_of(value))] * len(target.elts)
    live = [state]
    for element, item in zip(target.elts, items, strict=True):
        following = []
        for here in live:
            for o in store(m, element, item, here, frame):
                (following.append(o.state) if o.flow is Flow.NORMAL else out.append(o))
        live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


def augmented(m: Machine, node: ast.AugAssign, state: State, frame: Frame) -> list[Outcome]:
    """``x += value``."""
    load = ast.copy_location(type(node.target)(**dict(ast.iter_fields(node.target))), node.target)
    load.ctx = ast.Load()
    live, out = expressions.sequence(m, [load, node.value], state, frame)
    for here, values in live:
        if isinstance(values[0], Ref) and here.read(values[0].id).kind != "instance":
            cell = here.edit(values[0].id)
            more = access.items_of(m, values[1], here)
            if cell.kind in ("list", "set") and more is not None:
                cell.items = [*cell.items, *more]
            elif cell.kind == "attributes":
                attribute_writes.update(m, values[0], values[1], here, frame, node)
            elif cell.kind == "dict":
                access.update_dict(m, cell, values[1], here)
            elif cell.kind == "environ":
                variables.merged(m, values[0], values[1], here, frame, node)
            else:
                cell.open = True
            out.extend(normal(here))
            continue
        for o in operators.operate(m, type(node.op).__name__, values, here, frame, node):
            if o.flow is Flow.NORMAL:
                out.extend(store(m, node.target, o.value, o.state, frame))
            else:
                out.append(o)
    return out


def returned(m: Machine, node: ast.Return, state: State, frame: Frame) -> list[Outcome]:
    """``return value``."""
    if node.value is None:
        return [Outcome(Flow.RETURN, state)]
    return [
        o._replace(flow=Flow.RETURN) if o.flow is Flow.NORMAL else o
        for o in expressions.evaluate(m, node.value, state, frame)
    ]


def conditional(m: Machine, node: ast.If, state: State, frame: Frame) -> list[Outcome]:
    """``if``; a branch for type checkers only is never taken."""
    if dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING":
        return tagged(block(m, node.orelse, state, frame), "else")
    out: list[Outcome] = []
    for o in special_methods.tested(m, expressions.evaluate(m, node.test, state, frame), frame, node.test):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        for branch, truth in truths.split(m, o.value, o.state, frame):
            if truth:
                out.extend(tagged(block(m, node.body, branch, frame), "then"))
            else:
                out.extend(tagged(block(m, node.orelse, branch, frame), "else"))
    return reduce(out)


def tagged(outcomes: list[Outcome], tag: object) -> list[Outcome]:
    """Yields remember the part of the statement that they are in."""
    return [o._replace(path=(tag, *o.path)) if o.flow is Flow.YIELD else o for o in outcomes]


def asserted(m: Machine, node: ast.Assert, state: State, frame: Frame) -> list[Outcome]:
    """``assert``."""
    out: list[Outcome] = []
    for o in special_methods.tested(m, expressions.evaluate(m, node.test, state, frame), frame, node.test):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        for branch, truth in truths.split(m, o.value, o.state, frame):
            if truth:
                out.append(Outcome(Flow.NORMAL, branch))
            else:
                out.append(failures.failure(branch, frame, node, "AssertionError", "assert"))
    return out


def jump(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """``break`` and ``continue``."""
    return [Outcome(Flow.BREAK if isinstance(node, ast.Break) else Flow.CONTINUE, state)]


def delegated(where: str, name: str) -> Callable[..., list[Outcome]]:
    """A handler of another module, which itself needs this one."""

    def run(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
        module = importlib.import_module(f"lens_preflight.program.{where}")
        handler: Callable[..., list[Outcome]] = getattr(module, name)
        return handler(m, node, state, frame)

    return run


HANDLERS: dict[type[ast.AST], Callable[..., list[Outcome]]] = {
    ast.Expr: expression,
    ast.Assign: assign,
    ast.AnnAssign: definitions.annotated,
    ast.AugAssign: augmented,
    ast.Return: returned,
    ast.Raise: raising.raised,
    ast.If: conditional,
    ast.FunctionDef: definitions.definition,
    ast.AsyncFunctionDef: definitions.definition,
    ast.ClassDef: definitions.class_definition,
    ast.Delete: delegated("deletions", "deletion"),
    ast.Assert: asserted,
    ast.Break: jump,
    ast.Continue: jump,
    ast.Match: delegated("patterns", "match"),
    ast.Import: delegated("imports", "plain"),
    ast.ImportFrom: delegated("imports", "from_module"),
    ast.Try: delegated("protected", "attempt"),
    ast.With: delegated("protected", "managed"),
    ast.AsyncWith: delegated("protected", "managed"),
    ast.While: delegated("loops", "while_loop"),
    ast.For: delegated("loops", "for_loop"),
    ast.AsyncFor: delegated("loops", "for_loop"),
}
if hasattr(ast, "TryStar"):
    HANDLERS[ast.TryStar] = delegated("protected", "attempt")
