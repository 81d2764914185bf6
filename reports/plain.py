"""Anything as plain data: what JSON and every other format can hold."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import Any

from lens_preflight.core.finding import Location
from lens_preflight.reports.text import whole


def plain(value: Any) -> Any:
    """Turn any value into what JSON can hold; lone surrogates, infinities and NaN do not survive."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Location):
        return place(value)
    if isinstance(value, Mapping):
        return {whole(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(inner) for inner in value), key=str)
    return whole(str(value))


def place(at: Location) -> dict[str, Any]:
    """A location as five plain fields."""
    return {
        "kind": at.kind.value,
        "what": whole(at.what),
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
    }
