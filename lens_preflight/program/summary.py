"""Large programs: statements that do nothing to telemetry are summed up."""

from __future__ import annotations

import ast
import functools

from lens_preflight.program import objects, opaque_calls
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.scopes import body_of, dotted
from lens_preflight.program.state import State
from lens_preflight.program.trees import walk
from lens_preflight.program.values import Unknown


def followed(m: Machine, node: ast.stmt, frame: Frame) -> bool:
    """True when a statement of a large program has to do with telemetry, or just binds something plain."""
    decided = m.plan.decided
    if node not in decided:
        decided[node] = decide(m, node, frame)
    return decided[node]


def decide(m: Machine, node: ast.stmt, frame: Frame) -> bool:
    """The same, found out."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.Name):
        return True
    if frame.func is not None:
        return m.plan.matters(node, frame.func.node, frame.path, body_of(frame.func.node))
    if frame.cell != frame.globals:
        return True
    return m.plan.matters(node, None, frame.path, m.closure.source(frame.path).tree.body)


def summed_up(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """A statement that does nothing to telemetry: its names are unknown, and it may fail once."""
    from lens_preflight.program import training

    if node not in m.sums:
        m.sums[node] = sum_of(node)
    names, at, name = m.sums[node]
    for word in names:
        objects.bind(m, word, unknown(word), state, frame)
    if at is None:
        return normal(state)
    if not training.trains(name):
        key = (frame.stack, frame.path, state.facts, state.hypo, frame.cleanup)
        if key in m.inert:
            return normal(state)
        m.inert.add(key)
    training.opaque_call(m, name, frame.site(at, f"{name}()"), state, frame)
    out = training.signal_during(m, name, state, frame, at)
    return [*normal(state), *out, *opaque_calls.opaque_failures(m, state, frame, at, f"{name}()")]


@functools.lru_cache(maxsize=4096)
def unknown(word: str) -> Unknown:
    """The value of a name that a statement binds unseen; always the same object, which joins see at once."""
    return Unknown(frozenset((f"opaque:{word}",)))


def sum_of(node: ast.stmt) -> tuple[frozenset[str], ast.Call | None, str]:
    """The names that a statement binds, and the call in it that tells most, with its name."""
    from lens_preflight.program import training
    from lens_preflight.program.scopes import names_in

    found = [n for n in walk(node) if isinstance(n, ast.Call)]
    names = [dotted(n.func) or "a call" for n in found]
    chosen = next((i for i, n in enumerate(names) if training.trains(n)), 0)
    return names_in([node]), found[chosen] if found else None, names[chosen] if found else ""
