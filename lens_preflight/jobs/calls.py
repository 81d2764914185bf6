"""Simple commands: assignments, functions, builtins, and everything that starts a process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs import assignments, declarations, inspection
from lens_preflight.jobs.assignments import Setting
from lens_preflight.jobs.branching import either
from lens_preflight.jobs.builtins import BUILTINS
from lens_preflight.jobs.draft import Step
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.functions import call_function
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.run import COMPOSED
from lens_preflight.jobs.state import Bound, Exported, Var
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text
from lens_preflight.jobs.touching import touch
from lens_preflight.jobs.unnamed import set_names
from lens_preflight.jobs.words import fields_of

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_KEEPS_PREFIX = frozenset({"eval", "source", ".", "exec", "command", "builtin"})
_DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})


def call(shell: Shell, node: Node, body: Field | None, last: bool) -> bool | None:
    """One simple command; its status, None when it is not known."""
    words = fields_of(node.get("Args") or (), shell)
    if not shell.state.alive:
        return None
    for name in _composed_names(shell, node.get("Args") or ()):
        set_names(shell, name, int(node.get("Pos") or 0))
    settings = _prefix(shell, node.get("Assigns") or (), bool(words))
    if not words:
        for setting in settings:
            assignments.perform(shell, setting)
        return _status_of(node)
    settings = [s for s in settings if not shell.state.vars.get(s.name, Var()).fixed]
    return several(shell, words, settings, body, last)


def _composed_names(shell: Shell, args: Sequence[Node]) -> Iterator[Text]:
    """Names of ``eval "A_$X=1"``: what a symbol stands for is part of them once the text is read."""
    for arg in args:
        part = next(iter(parts_of(arg)), {})
        found = COMPOSED.match(str(part.get("Value"))) if part.get("Type") == "Lit" else None
        if found is None:
            return
        yield shell.run.restored(found[1])


def _prefix(shell: Shell, nodes: Sequence[Node], temporary: bool) -> list[Setting]:
    """The assignments in front; each sees the ones before it."""
    if not temporary:
        found = []
        for node in nodes:
            setting = assignments.read_assign(shell, node)
            found.append(setting)
            if node is not nodes[-1]:
                assignments.perform(shell, setting)
                found.pop()
        return found
    saved = dict(shell.state.vars)
    settings = []
    for node in nodes:
        setting = assignments.read_assign(shell, node)
        if setting.append and setting.value is not None and setting.element is None:
            whole_value = (shell.state.value(setting.name) or EMPTY) + setting.value
            setting = replace(setting, value=whole_value, append=False)
        settings.append(setting)
        shell.state.vars[setting.name] = Var(setting.value, True, at=shell.frame.inner(setting.line))
    shell.state.vars = saved
    return settings


def _status_of(node: Node) -> bool | None:
    """The status of assignments: that of their last command substitution."""
    status: bool | None = True
    for assign in node.get("Assigns") or ():
        for part in parts_of(assign.get("Value")):
            if part["Type"] == "CmdSubst":
                words = [(s.get("Cmd") or {}).get("Args") or () for s in part.get("Stmts") or ()]
                names = [p.get("Value") for args in words for p in parts_of(args[0] if args else None)]
                status = False if names == ["false"] else None
    return status


def several(
    shell: Shell, words: list[Field], settings: list[Setting], body: Field | None, last: bool
) -> bool | None:
    """The command, once for each way that a word which is a whole command line may read."""
    for index, word in enumerate(words):
        options = _command_lines(word) if word.lone else None
        if options is None:
            continue
        rest = words[index + 1 :]

        def way(
            text: Text | None, head: list[Field] = words[:index], word: Field = word, tail: list[Field] = rest
        ) -> object:
            def run(inner: Shell) -> bool | None:
                spelled = [replace(word, text=piece, lone=False) for piece in _broken(text)]
                return several(inner, [*head, *spelled, *tail], settings, body, last)

            return run

        chain = way(options[-1])
        for option in reversed(options[:-1]):
            chain = _or(way(option), chain)
        assert callable(chain)
        return bool(status) if (status := chain(shell)) is not None else None
    return simple(shell, words, settings, body, last) if words else True


def _or(one: object, other: object) -> object:
    def run(shell: Shell) -> bool | None:
        return either(shell, one, other, "branch")

    return run


def _command_lines(word: Field) -> tuple[Text | None, ...] | None:
    """The alternatives of a word that stands for a whole command line, when they are few."""
    pieces = word.text.pieces
    if len(pieces) != 1 or not isinstance(pieces[0], Symbol):
        return None
    values = pieces[0].values
    if pieces[0].likely is not None:
        return (pieces[0].likely.settled,)
    if pieces[0].cause is not Cause.BRANCH or not 2 <= len(values) <= 4:
        return None
    spaced = any(v is None or v == EMPTY or " " in v.template for v in values)
    return values if spaced else None


def _broken(text: Text | None) -> list[Text]:
    if text is None:
        return []
    out: list[Text] = []
    current: list[str | Symbol] = []
    for piece in text.pieces:
        if isinstance(piece, Symbol):
            current.append(piece)
            continue
        parts = piece.split()
        if piece[:1].isspace() and current:
            out.append(Text.of(*current))
            current = []
        for index, part in enumerate(parts):
            if index and current:
                out.append(Text.of(*current))
                current = []
            current.append(part)
        if piece[-1:].isspace() and current:
            out.append(Text.of(*current))
            current = []
    return [*out, Text.of(*current)] if current else out


def simple(
    shell: Shell,
    words: list[Field],
    settings: list[Setting],
    body: Field | None,
    last: bool,
    functions: bool = True,
) -> bool | None:
    """A command with its words expanded; ``functions`` False: behind ``command``, which passes them over."""
    name = words[0].text.constant or ""
    if functions and name in shell.state.functions:
        return call_function(shell, shell.state.functions[name], words, settings)
    if name in _DECLARING:
        _lost_prefix(shell, settings)
        return _declared(shell, words)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        if name in _KEEPS_PREFIX:
            return _with_prefix(shell, settings, lambda: builtin(shell, words, body, last))
        _lost_prefix(shell, settings)
        if name == "read":
            return _with_prefix(shell, settings, lambda: builtin(shell, words, body, last))
        return builtin(shell, words, body, last)
    inspection.mistyped(shell, words)
    start_process(shell, words, settings, body, last)
    return None


def _declared(shell: Shell, words: list[Field]) -> bool | None:
    """A declaration that came out of an expansion, or behind a prefix."""
    found = declarations.Words()
    for word in words[1:]:
        found += declarations.sorted_out(word)
    return declarations.declared(shell, words[0].constant, found, words[0].line)


def _lost_prefix(shell: Shell, settings: list[Setting]) -> None:
    for setting in settings:
        shell.note(setting.name, setting.line, Loss.PREFIX)


def _with_prefix(shell: Shell, settings: list[Setting], action: object) -> bool | None:
    """Run a builtin with assignments that hold while it runs."""
    assert callable(action)
    saved = {s.name: shell.state.vars.get(s.name) for s in settings}
    for setting in settings:
        shell.note(setting.name, setting.line, Loss.PREFIX)
        shell.state.vars[setting.name] = Var(setting.value, True, at=shell.frame.inner(setting.line))
    status: bool | None = action()
    for name, var in saved.items():
        current = shell.state.vars.get(name)
        mine = next(s for s in settings if s.name == name)
        if current is not None and current.value != mine.value:
            continue
        if var is None:
            shell.state.vars.pop(name, None)
        else:
            shell.state.vars[name] = var
    return status


def start_process(
    shell: Shell,
    words: list[Field],
    settings: list[Setting],
    body: Field | None,
    last: bool,
    execs: bool = False,
    bare: bool = False,
) -> None:
    """An external command: the environment of the moment (``bare``: none), and the way to the program."""
    from lens_preflight.jobs.chain import follow, is_link

    if body is None and shell.piped is not None:
        body = Field(shell.piped, words[0].line)
    if not is_link(words, shell, body):
        touch(shell, words, shell.state.cwd, shell.where, body)
        for setting in settings:
            shell.note(setting.name, setting.line, Loss.PREFIX)
        return
    before = len(shell.run.drafts)
    env = shell.state.exported()
    for setting in settings:
        inspection.inspect(shell, setting)
    changes = {
        s.name: Bound(s.value, shell.frame.inner(s.line), shell.frame.path)
        for s in settings
        if s.items is None and s.table is None
    }
    for setting in settings:
        if setting.value is not None:
            from lens_preflight.jobs.secrets import look

            look(shell.run, setting.name, setting.value, shell.at(setting.line), True)
    env = env.with_(changes)
    at = shell.at(words[0].line)
    where = shell.where
    where = replace(
        where,
        command_at=where.command_at or at,
        from_batch=where.from_batch if where.command_at else where.in_job,
        conditional=where.conditional,
        execs=execs,
        last=last and not shell.following,
        depth=where.depth + 1,
        pid1=_first_process(where.pid1, execs, last and not shell.following),
    )
    if bare:
        where = where.dropped(env, Exported(), Loss.EXEC_CLEARED, at, "exec -c")
        env = Exported()
    follow(Step(tuple(words), env, where, shell.state.cwd, at, body), shell)
    if len(shell.run.drafts) == before:
        for setting in settings:
            shell.note(setting.name, setting.line, Loss.PREFIX)


def _first_process(pid1: str, execs: bool, last: bool) -> str:
    """What the first process of the container is once a command of its shell runs."""
    if pid1 == "shell -c":
        return "program" if execs or last else "shell"
    if pid1 in ("shell file", "sh"):
        return "program" if execs else ("shell" if pid1 == "shell file" else "unknown")
    return pid1
