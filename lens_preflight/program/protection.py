"""Where a call stands in the text: does a ``finally`` or a ``with`` run it on every way out?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lens_preflight.program.model import ProgramModel
from lens_preflight.program.scopes import names_of
from lens_preflight.program.state import Site
from lens_preflight.program.trees import walk

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
        return in_any_case(helper, line)
    if names_of(helper).generator:
        return False  # behind a yield, an exception in the body of the with never gets there
    answers = [_protected(model, p, n, levels - 1) for p, n in _calls(model, helper.name)]
    known = [a for a in answers if a is not None]
    return any(known) if known else None


def in_any_case(helper: Function, line: int) -> bool:
    """True when an exit method gets to a line whether it is told of an exception or not."""
    given = helper.args
    told = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)[1:]}
    told |= {a.arg for a in (given.vararg, given.kwarg) if a is not None}
    for node in walk(helper):
        if isinstance(node, ast.Assign) and _mentions(node.value, told):
            told |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    for node in walk(helper):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            test: ast.AST = node.test
        elif isinstance(node, ast.BoolOp | ast.Match):
            test = node.values[0] if isinstance(node, ast.BoolOp) else node.subject
        else:
            continue
        last = node.end_lineno or node.lineno
        leaves = any(isinstance(n, ast.Return | ast.Raise) for n in walk(node))
        if _mentions(test, told) and (node.lineno <= line <= last or (last < line and leaves)):
            return False
    return True


def _mentions(node: ast.AST, names: set[str]) -> bool:
    """True when an expression reads one of the names."""
    return any(isinstance(n, ast.Name) and n.id in names for n in walk(node))


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
