"""Parameter expansion: ``$A``, ``${A:-d}``, ``${A##p}``, arrays, positional and special parameters."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

from lens_preflight.jobs import arithmetic
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import (
    EMPTY,
    Cause,
    Symbol,
    Text,
    assume,
    join,
    literal,
    per_value,
    widest,
)

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def parameter(node: Node, shell: Shell) -> Text | None:
    """The value of one expansion as one text; None when it is unset."""
    several = parameter_fields(node, shell)
    if several is not None:
        joined = EMPTY
        for index, text in enumerate(several):
            joined = joined + (literal(" ") if index else EMPTY) + text
        return joined
    name = node["Param"]["Value"]
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
        return _operated(name, value, operation, shell, indexed=node.get("Index") is not None)
    if value is None:
        shell.unset_used(name, int(node.get("Pos") or 0))
    return value


def parameter_fields(node: Node, shell: Shell) -> list[Text] | None:
    """The several words of ``$@``, ``$*``, ``${A[@]}``; None when the expansion is one word."""
    from lens_preflight.jobs.words import text_of

    name = node["Param"]["Value"]
    index = _index_text(node)
    if node.get("Excl") and index in ("@", "*") and not node.get("Names"):
        return [literal(str(i)) for i in range(len(_items(name, shell) or ()))]
    whole = name in ("@", "*") or index in ("@", "*")
    if not whole or node.get("Excl"):
        return None
    items = _items(name, shell)
    if node.get("Length"):
        return [literal(str(len(items)))] if items is not None else None
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


def _integer(node: Node | None, shell: Shell) -> int:
    from lens_preflight.jobs.words import text_of

    if node is None:
        return 0

    def operand(word: Node) -> Text | None:
        name = arithmetic.bare_name(word)
        return shell.read(name) if name is not None else text_of(word, shell)

    try:
        return arithmetic.evaluate(node, shell.state, operand, shell.assign)
    except (ValueError, OverflowError):
        raise arithmetic.Unknown() from None


def _indirect(node: Node, shell: Shell, name: str) -> Text | None:
    if node.get("Names"):
        return Text.of(Symbol(f"!{name}*", Cause.COMMAND))
    target = shell.read(name)
    known = target.certain if target is not None else None
    if known and known.isidentifier():
        value = shell.read(known)
        operation = node.get("Exp")
        return value if operation is None else _operated(known, value, operation, shell, indexed=False)
    return Text.of(Symbol(f"!{name}", Cause.COMMAND, optional=True))


def _length(value: Text | None) -> Text:
    known = "" if value is None else value.certain
    return Text.of(Symbol("#", Cause.COMMAND)) if known is None else literal(str(len(known)))


def _operated(name: str, value: Text | None, operation: Node, shell: Shell, *, indexed: bool) -> Text | None:
    from lens_preflight.jobs.words import pattern_of, text_of

    op, word = operation["Op"], operation.get("Word")
    if op in ("-", ":-", "=", ":=", "+", ":+", "?", ":?"):
        return _defaulted(name, value, op, word, shell, indexed)
    if op in ("#", "##", "%", "%%"):
        pattern = pattern_of(word, shell) if word is not None else ""
        return per_value(value, lambda v: _trimmed(v, op, pattern, shell))
    if op in ("^", "^^", ",", ",,"):
        return per_value(value, lambda v: _cased(v, op, shell))
    if op == "@":
        return value if text_of(word, shell).constant in ("Q", "E", "P") else value
    return _changed(value, shell)


def _defaulted(
    name: str, value: Text | None, op: str, word: Node | None, shell: Shell, indexed: bool
) -> Text | None:
    from lens_preflight.jobs.words import text_of

    given = _given(value, empty_counts=not op.startswith(":"))
    kind = op[-1]
    if kind == "+":
        if given is None:
            return join(EMPTY, text_of(word, shell), f"it depends on {name}")
        return text_of(word, shell) if given else EMPTY
    if given:
        return value
    if kind == "?":
        if given is False:
            shell.abort(f"${{{name}{op}}} is not set")
        return value
    default = text_of(word, shell)
    chosen: Text | None = default
    if given is None and value is not None:
        submitter = all(s.cause is Cause.SUBMITTER for s in value.symbols) and value.optional
        chosen = assume(default, name) if submitter else _either(value, default)
    if kind == "=" and not indexed and not name.isdigit():
        shell.assign(name, chosen or EMPTY)
    return chosen


def _either(value: Text, default: Text) -> Text | None:
    listed = value.symbols[0].values if value.optional and len(value.symbols) == 1 else ()
    if not listed:
        bare = Text(tuple(p if isinstance(p, str) else _sure(p) for p in value.pieces))
        return join(bare, default)
    result: Text | None = default
    for option in listed:
        if option is not None and option.certain != "":
            result = join(result, option)
    return result


def _sure(symbol: Symbol) -> Symbol:
    from dataclasses import replace

    return replace(symbol, optional=False)


def _given(value: Text | None, empty_counts: bool) -> bool | None:
    """Whether a parameter is set (and, unless ``empty_counts``, not empty)."""
    if value is None:
        return False
    if value.optional:
        return None
    if empty_counts:
        return True
    known = value.constant
    return known != "" if known is not None else value.filled


def _trimmed(value: Text | None, op: str, pattern: str | None, shell: Shell) -> Text | None:
    if value is None:
        return None
    known = value.constant if value.certain is None else value.certain
    if known is None and value.path is not None and pattern in ("/*", "*/"):
        return _trimmed_path(value, op, pattern)
    if known is None or pattern is None:
        return _changed(value, shell)
    lengths = range(len(known) + 1)
    order = lengths if op in ("#", "%") else reversed(lengths)
    for size in order:
        part = known[:size] if op.startswith("#") else known[len(known) - size :]
        if fnmatch.fnmatchcase(part, pattern.replace("[^", "[!")):
            rest = known[size:] if op.startswith("#") else known[: len(known) - size]
            return literal(rest)
    return literal(known)


def _trimmed_path(value: Text, op: str, pattern: str) -> Text:
    path = value.path or ""
    result = path
    if op == "%" and pattern == "/*" and "/" in path:
        result = path.rpartition("/")[0]
    elif op == "##" and pattern == "*/":
        return literal(path.rpartition("/")[2])
    return Text.of(Symbol(f"{value.template}{op}{pattern}", Cause.PLACE, hint=result, reason="a folder"))


def _cased(value: Text | None, op: str, shell: Shell) -> Text | None:
    if value is None:
        return None
    known = value.certain
    if known is None:
        return _changed(value, shell)
    change = str.upper if op.startswith("^") else str.lower
    return literal(change(known) if len(op) == 2 else change(known[:1]) + known[1:])


def _changed(value: Text | None, shell: Shell) -> Text | None:
    if value is None:
        return None
    inside = value.symbols[0] if value.symbols else None
    cause = inside.cause if inside is not None else Cause.COMMAND
    return Text.of(Symbol(value.template.strip("{}"), cause, shell.spread_of(value)))


def _sliced(value: Text | None, node: Node, shell: Shell) -> Text | None:
    if value is None:
        return None
    known = value.certain
    if known is None:
        return _changed(value, shell)
    try:
        start = _integer(node.get("Offset"), shell)
        length = None if node.get("Length") is None else _integer(node["Length"], shell)
    except arithmetic.Unknown:
        return _changed(value, shell)
    if start < 0:
        start = max(0, len(known) + start)
    end = len(known) if length is None else (start + length if length >= 0 else len(known) + length)
    return literal(known[start:end])


def _replaced(value: Text | None, node: Node, shell: Shell) -> Text | None:
    from lens_preflight.jobs.words import pattern_of, text_of

    if value is None:
        return None
    known = value.certain
    original = node.get("Orig")
    pattern = pattern_of(original, shell) if original is not None else ""
    with_ = text_of(node.get("With"), shell).certain
    if known is None or pattern is None or with_ is None:
        return _changed(value, shell)
    if not pattern:
        return literal(known)
    anchor = ""
    if pattern[0] in "#%" and not node.get("All"):
        anchor, pattern = pattern[0], pattern[1:]
    regex = re.compile(_glob_regex(pattern, anchor), re.DOTALL)
    return literal(regex.sub(lambda _: with_ or "", known, count=0 if node.get("All") else 1))


def _glob_regex(pattern: str, anchor: str) -> str:
    body = fnmatch.translate(pattern)
    body = re.sub(r"^\(\?s:(.*)\)\\[zZ]$", r"\1", body, flags=re.DOTALL)
    return {"#": r"\A" + body, "%": body + r"\Z"}.get(anchor, body)
