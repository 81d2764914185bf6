"""Wrappers of libraries around functions of the tree: how often they call, as far as that is known."""

from __future__ import annotations

import ast

from lens_preflight.program import calls, opaque_calls
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.state import State
from lens_preflight.program.values import Const, Func, Value, Wrapped

REPEATING = (
    "again",
    "attempt",
    "backoff",
    "executable_batch_size",
    "every",
    "loop",
    "on_exception",
    "periodic",
    "repeat",
    "rerun",
    "resilient",
    "restart",
    "retr",
    "schedule",
)
"""Words in the name of a wrapper that may call its function again; any other calls it once, as a rule."""


def around(function: Value, name: str) -> Wrapped:
    """What an unknown call of a library made of a function."""
    return Wrapped("perhaps", function, (Const(name),))


def call(
    m: Machine, fn: Wrapped, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Run the function once; a wrapper whose name says so may call it again."""
    failed = opaque_calls.opaque_failures(m, state, frame, node, "a wrapper")
    before = state.facts
    out = calls.invoke(m, fn.inner, args, state, frame, node)
    name = str(fn.extra[0].value) if fn.extra and isinstance(fn.extra[0], Const) else "a wrapper"
    if any(word in name.lower() for word in REPEATING):
        inner = fn.inner.name if isinstance(fn.inner, Func) else "a function"
        why = f"{name.removesuffix('()')}() wraps {inner} and may call it several times"
        again = any(o.state.facts.setups[len(before.setups) :] for o in out if o.flow is not Flow.HARD)
        if again:
            m.seen.uncounted.append((why, frame.site(node, f"{inner}()")))
    return [*out, *failed]
