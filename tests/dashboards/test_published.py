"""The dashboards and collector files that NeMo Lens publishes, judged from a checkout of it.

Set PREFLIGHT_NEMO_LENS to the checkout; without it these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.checks.backup_sink import backup_sink
from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.collector import read_collector
from lens_preflight.core.check import Check
from lens_preflight.core.words import Severity, Status
from lens_preflight.dashboards import read_dashboards
from lens_preflight.dashboards.rules import read_rules
from tests.checks.asking import Asked, ask

CHECKOUT = os.environ.get("PREFLIGHT_NEMO_LENS", "")
pytestmark = pytest.mark.skipif(not CHECKOUT, reason="PREFLIGHT_NEMO_LENS names no checkout of NeMo Lens")
FOLDER = Path(CHECKOUT) / "observability"


def weighty(check: Check, asked: Asked) -> tuple[Status, set[str]]:
    """The status and the rules that are more than notes."""
    answer = ask(check, asked)
    return answer.status, {f.rule.name for f in answer.findings if f.severity > Severity.NOTE}


def test_both_dashboards_together() -> None:
    asked = Asked(dashboards=read_dashboards([FOLDER / "grafana" / "dashboards"]))
    assert weighty(dashboard_panels, asked) == (Status.WARN, {"datasource-fixed"})
    assert weighty(dashboard_run_id, asked) == (Status.WARN, {"mixed-runs"})
    assert weighty(truncated_spans, asked) == (Status.PASS, set())


def test_no_gpu_panel_is_asked_for_a_run() -> None:
    asked = Asked(dashboards=read_dashboards([FOLDER / "grafana" / "dashboards"]))
    findings = ask(dashboard_run_id, asked).findings
    assert findings and not any("DCGM" in f.evidence.get("query", "") for f in findings)


def test_the_saved_searches_are_stale_and_show_no_family() -> None:
    asked = Asked(dashboards=read_dashboards([FOLDER / "kibana" / "saved-objects.ndjson"]))
    assert weighty(dashboard_panels, asked) == (Status.FAIL, {"family-missing", "stale-span-name"})
    assert weighty(dashboard_run_id, asked)[0] is Status.FAIL


CARE = {"queue-in-memory", "retry-short", "telemetry-local"}


@pytest.mark.parametrize(
    ("name", "status", "rules", "sinks"),
    [
        ("otel-collector.yaml", Status.WARN, CARE | {"stale-series", "tls-off"}, Status.PASS),
        ("otel-collector-file.yaml", Status.WARN, {"limiter-missing", "telemetry-local"}, Status.WARN),
        ("otel-collector-honeycomb.yaml", Status.WARN, CARE, Status.WARN),
        ("otel-collector-rabbitmq.yaml", Status.WARN, CARE | {"inline-secret"}, Status.WARN),
        ("otel-collector-rabbitmq-infra.yaml", Status.WARN, CARE | {"inline-secret"}, Status.WARN),
        ("otel-collector-weave.yaml", Status.FAIL, CARE | {"signal-to-nowhere"}, Status.WARN),
    ],
)
def test_the_collector_files(name: str, status: Status, rules: set[str], sinks: Status) -> None:
    asked = Asked(collector=read_collector([FOLDER / name]))
    assert weighty(collector_config, asked) == (status, rules)
    assert ask(backup_sink, asked).status is sinks
    assert ask(truncated_spans, asked).status is Status.PASS


def test_nobody_scrapes_the_collectors_own_metrics() -> None:
    (file,) = read_rules([FOLDER / "prometheus.yml"])
    assert file.scrapes is not None
    assert [target for job in file.scrapes for target in job.targets] == ["otel-collector:8889"]
