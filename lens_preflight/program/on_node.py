"""Facts about a piece of a program that are worked out once and go when its tree goes."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)
R = TypeVar("R")


def kept(fact: Callable[[N], R]) -> Callable[[N], R]:
    """A function of a node whose result is kept on the node; a cache beside it would keep whole trees."""
    key = f"kept {fact.__module__}.{fact.__qualname__}"

    @functools.wraps(fact)
    def known(node: N) -> R:
        held = node.__dict__
        try:
            result: R = held[key]
        except KeyError:
            result = held[key] = fact(node)
        return result

    return known
