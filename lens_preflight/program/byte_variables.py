"""``os.environb``: the environment under names and with values of bytes."""

from __future__ import annotations

import ast

from lens_preflight.program import variables
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import State
from lens_preflight.program.values import NONE, Const, Ref, Unknown, Value, taints_of


def decoded(value: Value) -> str:
    """The text of known bytes; empty for anything else."""
    if isinstance(value, Const) and isinstance(value.value, bytes):
        return value.value.decode("utf-8", "surrogateescape")
    return ""


def put(m: Machine, index: Value, value: Value, state: State, frame: Frame, node: ast.AST) -> None:
    """Write one variable; under an unknown name it may be any."""
    name = decoded(index)
    if not name:
        variables.any_name(m, state, variables.ENVIRON, frame.site(node))
        return
    known = isinstance(value, Const) and isinstance(value.value, bytes)
    text = value if value == NONE else Const(decoded(value)) if known else Unknown(taints_of(value))
    variables.set_environ(m, Ref(variables.ENVIRON), Const(name), text, state, frame, node)


@model("environb.get")
def get(this: Call) -> list[Outcome]:
    """A variable, as bytes: not followed further."""
    name = decoded(this.arg(0, "key"))
    return this.done(Unknown(frozenset((f"env:{name or '?'}",))))


@model("environb.update", "environb.setdefault", "environb.pop", "environb.popitem", "environb.clear")
def change(this: Call) -> list[Outcome]:
    """Other writes: which variable, is not followed."""
    variables.any_name(this.m, this.state, variables.ENVIRON, this.site)
    return this.done(Unknown())
