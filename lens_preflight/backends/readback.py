"""Looking for a canary until it is found or the time is up."""

from __future__ import annotations

from time import monotonic

from lens_preflight.backends.backend import Backend
from lens_preflight.backends.words import Marker, Reading, Word
from lens_preflight.core.data import dataclass

FINAL = frozenset({Word.AUTH, Word.PERMISSION, Word.NOT_THE_BACKEND, Word.WRONG_ID, Word.QUERY_ERROR})
"""Answers that waiting does not change."""

LONGEST_PAUSE = 8.0
MARGIN = 2.0
"""Seconds kept for what comes after: the bogus id, and the report."""


@dataclass(frozen=True)
class ReadBack:
    """The last reading, the seconds from now to then, and how often it was asked."""

    reading: Reading
    seconds: float
    tries: int


def read_back(backend: Backend, run_id: str, marker: Marker) -> ReadBack:
    """Ask for a canary again and again, with growing pauses, until the backend's deadline.

    Never asks more often than the vendor's limits allow (``Backend.between``).
    """
    started, pause, tries = monotonic(), backend.between, 0
    while True:
        backend.again()
        tries += 1
        reading = backend.positive(run_id, marker)
        left = backend.client.deadline.remaining() - MARGIN
        if reading.ok or reading.final or reading.word in FINAL or left <= pause:
            return ReadBack(reading, monotonic() - started, tries)
        backend.client.wait(pause)
        pause = max(backend.between, min(LONGEST_PAUSE, pause * 1.5))
