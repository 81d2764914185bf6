"""The rules whose findings may end up without weight in this run."""

from __future__ import annotations

from collections.abc import Iterable

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.check import Check
from lens_preflight.core.words import Severity
from lens_preflight.settings import Settings


def lifted(checks: Iterable[Check], settings: Settings, baseline: Accepted | None) -> frozenset[str]:
    """The ids of the rules that the settings make lighter, that a waiver names, or all under a baseline.

    A check goes on behind a finding of these, and tells each place: else what a waiver covers would
    hide what it does not. A baseline needs that in the run that writes it too. The bare id of a check
    stands for its not knowing.
    """
    if not (settings.severity or settings.waivers or baseline is not None):
        return frozenset()
    named = {waiver.rule for waiver in settings.waivers}
    rules = [rule for check in checks for rule in check.rules]
    found = {
        rule.id
        for rule in rules
        if baseline is not None
        or rule.id in named
        or f"{rule.check}/*" in named
        or (settings.severity.get(rule.id, rule.severity) or Severity.NOTE) < rule.severity
    }
    return frozenset(found | {name for name in named if "/" not in name})
