"""What is worked out about a node is kept there, and goes with its tree."""

from __future__ import annotations

import ast
import gc
import sys

from lens_preflight.program.on_node import kept
from lens_preflight.program.scopes import names_of

asked: list[ast.AST] = []


@kept
def size(node: ast.AST) -> int:
    """How many nodes there are."""
    asked.append(node)
    return sum(1 for _ in ast.walk(node))


def test_a_fact_is_worked_out_once_a_node() -> None:
    asked.clear()
    first, second = ast.parse("a = b"), ast.parse("a = b")
    assert size(first) == size(first) == size(second)
    assert asked == [first, second]


def test_nothing_of_a_tree_stays() -> None:
    text = "\n".join(f"def f{n}(): return n{n}" for n in range(200))
    for times in (3, 20):
        for _ in range(times):
            for function in ast.parse(text).body:
                names_of(function)
        gc.collect()
        blocks = sys.getallocatedblocks()
        if times == 3:
            before = blocks
    assert blocks - before < 2_000
