"""Wrappers of libraries around functions of the tree: how often they call, as far as that is known."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import calls, opaque_calls
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.state import Facts, Site, State
from lens_preflight.program.values import Const, Func, Value, Wrapped

CALLING_ONCE = (
    "beartype",
    "chz",
    "clearml",
    "codecarbon",
    "draccus",
    "gin",
    "jsonargparse",
    "line_profiler",
    "memory_profiler",
    "mlflow",
    "nvtx",
    "pydantic",
    "pyrallis",
    "sentry_sdk",
    "simple_parsing",
    "typeguard",
    "tyro",
    "wandb",
)
"""Libraries whose decorators call the function once for each call: they parse, check, time or log."""


def around(function: Value, name: str) -> Wrapped:
    """What an unknown call of a library made of a function."""
    return Wrapped("perhaps", function, (Const(name),))


def call(
    m: Machine, fn: Wrapped, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Run the function once; a wrapper that is not known may as well not, or again after a failure."""
    failed = opaque_calls.opaque_failures(m, state, frame, node, "a wrapper")
    before = state.facts
    out = calls.invoke(m, fn.inner, args, state, frame, node)
    name = str(fn.extra[0].value) if fn.extra and isinstance(fn.extra[0], Const) else "a wrapper"
    if name.partition(".")[0].removesuffix("()") not in CALLING_ONCE:
        inner = fn.inner.name if isinstance(fn.inner, Func) else "a function"
        why = f"{name.removesuffix('()')}() wraps {inner} and may call it never, once or several times"
        for o in out:
            doubt(m, o, before, why, frame.site(node, f"{inner}()"))
    return [*out, *failed]


def doubt(m: Machine, o: Outcome, before: Facts, why: str, site: Site) -> None:
    """A setup behind the wrapper may come again, a shutdown of an earlier handle may not come."""
    if o.flow is not Flow.HARD and o.state.facts.setups[len(before.setups) :]:
        m.seen.uncounted.append((why, site))
    for number, fact in o.state.facts.handles:
        earlier = before.handle(number)
        if earlier is not None and earlier.status == "open" and fact.status == "closed":
            unsure = replace(fact, status="maybe", why=why)
            o.state.facts = o.state.facts.with_handle(number, unsure)
