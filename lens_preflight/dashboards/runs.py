"""How a query is confined to one run, and which variables choose the run."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.model import Dashboard, DataSource, Variable
from lens_preflight.dashboards.selectors import Matcher, Use
from lens_preflight.dashboards.variables import mentions

RUN_LABELS = ("nemo_run_id", "nemo.run.id", "exported_nemo_run_id")
INSTANCE_LABELS = ("instance", "exported_instance", "service_instance_id", "service.instance.id")
"""In generation 0.1 the instance is ``<run id>-rank<rank>``, by which a run can be found too."""

_PROBES = ("run-1", "run-10", "f3c7")
"""A run, one whose id only begins like it, and one of another kind."""


class Hold(enum.Enum):
    """What a matcher on the run does."""

    CHOSEN = "chosen"
    """It follows a variable."""
    FIXED = "fixed"
    """It names one run for good."""
    INVERTED = "inverted"
    """It shows every run but the chosen one."""
    PREFIX = "prefix"
    """It follows a variable and lets longer ids pass too."""
    EXACT_LIST = "exact list"
    """``=`` with a variable that may hold several values."""
    OPEN = "open"
    """It confines nothing (``=~".+"``)."""
    SCOPE = "scope"
    """It asks for the id on spans, where it never is: it is a resource attribute."""


@dataclass(frozen=True)
class RunFilter:
    """One matcher on the run, what it does, and the variable that it follows (empty: none)."""

    matcher: Matcher
    hold: Hold
    variable: str = ""


def run_filters(use: Use, dashboard: Dashboard) -> tuple[RunFilter, ...]:
    """The matchers on the run that confine a selector, its own and those of what it is joined with."""
    seen: list[RunFilter] = []
    for where in (use, *_all_joined(use)):
        seen += [_judge(m, dashboard) for m in where.matchers if is_run_matcher(m)]
    return tuple(dict.fromkeys(seen))


def _all_joined(use: Use, depth: int = 4) -> Iterable[Use]:
    """What a use is joined with, to a depth, each once: in a sum of thirty terms each is joined with each."""
    seen: dict[int, Use] = {}
    level = [use]
    for _ in range(depth + 1):
        level = [other for one in level for other in one.joined if id(other) not in seen]
        level = list({id(other): other for other in level}.values())
        seen.update((id(other), other) for other in level)
    return seen.values()


def is_run_matcher(matcher: Matcher) -> bool:
    """Whether a matcher speaks of the run: its id, or an instance named after it."""
    if matcher.label in RUN_LABELS or canonical(matcher.label) == "nemo.run.id":
        return True
    return matcher.label in INSTANCE_LABELS and "rank" in matcher.value


def _judge(matcher: Matcher, dashboard: Dashboard) -> RunFilter:
    found = [m for m in mentions(matcher.value) if not m.name.startswith("__")]
    variable = found[0].name if found else ""
    if matcher.label.startswith("span."):
        return RunFilter(matcher, Hold.SCOPE, variable)
    if not found:
        if matcher.op in ("!=", "!~") or all(matcher.accepts(text) for text in _PROBES):
            return RunFilter(matcher, Hold.OPEN)
        return RunFilter(matcher, Hold.FIXED)
    if matcher.op in ("!=", "!~"):
        return RunFilter(matcher, Hold.INVERTED, variable)
    declared = dashboard.by_name.get(variable)
    if matcher.op == "=" and declared is not None and declared.several:
        return RunFilter(matcher, Hold.EXACT_LIST, variable)
    hold = _reach(matcher, found[0].text) if matcher.op == "=~" else Hold.CHOSEN
    return RunFilter(matcher, hold, variable if hold is not Hold.OPEN else "")


def _reach(matcher: Matcher, mention: str) -> Hold:
    """What a pattern lets pass when one run is chosen: that run, longer ids, or everything."""
    chosen, longer, foreign = _PROBES
    tried = Matcher(matcher.label, "=~", matcher.value.replace(mention, re.escape(chosen)))
    tail = "-rank0" if matcher.label in INSTANCE_LABELS else ""
    if tried.accepts(foreign + tail):
        return Hold.OPEN
    return Hold.PREFIX if tried.accepts(longer + tail) else Hold.CHOSEN


def lists_runs(variable: Variable) -> bool:
    """Whether a variable lists run ids, told by the label that it asks for."""
    label = variable.listing.label
    if label in RUN_LABELS or canonical(label) == "nemo.run.id":
        return True
    return label in INSTANCE_LABELS and "rank" in variable.regex


def filters_every_panel(dashboard: Dashboard, source: DataSource) -> bool:
    """Whether an ad-hoc variable or a control filters all panels of a data source by the run."""
    for variable in dashboard.variables:
        if variable.kind not in ("adhoc", "control"):
            continue
        same = variable.kind == "control" or variable.source.ref in (source.ref, "") or not source.ref
        if same and any(canonical(key) in ("nemo.run.id", "nemo_run_id") for key in variable.keys):
            return True
    return False
