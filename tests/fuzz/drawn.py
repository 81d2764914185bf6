"""Randomness that is read off bytes: who changes the bytes changes what is made of them, and little else."""

from __future__ import annotations

from random import Random


class Drawn(Random):
    """A source of randomness that is the given bytes, in order, and beyond their end a fixed one of them.

    Makers of inputs draw their choices from it, so that a fuzzer which knows only bytes mutates choices.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._data = data
        self._at = 0

    def random(self) -> float:
        """The next number in [0, 1): of two bytes, fine enough for every choice that is made."""
        taken = self._take(2)
        return super().random() if taken is None else taken / (1 << 16)

    def getrandbits(self, k: int) -> int:
        """The next whole number of ``k`` bits."""
        taken = self._take((k + 7) // 8)
        return super().getrandbits(k) if taken is None else taken & ((1 << k) - 1)

    def _take(self, count: int) -> int | None:
        """The next bytes as a number; None when fewer are left."""
        stop = self._at + count
        if stop > len(self._data):
            return None
        taken = int.from_bytes(self._data[self._at : stop], "little")
        self._at = stop
        return taken
