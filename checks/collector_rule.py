"""How the rules of collector-config are declared: what the platform's people can change."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity


def rule(name: str, severity: Severity, summary: str, help: str) -> Rule:
    """One rule of the check."""
    return Rule(f"collector-config/{name}", summary, severity, Owner.PLATFORM, help)
