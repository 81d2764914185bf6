"""Which statements of a function matter, by the names in them."""

from __future__ import annotations

import ast

from lens_preflight.core.data import dataclass, field
from lens_preflight.program import relevance
from lens_preflight.program.scopes import FUNCTIONS, INNER
from lens_preflight.program.trees import children

EXITS = frozenset(("exit", "quit", "_exit"))


KEPT = frozenset(
    (
        ast.Return,
        ast.Raise,
        ast.Break,
        ast.Continue,
        ast.Yield,
        ast.YieldFrom,
        ast.Import,
        ast.ImportFrom,
    )
)
"""Jumps and imports: a statement that holds one is never left out."""

NAMING = frozenset((ast.Name, ast.Attribute, ast.Import, ast.ImportFrom))

PLAIN = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
)


@dataclass
class Index:
    """The words of one file by top-level name, from its bytes; of functions and statements on demand."""

    tops: dict[str, frozenset[bytes]] = field(default_factory=dict)
    nodes: dict[str, ast.stmt] = field(default_factory=dict)
    exact: dict[int, Census] = field(default_factory=dict)

    def census(self, name: str) -> Census:
        """The names that a definition mentions, taken once."""
        top = self.nodes[name]
        if id(top) not in self.exact:
            self.exact[id(top)] = Census.of(top)
        return self.exact[id(top)]

    @classmethod
    def of(cls, tree: ast.Module, data: bytes) -> Index:
        """The words between the first and last line of every definition."""
        index = cls()
        lines = data.splitlines()
        for top in tree.body:
            names = defined(top)
            if names:
                text = b"\n".join(lines[top.lineno - 1 : top.end_lineno])
                words = frozenset(relevance.WORD.findall(text))
                for name in names:
                    index.tops[name] = words
                    index.nodes[name] = top
        return index


@dataclass
class Census:
    """The names that a definition mentions in its code, and each of the functions in it."""

    words: set[str] = field(default_factory=set)
    functions: list[tuple[ast.AST, set[str]]] = field(default_factory=list)

    @classmethod
    def of(cls, top: ast.AST) -> Census:
        """One walk over a definition."""
        out = cls()
        stack: list[tuple[ast.AST, tuple[set[str], ...]]] = [(top, (out.words,))]
        while stack:
            node, around = stack.pop()
            kind = type(node)
            if kind in FUNCTIONS:
                out.functions.append((node, set()))
                around = (*around, out.functions[-1][1])
            elif kind in NAMING:
                for word in words_of(node):
                    for words in around:
                        words.add(word)
            for child in children(node):
                stack.append((child, around))
        return out


def names_variable(node: ast.AST) -> bool:
    """True for the name of a variable that Lens or OpenTelemetry reads: what is done to it matters."""
    return (
        type(node) is ast.Constant
        and isinstance(node.value, str)
        and node.value.startswith(("OTEL_", "NEMO_LENS_"))
    )


def slice_of(body: list[ast.stmt], reach: set[str]) -> set[int]:
    """The statements that name something, jump or define, and those about what they assign.

    Functions inside are definitions: their own statements are sliced when they are followed.
    """
    rows: list[Row] = []
    stack: list[tuple[ast.AST, tuple[Row, ...]]] = [(s, ()) for s in body]
    while stack:
        node, around = stack.pop()
        if isinstance(node, ast.stmt):
            row = Row(id(node), assigned(node), isinstance(node, PLAIN))
            rows.append(row)
            around = (*around, row)
        kind = type(node)
        words = words_of(node) if kind in NAMING else ()
        if words and around:
            around[-1].head.update(words)
        keep = kind in KEPT or not EXITS.isdisjoint(words) or names_variable(node)
        if words or keep:
            for row in around:
                row.words.update(words)
                row.keep = row.keep or keep
        if kind not in INNER:
            for child in children(node):
                stack.append((child, around))
    chosen: set[int] = set()
    known, needed = set(reach), set[str]()
    fresh = True
    while fresh:
        fresh = False
        for row in rows:
            if row.id in chosen:
                continue
            named = not row.words.isdisjoint(known)
            if row.keep or named or not needed.isdisjoint(row.names):
                chosen.add(row.id)
                fresh = True
                needed |= row.head if named else set()
                known.update(row.names if named else ())
    return chosen


@dataclass
class Row:
    """One statement: what it binds, the names in it, and those in its own line.

    ``keep``: it defines or imports something, or holds a jump.
    """

    id: int
    names: tuple[str, ...]
    keep: bool
    words: set[str] = field(default_factory=set)
    head: set[str] = field(default_factory=set)


def assigned(node: ast.stmt) -> tuple[str, ...]:
    """The plain names that an assignment binds."""
    if isinstance(node, ast.Assign):
        return tuple(t.id for t in node.targets if isinstance(t, ast.Name))
    return (node.target.id,) if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ()


def words_of(node: ast.AST) -> tuple[str, ...]:
    """The names that one node mentions by itself."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(a.name for a in node.names)
    return ()


def defined(node: ast.AST) -> list[str]:
    """The names that a top-level statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return []
