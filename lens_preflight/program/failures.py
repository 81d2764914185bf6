"""How an expression fails: an exception of its own, or any that an unknown call may raise."""

from __future__ import annotations

import ast

from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.scopes import unparse
from lens_preflight.program.state import State
from lens_preflight.program.values import (
    NONE,
)


def failure(state: State, frame: Frame, node: ast.AST, error: str | None, text: str = "") -> Outcome:
    """An exception that the node raises."""
    flow = Flow.EXIT if error in ("SystemExit", "KeyboardInterrupt") else Flow.RAISE
    return Outcome(flow, state, NONE, error, frame.chain(node, text or unparse(node)))


def may_fail(m: Machine, state: State, frame: Frame, node: ast.AST, text: str = "") -> list[Outcome]:
    """The exceptional ways out of something that is not known: any exception, or an exit in training code."""
    words = text or unparse(node)
    out = [Outcome(Flow.RAISE, state.fork(), NONE, None, frame.chain(node, words))]
    if not frame.cleanup and isinstance(node, ast.Call | ast.Await | ast.For | ast.AsyncFor):
        out.append(Outcome(Flow.EXIT, state.fork(), NONE, None, frame.chain(node, words)))
    return out
