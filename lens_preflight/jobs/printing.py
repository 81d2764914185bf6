"""Statements that only print: what they write into a file can be said by following them once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs.filters import _FILTERS
from lens_preflight.jobs.printers import _PRINTERS
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_NAMES = frozenset({*_PRINTERS, *_FILTERS})


def only(node: Node) -> bool:
    """Whether a statement does nothing but print and assign."""
    command = node.get("Cmd") or {}
    kind = command.get("Type")
    if node.get("Background") or node.get("Coprocess"):
        return False
    if kind in ("Block", "Subshell"):
        return all(only(inner) for inner in command.get("Stmts") or ())
    if kind == "BinaryCmd":
        return only(command["X"]) and only(command["Y"])
    if kind == "DeclClause":
        return True
    if kind != "CallExpr":
        return False
    words = command.get("Args") or ()
    if not words:
        return True
    parts = parts_of(words[0])
    return len(parts) == 1 and parts[0].get("Value") in _NAMES


def printed_again(shell: Shell, node: Node) -> Text | None:
    """What a statement prints that was followed already: it starts and changes nothing a second time."""
    from lens_preflight.jobs.branching import _quiet
    from lens_preflight.jobs.substitution import printed

    found: list[Text | None] = []
    written = shell.run.files.written
    state = written.state()
    shell.conditional = True
    try:
        _quiet(shell.run, lambda: found.append(printed(node, shell)))
    finally:
        written.back_to(state)
    return found[0] if found and shell.state.alive else None
