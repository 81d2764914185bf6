"""Walking syntax trees, which is most of the work on a large file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

WORDS = frozenset(
    (
        *("arg", "asname", "attr", "id", "kwd_attrs", "module", "name", "names", "rest", "tag"),
        *("conversion", "is_async", "kind", "level", "simple", "type_comment", "type_ignores"),
        *("ctx", "op", "ops"),
    )
)
"""Fields that hold words, numbers or operators, not code; ``alias`` nodes tell no more than their import."""

_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: (), ast.MatchSingleton: ()}


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold nodes."""
    named = kind.__name__ == "TypeAlias"
    _FIELDS[kind] = tuple(f for f in kind._fields if f not in WORDS or (named and f == "name"))
    return _FIELDS[kind]


def children(node: ast.AST) -> list[ast.AST]:
    """The expressions, statements and clauses right below a node, in order.

    Faster than ``ast.iter_child_nodes``, which looks at every field, and without operators and contexts.
    """
    kind = type(node)
    fields = _FIELDS[kind] if kind in _FIELDS else _fields_of(kind)
    if not fields:
        return []
    found: list[ast.AST] = []
    values = node.__dict__
    for name in fields:
        value = values.get(name)
        if isinstance(value, list):
            found += [item for item in value if item is not None] if None in value else value
        elif value is not None:
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything below it, level by level."""
    todo = [node]
    for here in todo:
        yield here
        todo += children(here)
