"""Calls of shell functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs import assignments
from lens_preflight.jobs.assignments import Setting
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.run import DEPTH, Frame
from lens_preflight.jobs.state import State, Var
from lens_preflight.jobs.syntax import Node

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def call_function(
    shell: Shell, body: Node | None, words: list[Field], settings: list[Setting]
) -> bool | None:
    """A call of a shell function: its text in place, with its own arguments and locals."""
    line = words[0].line
    if body is None or shell.depth >= DEPTH:
        shell.run.cannot_read(words[0].constant, "the function is not known here", shell.at(line))
        assignments.opaque(shell, "a function that is not known", shell.at(line))
        return None
    state = shell.state
    saved_args, saved_frame, saved_following = state.args, shell.frame, shell.following
    before = {s.name: state.vars.get(s.name) for s in settings}
    launches = len(shell.run.drafts)
    for setting in settings:
        state.vars[setting.name] = Var(setting.value, True, at=shell.frame.inner(setting.line))
    outer_prefixed, outer_kept = state.prefixed, state.kept
    state.prefixed, state.kept = frozenset(before), {}
    state.args = tuple(w.text for w in words[1:])
    state.frames = (*state.frames, {})
    defined: Frame = body.get("_frame", shell.frame)
    shell.frame = defined
    shell.depth += 1
    statement = {k: v for k, v in body.items() if k != "_frame"}
    status = shell.statement(statement)
    shell.depth -= 1
    state = shell.state
    if state.leaving.startswith("return"):
        status = {"return 0": True, "return 1": False}.get(state.leaving)
        state.leaving = ""
    kept = {name: state.vars.get(name, var) for name, var in state.kept.items()}
    restore(state)
    state.prefixed, state.kept = outer_prefixed, outer_kept
    for name, var in before.items():
        if name in kept:
            state.vars[name] = kept[name]
        elif var is None:
            state.vars.pop(name, None)
        else:
            state.vars[name] = var
    state.args, shell.frame, shell.following = saved_args, saved_frame, saved_following
    if len(shell.run.drafts) == launches:
        for setting in settings:
            shell.note(setting.name, setting.line, Loss.PREFIX)
    return status


def restore(state: State) -> None:
    """Leave a function: its locals get back what they hid."""
    if not state.frames:
        return
    *outer, frame = state.frames
    for name, var in frame.items():
        if var is None:
            state.vars.pop(name, None)
        else:
            state.vars[name] = var
    state.frames = tuple(outer)
