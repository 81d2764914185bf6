"""The built-in checks, in checklist order."""

from __future__ import annotations

if __name__ != "lens_preflight.checks":
    raise ImportError("import lens_preflight.checks, not the checkout folder 'checks'")

from lens_preflight.checks.backend_run_id import backend_run_id
from lens_preflight.checks.backup_sink import backup_sink
from lens_preflight.checks.collector_alerts import collector_alerts
from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.collector_health import collector_health
from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.environment import environment
from lens_preflight.checks.failure_cost import failure_cost
from lens_preflight.checks.log_scope import log_scope
from lens_preflight.checks.otlp_endpoint import otlp_endpoint
from lens_preflight.checks.propagation import propagation
from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.resource_attributes import resource_attributes
from lens_preflight.checks.rollback import rollback
from lens_preflight.checks.run_id import run_id
from lens_preflight.checks.sampler import sampler
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from lens_preflight.checks.sigterm import sigterm
from lens_preflight.checks.span_groups import span_groups
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.checks.volume import volume
from lens_preflight.core.check import Check

BUILTIN: tuple[Check, ...] = (
    setup_once,
    shutdown,
    sigterm,
    truncated_spans,
    run_id,
    dashboard_run_id,
    backend_run_id,
    otlp_endpoint,
    rank_decision,
    sampler,
    dashboard_panels,
    rollback,
    environment,
    propagation,
    failure_cost,
    span_groups,
    volume,
    resource_attributes,
    log_scope,
    collector_config,
    backup_sink,
    collector_alerts,
    collector_health,
)
"""Listed by hand; the order is that of the checklist, then of the other sections of the page."""
