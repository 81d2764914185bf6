"""The walk over a tree sees what the standard library's sees, but for operators and contexts."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from lens_preflight.program.trees import children, walk

LEFT_OUT = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.alias, ast.type_ignore)
LIBRARY = Path(sysconfig.get_path("stdlib"))
ODD = """
async def f(a, /, b: int = 1, *c, d, e=2, **g) -> None:
    async with a as b, c: ...
    async for x in y: await x
    match z:
        case {"k": v, **rest} | [1, *others] | P(q, r=None) if v: pass
        case None: pass
    return {**a, 'b': 1}, *c, f"{d!r:>{e}}", (yield), lambda q=1: (w := q), ~a[1:2, ...], a < b < c
"""


def seen(node: ast.AST) -> list[ast.AST]:
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, LEFT_OUT)]


@pytest.mark.parametrize("name", ["argparse.py", "dataclasses.py", "asyncio/base_events.py", "typing.py"])
def test_the_standard_library(name: str) -> None:
    for node in ast.walk(ast.parse((LIBRARY / name).read_bytes())):
        assert children(node) == seen(node)


def test_odd_syntax() -> None:
    tree = ast.parse(ODD)
    for node in ast.walk(tree):
        assert children(node) == seen(node)
    assert {id(n) for n in walk(tree)} == {id(n) for n in ast.walk(tree) if not isinstance(n, LEFT_OUT)}


def test_a_node_made_by_hand() -> None:
    name = ast.Name("a", ast.Load())
    assert children(ast.Expr(name)) == [name]
    assert children(ast.Module([], [])) == []
