"""Assignments and declarations: what enters the environment, and what only seems to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.inspection import inspect
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.run import COMPOSED
from lens_preflight.jobs.secrets import look
from lens_preflight.jobs.state import Rest, Var
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal
from lens_preflight.jobs.words import fields_of, text_of

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_SET_ON_LINE = re.compile(r"(?:^|[\s;&({])([A-Za-z_][A-Za-z0-9_]*)\+?=")
_NUMBERED = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?\s*(?:[-+*/%&|^<>]*=(?!=)|\+\+|--)")


@dataclass(frozen=True)
class Setting:
    """One ``NAME=value`` of a declaration or a prefix; ``value`` None: the name alone."""

    name: str
    value: Text | None
    line: int
    word: Node | None = None
    items: tuple[Text, ...] | None = None
    table: tuple[tuple[str, Text], ...] | None = None
    append: bool = False
    element: Node | None = None


def read_assign(shell: Shell, node: Node) -> Setting:
    """One assignment of the syntax tree, its value expanded."""
    line = int(node.get("Pos") or 0)
    name = node["Name"]["Value"]
    if node.get("Array") is not None:
        items, table = _array(shell, node["Array"])
        return Setting(name, None, line, None, items, table, bool(node.get("Append")))
    word = node.get("Value")
    return Setting(
        name,
        text_of(word, shell),
        line,
        word,
        append=bool(node.get("Append")),
        element=node.get("Index"),
    )


def _array(shell: Shell, node: Node) -> tuple[tuple[Text, ...] | None, tuple[tuple[str, Text], ...] | None]:
    elements = node.get("Elems") or ()
    if any(e.get("Index") is not None for e in elements):
        pairs = [(text_of(e.get("Index"), shell), text_of(e.get("Value"), shell)) for e in elements]
        table = tuple((key.template, value) for key, value in pairs)
        return None, table
    words = [e["Value"] for e in elements if e.get("Value") is not None]
    return tuple(f.text for f in fields_of(words, shell)), None


def perform(shell: Shell, setting: Setting) -> None:
    """A plain assignment statement."""
    name, line = setting.name, setting.line
    state = shell.state
    old = state.vars.get(name)
    if old is not None and old.fixed:
        return
    if setting.items is not None or setting.table is not None:
        shell.note(name, line, Loss.ARRAY)
        kept = (old.items or ()) if old is not None and setting.append else ()
        items = None if setting.items is None else (*kept, *setting.items)
        table = None if setting.table is None else dict(setting.table)
        if table is not None and setting.append and old is not None and old.table is not None:
            table = {**old.table, **table}
        exported = old is not None and old.exported
        outer = None if old is None else old.outer
        state.vars[name] = Var(None, exported, items, table, at=shell.frame.inner(line), outer=outer)
        return
    value = setting.value or EMPTY
    if setting.element is not None:
        _element(shell, name, setting.element, value, line)
        return
    if setting.append:
        value = (state.value(name) or EMPTY) + value
        if old is not None and old.items is not None:
            state.vars[name] = replace(old, items=(value, *old.items[1:]))
            return
    inspect(shell, setting)
    assign(shell, name, value, line)


def _element(shell: Shell, name: str, index: Node, value: Text, line: int) -> None:
    old = shell.state.vars.get(name) or Var()
    key = text_of(index, shell).certain
    at = shell.frame.inner(line)
    if old.table is not None and key is not None:
        shell.state.vars[name] = replace(old, table={**old.table, key: value}, at=at)
        return
    items = list(old.items or ())
    number = whole(key)
    if number is not None and number <= len(items):
        items[number : number + 1] = [value]
    else:
        items = [*items, Text.of(Symbol(f"{name}[...]", Cause.COMMAND))]
    shell.state.vars[name] = replace(old, items=tuple(items), at=at)


def assign(shell: Shell, name: str, value: Text, line: int) -> None:
    """Give a variable a value; exported when it already is, or under ``set -a``."""
    old = shell.state.vars.get(name)
    if old is not None and old.fixed:
        return
    exported = "allexport" in shell.state.options or (old is not None and old.exported)
    if old is None and not shell.state.rest.complete and shell.state.rest.cause is not Cause.SUBMITTER:
        exported = exported or False
    shell.note(name, line, _loss(shell, name) if exported else shell.isolated or Loss.NOT_EXPORTED)
    if old is not None and old.items is not None:
        shell.state.vars[name] = replace(old, items=(value, *old.items[1:]))
        return
    doubtful = old is not None and old.doubtful and not exported
    kind = "" if old is None else old.cast
    if kind.startswith("n"):  # a reference: what it refers to is set
        refer(shell, kind[1:], line)
        return
    value = cast(value, kind)
    at = shell.frame.inner(line)
    shell.state.vars[name] = Var(value, exported, at=at, by=shell.frame.path, doubtful=doubtful, cast=kind)
    look(shell.run, name, value, shell.at(line), exported)


def refer(shell: Shell, target: str, line: int) -> None:
    """A name reference may set what it refers to."""
    old = shell.state.vars.get(target) or Var(at=shell.frame.inner(line))
    text = Text.of(Symbol(target, Cause.OPAQUE, optional=True, reason="a name reference may set it"))
    items = None if old.items is None else (text,)
    shell.state.vars[target] = replace(old, value=text, items=items, table=None)


def cast(value: Text, kind: str) -> Text:
    """What becomes of a value on its way into a variable of a kind."""
    known = value.certain
    if not kind or (kind == "i" and whole(known) is not None):
        return value
    if kind == "i" or known is None:
        return Text.of(Symbol(value.template, Cause.COMMAND))
    return literal(known.upper() if kind == "u" else known.lower())


def _loss(shell: Shell, name: str) -> Loss | None:
    if shell.isolated is not None:
        return shell.isolated
    return Loss.FUNCTION_LOCAL if shell.state.frames and name in shell.state.frames[-1] else None


def opaque(shell: Shell, why: str, at: Location, keep: bool = False) -> None:
    """From here on every name may have another value; ``keep``: those that were set have not."""
    state = shell.state
    state.rest = Rest(False, Cause.OPAQUE, why, at)
    if keep:
        return
    for name, var in list(state.vars.items()):
        if var.exported and not var.is_array and not name.startswith("SLURM_"):
            text = Text.of(Symbol(name, Cause.OPAQUE, optional=var.value is None, reason=why))
            state.vars[name] = replace(var, value=text)


def _composed(shell: Shell, text: str) -> list[Text]:
    """Names that a line makes up as it runs: those of ``eval "export A_$X=1"`` and of ``(( $X = 1 ))``."""
    found = [shell.run.restored(one) for one in COMPOSED.findall(text)]
    named = _NUMBERED.findall(text) if re.search(r"\(\(|\blet\b", text) else []
    return found + [value for one in named if (value := shell.read(one)) is not None]


def unread(shell: Shell, text: str, around: Sequence[Node], line: int) -> None:
    """A line that cannot be read: what it assigns, and what stands around it, is not known."""
    names = set(_SET_ON_LINE.findall(text))
    for node in around:
        if int(node.get("End") or 0) >= line:
            command = node.get("Cmd") or {}
            for one in [*(command.get("Assigns") or []), *(command.get("Args") or [])]:
                if one.get("Name") is not None:
                    names.add(one["Name"]["Value"])
    exports = re.search(r"export|declare|typeset", text) is not None
    for composed in _composed(shell, text):
        from lens_preflight.jobs.unnamed import set_names

        set_names(shell, composed, line, export=exports)
    for name in names:
        old = shell.state.vars.get(name) or Var()
        why = "a line that cannot be read sets it"
        value = Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=why))
        maybe = not old.exported and exports
        items = None if old.items is None else (*old.items, value)
        at = shell.frame.inner(line)
        shell.state.vars[name] = Var(value, old.exported, items, at=at, by=shell.frame.path, doubtful=maybe)


def dead(shell: Shell, nodes: Sequence[Node]) -> None:
    """Note what is set below the end of the script; nobody will see it."""
    for node in nodes:
        command = node.get("Cmd") or {}
        if command.get("Type") == "DeclClause":
            for arg in command.get("Args") or ():
                if arg.get("Name") is not None and arg.get("Value") is not None:
                    shell.note(arg["Name"]["Value"], int(arg["Pos"]), Loss.DEAD_CODE)
        elif command.get("Type") == "BinaryCmd":
            dead(shell, [command["X"], command["Y"]])
        elif command.get("Type") == "CallExpr" and not command.get("Args"):
            for one in command.get("Assigns") or ():
                shell.note(one["Name"]["Value"], int(one["Pos"]), Loss.DEAD_CODE)
