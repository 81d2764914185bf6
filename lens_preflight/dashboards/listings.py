"""What a run variable really lists: its query, its pattern and its All, tried on sample runs."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from lens_preflight.core.errors import Undecided
from lens_preflight.dashboards.families import Catalogue, spellings
from lens_preflight.dashboards.fates import Fate, fate_of
from lens_preflight.dashboards.infrastructure import exempt
from lens_preflight.dashboards.languages import refuses_promql
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Dashboard, Variable
from lens_preflight.dashboards.naming import stem
from lens_preflight.dashboards.promql import parsed, read_promql
from lens_preflight.dashboards.runs import INSTANCE_LABELS, RUN_LABELS
from lens_preflight.dashboards.selectors import Matcher, Query, Use
from lens_preflight.dashboards.spans import is_span_duration
from lens_preflight.dashboards.variables import mentions

SAMPLES = ("run-1", "f3c7", "llama3-8b_2026.11.30", "1234567")
"""Ids as people, Slurm and generators make them."""

_PATTERN = re.compile(r"[\\^$.|?*+()\[\]{}]")
_PATTERN_TEXT = re.compile(r"/(.*)/([gimsuy]*)", re.DOTALL)
_NESTED = re.compile(r"\([^()]*[+*][^()]*\)[+*{]")
"""Repetitions in one another, which may take for ever to find out that they do not fit."""

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


class Flaw(enum.Enum):
    """What is wrong with a list of runs."""

    BROKEN = "broken"
    """Nobody can pick the run by it."""
    NARROW = "narrow"
    """Some runs are not in it."""
    UNSURE = "unsure"
    """Nothing tells that the metric has run ids."""


Told: TypeAlias = tuple[Flaw, str]


def flaws(
    variable: Variable, board: Dashboard, catalogue: Catalogue, lineage: Lineage, shown: Iterable[str]
) -> Iterator[Told]:
    """What is wrong with the list of a variable that lists runs; ``shown`` are the metrics of the panels.

    Raises:
        Undecided: what it lists cannot be told.
    """
    query = read_promql(substitute(variable.listing.selector, {}))
    asks_prometheus = variable.listing.how not in ("tag values", "unknown")
    plugin = board.plugin(variable.source)
    if asks_prometheus and refuses_promql(plugin) and any(use.metric for use in query.uses):
        yield Flaw.BROKEN, f"asks {plugin} by a query for Prometheus"
    elif variable.listing.selector and asks_prometheus:
        known = frozenset(shown)
        for use in query.uses:
            yield from _selector(use, variable, board, lineage, catalogue, known)
        if variable.listing.how == "query_result":
            yield from _result(query, variable, lineage)
    if variable.regex:
        yield from _taken(variable, query)


def _selector(
    use: Use,
    variable: Variable,
    board: Dashboard,
    lineage: Lineage,
    catalogue: Catalogue,
    shown: frozenset[str],
) -> Iterator[Told]:
    """One selector of the query: its matchers, and whether its series carry the label."""
    for matcher in use.matchers:
        for mention in mentions(matcher.value):
            if mention.name == variable.name:
                yield Flaw.BROKEN, f"asks for its own value: {matcher}"
            elif not (mention.name.startswith("__") or mention.name in {*board.by_name, *board.inputs}):
                yield Flaw.BROKEN, f"is confined by ${mention.name}, which does not exist"
            elif matcher.op == "=" and mention.name in board.by_name and board.by_name[mention.name].several:
                yield Flaw.BROKEN, f"is confined by {matcher}, which compares with a list of values"
    if use.contradiction:
        yield Flaw.BROKEN, f"lists nothing: {use.contradiction}"
    for matcher in use.on(*RUN_LABELS):
        if not list(mentions(matcher.value)):
            yield from _confined(matcher)
    yield from _metric(use, variable, lineage, catalogue, shown)


def _confined(matcher: Matcher) -> Iterator[Told]:
    passed = [matcher.accepts(sample) for sample in SAMPLES]
    if None in passed:
        raise Undecided(f"what {matcher} matches cannot be told")
    if all(passed):
        return
    pattern = matcher.op in ("=~", "!~") and _PATTERN.search(matcher.value)
    if pattern or matcher.op in ("!=", "!~"):
        yield Flaw.NARROW, f"leaves runs out by {matcher}"
    else:
        yield Flaw.BROKEN, f"is confined by {matcher}"


def _metric(
    use: Use, variable: Variable, lineage: Lineage, catalogue: Catalogue, shown: frozenset[str]
) -> Iterator[Told]:
    name = use.metric
    if not name or name == "target_info" or exempt(name):
        return
    label = variable.listing.label
    recorded = bool(lineage.recorded(use))
    fate = lineage.label(use, label)
    if fate is Fate.UNKNOWN:
        raise Undecided(f"whether the series of {name} have {label} cannot be told")
    if fate is not Fate.KEPT:
        why = f"whose rule does not keep {label}" if recorded else f"which has no label {label}"
        yield Flaw.BROKEN, f"asks {name}, {why}"
    own = any(stem(own) == stem(name) for _, own in catalogue.own)
    spans = is_span_duration(use) or stem(name).startswith(("traces_span", "span_metrics", "spanmetrics"))
    if not recorded and not (name in shown or own or spans or spellings(name, catalogue)):
        yield Flaw.UNSURE, f"asks {name}, which no framework records and no panel shows"


def _result(query: Query, variable: Variable, lineage: Lineage) -> Iterator[Told]:
    """``query_result`` lists the series of an expression, whose labels must hold the run."""
    label = variable.listing.label
    fate = fate_of(query.text, label, lambda use: lineage.fate(use, label))
    if fate is Fate.UNKNOWN:
        raise Undecided(f"whether {variable.listing.selector} keeps {label} cannot be told")
    if fate is not Fate.KEPT:
        yield Flaw.BROKEN, f"asks for {variable.listing.selector}, which drops {label}"


def _taken(variable: Variable, query: Query) -> Iterator[Told]:
    """Its pattern: what it passes must be the whole id."""
    pattern = _javascript(variable.regex)
    if pattern is None:
        raise Undecided(f"the pattern {variable.regex} of variable {variable.name} cannot be tried")
    found = {sample: _value(pattern, _listed(variable, query, sample)) for sample in SAMPLES}
    passed = {sample: value for sample, value in found.items() if value is not None}
    wrong = next(((s, v) for s, v in passed.items() if s != v), None)
    if wrong is not None:
        yield Flaw.BROKEN, f"takes {wrong[1]!r} of the id {wrong[0]} by {variable.regex}"
    elif not passed and pattern.search("") is not None:
        yield Flaw.BROKEN, f"lists no run that fits {variable.regex}"
    elif len(passed) < len(SAMPLES):
        yield Flaw.NARROW, f"leaves runs out by {variable.regex}"


def _javascript(text: str) -> re.Pattern[str] | None:
    """The pattern as Grafana reads it: between slashes, or anchored."""
    slashed = _PATTERN_TEXT.fullmatch(text)
    body, flags = (slashed[1], slashed[2]) if slashed else (f"^{text}$", "")
    if _NESTED.search(body):
        return None
    try:
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", body), sum(_FLAGS.get(f, 0) for f in flags))
    except (re.error, RecursionError, OverflowError):
        return None


def _value(pattern: re.Pattern[str], text: str) -> str | None:
    """The value that Grafana takes of one entry, None when it passes the entry over."""
    match = pattern.search(text)
    if match is None:
        return None
    named = match.groupdict()
    if named.get("value") or named.get("text"):
        return named.get("value") or named.get("text")
    return (match.group(1) or "") if pattern.groups else text


def _listed(variable: Variable, query: Query, run: str) -> str:
    """An entry of the list before the pattern: the text of a label, or a series as Grafana writes it."""
    label = variable.listing.label
    if variable.listing.how.startswith(("label_values", "tag")):
        return f"{run}-rank0" if label in INSTANCE_LABELS else run
    labels = dict.fromkeys(_grouped(query.text), "x") or {"instance": "x:1", "service_name": "x"}
    labels[label] = f"{run}-rank0" if label in INSTANCE_LABELS else run
    shown = ",".join(f'{name}="{value}"' for name, value in sorted(labels.items()))
    return f"{{{shown}}} 1 1767225600000"


def _grouped(text: str) -> tuple[str, ...]:
    """The labels of an aggregation by labels; empty for anything else."""
    try:
        node = parsed(text)
    except ValueError:
        return ()
    while type(node).__name__ in ("ParenExpr", "AggregateExpr") and str(getattr(node, "op", "topk")) in (
        "topk",
        "bottomk",
    ):
        node = node.expr
    modifier = getattr(node, "modifier", None) if type(node).__name__ == "AggregateExpr" else None
    if modifier is None or str(modifier.type).endswith("Without"):
        return ()
    return tuple(modifier.labels)


def all_flaw(variable: Variable) -> Told | None:
    """What is wrong with the value of All, as a pattern of Prometheus.

    Raises:
        Undecided: the pattern cannot be tried.
    """
    value = variable.all_value
    if not variable.include_all or not value or list(mentions(value)):
        return None
    if value[0] in "*+?":
        return Flaw.BROKEN, f"has allValue {value}, which is no pattern"
    passed = [Matcher("", "=~", value).accepts(sample) for sample in SAMPLES]
    if None in passed:
        raise Undecided(f"what allValue {value} of variable {variable.name} matches cannot be told")
    if all(passed):
        return None
    return (
        Flaw.NARROW if _PATTERN.search(value) else Flaw.BROKEN
    ), f"has allValue {value}, which is not all runs"
