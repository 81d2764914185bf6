"""Shell builtins that change the state of the shell."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from lens_preflight.core.numbers import whole
from lens_preflight.jobs import conditions
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.reading import mapfile, read
from lens_preflight.jobs.sourcing import _as_module, _eval, _module, source
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.unnamed import assign_to, cut
from lens_preflight.jobs.unsetting import unset
from lens_preflight.jobs.written import mentioned, mentioned_in

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

Builtin = Callable[["Shell", "list[Field]", "Field | None", bool], "bool | None"]

_SET_FLAGS = {"a": "allexport", "e": "errexit", "u": "nounset"}


def change_folder(shell: Shell, target: Text) -> None:
    """``cd``: the folder on this side, as far as it is known."""
    path = target.path
    state = shell.state
    if path is None:
        state.cwd = None
    elif os.path.isabs(path):
        state.cwd = os.path.normpath(path)
    elif state.cwd is not None:
        state.cwd = os.path.normpath(os.path.join(state.cwd, path))


def _cd(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    targets = [w for w in words[1:] if not w.constant.startswith("-") or w.constant == "-"]
    if not targets or targets[0].constant == "-":
        shell.state.cwd = None
        return True
    change_folder(shell, targets[0].text)
    return True


def _set(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    options = shell.state.options
    index = 1
    while index < len(words):
        word = words[index].constant
        if word == "--":
            shell.state.args = tuple(w.text for w in words[index + 1 :])
            return True
        if word in ("-o", "+o") and index + 1 < len(words):
            _switch(options, words[index + 1].constant, word[0] == "-")
            index += 2
            continue
        if word[:1] not in ("-", "+") or len(word) < 2:
            shell.state.args = tuple(w.text for w in words[index:])
            return True
        for flag in word[1:]:
            if flag == "o" and index + 1 < len(words):
                index += 1
                _switch(options, words[index].constant, word[0] == "-")
            elif flag in _SET_FLAGS:
                _switch(options, _SET_FLAGS[flag], word[0] == "-")
        index += 1
    return True


def _switch(options: set[str], name: str, on: bool) -> None:
    if on:
        options.add(name)
    else:
        options.discard(name)


def _shopt(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    flags = {w.constant for w in words[1:] if w.constant.startswith("-")}
    for word in words[1:]:
        if not word.constant.startswith("-") and flags & {"-s", "-u"}:
            _switch(shell.state.options, word.constant, "-s" in flags)
    return True


def _exec(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    from lens_preflight.jobs.calls import start_process

    rest, bare = words[1:], False
    while rest and len(option := rest[0].constant) > 1 and option.startswith("-"):
        rest = rest[1:]
        if option == "--":
            break
        flags, named, name = option[1:].partition("a")
        bare = bare or "c" in flags
        if named and not name:
            rest = rest[1:]
    if rest:
        start_process(shell, rest, [], body, True, execs=True, bare=bare)
        shell.state.alive = False
        shell.state.handlers.pop("EXIT", None)  # the shell is gone before it ends
    return True


def _exit(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    shell.state.alive = False
    return None


def _return(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    frame = shell.frame
    if not shell.state.frames and frame.outer is None and frame.fixed is None:
        return False  # neither in a function nor in a sourced file: an error, and the script goes on
    code = words[1].text.certain if len(words) > 1 else "0"
    shell.state.leaving = f"return {code}" if code in ("0", "1") else "return"
    return True


def _leave(word: str) -> Builtin:
    def handler(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
        levels = whole(words[1].text.certain) if len(words) > 1 else 1
        shell.state.leaving = word if levels in (None, 0, 1) else f"{word} {levels}"
        return True

    return handler


def _shift(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    count = words[1].text.certain if len(words) > 1 else "1"
    args = shell.state.args
    number = whole(count)
    if args is None or number is None:
        shell.state.args = None
        return None
    if number > len(args):
        return False
    shell.state.args = args[number:]
    return True


def _trap(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    rest = [w for w in words[1:] if w.constant != "--"]
    if len(rest) < 2 or rest[0].constant in ("-p", "-l"):
        return True
    action = rest[0].text
    for word in rest[1:]:
        name = word.constant.upper().removeprefix("SIG")
        name = {"15": "TERM", "10": "USR1", "12": "USR2", "2": "INT", "0": "EXIT", "1": "HUP"}.get(name, name)
        shell.state.handlers.pop(name, None)
        if action.constant == "-":
            shell.state.traps.pop(name, None)
        else:
            shell.state.handlers[name] = (action, words[0].line)
            text = _trap_text(shell, action)
            if name in ("ERR", "DEBUG", "RETURN"):
                why = f"the {name} trap may set it"
                function = shell.state.functions.get(action.template.strip().partition(" ")[0])
                names = mentioned(action.template) | mentioned_in(function)
                doubted = dict.fromkeys(sorted(names), why)
                shell.state.doubted = {**shell.state.doubted, **doubted}
            shell.state.traps[name] = (text, shell.at(words[0].line).line or words[0].line)
    return True


def _trap_text(shell: Shell, action: Text) -> str:
    """The text of a trap; the name of a function stands for its body."""
    from lens_preflight.jobs.substitution import _all_words

    text = action.template
    body = shell.state.functions.get(text.strip().split(" ")[0] if text.strip() else "")
    return " ".join(_all_words(body)) if body else text


def _bracket(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    inner = words[1:]
    if words[0].constant == "[":
        inner = inner[:-1] if inner and inner[-1].constant == "]" else inner
    return conditions.bracket(shell, inner)


def _status(value: bool) -> Builtin:
    def handler(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
        return value

    return handler


def _command(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    from lens_preflight.jobs.calls import simple

    rest = words[1:]
    if rest and rest[0].constant in ("-v", "-V"):
        return None
    while rest and rest[0].constant.startswith("-"):
        rest = rest[1:]
    return simple(shell, rest, [], body, last, functions=False) if rest else True


def _getopts(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    for name in (words[2].text if len(words) > 2 else literal("opt"), literal("OPTARG")):
        value = Text.of(Symbol(name.template, Cause.ARGUMENT, optional=True))
        assign_to(shell, name, value, words[0].line)
    return None


def _printf(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    if len(words) > 1 and words[1].constant.startswith("-v"):
        from lens_preflight.jobs.printers import _printf as formatted

        glued = words[1].constant != "-v"
        rest = words[2:] if glued else words[3:]
        if rest:
            name = cut(words[1].text, 2) if glued else words[2].text
            value = formatted(rest, shell) or Text.of(Symbol("printf", Cause.COMMAND))
            assign_to(shell, name, value, words[0].line)
    return True


BUILTINS: dict[str, Builtin] = {
    "cd": _cd,
    "pushd": _cd,
    "popd": lambda shell, words, body, last: _cd(shell, words[:1], body, last),
    "unset": unset,
    "set": _set,
    "shopt": _shopt,
    "source": source,
    ".": source,
    "eval": _eval,
    "exec": _exec,
    "exit": _exit,
    "return": _return,
    "break": _leave("break"),
    "continue": _leave("continue"),
    "shift": _shift,
    "read": read,
    "mapfile": mapfile,
    "readarray": mapfile,
    "trap": _trap,
    "[": _bracket,
    "test": _bracket,
    ":": _status(True),
    "true": _status(True),
    "false": _status(False),
    "echo": _status(True),
    "wait": _status(True),
    "umask": _status(True),
    "ulimit": _status(True),
    "alias": _status(True),
    "printf": _printf,
    "command": _command,
    "builtin": _command,
    "getopts": _getopts,
    "module": _module,
    "ml": lambda shell, words, body, last: _module(shell, _as_module(words), body, last),
    "conda": _module,
    "mamba": _module,
    "micromamba": _module,
    "spack": _module,
}
