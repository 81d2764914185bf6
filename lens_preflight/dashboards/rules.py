"""Rules of Prometheus and Grafana, and Prometheus' own configuration when that is what was given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.model import Failure
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.relabel import Relabel, read_relabels
from lens_preflight.dashboards.results import drawn
from lens_preflight.dashboards.rule_form import RuleSet, new_names, refuse_malformed
from lens_preflight.dashboards.selectors import Query
from lens_preflight.documents import Malformed, Mapping, Node, Scalar, Text, read_texts, read_yaml

SUFFIXES = (".yml", ".yaml", ".json", ".rules")


@dataclass(frozen=True)
class PromRule:
    """One rule; ``kind`` is record or alert, ``at`` the line of its expression.

    ``labels`` are those that it writes on what it records, its group's included. ``delay`` is its ``for``.
    """

    kind: str
    name: str
    text: str
    at: Location
    group: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    delay: str = ""

    @cached_property
    def query(self) -> Query:
        """The expression, taken apart."""
        return drawn(read_promql(substitute(self.text, {})))

    @property
    def shown(self) -> str:
        """The rule as a reader knows it."""
        return f"{'recording rule' if self.kind == 'record' else 'alert'} {self.name}"


@dataclass(frozen=True)
class ScrapeJob:
    """One entry of ``scrape_configs``; ``discovers`` when targets come from service discovery.

    ``labels`` are those of its targets, ``relabels`` what it does to the series, and ``honours`` says
    that labels of a series win over those of the target. ``before`` is what it does to its targets, and
    ``limits`` the numbers beyond which all that a target gives is refused.
    """

    name: str
    targets: tuple[str, ...]
    discovers: bool
    at: Location
    labels: tuple[tuple[str, str], ...] = ()
    relabels: tuple[Relabel, ...] = ()
    honours: bool = False
    before: tuple[Relabel, ...] = ()
    path: str = "/metrics"
    scheme: str = "http"
    interval: str = "1m"
    limits: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class RuleFile:
    """What one file of rules holds; ``failure`` is set when it could not be read.

    ``scrapes`` is None unless the file is a configuration of Prometheus. ``promotes_run_id`` is
    what its ``otlp`` block says, None when it has none. ``unread`` is where a document begins that
    Prometheus does not read, ``new_names`` what only its third generation takes for a name.
    """

    path: str
    rules: tuple[PromRule, ...] = ()
    scrapes: tuple[ScrapeJob, ...] | None = None
    promotes_run_id: bool | None = None
    failure: Failure | None = field(default=None)
    unread: Location | None = None
    new_names: tuple[Failure, ...] = ()


def read_rules(
    paths: Sequence[str | os.PathLike[str]], stdin: Callable[[], bytes] | None = None
) -> tuple[RuleFile, ...]:
    """The rules of files, folders and standard input (``-``).

    Raises:
        InputError: a path cannot be opened or decoded, or a folder holds nothing to read.
    """
    return tuple(_rule_file(text) for text in read_texts(paths, SUFFIXES, stdin))


def _rule_file(source: Text) -> RuleFile:
    try:
        roots = read_yaml(source.text, source.path)
        sets = [one for root in _read(roots) for one in _sets(root)]
        refuse_malformed(sets)
        groups = [group for one in sets for group in one.groups]
        rules = [rule for group in groups for rule in _rules(group)]
    except Malformed as error:
        return RuleFile(source.path, failure=Failure(error.reason, error.at))
    scrapes = [root for root in roots if root.get("scrape_configs") is not None or root.get("rule_files")]
    if not groups and not scrapes and source.named:
        reason = "it holds no rules (no groups, no PrometheusRule, no scrape_configs)"
        return RuleFile(source.path, failure=Failure(reason, Location.file(source.path, 1)))
    promotes = [p for root in roots if (p := _promotes(root)) is not None]
    return RuleFile(
        source.path,
        tuple(rules),
        tuple(job for root in scrapes for job in _scrape_jobs(root)) if scrapes else None,
        promotes[0] if promotes else None,
        unread=next((root.at for root in roots if root not in _read(roots)), None),
        new_names=tuple(new_names(sets)),
    )


def _read(roots: Sequence[Node]) -> list[Node]:
    """The documents of a file that are read: Prometheus takes the first one of a file of rules."""
    plain = [root for root in roots if root.get("groups") is not None]
    further = [root for root in plain[1:] if not root.text("kind") and not root.text("namespace")]
    return [root for root in roots if root not in further]


def _sets(node: Node) -> Iterator[RuleSet]:
    """What holds groups: a rule file, an API reply, a PrometheusRule, a ConfigMap or Helm values."""
    kind = node.text("kind")
    if kind == "List":
        for item in node.children("items"):
            yield from _sets(item)
    yield RuleSet(node, whole=kind is None and node.get("apiVersion") is None)
    for key in ("data", "spec"):
        below = node.get(key)
        if isinstance(below, Mapping):
            yield RuleSet(below, victoria=kind == "VMRule")
    for values in (node.get("additionalPrometheusRulesMap"), node.get("serverFiles")):
        if isinstance(values, Mapping):
            yield from (RuleSet(value) for value in values.entries.values())
    if kind == "ConfigMap":
        yield from _config_map(node.get("data"))


def _config_map(data: Node | None) -> Iterator[RuleSet]:
    for value in data.entries.values() if isinstance(data, Mapping) else ():
        if isinstance(value, Scalar) and isinstance(value.value, str) and "groups" in value.value:
            yield from (
                RuleSet(root, whole=True) for root in _read(read_yaml(value.value, value.path, value.line))
            )


def _rules(group: Node) -> Iterator[PromRule]:
    name = group.text("name") or ""
    common = _labels(group)
    for raw in group.children("rules"):
        labels = tuple({**common, **_labels(raw)}.items())
        for kind in ("record", "alert"):
            expression = raw.get("expr")
            title = raw.text(kind)
            if title is not None and isinstance(expression, Scalar):
                delay = raw.text("for") or ""
                yield PromRule(kind, title, expression.text_value, expression.at, name, labels, delay)
        expression = raw.get("query")
        if isinstance(expression, Scalar) and raw.text("type") in ("recording", "alerting"):
            kind = "record" if raw.text("type") == "recording" else "alert"
            yield PromRule(kind, raw.text("name") or "", expression.text_value, expression.at, name, labels)
        yield from _grafana_rule(raw, name)


def _labels(raw: Node) -> dict[str, str]:
    block = raw.get("labels")
    entries = block.entries if isinstance(block, Mapping) else {}
    return {key: value.text_value for key, value in entries.items() if isinstance(value, Scalar)}


def _grafana_rule(raw: Node, group: str) -> Iterator[PromRule]:
    """A rule of Grafana's alerting: several queries, each with a model."""
    for query in raw.children("data"):
        expression = query.get("model", "expr")
        if isinstance(expression, Scalar):
            kind = "record" if raw.get("record") is not None else "alert"
            title = raw.text("record", "metric") or raw.text("title") or raw.text("uid") or ""
            yield PromRule(kind, title, expression.text_value, expression.at, group)


