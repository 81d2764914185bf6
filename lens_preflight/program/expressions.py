"""Expressions: every value they may have, and every way they may fail."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from lens_preflight.core.numbers import huge
from lens_preflight.program import (
    access,
    calls,
    comparisons,
    consumers,
    displays,
    failures,
    objects,
    operators,
    special,
    special_methods,
    truths,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.scopes import names_of
from lens_preflight.program.state import State, part
from lens_preflight.program.values import (
    LAUNCHER,
    NONE,
    Choice,
    Const,
    Lanes,
    Lib,
    Unknown,
    Value,
    tainted,
    taints_of,
)

Pairs = list[tuple[State, list[Value]]]


def sequence(
    m: Machine, nodes: Sequence[ast.expr], state: State, frame: Frame
) -> tuple[Pairs, list[Outcome]]:
    """The values of some expressions in order, and the ways out before the last is known."""
    live: Pairs = [(state, [])]
    out: list[Outcome] = []
    for node in nodes:
        following: Pairs = []
        for here, values in live:
            for o in evaluate(m, node, here, frame):
                if o.flow is Flow.NORMAL:
                    following.append((o.state, [*values, o.value]))
                else:
                    out.append(o)
        live = following
    return live, out


def evaluate(m: Machine, node: ast.expr, state: State, frame: Frame) -> list[Outcome]:
    """All outcomes of one expression."""
    m.step()
    if isinstance(node, ast.Constant):
        known = m.constants.get(node)
        if known is None:
            known = Unknown() if huge(node.value) else Const(node.value)
            m.constants[node] = known
        return normal(state, known)
    handler = HANDLERS.get(type(node))
    if handler is None:
        return normal(state, Unknown())
    return handler(m, node, state, frame)


def name(m: Machine, node: ast.Name, state: State, frame: Frame) -> list[Outcome]:
    """A name; a choice splits the state, so that later reads agree."""
    value, cell = objects.lookup(m, node.id, state, frame)
    declared = frame.func is not None and node.id in names_of(frame.func.node).globals
    if value is None and declared and not state.read(frame.globals).open:
        return [failures.failure(state, frame, node, "NameError")]
    if value is None:
        return normal(state, Unknown(frozenset((f"opaque:{node.id}",))))
    if isinstance(value, Choice) and cell is not None:
        out: list[Outcome] = []
        for option in value.options:
            here = state.fork()
            here.edit(cell).attrs[node.id] = option
            out.extend(normal(here, option))
        return out
    return normal(state, value)


def attribute(m: Machine, node: ast.Attribute, state: State, frame: Frame) -> list[Outcome]:
    """An attribute of whatever the left side is."""
    out: list[Outcome] = []
    for o in evaluate(m, node.value, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
        else:
            out.extend(objects.get_attribute(m, o.value, node.attr, o.state, frame, node))
    return out


def call(m: Machine, node: ast.Call, state: State, frame: Frame) -> list[Outcome]:
    """A call: the function, the arguments in order, then what it does."""
    consumed = consumers.consumed(m, node, state, frame)
    if consumed is not None:
        return consumed
    out: list[Outcome] = []
    for o in evaluate(m, node.func, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        plain = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
        live, ended = sequence(m, [*plain, *(k.value for k in node.keywords)], o.state, frame)
        out.extend(ended)
        for here, values in live:
            args = calls.arguments(m, node, values, here)
            out.extend(calls.invoke(m, o.value, args, here, frame, node))
    return reduce(out)


def bool_op(m: Machine, node: ast.BoolOp, state: State, frame: Frame) -> list[Outcome]:
    """``and`` / ``or`` with short circuit, state by state."""
    stop_at = isinstance(node.op, ast.Or)
    live: list[tuple[State, Value]] = [(state, NONE)]
    out: list[Outcome] = []
    last = len(node.values) - 1
    for i, operand in enumerate(node.values):
        following: list[tuple[State, Value]] = []
        for here, before in live:
            for o in evaluate(m, operand, here, frame):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                value = combine(before, o.value, i, stop_at)
                if i == last:
                    out.extend(normal(o.state, value))
                    continue
                lazy = all(truths.harmless(rest) for rest in node.values[i + 1 :])
                for branch, truth in special_methods.branches(m, value, o.state, frame, operand, lazy, out):
                    if truth is None:
                        following.append((branch, value))
                    elif truth is stop_at:
                        place = (
                            "operand",
                            frame.path,
                            getattr(operand, "lineno", 0),
                            getattr(operand, "col_offset", 0),
                        )
                        out.extend(normal(branch, truths.settled(value, branch, truth, place)))
                    else:
                        following.append((branch, truths.settled(value, branch, truth)))
        live = following
    return reduce(out)


def combine(before: Value, value: Value, index: int, stop_at: bool) -> Value:
    """An operand behind others: it depends on them, and an unknown one may stand in its place."""
    if index == 0:
        return value
    extra = taints_of(before)
    if isinstance(value, Lanes):
        return Lanes(
            tuple(p and combine(part(before, i), p, index, stop_at) for i, p in enumerate(value.parts))
        )
    if isinstance(before, Lanes):
        parts = tuple(p and combine(p, value, index, stop_at) for p in before.parts)
        return parts[0] if all(p == parts[0] for p in parts) and parts[0] is not None else Lanes(parts)
    if isinstance(before, Lib):
        before = Unknown(taints_of(before))
    if isinstance(before, Unknown):
        if isinstance(value, Const) and value.value is stop_at:
            return value
        if (
            isinstance(value, Const) and bool(value.value) is stop_at
        ):  # ``x or "text"``: true, and maybe not the text
            return Unknown(taints_of(value) | extra)
        if isinstance(value, Const):  # as true as what stands before it, in this process
            return Unknown(frozenset(t for t in value.taints if not of_place(t)) | extra, before.key)
        return Unknown(taints_of(value) | extra)
    return tainted(value, extra)


def of_place(taint: str) -> bool:
    """True for a dependency on the place of the process in its world."""
    return taint == "rank" or taint.removeprefix("env:") in LAUNCHER


def unary(m: Machine, node: ast.UnaryOp, state: State, frame: Frame) -> list[Outcome]:
    """``not`` and signs."""
    out: list[Outcome] = []
    operands = evaluate(m, node.operand, state, frame)
    if isinstance(node.op, ast.Not):
        operands = special_methods.tested(m, operands, frame, node.operand)
    for o in operands:
        if o.flow is not Flow.NORMAL:
            out.append(o)
        elif isinstance(node.op, ast.Not):
            out.extend(normal(o.state, truths.negated(m, o.value, o.state)))
        else:
            op = type(node.op).__name__
            out.extend(operators.operate(m, op, [o.value], o.state, frame, node))
    return out


def binary(m: Machine, node: ast.BinOp, state: State, frame: Frame) -> list[Outcome]:
    """Arithmetic and text operators."""
    live, out = sequence(m, [node.left, node.right], state, frame)
    for here, values in live:
        out.extend(operators.operate(m, type(node.op).__name__, values, here, frame, node))
    return out


def compare(m: Machine, node: ast.Compare, state: State, frame: Frame) -> list[Outcome]:
    """A chain of comparisons; all operands are evaluated, which none of them notices."""
    live, out = sequence(m, [node.left, *node.comparators], state, frame)
    for here, values in live:
        known: Pairs = [(here, [])]
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            following: Pairs = []
            for there, results in known:
                for o in special_methods.compared(m, type(op).__name__, left, right, there, frame, node):
                    if o.flow is Flow.NORMAL:
                        following.append((o.state, [*results, o.value]))
                    else:
                        out.append(o)
            known = following
        for there, results in known:
            out.extend(normal(there, comparisons.conjunction(m, results, there)))
    return out


def conditional(m: Machine, node: ast.IfExp, state: State, frame: Frame) -> list[Outcome]:
    """``a if c else b``."""
    out: list[Outcome] = []
    for o in special_methods.tested(m, evaluate(m, node.test, state, frame), frame, node.test):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        extra = taints_of(o.value)
        for branch, truth in truths.split(m, o.value, o.state, frame):
            for r in evaluate(m, node.body if truth else node.orelse, branch, frame):
                if r.flow is Flow.NORMAL:
                    out.extend(normal(r.state, tainted(r.value, extra)))
                else:
                    out.append(r)
    return reduce(out)


def subscript(m: Machine, node: ast.Subscript, state: State, frame: Frame) -> list[Outcome]:
    """``a[b]``."""
    live, out = sequence(m, [node.value, node.slice], state, frame)
    for here, (container, index) in live:
        out.extend(access.get_item(m, container, index, here, frame, node))
    return out


HANDLERS: dict[type[ast.AST], Callable[..., list[Outcome]]] = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Call: call,
    ast.BoolOp: bool_op,
    ast.UnaryOp: unary,
    ast.BinOp: binary,
    ast.Compare: compare,
    ast.IfExp: conditional,
    ast.Subscript: subscript,
    ast.Tuple: displays.display,
    ast.List: displays.display,
    ast.Set: displays.display,
    ast.Dict: displays.mapping,
    ast.JoinedStr: displays.joined_text,
    ast.FormattedValue: displays.formatted,
    ast.Lambda: special.function,
    ast.NamedExpr: special.named,
    ast.Await: special.awaited,
    ast.Yield: special.yielded,
    ast.ListComp: special.comprehension,
    ast.SetComp: special.comprehension,
    ast.GeneratorExp: special.comprehension,
    ast.DictComp: special.comprehension,
    ast.Slice: displays.sliced,
    ast.Starred: special.starred,
}
