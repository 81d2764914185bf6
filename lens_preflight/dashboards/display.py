"""What a panel does with the results of its queries before it shows them: another time, fewer of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.dashboards.model import Panel

_SHIFT = re.compile(r"([0-9]+)(ms|[smhdwMy])")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "M": 2592000, "y": 31536000}
_FAR = 86400
"""Seconds beyond which a panel shows another time than that of the dashboard."""

_FILTER = "filterByRefId"


def displayed(panel: Panel, transformations: Any, shift: Any) -> Panel:
    """The panel with the queries hidden that a transformation leaves out, and its shift in time judged."""
    out = _left_out(transformations, [target.ref for target in panel.targets])
    targets = tuple(replace(t, hidden=True) if t.ref in out else t for t in panel.targets)
    return replace(panel, targets=targets, elsewhen=_is_far(shift))


def _is_far(shift: Any) -> bool:
    match = _SHIFT.match(shift.strip()) if isinstance(shift, str) else None
    return match is not None and float(match[1]) * _SECONDS[match[2]] > _FAR


def _left_out(transformations: Any, refs: Iterable[str]) -> frozenset[str]:
    """The queries that ``filterByRefId`` takes away; behind another transformation their names may differ."""
    left = list(refs)
    known = frozenset(left)
    for one in transformations if isinstance(transformations, list) else ():
        if not isinstance(one, Mapping):
            break
        inner = one.get("spec")
        spec = inner if isinstance(inner, Mapping) else one
        options = spec.get("options")
        if spec.get("disabled") is True:
            continue
        if _FILTER not in (one.get("id"), spec.get("id"), one.get("kind"), one.get("group")):
            break
        for key in ("include", "exclude"):
            pattern = options.get(key) if isinstance(options, Mapping) else None
            if isinstance(pattern, str) and pattern and "$" not in pattern.removesuffix("$/"):
                left = [ref for ref in left if _names(pattern, ref) is (key == "include")]
    return known - frozenset(left)


def _names(pattern: str, ref: str) -> bool:
    """Whether a pattern means a query: between slashes it is one of JavaScript, else a name or several."""
    if not pattern.startswith("/"):
        return ref == pattern or ref in pattern.split("|")
    try:
        return re.search(pattern[1:].rpartition("/")[0], ref) is not None
    except (re.error, RecursionError, OverflowError):
        return True