def _scrape_jobs(root: Node) -> Iterator[ScrapeJob]:
    for raw in root.children("scrape_configs"):
        static = raw.children("static_configs")
        targets = tuple(t.text_value for s in static for t in s.children("targets") if isinstance(t, Scalar))
        discovers = isinstance(raw, Mapping) and any(key.endswith("_sd_configs") for key in raw.entries)
        yield ScrapeJob(
            raw.text("job_name") or "",
            targets,
            discovers,
            raw.at,
            tuple(pair for s in static for pair in _labels(s).items()),
            tuple(read_relabels(raw, "metric_relabel_configs")),
            raw.flag("honor_labels") is True,
            tuple(read_relabels(raw, "relabel_configs")),
            raw.text("metrics_path") or "/metrics",
            raw.text("scheme") or "http",
            raw.text("scrape_interval") or root.text("global", "scrape_interval") or "1m",
            tuple(_limits(root, raw)),
        )


def _limits(root: Node, raw: Node) -> Iterator[tuple[str, int]]:
    for name in ("sample_limit", "label_limit", "label_name_length_limit", "label_value_length_limit"):
        text = raw.text(name) or root.text("global", name) or ""
        if text.isdecimal() and len(text) < 20:
            yield name, int(text)


def _promotes(root: Node) -> bool | None:
    """Whether Prometheus' OTLP receiver turns the run id into a label of every series."""
    block = root.get("otlp")
    if not isinstance(block, Mapping):
        return None
    if block.flag("promote_all_resource_attributes"):
        ignored = [
            i.text_value for i in block.children("ignore_resource_attributes") if isinstance(i, Scalar)
        ]
        return "nemo.run.id" not in ignored
    promoted = block.children("promote_resource_attributes")
    return any(isinstance(item, Scalar) and item.text_value == "nemo.run.id" for item in promoted)


def all_rules(files: Iterable[RuleFile]) -> tuple[PromRule, ...]:
    """The rules of several files, in order."""
    return tuple(rule for file in files for rule in file.rules)
