"""Findings that a baseline accepts."""

from __future__ import annotations

from collections.abc import Mapping

from lens_preflight.core.data import dataclass, field


@dataclass(frozen=True)
class Accepted:
    """``places`` says of each fingerprint in how many places it is accepted; ``reason`` is what to show."""

    places: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
