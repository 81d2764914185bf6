"""Ways to break the promise of a program: every shutdown of it at once."""

from __future__ import annotations

import ast
from collections.abc import Callable

GUARD = 'os.environ["RANK"] == "never"'


def names_shutdown(node: ast.AST) -> bool:
    """True when a statement holds a shutdown, called or handed on."""
    return any(isinstance(n, ast.Attribute) and n.attr == "shutdown" for n in ast.walk(node))


class Emptied(ast.NodeTransformer):
    """No shutdown is called or handed on any more."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``x.shutdown`` becomes ``print``."""
        self.generic_visit(node)
        if node.attr == "shutdown":
            return ast.copy_location(ast.Name("print", ast.Load()), node)
        return node


class Unprotected(ast.NodeTransformer):
    """Every finally becomes the code behind its try, and every exit hook is gone."""

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        """``try: a finally: b`` becomes ``a; b``."""
        self.generic_visit(node)
        if not any(map(names_shutdown, node.finalbody)):
            return node
        if node.handlers:
            return [ast.Try(node.body, node.handlers, node.orelse, []), *node.finalbody]
        return [*node.body, *node.finalbody]


class Before(ast.NodeTransformer):
    """Something in front of, or around, every simple statement that shuts down."""

    def __init__(self, wrap: Callable[[ast.stmt], list[ast.stmt]]) -> None:
        self.wrap = wrap

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """A statement with a shutdown in it."""
        return self.wrap(node) if names_shutdown(node) else node


def hard_exit(node: ast.stmt) -> list[ast.stmt]:
    """``os._exit(1)`` first."""
    return [*ast.parse("import os as _os\n_os._exit(1)").body, node]


def rank_guard(node: ast.stmt) -> list[ast.stmt]:
    """Only in a process that does not exist."""
    guard = ast.parse(f"import os\nif {GUARD}:\n    pass").body
    branch = guard[1]
    assert isinstance(branch, ast.If)
    branch.body = [node]
    return guard


def raising(node: ast.stmt) -> list[ast.stmt]:
    """Behind a call that raises in every process."""
    return [*ast.parse("raise ValueError('first')").body, node]


MUTATIONS: dict[str, Callable[[], ast.NodeTransformer]] = {
    "emptied": Emptied,
    "unprotected": Unprotected,
    "hard-exit": lambda: Before(hard_exit),
    "rank-guard": lambda: Before(rank_guard),
    "raising": lambda: Before(raising),
}


def mutate(source: bytes, name: str) -> str | None:
    """The mutated program, None when the mutation changes nothing."""
    before = ast.parse(source)
    after = ast.fix_missing_locations(MUTATIONS[name]().visit(ast.parse(source)))
    text = ast.unparse(after)
    return None if text == ast.unparse(before) else text
