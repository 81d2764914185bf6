"""Loops: run turn by turn while every turn is known, else once for all turns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs import arithmetic, listing
from lens_preflight.jobs.branching import either
from lens_preflight.jobs.names import is_telemetry
from lens_preflight.jobs.state import State, Var, join_states
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import Cause, Symbol, Text
from lens_preflight.jobs.words import fields_of

if TYPE_CHECKING:
    from lens_preflight.jobs.draft import Draft
    from lens_preflight.jobs.shell import Shell

TURNS = 32
LISTED = 128
"""Names of variables that a loop over what is set takes one by one."""

LINES = 256
SAME = 8


def loop(shell: Shell, node: Node) -> bool | None:
    """A ``for``, ``while`` or ``until`` statement."""
    shell.loops += 1
    try:
        if node["Type"] == "WhileClause":
            return _while(shell, node)
        head = node["Loop"]
        return (_counted if head["Type"] == "CStyleLoop" else _for)(shell, node, head)
    finally:
        shell.loops -= 1
        if not shell.loops and shell.state.leaving.startswith(("break", "continue")):
            shell.state.leaving = ""  # more levels than there are loops


def _leave(shell: Shell) -> bool:
    """Take note of ``break`` and ``continue``; True when the loop ends."""
    leaving = shell.state.leaving
    if not shell.state.alive or leaving.startswith("return"):
        return True
    word, _, levels = leaving.partition(" ")
    if word not in ("break", "continue"):
        return False
    if levels:  # of the loops around this one too
        shell.state.leaving = word if levels == "2" else f"{word} {int(levels) - 1}"
        return True
    shell.state.leaving = ""
    return word == "break"


def _for(shell: Shell, node: Node, head: Node) -> bool | None:
    name, line = head["Name"]["Value"], int(node.get("Pos") or 0)
    words = fields_of(head["Items"], shell) if head.get("Items") is not None else None
    if words is None and shell.state.args is not None:
        texts = list(shell.state.args)
    elif words is None:
        texts = [Text.of(Symbol("@", Cause.ARGUMENT, optional=True))]
    else:
        texts = [word.text for word in words]
    turns = [turn for text in texts for turn in _spelled_out(shell, text)]
    if len(turns) > max(len(texts), LISTED):
        turns = texts
    doubtful = [listing.perhaps(turn) is not None for turn in turns]
    unknown = any(
        t.constant is None and not d and _may_be_several(t) for t, d in zip(turns, doubtful, strict=True)
    )
    if unknown or node.get("Select") or len(turns) > (TURNS if turns == texts else LISTED):
        values = tuple(texts) if len(texts) <= 16 and not unknown else ()
        source = " ".join(s.source for t in texts for s in t.symbols)
        turn = Text.of(Symbol(name, Cause.LOOP, values=values, source=source))
        if listing.LISTING.match(source):
            shell.assign(name, turn, line)
            shell.statements(node.get("Do") or ())
            _leave(shell)
            return True
        return _many(shell, node, lambda s: s.assign(name, turn, line))

    def once(inner: Shell, text: Text) -> bool | None:
        inner.assign(name, text, line)
        return inner.statements(node.get("Do") or ())

    for text in turns:
        doubt = listing.perhaps(text)
        if doubt is None:
            once(shell, text)
        else:
            word, likely = doubt
            either(shell, partial(once, text=word), lambda s: True, "loop", likely)
        if _leave(shell):
            break
    return True


def _spelled_out(shell: Shell, text: Text) -> list[Text]:
    names = listing.named(shell, text)
    return [text] if names is None else names


def _may_be_several(text: Text) -> bool:
    steady = (Cause.PLACE, Cause.SLURM)
    return any(s.known is None and (s.cause not in steady or s.is_list) for s in text.symbols)


def _counted(shell: Shell, node: Node, head: Node) -> bool | None:
    def number(part: Node | None) -> int:
        if part is None:
            return 1
        return arithmetic.evaluate(part, shell.state, shell._operand, shell.assign)

    start = shell.state.copy()
    try:
        number(head.get("Init"))
        for _ in range(TURNS):
            if not number(head.get("Cond")):
                return True
            shell.statements(node.get("Do") or ())
            if _leave(shell):
                return True
            number(head.get("Post"))
    except (arithmetic.Unknown, ValueError, OverflowError):
        shell.state = start
    init = head.get("Init") or {}
    name = arithmetic.bare_name(init.get("X") or {}) or ""
    turn = Text.of(Symbol(name or "i", Cause.LOOP))
    return _many(shell, node, lambda s: s.assign(name, turn) if name else None)


def _while(shell: Shell, node: Node) -> bool | None:
    before = len(shell.run.drafts)
    counted, status = _turns(shell, node)
    if not counted or len(shell.run.drafts) - before > SAME:
        _once_each(shell, before)
    return status


def _once_each(shell: Shell, before: int) -> None:
    """A loop that tries again starts the same program again: one launch."""
    drafts = shell.run.drafts
    kept = drafts[:before]
    for draft in drafts[before:]:
        if all(_identity(draft) != _identity(other) for other in kept[before:]):
            kept.append(draft)
    drafts[:] = kept


def _identity(draft: Draft) -> tuple[object, ...]:
    """What makes two starts two: daemons are the same whatever their options."""
    args = () if draft.where.chain[-1:] == ("ray start",) else draft.args
    telemetry = tuple(sorted((n, b.value and b.value.template) for n, b in draft.env if is_telemetry(n)))
    return (draft.at, draft.where.chain, draft.program, draft.module, args, telemetry)


def _turns(shell: Shell, node: Node) -> tuple[bool, bool | None]:
    """Whether every turn was known, and the status."""
    drafts = shell.run.drafts
    seen: set[tuple[object, ...]] = set()
    before = len(drafts)
    for _ in range(LINES):
        status = _condition(shell, node)
        if status is None or not shell.state.alive:
            break
        if not status:
            return True, True
        shell.state.may_leave = False
        turn = len(drafts)
        shell.statements(node.get("Do") or ())
        if _leave(shell):
            return True, True
        started = {_identity(draft) for draft in drafts[turn:]}
        again = bool(started) and started <= seen and len(drafts) - before > SAME
        seen |= started
        if shell.state.may_leave or again or len(drafts) - before > TURNS:
            break
    return False, _many(shell, node, lambda s: _condition(s, node))


def _condition(shell: Shell, node: Node) -> bool | None:
    before, shell.conditional = shell.conditional, True
    status = shell.statements(node.get("Cond") or ())
    shell.conditional = before
    if node.get("Until"):
        return None if status is None else not status
    return status


def _many(shell: Shell, node: Node, begin: object) -> bool | None:
    """The body an unknown number of times: what changes from turn to turn is not known."""
    assert callable(begin)
    start = shell.state.copy()
    shell.run.muted += 1
    drafts = len(shell.run.drafts)
    written = shell.run.files.written
    before = written.state()
    try:
        begin(shell)
        shell.statements(node.get("Do") or ())
    finally:
        shell.run.muted -= 1
        del shell.run.drafts[drafts:]
    written.unsettle(before)
    first = shell.state
    shell.state = _widened(start, first)
    if not first.alive:
        shell.state = start.copy()
    was = shell.where
    if node["Type"] == "ForClause":
        shell.where = replace(was, loop_start=shell.run.tick())
    begin(shell)
    shell.statements(node.get("Do") or ())
    shell.where = was
    _leave(shell)
    written.join(before)
    shell.state.leaving = "" if shell.state.leaving in ("break", "continue") else shell.state.leaving
    shell.state = join_states(_settled(first, shell.state), start, "loop")
    return None


def _widened(start: State, first: State) -> State:
    """The state before any turn: what the first turn changed is a symbol."""
    state = start.copy()
    for name, var in first.vars.items():
        before = start.vars.get(name)
        if before != var and before is not None and not var.is_array:
            turn = Text.of(Symbol(name, Cause.LOOP, optional=before.value is None))
            state.vars[name] = Var(turn, before.exported, at=var.at, by=var.by)
    state.leaving, state.alive = "", True
    return state


def _settled(first: State, last: State) -> State:
    """The state after the last turn: what two turns leave alike is certain."""
    if not first.alive:
        return last
    state = last.copy()
    for name, var in last.vars.items():
        one = first.vars.get(name)
        if one is not None and one.value != var.value and not var.is_array:
            state.vars[name] = Var(
                Text.of(Symbol(name, Cause.LOOP, optional=True)), var.exported, at=var.at, by=var.by
            )
    return state
