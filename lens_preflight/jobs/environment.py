"""Texts to variables: the environment of a launch in the four states."""

from __future__ import annotations

from collections.abc import Mapping

from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import Symbol, Text

SUBMITTER = "it depends on who submits"
"""The reason of every name that only the submitting shell can set."""


def environment(exported: Exported) -> Environment:
    """The variables of a process that does not run yet."""
    listed = {name: variable(name, bound) for name, bound in exported}
    rest = exported.rest
    if rest.complete:
        return Environment(listed)
    reason = rest.reason or rest.cause.value
    return Environment(listed, complete=False, opaque=reason, opaque_at=rest.at)


def written(exported: Exported) -> Mapping[str, Text]:
    """How the variables are composed that hold more than literal text."""
    return {n: b.value for n, b in exported if b.value is not None and b.value.symbols}


def variable(name: str, bound: Bound) -> Variable:
    """One variable: VALUE when its text is known, PROVIDED when it is surely set, else UNKNOWN."""
    origin = Origin(bound.by or "job script", bound.at) if bound.at or bound.by else None
    text = bound.value
    if text is None:
        return Variable(name, State.UNSET, origin=origin)
    known = text.constant
    spread = text.spread
    if known is not None:
        assumed = sorted({s.name for s in text.symbols if s.assumed})
        reason = f"unless the submitter exports {', '.join(assumed)}" if assumed else ""
        return Variable(name, State.VALUE, known, origin, reason=reason)
    reason = _reason(name, text)
    if text.filled:
        return Variable(name, State.PROVIDED, None, origin, spread, reason)
    return Variable(name, State.UNKNOWN, None, origin, spread, reason)


def _reason(name: str, text: Text) -> str:
    causes = list(dict.fromkeys(s.why for s in text.symbols if s.known is None))
    if len(text.pieces) == 1 and isinstance(text.pieces[0], Symbol) and text.pieces[0].name == name:
        return causes[0]
    return f"{text.template}: {'; '.join(causes)}"


def if_nothing_is_submitted(env: Environment) -> tuple[Environment, tuple[str, ...]]:
    """The environment when the submitting shell sets nothing more, and the names that this decides.

    Names that stay unknown for another reason stay unknown.
    """
    changed = [
        Variable(v.name, State.UNSET, origin=v.origin)
        for v in env
        if v.state is State.UNKNOWN and v.reason == SUBMITTER
    ]
    complete = env.complete or env.opaque == SUBMITTER
    merged = {**env.variables, **{v.name: v for v in changed}}
    result = Environment(
        merged, complete, "" if complete else env.opaque, None if complete else env.opaque_at
    )
    return result, tuple(v.name for v in changed)
