"""One point in time that every wait of a run respects."""

from __future__ import annotations

import math
from time import monotonic

from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Deadline:
    """A point on the monotonic clock, in seconds."""

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The point that lies ``seconds`` from now."""
        return cls(monotonic() + seconds)

    def remaining(self, cap: float = math.inf) -> float:
        """Seconds left, at least 0, at most ``cap``."""
        return max(0.0, min(cap, self.at - monotonic()))

    @property
    def passed(self) -> bool:
        """True when no time is left."""
        return monotonic() >= self.at

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and ``seconds`` from now."""
        return Deadline(min(self.at, monotonic() + seconds))
