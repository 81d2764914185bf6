"""One entry point under fuzz: how an input is made, how it is used, and what it may say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

CANARY = "Zq7canaryT0ken9"
"""The planted secret: it must be in no text that leaves, in whatever place of an input it stood."""


@dataclass(frozen=True)
class Target:
    """One entry point.

    ``make`` makes an input from a source of randomness alone; ``use`` gives it to the product and
    returns the texts that a user would see. An exception is a crash unless its type is one of
    ``documented``; the text of a documented one is a text that a user sees. ``share`` is the number
    of executions out of 20,000; ``seconds`` of CPU is what one execution may take.
    """

    name: str
    share: int
    make: Callable[[Random], Any]
    use: Callable[[Any], Iterable[str]]
    documented: tuple[type[Exception], ...] = ()
    seconds: float = 10.0
