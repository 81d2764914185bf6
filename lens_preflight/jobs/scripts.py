"""Scripts that run in a process of their own: ``bash -c``, script files, here-documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.programs import launch
from lens_preflight.jobs.run import DEPTH, Frame, Run
from lens_preflight.jobs.state import State, left_to
from lens_preflight.jobs.text import EMPTY, Cause, Text, literal, shown
from lens_preflight.jobs.trapping import finish
from lens_preflight.jobs.written import WHY, made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh"})


def inner_shell(step: Step, shell: Shell) -> None:
    """``bash -c '...'``, ``bash script``, ``bash <<EOF``."""
    name = step.words[0].constant.rpartition("/")[2]
    words = list(step.words[1:])
    login = command = False
    while words and words[0].constant[:1] in ("-", "+") and len(words[0].constant) > 1:
        flag = words.pop(0).constant
        if flag == "--":
            break
        login = login or flag in ("--login",) or (not flag.startswith("--") and "l" in flag)
        if not flag.startswith("--") and "c" in flag:
            command = True
            break
        if flag in ("-o", "+o", "--rcfile", "--init-file", "-O") and words:
            words.pop(0)
        elif flag == "-s":
            break
        elif flag == "-n":
            return
    while command and words and words[0].constant[:1] == "-" and len(words[0].constant) > 1:
        words.pop(0)
    label = f"{name} -lc" if login and command else (f"{name} -c" if command else name)
    pid1 = step.where.pid1
    if pid1 == "program":
        dash = name in ("sh", "dash")
        pid1 = "sh" if dash else ("shell -c" if command else "shell file")
    where = replace(step.where.link(label), pid1=pid1)
    if name != "bash" and step.env.functions:
        step = step.next(step.words, env=replace(step.env, functions={}))
    if command:
        if words:
            args = tuple(w.text for w in words[2:])
            run_script(step.next(tuple(words), where=where), words[0], args, shell)
    elif words:
        _script_file(step.next(tuple(words), where=where), shell)
    elif step.heredoc is not None:
        run_script(step.next((), where=where), step.heredoc, (), shell)


def run_script(step: Step, text: Field, args: tuple[Text, ...], shell: Shell) -> None:
    """A text as a script of its own process."""
    from lens_preflight.jobs.shell import Shell as Process

    body = text.script or text.text
    known = _place_of(shell.run.spelled(body), shell.run)
    if any(s.likely is not None for s in body.symbols):
        body = body.settled
    loose = [s for s in body.symbols if s.known is None]
    if loose and not "".join(p for p in body.pieces if isinstance(p, str)).strip():
        causes = {s.cause for s in loose}
        if causes <= {Cause.ARGUMENT, Cause.SUBMITTER, Cause.COMMAND, Cause.OPAQUE, Cause.BRANCH, Cause.LOOP}:
            _scripts_of(step, text, args, shell)
            return
    here = shell.frame
    spelled = shell.run.spelled(body)
    if known is not None and here.outer is None:
        frame = Frame(here.path, offset=known - 1, outer=here.outer)
    elif text.placed and here.fixed is None:
        frame = Frame(here.path, offset=here.offset + text.line - 1, outer=here.outer)
    else:
        frame = Frame(here.path, fixed=here.inner(text.line).line, outer=here.outer)
    named = len(step.words) > 1 and step.words[0] is text
    arg0 = step.words[1].text if named else literal("bash")
    _run(Process, step, shell, frame, spelled, args, arg0)


def _place_of(spelled: str, run: Run) -> int | None:
    """The line where a text of several lines was written down, when it was a here-document."""
    text = spelled.strip("\n")
    return run.places.get(text) if "\n" in text else None


def _scripts_of(step: Step, text: Field, args: tuple[Text, ...], shell: Shell) -> None:
    """A script that is one of a few texts, or not known at all."""
    one = text.text.symbols[0]
    known = [v for v in one.values if v is not None]
    if len(text.text.pieces) == 1 and known and len(known) == len(one.values) <= 4:
        for value in known:
            inner = replace(step, where=replace(step.where, conditional=True))
            run_script(inner, replace(text, text=value), args, shell)
        return
    why = f"the script {shown(text.text)} is not known before the job starts"
    launch(step, shell, None, None, (), opaque=why, at=text)


def _run(
    process: type[Shell], step: Step, shell: Shell, frame: Frame, text: str, args: object, arg0: Text
) -> None:
    if shell.depth > DEPTH:
        shell.run.cannot_read("a script", "scripts start one another too deeply", step.at)
        return
    assert isinstance(args, tuple)
    state = State.of(step.env, cwd=step.cwd, args=args, arg0=arg0)
    where = replace(step.where, execs=False, last=False)
    inner = process(shell.run, state, frame, where, shell.depth + 1)
    if step.heredoc is not None and step.words:
        inner.piped = step.heredoc.text
    if _is_bash(step, text):
        inner.frame = shell.frame
        _start_file(step, inner)
        inner.frame = frame
    inner.script(shell.run.tree(text))
    finish(inner)


def _is_bash(step: Step, text: str) -> bool:
    """Whether bash itself runs a script, called as it is; a file with #!/bin/sh is none."""
    link = step.where.chain[-1].partition(" ")[0] if step.where.chain else ""
    return link == "bash" or (link == "script" and "bash" in text.partition("\n")[0])


def _start_file(step: Step, inner: Shell) -> None:
    """``BASH_ENV``: what every bash reads first that runs a command or a script (measured on 5.2)."""
    from lens_preflight.jobs.sourcing import source

    value = step.env.value("BASH_ENV")
    if value is None or value == EMPTY or left_to("BASH_ENV", value) is not None:
        return
    line = step.words[0].line if step.words else 1
    source(inner, [Field(literal("source"), line), Field(value, line)], None, False)


def _script_file(step: Step, shell: Shell) -> None:
    """``bash FILE args`` or an executable script."""
    word = step.words[0]
    named = word.text.path
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    written = made(shell.run, word.text, step.cwd, step.where)
    if written is not None:
        if written.text is not None:
            _made_script(step, written.text, shell)
        elif not written.gone:
            shell.run.cannot_read(shown(word.text), WHY, step.at)
            launch(step, shell, None, None, (), opaque=f"{shown(word.text)} is not known: {WHY}")
        return
    content = shell.run.files.text(full) if full else None
    if content is None or full is None:
        _missing_script(step, shell)
        return
    from lens_preflight.jobs.shell import Shell as Process

    if full not in shell.run.sourced:
        shell.run.sourced.append(full)
    frame = Frame(shell.run.shown(full), outer=shell.frame.outer or step.at, executed=True)
    arg0 = Text.of(*word.text.pieces)
    _run(Process, step, shell, frame, content, tuple(w.text for w in step.words[1:]), arg0)


def _made_script(step: Step, made: Field, shell: Shell) -> None:
    """A script that the job itself wrote a few lines above."""
    from lens_preflight.jobs.shell import Shell as Process

    here = shell.frame
    frame = Frame(here.path, fixed=here.inner(step.words[0].line).line, outer=here.outer)
    if made.placed:
        frame = Frame(shell.run.path, offset=made.line - 1)
    text = shell.run.spelled(made.text)
    _run(Process, step, shell, frame, text, tuple(w.text for w in step.words[1:]), step.words[0].text)


def _missing_script(step: Step, shell: Shell) -> None:
    name = shown(step.words[0].text)
    shell.run.cannot_read(name, "the script cannot be read from here", step.at)
    if step.where.in_step or step.where.container is not None:
        launch(step, shell, None, None, (), opaque=f"the script {name} cannot be read from here")
