"""Which selectors of a dashboard are about training, and how each is confined to a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.families import Catalogue
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Dashboard, Panel, Target, Variable
from lens_preflight.dashboards.naming import stem
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.runs import RUN_LABELS, Hold, RunFilter, filters_every_panel, run_filters
from lens_preflight.dashboards.selectors import Language, Query, Use

EXEMPT = (
    "dcgm_",
    "nvidia_",
    "gpu_",
    "node_",
    "system_",
    "otelcol_",
    "process_",
    "go_",
    "container_",
    "kube_",
    "machine_",
    "slurm_",
    "prometheus_",
    "scrape_",
    "alertmanager_",
    "grafana_",
    "jaeger_",
    "tempo_",
    "loki_",
    "up",
)
"""What metrics of the infrastructure begin with; their exporters know nothing of runs."""

_SPAN_PREFIXES = ("traces_span", "span_metrics", "spanmetrics", "traces_spanmetrics")
_SPAN_WORDS = re.compile(r"\b(megatron|nemo|rl|gym|nvrx|gen_ai|dl)\.[a-z_]")


@dataclass(frozen=True, eq=False)
class RunUse:
    """One training selector: the filters on the run that confine it.

    ``joined`` when the filter stands on what it is joined with; ``filtered_elsewhere`` when an
    ad-hoc filter or a control does it; ``mixes`` when several runs may be chosen and the result does
    not tell them apart; ``label_lost`` when a recording rule dropped the label before.
    """

    panel: Panel
    target: Target
    use: Use
    filters: tuple[RunFilter, ...]
    joined: bool
    filtered_elsewhere: bool
    mixes: bool
    label_lost: bool


def exempt(metric: str) -> bool:
    """Whether a metric belongs to the infrastructure."""
    name = metric.lower()
    return any(name == prefix or (prefix.endswith("_") and name.startswith(prefix)) for prefix in EXEMPT)


def is_training(query: Query, use: Use, catalogue: Catalogue, lineage: Lineage) -> bool:
    """Whether a selector is about training: by the first word of its metric, or by what it records."""
    if query.language is Language.PROMQL:
        return _by_name(use, catalogue) or any(_by_name(o, catalogue) for _, o in lineage.origins(use))
    if query.language in (Language.TRACEQL, Language.KQL, Language.LUCENE):
        fields = [use.metric, *(leaf.field for leaf in query.condition.leaves())] if query.condition else []
        return any(_SPAN_WORDS.search(canonical(field)) for field in fields) or bool(
            _SPAN_WORDS.search(query.text)
        )
    return False


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
                filters = run_filters(use, board)
                own = any(f.matcher in use.matchers for f in filters)
                yield RunUse(
                    panel,
                    target,
                    use,
                    filters,
                    bool(filters) and not own,
                    elsewhere,
                    _mixes(board, query, use, filters),
                    not lineage.keeps(use, RUN_LABELS),
                )


def _mixes(board: Dashboard, query: Query, use: Use, filters: tuple[RunFilter, ...]) -> bool:
    if query.language is not Language.PROMQL or query.error:
        return False
    several = any(
        f.hold is Hold.CHOSEN and f.variable in board.by_name and board.by_name[f.variable].several
        for f in filters
    )
    return several and not any(use.kept.has(label) for label in (*RUN_LABELS, "instance"))


def listed_metrics(variable: Variable) -> tuple[str, ...]:
    """The metrics whose series a variable asks."""
    if not variable.listing.selector:
        return ()
    query = read_promql(substitute(variable.listing.selector, {}))
    return tuple(use.metric for use in query.uses if use.metric)
