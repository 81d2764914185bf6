"""``source``, ``eval``, ``module`` and ``conda``: texts that change this very shell."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs import assignments
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.run import DEPTH, Frame
from lens_preflight.jobs.state import Var
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal
from lens_preflight.jobs.written import WHY, Content, key_of, made, mentioned

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


_ACTIVATE = re.compile(r"(?:^|/)(?:bin|Scripts)/activate$|(?:^|/)conda\.sh$|nvm\.sh$")


def source(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    """``source FILE`` and ``. FILE``: the statements of the file in this shell."""
    from lens_preflight.jobs.draft import resolve

    if len(words) < 2:
        return None
    target, line = words[1], words[1].line
    named = target.text.path
    if named == "/dev/stdin" and body is not None:
        placed = shell.frame.fixed is None and body.placed
        frame = Frame(shell.frame.path, offset=shell.frame.offset + body.line - 1, outer=shell.frame.outer)
        return _source_text(shell, body.text, line, frame if placed else None)
    if any(s.name == "<(...)" for s in target.text.symbols):
        return _opaque_source(shell, "the output of a command", line)
    full = resolve(named, shell.state.cwd, shell.where, shell.run.extra_map) if named else None
    written = made(shell.run, target.text, shell.state.cwd, shell.where)
    if written is not None and written.gone:
        return False
    if written is not None and written.text is None:
        _open_names(shell, target.text, written, line)
        return _opaque_source(shell, target.constant, line, WHY)
    if written is not None and written.text is not None:
        made_at = Frame(shell.run.path, offset=written.text.line - 1) if written.text.placed else None
        return _source_text(shell, written.text.text, line, made_at, target.constant)
    content = shell.run.files.text(full) if full else None
    if content is None and named and full and "/" not in named:
        content = shell.run.files.text(os.path.join(shell.run.folder, named))
    if content is None:
        if _ACTIVATE.search(target.constant):
            return _activated(shell, line)
        return _opaque_source(shell, target.constant, line)
    assert full is not None
    if full not in shell.run.sourced:
        shell.run.sourced.append(full)
    if shell.depth >= DEPTH:
        return _opaque_source(shell, f"{target.constant}, which sources itself", line)
    saved, args, following = shell.frame, shell.state.args, shell.following
    shell.frame = Frame(shell.run.shown(full), outer=shell.at(line))
    if len(words) > 2:
        shell.state.args = tuple(w.text for w in words[2:])
    shell.depth += 1
    shell.script(shell.run.tree(content))
    shell.depth -= 1
    shell.frame, shell.state.args, shell.following = saved, args, following
    if shell.state.leaving.startswith("return"):
        shell.state.leaving = ""
    return True


def _source_text(
    shell: Shell, text: Text, line: int, frame: Frame | None = None, what: str = ""
) -> bool | None:
    if text.symbols and any(map(_is_program_text, _lines(text))):
        return _opaque_source(shell, what or text.template[:40], line, WHY)
    run_text(shell, text, line, frame)
    if shell.state.leaving.startswith("return"):
        shell.state.leaving = ""
    return True


def _open_names(shell: Shell, target: Text, written: Content, line: int) -> None:
    """What a file sets that the job changes: the names in its old text, and those of the commands that wrote it."""
    key = key_of(shell.run, target, shell.state.cwd, shell.where)
    old = shell.run.files.found(key) if os.path.isabs(key) else None
    for name in written.names | mentioned(old or ""):
        var = shell.state.vars.get(name) or Var(at=shell.frame.inner(line), by=shell.frame.path)
        text = Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=WHY))
        shell.state.vars[name] = replace(var, value=text, exported=True, items=None, table=None)


def _opaque_source(
    shell: Shell, what: str, line: int, why: str = "the file cannot be read from here"
) -> bool | None:
    at = shell.at(line)
    shell.run.cannot_read(f"source {what}", why, at)
    reason = f"{what} is read there: {why}" if why is WHY else f"{what} is read there and cannot be read here"
    assignments.opaque(shell, reason, at)
    return True


def _activated(shell: Shell, line: int) -> bool | None:
    """An environment of Python packages: only its own names change."""
    for name in ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX"):
        value = Text.of(Symbol(name, Cause.OPAQUE, reason="set by the activation script"))
        shell.state.vars[name] = Var(value, True, at=shell.frame.inner(line))
    return True


def run_text(shell: Shell, text: Text, line: int, frame: Frame | None = None) -> None:
    """A text as statements of this shell, as ``eval`` takes it; ``frame``: where it is written down."""
    if shell.depth >= DEPTH:
        assignments.opaque(shell, "eval within eval", shell.at(line))
        return
    saved, following = shell.frame, shell.following
    shell.frame = frame or Frame(saved.path, fixed=saved.inner(line).line, outer=saved.outer)
    shell.depth += 1
    shell.script(shell.run.tree(shell.run.spelled(text)))
    shell.depth -= 1
    shell.frame, shell.following = saved, following


def _eval(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    text = EMPTY
    for index, word in enumerate(words[1:]):
        text = text + (literal(" ") if index else EMPTY) + word.text
    if text.symbols and any(map(_is_program_text, _lines(text))):
        at = shell.at(words[0].line)
        shell.run.cannot_read("eval", "its text is not known before the job starts", at)
        keep = bool(re.search(r"conda|mamba|ssh-agent|pyenv|direnv|modulecmd", text.template))
        assignments.opaque(shell, "eval runs a text that is not known here", at, keep=keep)
        return True
    run_text(shell, text, words[0].line)
    return None


def _lines(text: Text) -> list[Text]:
    found: list[list[str | Symbol]] = [[]]
    for piece in text.pieces:
        parts = [piece] if isinstance(piece, Symbol) else piece.split("\n")
        found[-1].append(parts[0])
        found += [[part] for part in parts[1:]]
    return [Text.of(*line) for line in found]


def _is_program_text(text: Text) -> bool:
    """True when the symbols may hold whole statements."""
    literal_part = "".join(p for p in text.pieces if isinstance(p, str))
    loose = [
        s
        for s in text.symbols
        if s.known is None and s.cause in (Cause.COMMAND, Cause.ARGUMENT, Cause.OPAQUE)
    ]
    return bool(loose) and not literal_part.strip(" ;\"'")


def _module(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    action = next((w.constant for w in words[1:] if not w.constant.startswith("-")), "")
    quiet = (
        "list",
        "avail",
        "av",
        "spider",
        "show",
        "purge",
        "unload",
        "use",
        "unuse",
        "whatis",
        "init",
        "info",
    )
    if action in quiet or not action:
        return True
    name = " ".join(w.constant for w in words[:3])
    at = shell.at(words[0].line)
    conda = words[0].constant in ("conda", "mamba", "micromamba")
    if conda and action not in ("activate", "deactivate"):
        return _as_process(shell, words, body, last)
    if words[0].constant == "spack" and action not in ("load", "env"):
        return True
    if conda:
        return _activated(shell, words[0].line)
    shell.run.cannot_read(name, "it may set any variable", at)
    assignments.opaque(shell, f"{name} may set it", at)
    return True


def _as_process(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    from lens_preflight.jobs.calls import start_process

    start_process(shell, words, [], body, last)
    return None


def _as_module(words: list[Field]) -> list[Field]:
    known = ("load", "purge", "list", "avail", "unload", "use", "spider", "show", "swap", "restore")
    if len(words) > 1 and words[1].constant not in known:
        return [words[0], replace(words[1], text=literal("load")), *words[1:]]
    return words
