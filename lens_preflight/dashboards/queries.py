"""From the targets of a dashboard to queries: who is visible, and in which language it speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lens_preflight.core.data import replace
from lens_preflight.dashboards.classic import NO_QUERIES
from lens_preflight.dashboards.elastic import read_elastic
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Dashboard, Panel, Target
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.results import drawn
from lens_preflight.dashboards.scanning import scan_selectors
from lens_preflight.dashboards.selectors import Language, Query
from lens_preflight.dashboards.traceql import read_traceql

_REFERENCE = re.compile(r"\$\{?([A-Za-z][A-Za-z0-9_]*)\}?")


def visible_queries(dashboard: Dashboard) -> Iterator[tuple[Panel, Target, Query]]:
    """Each query whose result a reader can see."""
    values = {v.name: v.current[0] for v in dashboard.variables if v.current}
    for panel in dashboard.panels:
        if panel.placed and panel.kind not in NO_QUERIES:
            for target in visible_targets(panel):
                if target.language is not Language.EXPRESSION:
                    query = read_target(target, values)
                    yield (
                        panel,
                        target,
                        _elsewhen(query) if panel.elsewhen and query.language is Language.PROMQL else query,
                    )


def _elsewhen(query: Query) -> Query:
    """The query of a panel that is shifted in time, as if each selector had an offset."""
    return replace(query, uses=tuple(replace(use, within=(*use.within, "far offset")) for use in query.uses))


def visible_targets(panel: Panel) -> Iterator[Target]:
    """The targets that are shown, and the hidden ones that a shown expression computes with."""
    by_ref = {target.ref: target for target in panel.targets}
    shown = [target for target in panel.targets if not target.hidden]
    seen = {target.ref for target in shown}
    while shown:
        target = shown.pop(0)
        yield target
        if target.language is Language.EXPRESSION:
            for ref in _inputs(target):
                if ref in by_ref and ref not in seen:
                    seen.add(ref)
                    shown.append(by_ref[ref])


def _inputs(target: Target) -> set[str]:
    """The refs that an expression names: ``$A * 2``, or a bare ``A`` of reduce and threshold."""
    return set(_REFERENCE.findall(target.text)) | {target.text.strip()}


def read_target(target: Target, values: Mapping[str, str]) -> Query:
    """Take a target's query apart in its language."""
    if target.language is Language.PROMQL:
        query = replace(read_promql(substitute(target.text, values)), text=target.text)
        at_once = target.raw.get("instant") is True and target.raw.get("range") is not True
        return query if at_once else drawn(query)
    if target.language is Language.LOGQL:
        return Query(Language.LOGQL, target.text, scan_selectors(target.text))
    if target.language is Language.TRACEQL:
        return read_traceql(target.text, target.raw)
    if target.language in (Language.LUCENE, Language.KQL):
        return read_elastic(target.text, target.raw, target.language)
    return Query(target.language, target.text)
