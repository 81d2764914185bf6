"""What is known of a value that a condition in OTTL reads, and how comparisons of it come out.

Beside values themselves there are those of which only something is known: a text that is there
(``SOME``), an attribute that a job hardly has (``FOREIGN``), a number between two others.
"""

from __future__ import annotations

import enum
import re
from typing import Any, TypeAlias

from lens_preflight.core.data import dataclass
from lens_preflight.core.go_patterns import found_in


class Truth(enum.Enum):
    """Whether a condition holds."""

    YES = "yes"
    NO = "no"
    UNLIKELY = "unlikely"
    """It asks for something that has nothing to do with the job; its opposite is not known."""
    UNKNOWN = "unknown"


class Partly(enum.Enum):
    """A value that is not known as a whole."""

    UNKNOWN = "unknown"
    SOME = "some text"
    NAMES = "names"
    """One of many texts: no single one is all of them."""
    HOSTS = "hosts"
    """The same, of which nothing is known but that they are many."""
    PRESENT = "present"
    """It is there; what it is, is not known."""
    MAYBE = "maybe"
    """It may be there; what it is then has nothing to do with what others ask for."""
    FOREIGN = "foreign"


@dataclass(frozen=True)
class Between:
    """A number of which only the bounds are known."""

    low: float
    high: float


Value: TypeAlias = bool | int | float | str | Partly | Between | None

OURS = re.compile(r"nemo|megatron|nvrx|\bnv\.|\bdl\.|\brl\.|\bgym\.|gen_ai", re.IGNORECASE)
"""Texts that may well mean the job."""

_TEXTS = ("7f3c9a", "JOB", "run-2026-11-30_12", "llama 3/pretrain:17")
"""Texts that have nothing in common: what fits them all fits everything."""
_NUMBERS = ("1", "27183", "940506", "8")
_OUR_TEXTS = ("nemo", "nemo.lens", "nemo.run.id", "megatron", "rl.step", "gym.rollout")


def compare(op: str, left: object, right: object) -> Truth:
    """Values of different types are never equal, as in OTTL: ``true`` is not ``"true"``."""
    if Partly.UNKNOWN in (left, right):
        return Truth.UNKNOWN
    for one, other in ((left, right), (right, left)):
        if isinstance(other, str) and "${" in other:  # known when the collector starts
            return Truth.UNLIKELY if one is Partly.FOREIGN and op == "==" else Truth.UNKNOWN
        if isinstance(one, Partly):
            return Truth.UNKNOWN if isinstance(other, (Partly, Between)) else _partly(op, one, other)
    if isinstance(left, Between) or isinstance(right, Between):
        return _between(op, _bounds(left), _bounds(right))
    if op in ("==", "!="):
        numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (left, right))
        equal = left == right and (numbers or type(left) is type(right))
        return _truth(equal is (op == "=="))
    return _truth(_ordered(op, left, right))


def _ordered(op: str, left: object, right: object) -> bool:
    """Numbers by size, texts byte by byte, false before true; anything else has no order."""
    if isinstance(left, str) and isinstance(right, str):
        sign = _sign(left.encode(), right.encode())
    elif isinstance(left, bool) is isinstance(right, bool) and all(
        isinstance(v, (int, float)) for v in (left, right)
    ):
        sign = _sign(left, right)
    else:
        return False
    return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[op]


def _sign(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


def _truth(holds: bool) -> Truth:
    return Truth.YES if holds else Truth.NO


_THERE = (Partly.SOME, Partly.NAMES, Partly.HOSTS, Partly.PRESENT)


def _partly(op: str, one: Partly, other: object) -> Truth:
    if one in _THERE and other in (None, "") and op in ("==", "!="):
        return _truth(op == "!=")
    if one is Partly.PRESENT:
        return Truth.UNKNOWN
    if op == "!=":
        return Truth.UNLIKELY if one is Partly.FOREIGN and other is None else Truth.UNKNOWN
    if one in (Partly.NAMES, Partly.HOSTS):
        return Truth.UNLIKELY if op == "==" else Truth.UNKNOWN
    if op == "==" and (other is None or (isinstance(other, str) and OURS.search(other) is not None)):
        return Truth.UNKNOWN
    if one in (Partly.SOME, Partly.MAYBE) and op != "==":
        return Truth.UNKNOWN
    return Truth.UNLIKELY


def _bounds(value: object) -> Between | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Between(value, value)
    return value if isinstance(value, Between) else None


def _between(op: str, left: Between | None, right: Between | None) -> Truth:
    if left is None or right is None:
        return Truth.NO if op != "!=" else Truth.YES
    if op in ("<", "<="):
        left, right = right, left
        op = {"<": ">", "<=": ">="}[op]
    apart = left.low > right.high or left.high < right.low
    if op in ("==", "!="):
        return _truth(op == "!=") if apart else Truth.UNKNOWN
    if left.low > right.high or (op == ">=" and left.low >= right.high):
        return Truth.YES
    return Truth.NO if left.high < right.low else Truth.UNKNOWN


def matches(value: object, pattern: str) -> Truth:
    """Whether a pattern of Go is found in a value."""
    if isinstance(value, Between):
        return Truth.YES if all(found_in(pattern, number) for number in _NUMBERS) else Truth.UNKNOWN
    if value is Partly.UNKNOWN:
        return Truth.UNKNOWN
    if value is None:
        return Truth.NO
    if not isinstance(value, Partly):
        hit = found_in(pattern, str(value).lower() if isinstance(value, bool) else str(value))
        return Truth.UNKNOWN if hit is None else _truth(hit)
    hits = [found_in(pattern, text) for text in _TEXTS]
    ours = [found_in(pattern, text) for text in _OUR_TEXTS]
    if value in _THERE and all(hits):
        return Truth.YES
    if value in (Partly.HOSTS, Partly.PRESENT):
        return Truth.UNKNOWN
    if value is Partly.FOREIGN and all(hits):
        return Truth.UNLIKELY  # what is not there fits no pattern
    return Truth.UNKNOWN if None in hits or any(hits) or any(ours) else Truth.UNLIKELY
