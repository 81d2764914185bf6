"""Shell arithmetic over the numbers that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.state import State

Lookup = Callable[[Node], "Text | None"]

_WRAP = 1 << 64


class Unknown(Exception):
    """The number cannot be known; ``texts`` are what it depends on."""

    def __init__(self, *texts: Text) -> None:
        super().__init__()
        self.texts = texts


def evaluate(node: Node, state: State, expand: Lookup, assign: Callable[[str, Text], None]) -> int:
    """The value of an arithmetic expression; a variable that is unset counts as 0.

    Raises:
        Unknown: it depends on something that is not known.
    """
    kind = node.get("Type")
    if kind == "ParenArithm":
        return evaluate(node["X"], state, expand, assign)
    if kind == "UnaryArithm":
        return _unary(node, state, expand, assign)
    if kind == "BinaryArithm":
        return _binary(node, state, expand, assign)
    if kind == "Word":
        return _number(expand(node), state)
    raise Unknown()


def bare_name(node: Node) -> str | None:
    """The name, when the node is one plain variable name."""
    parts = parts_of(node)
    if node.get("Type") == "Word" and len(parts) == 1 and parts[0]["Type"] == "Lit":
        value: str = parts[0]["Value"]
        return value if value.isidentifier() else None
    return None


def _number(text: Text | None, state: State, depth: int = 0) -> int:
    if text is None:
        return 0
    known = text.certain
    if known is None:
        raise Unknown(text)
    known = known.strip()
    if not known:
        return 0
    try:
        return _parse(known)
    except ValueError:
        if known.isidentifier() and depth < 8:
            return _number(state.value(known), state, depth + 1)
        raise Unknown(text) from None


def _parse(text: str) -> int:
    base, hash_, digits = text.partition("#")
    if hash_:
        return int(digits, int(base))
    lower = text.lower().lstrip("+-")
    if lower.startswith("0x"):
        return int(text, 16)
    return int(text, 8 if lower.startswith("0") and len(lower) > 1 else 10)


def _unary(node: Node, state: State, expand: Lookup, assign: Callable[[str, Text], None]) -> int:
    op = node["Op"]
    value = evaluate(node["X"], state, expand, assign)
    if op in ("++", "--"):
        new = value + (1 if op == "++" else -1)
        name = bare_name(node["X"])
        if name is None:
            raise Unknown()
        assign(name, literal(str(new)))
        return value if node.get("Post") else new
    operations: dict[str, Callable[[int], int]] = {
        "-": lambda x: -x,
        "+": lambda x: x,
        "!": lambda x: int(not x),
        "~": lambda x: ~x,
    }
    if op not in operations:
        raise Unknown()
    return operations[op](value)


def _binary(node: Node, state: State, expand: Lookup, assign: Callable[[str, Text], None]) -> int:
    op = node["Op"]
    if op.endswith("=") and op not in ("==", "!=", "<=", ">="):
        name = bare_name(node["X"])
        if name is None:
            raise Unknown()
        right = evaluate(node["Y"], state, expand, assign)
        value = right if op == "=" else _apply(op[:-1], _number(state.value(name), state), right)
        assign(name, literal(str(value)))
        return value
    if op == "?":
        chosen = "X" if evaluate(node["X"], state, expand, assign) else "Y"
        branches = node["Y"]
        return evaluate(branches[chosen], state, expand, assign)
    left = evaluate(node["X"], state, expand, assign)
    if op == "&&" and not left:
        return 0
    if op in ("||",) and left:
        return 1
    return _apply(op, left, evaluate(node["Y"], state, expand, assign))


def _apply(op: str, x: int, y: int) -> int:
    if op in ("/", "%"):
        if y == 0:
            raise Unknown()
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return quotient if op == "/" else x - quotient * y
    if op == "**":
        if not 0 <= y <= 64:
            raise Unknown()
        return _signed(x**y)
    if op in ("<<", ">>"):
        if not 0 <= y < 64:
            raise Unknown()
        return _signed(x << y) if op == "<<" else x >> y
    simple: dict[str, Callable[[int, int], int]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "==": lambda a, b: int(a == b),
        "!=": lambda a, b: int(a != b),
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
        "&": lambda a, b: a & b,
        "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b,
        "&&": lambda a, b: int(bool(a) and bool(b)),
        "||": lambda a, b: int(bool(a) or bool(b)),
        ",": lambda a, b: b,
    }
    if op not in simple:
        raise Unknown()
    return _signed(simple[op](x, y))


def _signed(value: int) -> int:
    value %= _WRAP
    return value - _WRAP if value >= _WRAP // 2 else value
