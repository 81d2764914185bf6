"""How a query is confined to one run, and which variables choose the run."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.expand import expand
from lens_preflight.dashboards.model import Dashboard, DataSource, Variable
from lens_preflight.dashboards.selectors import Language, Matcher, Use
from lens_preflight.dashboards.variables import mentions

RUN_LABELS = ("nemo_run_id", "nemo.run.id", "exported_nemo_run_id")
INSTANCE_LABELS = ("instance", "exported_instance", "service_instance_id", "service.instance.id")
"""In generation 0.1 the instance is ``<run id>-rank<rank>``, by which a run can be found too."""

CHOSEN_IDS = ("run-1", "run-2", "run-3", "run-4")
_FOREIGN = "f3c7"
"""A run of another kind, which a pattern around the chosen id may let pass."""

_LONGER = ("run-10", "a-run-1")
"""Runs whose id only begins or ends like the chosen one."""


class Hold(enum.Enum):
    """What a matcher on the run does."""

    CHOSEN = "chosen"
    """It follows a variable."""
    FIXED = "fixed"
    """It names one run for good."""
    INVERTED = "inverted"
    """It shows every run but the chosen one."""
    PREFIX = "prefix"
    """It follows a variable and lets other ids pass too."""
    EXACT_LIST = "exact list"
    """It fits one chosen run, and none when several are chosen."""
    NEVER = "never"
    """What Grafana puts in never fits the chosen run."""
    OPEN = "open"
    """It confines nothing (``=~".+"``)."""
    SCOPE = "scope"
    """It asks for the id on spans, where it never is: it is a resource attribute."""
    UNKNOWN = "unknown"
    """Its pattern cannot be tried here."""


@dataclass(frozen=True)
class RunFilter:
    """One matcher on the run, what it does, and the variable that it follows (empty: none)."""

    matcher: Matcher
    hold: Hold
    variable: str = ""


def run_filters(
    use: Use, dashboard: Dashboard, language: Language = Language.PROMQL, repeats: Iterable[str] = ()
) -> tuple[RunFilter, ...]:
    """The matchers on the run that confine a selector, its own and those of what it is joined with.

    ``repeats`` are the variables over which the panel is repeated: each copy has one value of them.
    """
    single = frozenset(repeats)
    different = dict.fromkeys(matcher for _, matcher in confining(use))
    return tuple(dict.fromkeys(_judge(matcher, dashboard, language, single) for matcher in different))


def confining(use: Use) -> Iterator[tuple[Use, Matcher]]:
    """The matchers on the run, each with the selector that it stands on."""
    for where in (use, *_all_joined(use)):
        for matcher in where.matchers:
            if is_run_matcher(matcher):
                yield where, matcher


def _all_joined(use: Use, depth: int = 4) -> Iterable[Use]:
    """What a use is joined with, to a depth, each once: in a sum of thirty terms each is joined with each."""
    seen: dict[int, Use] = {}
    level = [use]
    for _ in range(depth + 1):
        found = {id(other): other for one in level for other in one.joined if id(other) not in seen}
        seen.update(found)
        level = list(found.values())
    return seen.values()


def is_run_matcher(matcher: Matcher) -> bool:
    """Whether a matcher speaks of the run: its id, or an instance named after it."""
    if matcher.label in RUN_LABELS or canonical(matcher.label) == "nemo.run.id":
        return True
    return matcher.label in INSTANCE_LABELS and "rank" in matcher.value


def _judge(matcher: Matcher, dashboard: Dashboard, language: Language, single: frozenset[str]) -> RunFilter:
    names = tuple(dict.fromkeys(m.name for m in mentions(matcher.value) if not m.name.startswith("__")))
    listing = tuple(n for n in names if n in dashboard.by_name and lists_runs(dashboard.by_name[n]))
    variable = next(iter(listing or names), "")
    if matcher.label.startswith("span."):
        return RunFilter(matcher, Hold.SCOPE, variable)
    if not names:
        return RunFilter(matcher, _without_variable(matcher))
    if matcher.op in ("!=", "!~"):
        return RunFilter(matcher, Hold.INVERTED, variable)
    several = {
        n for n in names if n not in single and n in dashboard.by_name and dashboard.by_name[n].several
    }
    trial = _Trial(matcher, language, names, listing or names)
    hold = (
        _unquoted(matcher, several)
        if language is Language.TRACEQL and matcher.bare
        else _reach(trial, several)
    )
    return RunFilter(matcher, hold, variable if hold is not Hold.OPEN else "")


def _unquoted(matcher: Matcher, several: set[str]) -> Hold:
    """An id without quotes is no TraceQL, unless the format of the variable brings them along."""
    quoted = [m for m in mentions(matcher.value) if m.text == matcher.value and m.format == "doublequote"]
    if not quoted:
        return Hold.NEVER
    return Hold.EXACT_LIST if several else Hold.CHOSEN


def _without_variable(matcher: Matcher) -> Hold:
    if matcher.op in ("!=", "!~"):
        return Hold.OPEN
    passed = [matcher.accepts(text) for text in (CHOSEN_IDS[0], *_LONGER, _FOREIGN)]
    if None in passed:
        return Hold.UNKNOWN
    return Hold.OPEN if all(passed) else Hold.FIXED


@dataclass(frozen=True)
class _Trial:
    """A matcher to be filled in: ``names`` are the variables in it, ``runs`` those that hold run ids."""

    matcher: Matcher
    language: Language
    names: tuple[str, ...]
    runs: tuple[str, ...]

    def chosen(self, several: frozenset[str]) -> dict[str, tuple[str, ...]]:
        """A value, or two, for each variable; each variable of runs has runs of its own."""
        ids = iter(CHOSEN_IDS * len(self.runs))
        return {
            name: tuple(next(ids) for _ in range(2 if name in several else 1))
            if name in self.runs
            else ("x",)
            for name in self.names
        }

    def passes(self, chosen: dict[str, tuple[str, ...]], run: str) -> bool | None:
        """Whether a run passes when some are chosen."""
        tail = "-rank0" if self.matcher.label in INSTANCE_LABELS and run else ""
        return self._filled(chosen).accepts(run + tail)

    def _filled(self, chosen: dict[str, tuple[str, ...]]) -> Matcher:
        value = expand(self.matcher.value, chosen, self.language)
        op = self.matcher.op
        if self.language is Language.LUCENE and op == "=":
            if self.matcher.bare and re.fullmatch(r'\(".*"\)', value):
                op, value = "=~", "|".join(re.findall(r'"((?:[^"\\]|\\.)*)"', value))
            else:
                value = re.sub(r"\\(.)", r"\1", value)
        return Matcher(self.matcher.label, op, value)

    def wider(self, chosen: dict[str, tuple[str, ...]]) -> bool:
        """Whether others pass too: ids that are like the chosen one, none at all, or one that is written in."""
        written = self.matcher.op == "=~" and not all(
            any(m.name in chosen for m in mentions(part)) for part in _alternatives(self.matcher.value)
        )
        return written or any(self.passes(chosen, run) for run in (*_LONGER, ""))


def _alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern, those inside of groups left whole."""
    pattern = pattern.removeprefix("^").removesuffix("$")
    whole = re.fullmatch(r"\((?:\?:)?([^()]*)\)", pattern)
    parts, depth = [""], 0
    for char in whole[1] if whole else pattern:
        depth += (char in "([{") - (char in ")]}")
        if char == "|" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _reach(trial: _Trial, several: set[str]) -> Hold:
    """What a matcher lets pass when a run is chosen, and when two are."""
    one = trial.chosen(frozenset())
    runs = [one[name][0] for name in trial.runs]
    passed = [trial.passes(one, run) for run in runs]
    foreign = trial.passes(one, _FOREIGN)
    if foreign is None or None in passed:
        return Hold.UNKNOWN
    if not all(passed):
        return Hold.INVERTED if foreign else Hold.NEVER
    if foreign:
        return Hold.OPEN
    two = trial.chosen(frozenset(several))
    if not all(trial.passes(two, run) for name in trial.runs for run in two[name]):
        return Hold.EXACT_LIST
    return Hold.PREFIX if trial.wider(one) else Hold.CHOSEN


def lists_runs(variable: Variable) -> bool:
    """Whether a variable lists run ids, told by the label that it asks for."""
    label = variable.listing.label
    if label in RUN_LABELS or canonical(label) == "nemo.run.id":
        return True
    return label in INSTANCE_LABELS and "rank" in variable.regex


def filters_every_panel(dashboard: Dashboard, source: DataSource) -> bool:
    """Whether an ad-hoc variable or a control filters all panels of a data source by the run."""
    for variable, operator, _ in run_presets(dashboard):
        same = variable.kind == "control" or variable.source.ref in (source.ref, "") or not source.ref
        if same and not operator.startswith("!"):
            return True
    return False


def run_presets(dashboard: Dashboard) -> Iterator[tuple[Variable, str, str]]:
    """The ad-hoc filters and controls on the run: the variable, its operator and the value that is set."""
    for variable in dashboard.variables:
        if variable.kind in ("adhoc", "control"):
            for key, operator, value in variable.keys:
                if canonical(key) in ("nemo.run.id", "nemo_run_id"):
                    yield variable, operator, value
