"""Parameter expansion: ``$A``, ``${A:-d}``, ``${A##p}``, arrays, positional and special parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs import arithmetic
from lens_preflight.jobs.listing import listed
from lens_preflight.jobs.operators import _integer, _operated, _replaced, _sliced
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import (
    EMPTY,
    Cause,
    Symbol,
    Text,
    literal,
    widest,
)

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def parameter(node: Node, shell: Shell, *, quoted: bool = False) -> Text | None:
    """The value of one expansion as one text; None when it is unset."""
    shell.line = int(node.get("Pos") or shell.line)
    several = parameter_fields(node, shell)
    name = node["Param"]["Value"]
    if several is not None:
        between = shell.ifs[:1] if "*" in (name, _index_text(node), node.get("Names")) else " "
        joined = EMPTY
        for index, text in enumerate(several):
            joined = joined + (literal(between) if index else EMPTY) + text
        return joined
    if node.get("Excl"):
        return _indirect(node, shell, name)
    if node.get("Length"):
        return _length(_base(node, shell, name))
    value = _base(node, shell, name)
    if node.get("Slice") is not None:
        return _sliced(value, node["Slice"], shell)
    if node.get("Repl") is not None:
        return _replaced(value, node["Repl"], shell)
    operation = node.get("Exp")
    if operation is not None:
        indexed = node.get("Index") is not None
        return _operated(name, value, operation, shell, indexed=indexed, quoted=quoted)
    if value is None:
        shell.unset_used(name, int(node.get("Pos") or 0))
    return value


def parameter_fields(node: Node, shell: Shell) -> list[Text] | None:
    """The several words of ``$@``, ``$*``, ``${A[@]}``; None when the expansion is one word."""
    from lens_preflight.jobs.words import text_of

    name = node["Param"]["Value"]
    index = _index_text(node)
    if node.get("Names"):
        return listed(shell, name)
    if node.get("Excl") and index in ("@", "*"):
        var = shell.state.vars.get(name)
        if var is not None and var.table is not None:
            return [literal(key) for key in var.table]
        found = _items(name, shell) or []
        if any(s.is_list for item in found for s in item.symbols):
            return [Text.of(Symbol(f"$({name})", Cause.LOOP))]
        return [literal(str(i)) for i in range(len(found))]
    whole = name in ("@", "*") or index in ("@", "*")
    if not whole or node.get("Excl"):
        return None
    items = _items(name, shell)
    if node.get("Length"):
        if items is None or any(s.is_list for item in items for s in item.symbols):
            return [Text.of(Symbol(f"#{name}", Cause.COMMAND))]
        return [literal(str(len(items)))]
    if items is None:
        return [Text.of(Symbol(f"{name}", Cause.ARGUMENT, optional=True))]
    if node.get("Slice") is not None:
        try:
            start = _integer(node["Slice"].get("Offset"), shell)
            length = node["Slice"].get("Length")
            stop = None if length is None else start + _integer(length, shell)
        except arithmetic.Unknown:
            return [Text.of(Symbol(f"{name}[...]", Cause.COMMAND))]
        shifted = start - 1 if name in ("@", "*") and start > 0 else start
        return items[shifted : None if stop is None else stop - (start - shifted)]
    if node.get("Repl") is not None:
        return [_replaced(item, node["Repl"], shell) or EMPTY for item in items]
    operation = node.get("Exp")
    if operation is not None:
        op = operation["Op"]
        if op in ("+", ":+"):
            return [text_of(operation.get("Word"), shell)] if items else []
        if op in ("-", ":-"):
            return items or [text_of(operation.get("Word"), shell)]
        return [_operated(name, item, operation, shell, indexed=True) or EMPTY for item in items]
    return items


def _index_text(node: Node) -> str | None:
    index = node.get("Index")
    if index is None or index.get("Type") != "Word":
        return None
    parts = parts_of(index)
    if len(parts) == 1 and parts[0]["Type"] == "Lit":
        value: str = parts[0]["Value"]
        return value
    return None


def _items(name: str, shell: Shell) -> list[Text] | None:
    if name in ("@", "*"):
        return None if shell.state.args is None else list(shell.state.args)
    var = shell.state.vars.get(name)
    if var is None:
        value = shell.read(name)
        return [] if value is None else [value]
    if var.items is not None:
        return list(var.items)
    if var.table is not None:
        return list(var.table.values())
    return [] if var.value is None else [var.value]


def _base(node: Node, shell: Shell, name: str) -> Text | None:
    index = node.get("Index")
    if index is None:
        return shell.read(name)
    var = shell.state.vars.get(name)
    if var is not None and var.table is not None:
        from lens_preflight.jobs.words import text_of

        key = text_of(index, shell).certain
        return (
            Text.of(Symbol(f"{name}[...]", Cause.COMMAND, optional=True))
            if key is None
            else var.table.get(key)
        )
    items = _items(name, shell) or []
    try:
        at = _integer(index, shell)
    except arithmetic.Unknown as unknown:
        return _chosen(name, items, widest([shell.spread_of(t) for t in unknown.texts]))
    if -len(items) <= at < len(items):
        return items[at]
    return None


def _chosen(name: str, items: list[Text], spread: object) -> Text:
    from lens_preflight.core.words import Spread

    assert isinstance(spread, Spread)
    values = tuple(dict.fromkeys(items)) if len(items) <= 16 else ()
    return Text.of(Symbol(f"{name}[...]", Cause.BRANCH, spread, optional=not values, values=values))


def _indirect(node: Node, shell: Shell, name: str) -> Text | None:
    target = shell.read(name)
    known = target.certain if target is not None else None
    operation = node.get("Exp")
    if known and known.isidentifier():
        value = shell.read(known)
        return value if operation is None else _operated(known, value, operation, shell, indexed=False)
    if target is not None and operation is not None and operation["Op"] in ("=", ":="):
        from lens_preflight.jobs.unnamed import set_names

        set_names(shell, target, shell.line)
    return Text.of(Symbol(f"!{name}", Cause.COMMAND, optional=True))


def _length(value: Text | None) -> Text:
    known = "" if value is None else value.certain
    return Text.of(Symbol("#", Cause.COMMAND)) if known is None else literal(str(len(known)))
