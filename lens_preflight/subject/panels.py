"""The queries of dashboards, asked of a real store for one run and for an id that nobody ever used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lens_preflight.backends import PromqlBackend, Reading
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.runs import run_filters
from lens_preflight.dashboards.selectors import Language, Query
from lens_preflight.dashboards.variables import MENTION

MAX_PANELS = 25
"""Panels asked at most; a store of a site is not to be loaded."""

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_ALL = ("$__all", "All", "")


@dataclass(frozen=True)
class PanelReading:
    """What one panel shows for the run and for the bogus id; ``panel`` as a reader knows it."""

    panel: str
    at: Location
    run: Reading
    bogus: Reading


def live_panels(
    dashboards: Iterable[Dashboard], backend: PromqlBackend, run_id: str
) -> Iterator[PanelReading]:
    """Ask the queries that follow a run variable; those that need another fixed choice are left out."""
    asked = 0
    for dashboard in dashboards:
        for panel, target, query in dashboard.queries:
            variables = _run_variables(query, dashboard)
            if query.language is not Language.PROMQL or not variables or asked >= MAX_PANELS:
                continue
            text = _filled(target.text, variables, dashboard, query)
            if text is None:
                continue
            asked += 1
            yield PanelReading(
                panel.shown,
                target.spot.at,
                backend.panel(text.replace(_SLOT, _escaped(run_id)), run_id),
                backend.panel(text.replace(_SLOT, backend.bogus), backend.bogus),
            )


_SLOT = "\x00run\x00"


def _run_variables(query: Query, dashboard: Dashboard) -> frozenset[str]:
    """The variables by which the selectors of a query are confined to a run."""
    filters = [f for use in query.uses for f in run_filters(use, dashboard)]
    return frozenset(f.variable for f in filters if f.variable)


def _filled(text: str, run: frozenset[str], dashboard: Dashboard, query: Query) -> str | None:
    """The query with a slot for the run; None when ``=`` hangs on a variable that has no value."""
    values = {v.name: next((c for c in v.current if c not in _ALL), "") for v in dashboard.variables}
    for use in query.uses:
        for matcher in use.matchers:
            open_ones = [m for m in _names(matcher.value) if m not in run and not values.get(m)]
            if open_ones and matcher.op in ("=", "!="):
                return None

    def inside(quoted: re.Match[str]) -> str:
        def value(mention: re.Match[str]) -> str:
            name = _name(mention)
            return _SLOT if name in run else values.get(name) or ".*"

        return MENTION.sub(value, quoted.group())

    return _QUOTED.sub(inside, substitute(text, values))


def _names(text: str) -> list[str]:
    return [_name(mention) for mention in MENTION.finditer(text)]


def _name(mention: re.Match[str]) -> str:
    return mention["braced"] or mention["square"] or mention["plain"] or ""


def _escaped(run_id: str) -> str:
    """A run id inside a PromQL string that may be a pattern; safe ids stay as they are."""
    return re.sub(r"([^\w.-])", r"\\\\\1", run_id)
