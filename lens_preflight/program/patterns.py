"""``match``: each case in turn, its pattern compared with the subject as far as that is known."""

from __future__ import annotations

import ast
from typing import Any

from lens_preflight.program import access, comparisons, expressions, natives, objects, statements, truths
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.state import State
from lens_preflight.program.values import FALSE, TRUE, Const, Lanes, Lib, Ref, Tup, Unknown, Value, taints_of

TYPES: dict[str, type] = {
    "builtins.int": int,
    "builtins.str": str,
    "builtins.bool": bool,
    "builtins.float": float,
    "builtins.bytes": bytes,
}


def match(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """The first case whose pattern and guard hold; both ways where that is not known."""
    subject: ast.expr = node.subject  # type: ignore[attr-defined]
    out: list[Outcome] = []
    for o in expressions.evaluate(m, subject, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        live = [o.state]
        for number, case in enumerate(node.cases):  # type: ignore[attr-defined]
            left: list[State] = []
            for here in live:
                taken, missed, ended = one_case(m, case, o.value, here, frame)
                out.extend(ended)
                left.extend(missed)
                for branch in taken:
                    out.extend(statements.tagged(statements.block(m, case.body, branch, frame), number))
            live = left
        out.extend(Outcome(Flow.NORMAL, here) for here in live)
    return reduce(out)


def one_case(
    m: Machine, case: Any, subject: Value, state: State, frame: Frame
) -> tuple[list[State], list[State], list[Outcome]]:
    """The states that take a case, those that go on to the next, and the ways out of its guard."""
    taken: list[State] = []
    missed: list[State] = []
    ended: list[Outcome] = []
    holds = compared(m, case.pattern, subject, state, frame)
    for here, truth in truths.split(m, holds, state, frame):
        if not truth:
            missed.append(here)
            continue
        capture(m, case.pattern, subject, here, frame)
        if case.guard is None:
            taken.append(here)
            continue
        for g in expressions.evaluate(m, case.guard, here, frame):
            if g.flow is not Flow.NORMAL:
                ended.append(g)
                continue
            for there, truth_ in truths.split(m, g.value, g.state, frame):
                (taken if truth_ else missed).append(there)
    return taken, missed, ended


def compared(m: Machine, pattern: Any, subject: Value, state: State, frame: Frame) -> Value:
    """Whether a pattern fits: a truth value, in each lane its own."""
    kind = type(pattern).__name__
    if kind == "MatchAs":
        return TRUE if pattern.pattern is None else compared(m, pattern.pattern, subject, state, frame)
    if kind == "MatchValue":
        values = [o for o in expressions.evaluate(m, pattern.value, state, frame) if o.flow is Flow.NORMAL]
        if len(values) == 1:
            return comparisons.comparison(m, "Eq", subject, values[0].value, state)
    if kind == "MatchSingleton":
        return comparisons.comparison(m, "Is", subject, Const(pattern.value), state)
    if kind == "MatchOr":
        misses = [truths.negated(m, compared(m, p, subject, state, frame), state) for p in pattern.patterns]
        return truths.negated(m, comparisons.conjunction(m, misses, state), state)
    if kind == "MatchSequence":
        return sequence(m, pattern, subject, state, frame)
    if kind == "MatchClass":
        return of_class(m, pattern, subject, state, frame)
    return Unknown(taints_of(subject))


def sequence(m: Machine, pattern: Any, subject: Value, state: State, frame: Frame) -> Value:
    """``[a, b]``: as many items, each of which fits."""
    listed = isinstance(subject, Tup) or (isinstance(subject, Ref) and state.read(subject.id).kind == "list")
    if isinstance(subject, Const):
        return FALSE  # text is no sequence here
    items = access.items_of(m, subject, state) if listed else None
    if items is None or any(type(p).__name__ == "MatchStar" for p in pattern.patterns):
        return Unknown(natives.deep_taints(subject, state))
    if len(items) != len(pattern.patterns):
        return FALSE
    found = [compared(m, p, i, state, frame) for p, i in zip(pattern.patterns, items, strict=True)]
    return comparisons.conjunction(m, found, state) if found else TRUE


def of_class(m: Machine, pattern: Any, subject: Value, state: State, frame: Frame) -> Value:
    """``int()`` and its like, with at most one pattern inside; other classes are not followed."""
    found = [o.value for o in expressions.evaluate(m, pattern.cls, state, frame)]
    path = found[0].path if len(found) == 1 and isinstance(found[0], Lib) else ""
    if path not in TYPES or pattern.kwd_patterns or len(pattern.patterns) > 1:
        return Unknown(taints_of(subject))
    answer: Value
    if isinstance(subject, Lanes):
        answer = Lanes(tuple(p and is_a(p, TYPES[path]) for p in subject.parts))
    else:
        answer = is_a(subject, TYPES[path])
    inner = [compared(m, p, subject, state, frame) for p in pattern.patterns]
    return comparisons.conjunction(m, [answer, *inner], state)


def is_a(value: Value, kind: type) -> Value:
    """Whether a plain value is of a builtin type."""
    if isinstance(value, Const):
        return Const(isinstance(value.value, kind), value.taints)
    return Unknown(taints_of(value))


def capture(m: Machine, pattern: Any, subject: Value, state: State, frame: Frame) -> None:
    """Bind the names of a pattern that fits."""
    kind = type(pattern).__name__
    name = getattr(pattern, "name", None)
    if kind == "MatchAs" and name is not None:
        objects.bind(m, name, subject, state, frame)
    elif isinstance(name, str) or kind == "MatchMapping":
        for bound in (name, getattr(pattern, "rest", None)):
            if isinstance(bound, str):
                objects.bind(m, bound, Unknown(taints_of(subject)), state, frame)
    inner = [p for p in (getattr(pattern, "pattern", None),) if p is not None]
    inner += [*getattr(pattern, "patterns", ()), *getattr(pattern, "kwd_patterns", ())]
    parts: list[Value] | None = [subject] * len(inner)
    if kind == "MatchSequence":
        items = access.items_of(m, subject, state)
        parts = items if items is not None and len(items) == len(inner) else None
    elif kind in ("MatchMapping", "MatchClass"):
        builtin = kind == "MatchClass" and isinstance(subject, Const | Lanes) and not pattern.kwd_patterns
        parts = parts if builtin else None
    for i, p in enumerate(inner):
        capture(m, p, parts[i] if parts is not None else Unknown(taints_of(subject)), state, frame)
