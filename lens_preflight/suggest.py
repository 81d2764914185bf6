"""The nearest known word to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known word that looks most like this one, or an empty text."""
    import difflib

    return next(iter(difflib.get_close_matches(word, sorted(known), 1, cutoff)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A clause for an error message, or the list of what is known when nothing is near."""
    words = sorted(known)
    near = nearest(word, words)
    return f"did you mean {near!r}?" if near else f"known: {', '.join(words)}"
