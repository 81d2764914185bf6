"""Pieces of a long secret: what a server repeats of a token may be its beginning or its end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

LEAST = 8
"""Characters of a piece; fewer say too little, and turn up by chance."""

WHOLE = 16
"""Characters of a secret that has pieces."""

_MOST = 4096
"""Characters of one secret that are cut into pieces."""


class Pieces:
    """All pieces of some secrets, to be found in time that grows with the text alone.

    Case does not count. A piece that could be a word (``production``) hides nothing by itself: there must be
    letters and digits in it, or capitals in the middle of small letters.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._all: set[str] = set()
        self._sure: set[str] = set()
        for secret in secrets:
            if len(secret) < WHOLE:
                continue
            for start in range(min(len(secret), _MOST) - LEAST + 1):
                piece = secret[start : start + LEAST]
                self._all.add(piece.lower())
                if _no_word(piece):
                    self._sure.add(piece.lower())

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the text repeats a piece: as long as it goes on."""
        low = text.lower()
        if not self._sure or len(low) != len(text):
            return
        places = range(len(low) - LEAST + 1)
        if self._sure.isdisjoint(low[at : at + LEAST] for at in places):
            return
        start, sure = -1, False
        for at in (*places, len(places)):
            piece = low[at : at + LEAST]
            if at < len(places) and piece in self._all:
                start = at if start < 0 else start
                sure = sure or piece in self._sure
                continue
            if sure:
                yield start, at - 1 + LEAST
            start, sure = -1, False


def _no_word(piece: str) -> bool:
    letters = any(char.isalpha() for char in piece)
    changes = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(piece))
    return letters and (any(char.isdigit() for char in piece) or changes > 1)
