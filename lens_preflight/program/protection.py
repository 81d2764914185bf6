"""Where a call stands in the text: does a ``finally`` or a ``with`` run it on every way out?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lens_preflight.program.model import ProgramModel
from lens_preflight.program.state import Site

Function = ast.FunctionDef | ast.AsyncFunctionDef
EXITS = ("__exit__", "__aexit__")


def protected(model: ProgramModel, site: Site) -> bool | None:
    """True when the text runs the call whatever is raised before it, False when it does not.

    For a call in a helper, the places that call the helper count, two levels up; None when it is
    called from nowhere in the files that were read.
    """
    return _protected(model, site.path, site.line, 3)


def _protected(model: ProgramModel, path: str, line: int, levels: int) -> bool | None:
    source = model.closure.sources.get(path)
    if source is None or levels == 0:
        return None
    if any(first <= line <= last for first, last in _regions(source.tree)):
        return True
    helper = _function_at(source.tree, line)
    if helper is None:
        return False
    if helper.name in EXITS:
        return True
    answers = [_protected(model, p, n, levels - 1) for p, n in _calls(model, helper.name)]
    known = [a for a in answers if a is not None]
    return any(known) if known else None


def _regions(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line of every ``finally`` body, and of every line that starts a ``with``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.finalbody:
            yield node.finalbody[0].lineno, node.finalbody[-1].end_lineno or node.finalbody[-1].lineno
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield node.lineno, max(item.context_expr.end_lineno or node.lineno for item in node.items)


def _function_at(tree: ast.AST, line: int) -> Function | None:
    """The innermost function around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def _calls(model: ProgramModel, name: str) -> Iterator[tuple[str, int]]:
    """Path and line of every call of a function of that name in the files that were read."""
    for path, source in model.closure.sources.items():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call):
                called = node.func
                word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if word == name:
                    yield path, node.lineno
