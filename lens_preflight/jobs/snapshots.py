"""What ``export -p`` and ``declare -p`` print: statements that set the same variables again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.jobs import declarations
from lens_preflight.jobs.listing import more
from lens_preflight.jobs.state import Var
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell
    from lens_preflight.jobs.syntax import Node

_SHELLS_OWN = frozenset({"PWD", "OLDPWD", "SHLVL", "_"})
_OWN_LINES = Text.of('declare -x SHLVL="', Symbol("SHLVL", Cause.COMMAND), '"\n')
"""One line for those that a shell sets itself."""

_ESCAPED = re.compile(r"([$`\"\\])")
_UNPRINTED = re.compile(r"[\0-\x1f\x7f]")


def declaration(node: Node, shell: Shell) -> Text | None:
    """What a declaration prints, None when that is not known; its effects happen in ``shell``."""
    line = int(node.get("Pos") or 0)
    words, variant = declarations.read_words(shell, node), node["Variant"]["Value"]
    shell.line = line
    declarations.declared(shell, variant, words, line)
    if not words.asks(variant):
        return EMPTY
    if set(words.flags) & {"f", "F"} or words.unnamed:
        return None
    if not words.settings:
        return _exported(shell) if variant == "export" or "x" in words.flags else None
    lines = [_line(one.name, shell.state.vars.get(one.name, Var())) for one in words.settings]
    return _joined(lines)


def _exported(shell: Shell) -> Text | None:
    """Every variable of the environment; a last line stands for what somebody else may have set."""
    lines: list[Text | None] = [_OWN_LINES]
    for name, bound in sorted(shell.state.exported()):
        var = shell.state.vars.get(name, Var())
        if var.outer is not None:
            return None
        if name not in _SHELLS_OWN and (bound.value is not None or var.exported):
            lines.append(_line(name, Var(bound.value, True, cast=var.cast, fixed=var.fixed)))
    rest = more(shell.state, "env", ())
    if rest is not None:
        lines.append(Text.of("declare -x ", rest, "\n"))
    return _joined(lines)


def _joined(lines: list[Text | None]) -> Text | None:
    out = EMPTY
    for line in lines:
        if line is None:
            return None
        out = out + line
    return out


def _line(name: str, var: Var) -> Text | None:
    """One variable as a statement; None for an array, a reference, or a value that bash spells otherwise."""
    if var.is_array or var.doubtful or var.cast.startswith("n"):
        return None
    if var.value is None and not var.exported:
        return EMPTY  # what is not set is told as an error
    shown = {
        "i": var.cast == "i",
        "r": var.fixed,
        "x": var.exported,
        "l": var.cast == "l",
        "u": var.cast == "u",
    }
    flags = "".join(letter for letter, on in shown.items() if on) or "-"
    head = literal(f"declare -{flags} {name}")
    if var.value is None:
        return head + literal("\n")
    value = var.value.plain
    if any(_UNPRINTED.search(p) for p in value.pieces if isinstance(p, str)):
        return _dollar_quoted(head, value.constant)
    pieces = (_ESCAPED.sub(r"\\\1", p) if isinstance(p, str) else p for p in value.pieces)
    return head + Text.of('="', *pieces, '"\n')


def _dollar_quoted(head: Text, value: str | None) -> Text | None:
    signs = {"\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\"}
    if value is None or _UNPRINTED.search(value.replace("\n", "").replace("\t", "")):
        return None
    return head + literal("=$'" + "".join(signs.get(c, c) for c in value) + "'\n")
