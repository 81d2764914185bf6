"""Where a recorded series comes from: rules that build on rules, followed to the first metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lens_preflight.core.data import dataclass, field
from lens_preflight.dashboards.rules import PromRule
from lens_preflight.dashboards.selectors import Use
from lens_preflight.dashboards.spans import TRUNCATED_LABELS, Exclusion, exclusion, is_span_duration

MAX_DEPTH = 8


@dataclass(frozen=True)
class Lineage:
    """Recording rules by the name that they record."""

    rules: Mapping[str, tuple[PromRule, ...]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, rules: Iterable[PromRule]) -> Lineage:
        """From rules of any kind; alerts record nothing."""
        table: dict[str, tuple[PromRule, ...]] = {}
        for rule in rules:
            if rule.kind == "record":
                table[rule.name] = (*table.get(rule.name, ()), rule)
        return cls(table)

    def recorded(self, use: Use) -> tuple[PromRule, ...]:
        """The rules that record the series of a selector; empty for a metric as it was scraped."""
        return self.rules.get(use.metric, ())

    def origins(self, use: Use, depth: int = MAX_DEPTH) -> tuple[tuple[PromRule, Use], ...]:
        """The selectors, with their rules, that a recorded series is computed from, to any depth."""
        found: list[tuple[PromRule, Use]] = []
        for rule in self.recorded(use) if depth else ():
            for inner in rule.query.uses:
                deeper = self.origins(inner, depth - 1)
                found += deeper or [(rule, inner)]
        return tuple(found)

    def keeps(self, use: Use, labels: Iterable[str], depth: int = MAX_DEPTH) -> bool:
        """Whether any of some labels survives every rule between the metric and this selector."""
        rules = self.recorded(use)
        if not rules or not depth:
            return True
        wanted = tuple(labels)
        return all(
            any(inner.kept.has(label) for label in wanted) and self.keeps(inner, wanted, depth - 1)
            for rule in rules
            for inner in rule.query.uses
        )

    def from_spans(self, use: Use, namespaces: Iterable[str] = ()) -> bool:
        """Whether a recorded series is made of durations of spans."""
        return any(is_span_duration(origin, namespaces) for _, origin in self.origins(use))

    def excluded_upstream(self, use: Use) -> bool:
        """Whether every rule on the way keeps truncated spans out already."""
        origins = [origin for _, origin in self.origins(use) if is_span_duration(origin)]
        return bool(origins) and all(exclusion(origin) is Exclusion.EXCLUDED for origin in origins)

    def keeps_truncated_label(self, use: Use) -> bool:
        """Whether a filter on the label of truncated spans can still do anything here."""
        return self.keeps(use, TRUNCATED_LABELS)
