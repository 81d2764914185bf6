"""Commands that set or unset a variable whose name is known in part only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.assignments import opaque
from lens_preflight.jobs.listing import chosen
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.names import PREFIXES
from lens_preflight.jobs.state import Bound, Exported, Loose, Var
from lens_preflight.jobs.text import Cause, Symbol, Text, assume

if TYPE_CHECKING:
    from collections.abc import Callable

    from lens_preflight.jobs.field import Field
    from lens_preflight.jobs.shell import Shell

_OPERATOR = re.compile(r"[-+*/%&|^<>]*=|\+\+|--|\[")
_ANY = r"\w*"
_UNSET = "names that are not known here are unset"
_SET = "a name that is not known here is set"


def pattern_of_names(text: Text) -> str:
    """A regular expression of the names that a text may spell."""
    out = ""
    for piece in text.pieces:
        if isinstance(piece, str):
            out += re.escape(piece)
            continue
        known = None if piece.assumed else Text.of(piece).alternatives()
        out += _ANY if known is None else "(?:" + "|".join(map(re.escape, known)) + ")"
    return out


def _speller(text: Text) -> Callable[[str, Text | None], bool | None]:
    """Says of a name whether a text, or a word that it is split into, surely is that name."""
    pattern = re.compile(pattern_of_names(text))
    one = text.pieces[0] if len(text.pieces) == 1 else None
    source = one.source if isinstance(one, Symbol) and one.known is None else ""

    def spells(name: str, value: Text | None) -> bool | None:
        if not pattern.fullmatch(name):
            return False
        return chosen(source, name, value) if source else None

    return spells


def unset_one(shell: Shell, name: str, line: int) -> None:
    """A variable is unset; a local one stays local, and children see again what it hides."""
    from lens_preflight.jobs.declarations import hidden

    if shell.state.vars.get(name, Var()).fixed:
        return
    frame = shell.state.frames[-1] if shell.state.frames else {}
    if name in frame:
        shell.state.vars[name] = hidden(shell.state, frame[name], name, False)
        return
    shell.state.vars[name] = Var(None, False, at=shell.frame.inner(line))
    shell.note(name, line, Loss.UNSET_AGAIN)


def unset_names(shell: Shell, word: Field, *, kept: bool = False) -> None:
    """``unset $(env | grep ...)``, ``unset "$NAME"``: some names are gone, others may be.

    ``kept``: they only leave the environment, and the shell keeps their values.
    """
    text = word.text
    spells = _speller(text)
    touched = False
    for name, var in list(shell.state.vars.items()):
        gone = False if var.fixed or (var.value is None and not var.is_array) else spells(name, var.value)
        if gone and not kept:
            unset_one(shell, name, word.line)
        elif gone is not False:
            touched = True
            shell.state.vars[name] = replace(var, value=_doubted(name, var, text), items=None, table=None)
    if touched and not _left_to_submitter(text):
        shell.run.cannot_read("unset", _UNSET, shell.at(word.line))


def _left_to_submitter(text: Text) -> str:
    """The name that the submitter would have to export for a text to spell anything; empty for none."""
    symbols = [s for s in text.symbols if s.known is None or s.assumed]
    return symbols[0].name if symbols and all(s.cause is Cause.SUBMITTER for s in symbols) else ""


def _doubted(name: str, var: Var, text: Text) -> Text:
    submitter = _left_to_submitter(text)
    if submitter and var.value is not None:
        return assume(var.value, submitter)
    return Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=_UNSET))


def without(env: Exported, text: Text, bound: Bound) -> Exported:
    """An environment behind ``env -u NAME``."""
    if text.constant is not None:
        return env.with_({text.constant: bound})
    spells = _speller(text)
    doubt = {
        name: replace(one, value=Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=_UNSET)))
        for name, one in env
        if one.value is not None and spells(name, one.value) is not False
    }
    return env.with_(doubt)


def set_names(shell: Shell, name: Text, line: int, *, export: bool = False, why: str = _SET) -> None:
    """``printf -v "$NAME"``, ``read "$NAME"``, ``export "P_$NAME=..."``: each name that fits may have a new value."""
    pattern = pattern_of_names(name)
    at = shell.at(line)
    export = export or "allexport" in shell.state.options
    if export and pattern == _ANY:
        shell.run.cannot_read("a name", why, at)
        opaque(shell, why, at)
        return
    fits, touched = re.compile(pattern), False
    for one, var in list(shell.state.vars.items()):
        if fits.fullmatch(one) and not var.fixed and not one.startswith("SLURM_"):
            text = Text.of(Symbol(one, Cause.OPAQUE, optional=var.value is None, reason=why))
            items = None if var.items is None else (text,)
            doubtful, touched = var.doubtful or (export and not var.exported), True
            shell.state.vars[one] = replace(var, value=text, items=items, table=None, doubtful=doubtful)
    head = name.pieces[0] if name.pieces and isinstance(name.pieces[0], str) else ""
    if export and any(p.startswith(head) or head.startswith(p) for p in PREFIXES):
        shell.state.rest = replace(shell.state.rest, complete=False, cause=Cause.OPAQUE, reason=why, at=at)
        touched = True
    if touched:
        shell.run.cannot_read("a name", why, at)
    shell.state.loose = (*shell.state.loose, Loose(pattern, why))


def head_of(text: Text) -> Text:
    """The name in front of ``=``, ``+=`` or ``[`` in a word that sets it."""
    out: list[str | Symbol] = []
    for piece in text.pieces:
        found = _OPERATOR.search(piece) if isinstance(piece, str) else None
        if found is not None and isinstance(piece, str):
            return Text.of(*out, piece[: found.start()])
        out.append(piece)
    return Text.of(*out)


def assign_to(shell: Shell, name: Text, value: Text, line: int) -> None:
    """A value for a variable that a word names."""
    known = name.constant
    if known is None:
        set_names(shell, name, line)
    else:
        shell.assign(known, value, line)


def cut(text: Text, count: int) -> Text:
    """A text without its first signs, which are known."""
    head = text.pieces[0] if text.pieces else ""
    return Text.of(head[count:], *text.pieces[1:]) if isinstance(head, str) else text


def export_names(shell: Shell, text: Text) -> None:
    """``export $(compgen -v | grep ...)``: what is listed is exported with the value that it has."""
    spells = _speller(text)
    for name, var in list(shell.state.vars.items()):
        answer = False if var.exported or var.is_array else spells(name, var.value)
        if answer is not False and var.value is not None:
            shell.state.vars[name] = replace(var, exported=bool(answer), doubtful=var.doubtful or not answer)
