"""Which families the visible panels show, which they may show, and with which words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.families import (
    DEMANDED,
    KEYS,
    Catalogue,
    families_of,
    frameworks_seen,
    hinted,
)
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.model import Dashboard, Panel, Target
from lens_preflight.dashboards.selectors import Language, Query, Use
from lens_preflight.lens.metrics import Family

ALL = frozenset(Family)


@dataclass(frozen=True)
class Doubt:
    """A panel that may show some families, and why that cannot be told."""

    families: frozenset[Family]
    reason: str
    at: Location


@dataclass(frozen=True)
class Coverage:
    """``found``: family to the panels that show it, as readers know them; ``doubts``: what may."""

    found: Mapping[Family, tuple[str, ...]] = field(default_factory=dict, hash=False)
    doubts: tuple[Doubt, ...] = ()


def coverage(dashboards: Iterable[Dashboard], catalogue: Catalogue, lineage: Lineage) -> Coverage:
    """Judge all dashboards jointly: one may hold what another lacks."""
    found: dict[Family, list[str]] = {}
    doubts: list[Doubt] = []
    for dashboard in dashboards:
        if dashboard.opaque:
            reason = f"{dashboard.path} is not evaluated: it is {dashboard.opaque}"
            doubts.append(Doubt(ALL, reason, dashboard.spot.at))
        for panel, target, query in dashboard.queries:
            shown = frozenset(f for use in query.uses for f in use_families(query, use, catalogue, lineage))
            if query.error:
                families = shown or hinted(panel.title)
                reason = f"the query of {panel.shown} does not parse: {query.error}"
                doubts.append(Doubt(families, reason, target.spot.at))
                continue
            for family in shown:
                found.setdefault(family, []).append(panel.shown)
            doubts += _doubts_of_query(panel, target, query, lineage)
        doubts += [
            d for panel in dashboard.panels if panel.placed and panel.unresolved for d in _unresolved(panel)
        ]
    names = {family: tuple(dict.fromkeys(panels)) for family, panels in found.items()}
    return Coverage(names, tuple(d for d in doubts if d.families))


def use_families(query: Query, use: Use, catalogue: Catalogue, lineage: Lineage) -> frozenset[Family]:
    """The families of a selector; a recorded series has those of the metrics it is made of."""
    direct = families_of(query, use, catalogue)
    if direct or not lineage.recorded(use):
        return direct
    return frozenset(
        f for rule, origin in lineage.origins(use) for f in families_of(rule.query, origin, catalogue)
    )


def _doubts_of_query(panel: Panel, target: Target, query: Query, lineage: Lineage) -> Iterator[Doubt]:
    """Recorded series whose rule was not given, and languages that are not read."""
    for use in query.uses:
        if ":" in use.metric and not lineage.recorded(use):
            families = hinted(f"{panel.title} {use.metric}") or ALL
            reason = f"{panel.shown} shows the recorded series {use.metric}, whose rule was not given"
            yield Doubt(families, reason, target.spot.at)
    if query.language is Language.OTHER:
        kind = target.source.kind or "a data source of unknown kind"
        reason = f"{panel.shown} asks {kind}, whose language is not read"
        yield Doubt(hinted(f"{panel.title} {target.text}"), reason, target.spot.at)


def _unresolved(panel: Panel) -> Iterator[Doubt]:
    library = "library panel" in panel.unresolved
    families = hinted(panel.title) or (ALL if library else frozenset())
    yield Doubt(families, f"{panel.shown} cannot be judged: {panel.unresolved}", panel.spot.at)


def demanded(
    frameworks: Iterable[str], own: Mapping[str, tuple[str, ...]], dashboards: Iterable[Dashboard]
) -> frozenset[Family]:
    """The families that must be shown: those that the frameworks record, as the settings correct it.

    Without a framework the metrics on the dashboards tell it; when they tell nothing, all four.
    """
    known = {f for f in frameworks if f not in ("plain", "nvrx")}
    if not known and not own:
        known = set(frameworks_seen(q for d in dashboards for _, _, q in d.queries))
    wanted: set[Family] = set()
    for framework in known:
        wanted |= DEMANDED.get(framework, ALL)
    wanted = wanted or set(ALL)
    for family, key in KEYS.items():
        if key in own:
            (wanted.add if own[key] else wanted.discard)(family)
    return frozenset(wanted)
