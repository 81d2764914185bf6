"""Names of a function: which are its own, which it takes from outside, and whether it yields."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.program.on_node import kept
from lens_preflight.program.trees import children

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
INNER = (*FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Names:
    """The names bound in one function body."""

    own: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    generator: bool


def walk_body(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a body without those of functions and classes defined in it; their own nodes count."""
    stack = children(node)
    while stack:
        here = stack.pop()
        yield here
        if not isinstance(here, INNER):
            stack.extend(children(here))


@kept
def names_of(node: ast.AST) -> Names:
    """The names of a function or lambda."""
    own: set[str] = set()
    outer: set[str] = set()
    enclosing: set[str] = set()
    generator = False
    arguments = getattr(node, "args", None)
    if isinstance(arguments, ast.arguments):
        own.update(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        own.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None)
    body = ast.Expression(node.body) if isinstance(node, ast.Lambda) else ast.Module(body_of(node), [])
    for here in walk_body(body):
        if isinstance(here, ast.Name) and not isinstance(here.ctx, ast.Load):
            own.add(here.id)
        elif isinstance(here, ast.Global):
            outer.update(here.names)
        elif isinstance(here, ast.Nonlocal):
            enclosing.update(here.names)
        elif isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(here.name)
        elif isinstance(here, ast.Import | ast.ImportFrom):
            own.update((a.asname or a.name).partition(".")[0] for a in here.names)
        elif (isinstance(here, ast.ExceptHandler) and here.name) or (
            isinstance(here, ast.MatchAs | ast.MatchStar) and here.name
        ):
            own.add(here.name)
        elif isinstance(here, ast.Yield | ast.YieldFrom):
            generator = True
    return Names(frozenset(own - outer - enclosing), frozenset(outer), frozenset(enclosing), generator)


def body_of(node: ast.AST) -> list[ast.stmt]:
    """The statements of a function."""
    body = getattr(node, "body", [])
    return body if isinstance(body, list) else []


def names_in(nodes: list[ast.stmt]) -> frozenset[str]:
    """The names that some statements may bind."""
    found: set[str] = set()
    for here in walk_body(ast.Module(nodes, [])):
        if isinstance(here, ast.Name) and not isinstance(here.ctx, ast.Load):
            found.add(here.id)
    return frozenset(found)


def unparse(node: ast.AST, limit: int = 60) -> str:
    """The words of a node for a message; short, on one line."""
    if isinstance(node, ast.Call):
        return f"{dotted(node.func) or 'a call'}()"
    return dotted(node) or type(node).__name__.lower()


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of a chain of names, empty for anything else."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
        if isinstance(node, ast.Call):
            node = node.func
    if isinstance(node, ast.Name):
        words.append(node.id)
    return ".".join(reversed(words))
