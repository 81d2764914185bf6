"""The durations that come from spans, wherever a dashboard or a rule uses them, and what is wrong there."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.model import Dashboard, Spot
from lens_preflight.dashboards.naming import stem
from lens_preflight.dashboards.rules import PromRule
from lens_preflight.dashboards.selectors import Language, Query, Use
from lens_preflight.dashboards.spans import (
    TRUNCATED_LABELS,
    Exclusion,
    condition_exclusion,
    exclusion,
    is_span_duration,
    is_span_duration_query,
    needs_exclusion,
)

_ABOUT_TRUNCATED = re.compile(r"trunc|cut.?off|unfinished|leak|forced?|shutdown|still open|never ended", re.I)
_NO_VALUE = frozenset({"absent", "absent_over_time", "present_over_time", "changes", "count", "group"})


class Fault(enum.Enum):
    """What is wrong with one use of a span duration; NONE and UPSTREAM are right."""

    NONE = "excluded here"
    UPSTREAM = "excluded before"
    UNFILTERED = "not excluded"
    ONLY_TRUNCATED = "only truncated spans"
    WRONG_TEXT = "compared with a text that the label never has"
    HALF = "one side of a division is not excluded"
    BRANCH = "excluded in one branch of or only"
    LABEL_GONE = "the label was dropped by a recording rule"
    WEAK = "excluded by unless"
    ONLY_LABELLED = "spans without the label are rejected too"
    SEMANTICS = "the meaning of the comparison differs between versions"
    PASSED_ON = "a recording rule that keeps the label"


@dataclass(frozen=True, eq=False)
class Duration:
    """One use: ``where`` names the panel and target or the rule, ``title`` is what people read."""

    where: str
    title: str
    at: Location
    query: Query
    use: Use
    fault: Fault
    series: str

    @property
    def from_tempo(self) -> bool:
        """Whether Tempo's metrics generator makes the series, not a collector."""
        return stem(self.series).startswith("traces_spanmetrics")


def durations(
    dashboards: Iterable[Dashboard],
    rules: Iterable[PromRule],
    lineage: Lineage,
    namespaces: tuple[str, ...] = (),
) -> Iterator[Duration]:
    """Every span duration that is shown, alerted on or recorded."""
    for board in dashboards:
        for panel, target, query in board.queries:
            where = f"{panel.shown}, target {target.ref}" if target.ref else panel.shown
            yield from _of_query(where, panel.title, target.spot, query, lineage, namespaces, False)
    for rule in rules:
        records = rule.kind == "record"
        yield from _of_query(rule.shown, rule.name, rule, rule.query, lineage, namespaces, records)


def _of_query(
    where: str,
    title: str,
    place: Spot | PromRule,
    query: Query,
    lineage: Lineage,
    namespaces: tuple[str, ...],
    records: bool,
) -> Iterator[Duration]:
    spanish = [use for use in query.uses if _concerns(query, use, lineage, namespaces)]
    for use in spanish:
        fault = _judge(query, use, lineage)
        if fault in (Fault.UNFILTERED, Fault.LABEL_GONE):
            fault = _refine(fault, use, spanish, records)
        if fault is Fault.ONLY_TRUNCATED and _ABOUT_TRUNCATED.search(title):
            fault = Fault.NONE
        series = next((o.metric for _, o in lineage.origins(use)), use.metric)
        yield Duration(where, title, place.at, query, use, fault, series)


def _concerns(query: Query, use: Use, lineage: Lineage, namespaces: tuple[str, ...]) -> bool:
    if query.language is Language.PROMQL:
        direct = is_span_duration(use, namespaces) and needs_exclusion(use)
        made = bool(lineage.recorded(use)) and lineage.from_spans(use, namespaces)
        return (direct or made) and not (use.within and set(use.within) & _NO_VALUE)
    return is_span_duration_query(query, use)


def _judge(query: Query, use: Use, lineage: Lineage) -> Fault:
    if query.condition is not None:
        found = condition_exclusion(query.condition)
        if found is Exclusion.ONLY_LABELLED:
            return Fault.SEMANTICS if query.language is Language.TRACEQL else Fault.ONLY_LABELLED
        return _FAULTS[found]
    found = exclusion(use)
    if lineage.recorded(use):
        if lineage.excluded_upstream(use):
            return Fault.UPSTREAM
        if not lineage.keeps_truncated_label(use):
            # without a filter here the rule itself is to blame, and is reported
            return Fault.UPSTREAM if found is Exclusion.NONE else Fault.LABEL_GONE
    return _FAULTS[found]


_FAULTS = {
    Exclusion.NONE: Fault.UNFILTERED,
    Exclusion.EXCLUDED: Fault.NONE,
    Exclusion.ONLY_LABELLED: Fault.ONLY_LABELLED,
    Exclusion.ONLY_TRUNCATED: Fault.ONLY_TRUNCATED,
    Exclusion.WRONG_TEXT: Fault.WRONG_TEXT,
    Exclusion.WEAK: Fault.WEAK,
}


def _refine(fault: Fault, use: Use, others: list[Use], records: bool) -> Fault:
    """Why a selector without a filter is wrong although another one of the query has it."""
    if fault is Fault.LABEL_GONE:
        return fault
    if records and any(use.kept.has(label) for label in TRUNCATED_LABELS):
        return Fault.PASSED_ON
    filtered = [other for other in others if exclusion(other) is Exclusion.EXCLUDED]
    if any(other.divides != use.divides and (other.divided or other.divides) for other in filtered):
        return Fault.HALF
    if use.alternative and any(other.alternative for other in filtered):
        return Fault.BRANCH
    return fault
