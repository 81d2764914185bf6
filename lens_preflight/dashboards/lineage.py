"""Where a recorded series comes from: rules that build on rules, followed to the first metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lens_preflight.core.data import dataclass, field
from lens_preflight.dashboards.fates import Fate, as_scraped, best, fate_of
from lens_preflight.dashboards.rules import PromRule
from lens_preflight.dashboards.selectors import Use
from lens_preflight.dashboards.spans import TRUNCATED_LABELS, Exclusion, exclusion, is_span_duration


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
        if use.metric or not use.on("__name__"):
            return self.rules.get(use.metric, ())
        return tuple(rule for name, rules in self.rules.items() if use.may_name(name) for rule in rules)

    def origins(self, use: Use) -> tuple[tuple[PromRule, Use], ...]:
        """The selectors, with their rules, that a recorded series is computed from, however far up."""
        found: list[tuple[PromRule, Use]] = []
        seen: set[PromRule] = set()
        rules = list(self.recorded(use))
        while rules:
            rule = rules.pop(0)
            if rule in seen:
                continue
            seen.add(rule)
            for inner in rule.query.uses:
                further = [other for other in self.recorded(inner) if other is not rule]
                rules += further
                if not further:
                    found.append((rule, inner))
        return tuple(found)

    def fate(self, use: Use, label: str) -> Fate | None:
        """What the rules leave of a label that a metric had; None when no rule made the series."""
        return self._fate(use, label, {})

    def label(self, use: Use, label: str) -> Fate:
        """The fate of a label on the series that a selector picks, whoever made them; matchers aside."""
        recorded = self.fate(use, label)
        return as_scraped(use, label) if recorded is None else recorded

    def _fate(self, use: Use, label: str, known: dict[PromRule, Fate]) -> Fate | None:
        rules = self.recorded(use)
        return best(self._of_rule(rule, label, known) for rule in rules) if rules else None

    def _of_rule(self, rule: PromRule, label: str, known: dict[PromRule, Fate]) -> Fate:
        set_by_rule = dict(rule.labels).get(label)
        if set_by_rule is not None:
            return Fate.FIXED if set_by_rule else Fate.GONE
        if rule not in known:
            known[rule] = Fate.UNKNOWN  # a rule that reads what it records
            found = fate_of(rule.query.text, label, lambda use: self._fate(use, label, known))
            known[rule] = found
        return known[rule]

    def keeps(self, use: Use, labels: Iterable[str]) -> bool:
        """Whether any of some labels survives the rules between the metric and this selector."""
        return any(self.fate(use, label) in (None, Fate.KEPT) for label in labels)

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
