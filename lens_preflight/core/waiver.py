"""A known finding that may wait: what it matches, why, and until when."""

from __future__ import annotations

import datetime

from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Waiver:
    """One ``[[waive]]`` of the settings.

    ``rule`` is ``check/rule`` or ``check/*``; with ``status`` "unknown" it is a check id, and the
    waiver is for its not knowing. The globs that are given must all match. ``until`` is the last day
    on which it counts.
    """

    rule: str
    reason: str
    until: datetime.date
    status: str = ""
    path: str = ""
    variable: str = ""
    launch: str = ""
    panel: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"{self.rule} (until {self.until.isoformat()})"
