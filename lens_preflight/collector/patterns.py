"""Patterns of the Collector, which are those of Go, found in the names of attributes and metrics."""

from __future__ import annotations

from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.go_patterns import found_in


def finds(pattern: str, name: str, at: Location) -> bool:
    """Whether a pattern is found in a name.

    Raises:
        Undecided: Python does not read it, or not as Go does.
    """
    return settled(found_in(pattern, name), pattern, name, at)


def settled(hit: bool | None, pattern: str, name: str, at: Location) -> bool:
    """An answer of the patterns of Go.

    Raises:
        Undecided: there is none.
    """
    if hit is None:
        raise Undecided(
            f"the pattern {pattern} is read by Go alone: whether it means {name} is not known", at
        )
    return hit
