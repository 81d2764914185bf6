"""Builtins that ask an object for what its class says: its text, its length, its number."""

from __future__ import annotations

from collections.abc import Callable

from lens_preflight.program import special_methods
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call
from lens_preflight.program.values import Ref


def own(this: Call, name: str) -> list[Outcome] | None:
    """What the class of the tree of an argument makes of a builtin; None where it has no say."""
    return METHODS[name](this) if name in METHODS else None


def text(*names: str) -> Callable[[Call], list[Outcome] | None]:
    """``str`` and its like: the text that a class of the tree makes of its object."""

    def make(this: Call) -> list[Outcome] | None:
        if len(this.args.plain) != 1:
            return None
        return special_methods.text(this.m, this.args.plain[0], names, this.state, this.frame, this.node)

    return make


def printed(this: Call) -> list[Outcome] | None:
    """``print``: the texts of its arguments, in order."""
    if not any(isinstance(a, Ref) for a in this.args.plain):
        return None
    live = this.done()
    out: list[Outcome] = []
    for value in this.args.plain:
        following: list[Outcome] = []
        for o in live:
            own = special_methods.text(this.m, value, ("__str__", "__repr__"), o.state, this.frame, this.node)
            for made in own if own is not None else [o]:
                (following if made.flow is Flow.NORMAL else out).append(made)
        live = following
    return [*out, *(Outcome(Flow.NORMAL, o.state) for o in live)]


METHODS: dict[str, Callable[[Call], list[Outcome] | None]] = {
    "str": text("__str__", "__repr__"),
    "repr": text("__repr__"),
    "format": text("__format__", "__str__", "__repr__"),
    "print": printed,
    "len": text("__len__"),
    "int": text("__int__", "__index__"),
    "float": text("__float__"),
    "hash": text("__hash__"),
    "abs": text("__abs__"),
}
"""Builtins that ask a class of the tree, the first of its methods that is there."""
