"""Arithmetic and text operators, refused where the result would be huge."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from lens_preflight.program import failures, natives
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import State
from lens_preflight.program.values import (
    Ref,
    Tup,
    Unknown,
    Value,
    taints_of,
)

OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "BitOr": operator.or_,
    "BitAnd": operator.and_,
    "BitXor": operator.xor,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
}


def safe_operator(op: str) -> Callable[..., Any]:
    """The operator, refusing results that would be huge."""
    plain = OPERATORS[op]
    if op not in ("Mult", "Mod"):
        return plain

    def limited(a: Any, b: Any) -> Any:
        for one, other in ((a, b), (b, a)):
            if (
                isinstance(one, str | bytes | list | tuple)
                and isinstance(other, int)
                and other * len(one) > natives.MAX_ITEMS
            ):
                raise natives.NotKnown
        if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > 4096:
            raise natives.NotKnown
        if op == "Mod" and isinstance(a, str) and len(a) > 1000:
            raise natives.NotKnown
        return plain(a, b)

    return limited


def operate(
    m: Machine, op: str, values: list[Value], state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An arithmetic operator; on unknown operands it may fail."""
    from lens_preflight.program import access, special_methods

    by_method = special_methods.operated(m, op, values, state, frame, node)
    if by_method is not None:
        return by_method
    if op == "Add" and all(isinstance(v, Tup) for v in values):
        items = tuple(item for v in values for item in v.items)  # type: ignore[union-attr]
        return normal(state, Tup(items))
    if op == "BitOr" and isinstance(values[0], Ref) and state.read(values[0].id).kind == "dict":
        cell = state.read(values[0].id).copy()
        access.update_dict(m, cell, values[1], state)
        return normal(state, m.new(state, cell))
    if op not in OPERATORS:
        return normal(state, Unknown(frozenset().union(*map(taints_of, values))))
    out = natives.apply(m, safe_operator(op), values, state, op, frame, node)
    if any(isinstance(v, Unknown) and not v.taints & {"number"} for v in values):
        ways = failures.may_fail(m, state, frame, node, "an operator")
        out.extend(o for o in ways if o.flow is Flow.RAISE)
    return out
