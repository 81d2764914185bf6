"""Commands that start another one for each thing that they are given: xargs, find, parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.draft import Step
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.options import split
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

FEW = 4
"""Turns that are followed one by one; of more, one stands for all."""


def xargs(step: Step, shell: Shell) -> None:
    """``xargs [options] command``: the words of standard input are put behind it."""
    from lens_preflight.jobs.chain import follow

    options = split(step.words[1:], ("-n", "-P", "-L", "-I", "-d", "-E", "-s", "-a", "--arg-file", "--max-args",
                                     "--max-procs", "--delimiter", "--max-lines"))  # fmt: skip
    if not options.rest:
        return
    mark = options.text("-I")
    where = step.where.link("xargs")
    given = None if options.has("-0", "-d", "-a", "--arg-file") else _input(step, shell)
    one_each = mark is not None or options.has("-n", "-L", "--max-args", "--max-lines")
    turns: list[list[Text]] = [[_unknown("a word of standard input")]]
    if given is not None:
        lines = [line for line in given.split("\n") if line.strip()]
        words = lines if mark is not None else given.split()
        turns = [[literal(word)] for word in words] if one_each else [[literal(word) for word in words]]
    if len(turns) > FEW:
        turns = [[_unknown("a word of standard input")]]
    for turn in turns:
        rest = options.rest
        if mark is not None:
            rest = tuple(replace(w, text=_filled(w.text, mark.template, turn[0])) for w in rest)
        else:
            rest = (*rest, *(Field(text, rest[-1].line) for text in turn))
        follow(step.next(rest, where=where, heredoc=None), shell)


def _input(step: Step, shell: Shell) -> str | None:
    return step.heredoc.text.certain if step.heredoc is not None else None


def _unknown(what: str) -> Text:
    return Text.of(Symbol(what, Cause.COMMAND, reason="it is given at run time"))


def _filled(text: Text, mark: str, value: Text) -> Text:
    """A text with each mark replaced."""
    out = EMPTY
    for piece in text.pieces:
        if not isinstance(piece, str) or not mark or mark not in piece:
            out = out + Text.of(piece)
            continue
        for index, part in enumerate(piece.split(mark)):
            out = out + (value if index else EMPTY) + literal(part)
    return out


def find(step: Step, shell: Shell) -> None:
    """``find ... -exec command {} \\;``: the command for each file."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    for index, word in enumerate(words):
        if word.constant not in ("-exec", "-execdir", "-ok", "-okdir"):
            continue
        command: list[Field] = []
        for one in words[index + 1 :]:
            if one.constant in (";", "+", "\\;"):
                break
            command.append(replace(one, text=_filled(one.text, "{}", _unknown("a file that find names"))))
        if command:
            cwd = None if word.constant.endswith("dir") else step.cwd
            follow(step.next(tuple(command), where=step.where.link("find"), cwd=cwd), shell)


_VALUED = (
    "-j --jobs -S --sshlogin --sshloginfile --slf -N -n --max-args --delay --timeout --joblog --results --colsep "
    "-C --wd --workdir --env --retries -I --tmpdir --load --memfree -a --arg-file --nice"
)


def parallel(step: Step, shell: Shell) -> None:
    """GNU ``parallel command ::: words``: a command line of the shell for each word."""
    from lens_preflight.jobs.programs import launch
    from lens_preflight.jobs.scripts import run_script

    options = split(step.words[1:], _VALUED.split())
    plain = [w.constant for w in options.rest]
    cut = next((i for i, text in enumerate(plain) if text.startswith(":::")), len(plain))
    command, given = options.rest[:cut], options.rest[cut + 1 :]
    where = step.where.link("parallel")
    if options.has("-S", "--sshlogin", "--sshloginfile", "--slf", "--colsep", "--pipe") or not command:
        if command or given or step.heredoc is not None:
            why = "parallel starts commands on other hosts, or from lines that are not followed"
            launch(step.next(step.words, where=where), shell, None, None, (), opaque=why)
        return
    line = EMPTY
    for index, word in enumerate(command):
        line = line + (literal(" ") if index else EMPTY) + word.text
    known = plain[cut : cut + 1] == [":::"] and not any(text.startswith("::") for text in plain[cut + 1 :])
    turns = [w.text for w in given] if known and len(given) <= FEW else [_unknown("a word given to parallel")]
    for turn in turns:
        text = _filled(line, "{}", turn) if "{}" in line.template else line + literal(" ") + turn
        run_script(step.next(command, where=where, heredoc=None), replace(command[0], text=text), (), shell)
