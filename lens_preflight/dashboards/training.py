"""Which selectors of a dashboard are about training, and how each is confined to a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.families import Catalogue
from lens_preflight.dashboards.fates import Fate, worst
from lens_preflight.dashboards.infrastructure import exempt
from lens_preflight.dashboards.languages import refuses_promql
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Dashboard, Panel, Target, Variable
from lens_preflight.dashboards.naming import stem
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.runs import (
    RUN_LABELS,
    Hold,
    RunFilter,
    confining,
    filters_every_panel,
    run_filters,
)
from lens_preflight.dashboards.selectors import Language, Matcher, Query, Use

SPAN_LANGUAGES = frozenset({Language.TRACEQL, Language.KQL, Language.LUCENE})
_SPAN_PREFIXES = ("traces_span", "span_metrics", "spanmetrics", "traces_spanmetrics")
_SPAN_WORDS = re.compile(r"\b(megatron|nemo|rl|gym|nvrx|gen_ai|dl)\.[a-z_]")


@dataclass(frozen=True, eq=False)
class RunUse:
    """One training selector: the filters on the run that confine it.

    ``joined`` when the filter stands on what it is joined with; ``filtered_elsewhere`` when an
    ad-hoc filter or a control does it; ``mixes`` when several runs may be chosen and the result does
    not tell them apart; ``fate`` is what is left of the labels that the filters stand on, ``recorded``
    whether a rule made the series; ``matchers`` are all conditions that the query needs to hold.
    """

    panel: Panel
    target: Target
    language: Language
    use: Use
    filters: tuple[RunFilter, ...]
    joined: bool
    filtered_elsewhere: bool
    mixes: bool
    fate: Fate
    recorded: bool
    matchers: tuple[Matcher, ...]


def is_training(query: Query, use: Use, catalogue: Catalogue, lineage: Lineage) -> bool:
    """Whether a selector is about training: by the first word of its metric, or by what it records."""
    if query.language is Language.PROMQL:
        return _by_name(use, catalogue) or any(_by_name(o, catalogue) for _, o in lineage.origins(use))
    return speaks_of_training(query, use.metric)


def speaks_of_training(query: Query, field: str = "") -> bool:
    """Whether a query for spans or documents names anything of training, as far as it can be read."""
    if query.language not in SPAN_LANGUAGES:
        return False
    words = [field, query.text]
    for leaf in query.condition.leaves() if query.condition else ():
        words += [leaf.field, leaf.value or ""]
    return any(_SPAN_WORDS.search(canonical(word)) for word in words)


def _by_name(use: Use, catalogue: Catalogue) -> bool:
    if use.metric:
        name = f"{stem(use.metric)}_"
        return not exempt(use.metric) and (
            name.startswith(_SPAN_PREFIXES)
            or any(name.startswith(prefix) for prefix in catalogue.prefixes)
            or any(f"_{known}_" in f"_{name}" for known in catalogue.stems)
        )
    return any(use.may_name(m.name.replace(".", "_")) for m in catalogue.metrics())


def training_uses(board: Dashboard, catalogue: Catalogue, lineage: Lineage) -> Iterator[RunUse]:
    """Every training selector that the visible panels use."""
    for panel, target, query in board.queries:
        elsewhere = filters_every_panel(board, target.source)
        for use in query.uses:
            if is_training(query, use, catalogue, lineage):
                filters = run_filters(use, board, query.language, panel.repeats)
                own = any(f.matcher in use.matchers for f in filters)
                labels = [(where, matcher.label) for where, matcher in confining(use)]
                if elsewhere and not labels:
                    labels = [(use, "nemo_run_id")]
                promql = query.language is Language.PROMQL
                yield RunUse(
                    panel,
                    target,
                    query.language,
                    use,
                    filters,
                    bool(filters) and not own,
                    elsewhere,
                    _mixes(panel, board, query, use, filters),
                    worst(lineage.label(where, label) for where, label in labels if promql),
                    any(lineage.recorded(where) for where, _ in labels),
                    _needed(query, use),
                )


def promql_elsewhere(
    board: Dashboard, catalogue: Catalogue, lineage: Lineage
) -> Iterator[tuple[Panel, Target]]:
    """Visible targets whose PromQL on training metrics goes to a data source of another language."""
    for panel, target, _ in board.queries:
        text = target.raw.get("expr")
        if refuses_promql(target.source.kind) and isinstance(text, str) and target.text in ("", text):
            query = read_promql(substitute(text, {}))
            sound = not query.error and all(use.metric for use in query.uses)
            if sound and any(is_training(query, use, catalogue, lineage) for use in query.uses):
                yield panel, target


def _needed(query: Query, use: Use) -> tuple[Matcher, ...]:
    """The conditions on a selector; of a filter on spans all that it speaks of, in whatever branch."""
    if query.condition is None:
        return use.matchers
    return tuple(Matcher(leaf.field, leaf.op, leaf.value or "") for leaf in query.condition.leaves())


def _mixes(panel: Panel, board: Dashboard, query: Query, use: Use, filters: tuple[RunFilter, ...]) -> bool:
    if query.language is not Language.PROMQL or query.error:
        return False
    several = any(
        f.hold is Hold.CHOSEN and f.variable in board.by_name and board.by_name[f.variable].several
        for f in filters
        if f.variable not in panel.repeats
    )
    return several and not any(use.kept.has(label) for label in (*RUN_LABELS, "instance"))


def listed_metrics(variable: Variable) -> tuple[str, ...]:
    """The metrics whose series a variable asks."""
    if not variable.listing.selector:
        return ()
    query = read_promql(substitute(variable.listing.selector, {}))
    return tuple(use.metric for use in query.uses if use.metric)
