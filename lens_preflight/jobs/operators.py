"""Operators of parameter expansion: defaults, patterns, slices, replacements."""

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
)

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


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


def _operated(
    name: str, value: Text | None, operation: Node, shell: Shell, *, indexed: bool, quoted: bool = False
) -> Text | None:
    from lens_preflight.jobs.words import pattern_of

    op, word = operation["Op"], operation.get("Word")
    if op in ("-", ":-", "=", ":=", "+", ":+", "?", ":?"):
        return _defaulted(name, value, op, word, shell, indexed, quoted)
    if op in ("#", "##", "%", "%%"):
        pattern = pattern_of(word, shell) if word is not None else ""
        return per_value(value, lambda v: _trimmed(v, op, pattern, shell))
    if op in ("^", "^^", ",", ",,") and word is None:
        return per_value(value, lambda v: _cased(v, op, shell))
    if op == "@":
        letter = parts_of(word)[0].get("Value", "") if word is not None else ""
        return per_value(value, lambda v: _transformed(v, letter, shell))
    return _changed(value, shell)


def _defaulted(
    name: str, value: Text | None, op: str, word: Node | None, shell: Shell, indexed: bool, quoted: bool
) -> Text | None:
    from lens_preflight.jobs.words import quoted_default, text_of

    read = quoted_default if quoted else text_of
    given = _given(value, empty_counts=not op.startswith(":"))
    kind = op[-1]
    if kind == "+":
        if given is None:
            return join(EMPTY, read(word, shell), f"it depends on {name}")
        return read(word, shell) if given else EMPTY
    if given:
        return value
    if kind == "?":
        if given is False:
            shell.abort(f"${{{name}{op}}} is not set")
        return value
    default = read(word, shell)
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
    from lens_preflight.core.data import replace

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


def _transformed(value: Text | None, letter: str, shell: Shell) -> Text | None:
    """``${A@Q}`` and its like."""
    if value is None or value.certain is None or not value.certain.isprintable():
        return _changed(value, shell)
    if letter == "Q":
        return literal("'" + value.certain.replace("'", "'\\''") + "'")
    if letter in ("U", "u", "L"):
        return _cased(value, {"U": "^^", "u": "^", "L": ",,"}[letter], shell)
    return Text.of(Symbol(f"{value.template}@{letter}", Cause.COMMAND))


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
