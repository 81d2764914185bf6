"""The names that checks and reports from elsewhere may rely on; everything else is private.

Additive within a major version: names stay, and grow only keyword arguments with defaults.
"""

from __future__ import annotations

from lens_preflight.context import Context
from lens_preflight.core.check import Check, check
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Location, Place, Proof, Related, Rule
from lens_preflight.core.outcome import Item, Judged, Outcome, RunRecord, Target
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import Need, Owner, Scope, Severity, Spread, State, Status
from lens_preflight.core.world import World
from lens_preflight.reports.writer import Style, Writer
from lens_preflight.subject.launch import Launch

API_VERSION = 1

__all__ = [
    "API_VERSION",
    "Assumption",
    "Check",
    "Context",
    "Deadline",
    "Environment",
    "Finding",
    "Item",
    "Judged",
    "Launch",
    "Location",
    "Need",
    "Origin",
    "Outcome",
    "Owner",
    "Place",
    "Proof",
    "Related",
    "Rule",
    "RunRecord",
    "Scope",
    "Severity",
    "Skip",
    "Spread",
    "State",
    "Status",
    "Style",
    "Target",
    "Undecided",
    "Variable",
    "World",
    "Writer",
    "check",
]
