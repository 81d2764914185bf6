"""How the rules of otlp-endpoint are declared: blockers of the platform, unless said otherwise."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity


def rule(
    name: str,
    summary: str,
    help: str,
    owner: Owner = Owner.PLATFORM,
    severity: Severity = Severity.BLOCKER,
) -> Rule:
    """One rule of the check."""
    return Rule(f"otlp-endpoint/{name}", summary, severity, owner, help)
