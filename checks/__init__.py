"""The built-in checks, in checklist order."""

from __future__ import annotations

if __name__ != "lens_preflight.checks":
    raise ImportError("import lens_preflight.checks, not the checkout folder 'checks'")

from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.environment import environment
from lens_preflight.checks.failure_cost import failure_cost
from lens_preflight.checks.otlp_endpoint import otlp_endpoint
from lens_preflight.checks.run_id import run_id
from lens_preflight.checks.sampler import sampler
from lens_preflight.checks.span_groups import span_groups
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.core.check import Check

BUILTIN: tuple[Check, ...] = (
    truncated_spans,
    run_id,
    dashboard_run_id,
    otlp_endpoint,
    sampler,
    dashboard_panels,
    environment,
    failure_cost,
    span_groups,
)
"""Listed by hand; the order is that of the checklist, then of the other sections of the page."""
