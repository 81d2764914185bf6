"""The failure-cost check: seconds of a shutdown with a dead endpoint, against the grace of the job."""

from __future__ import annotations

import pytest

from lens_preflight.checks.failure_cost import failure_cost
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from tests.making import outcome, rules

TIMEOUT, METRICS, LOGS = (
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "NEMO_LENS_METRICS_ENABLED",
    "NEMO_LENS_LOGS_ENABLED",
)
STEPS = {"NEMO_LENS_SPAN_GROUPS": "per_step"}


@pytest.mark.parametrize(
    ("env", "refused", "silent"),
    [
        ({METRICS: "0"}, 7, 10),
        ({}, 28, 50),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, 28, 50),
        ({LOGS: "1"}, 35, 60),
        (STEPS, 49, 80),
        ({"OTEL_METRIC_EXPORT_INTERVAL": "5000"}, 35, 50),
        ({"OTEL_METRIC_EXPORT_INTERVAL": "60000"}, 28, 40),
        ({TIMEOUT: "40"}, 123, 150),
        ({TIMEOUT: "1"}, 4, 4),
        ({TIMEOUT: "3"}, 12, 12),
        ({TIMEOUT: "0"}, 0, 0),
        ({METRICS: "0", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "5", TIMEOUT: "100"}, 3, 5),
        ({"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "256", TIMEOUT: "3", **STEPS}, 33, 33),
        ({"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "256", TIMEOUT: "3"}, 12, 12),
    ],
)
def test_seconds_of_a_shutdown(env: dict[str, str], refused: int, silent: int) -> None:
    """Measured: 7.4, 28.4 and 49.6 s with a closed port by default, 50.0 s when nothing answers."""
    reason = outcome(failure_cost, env, lens="0.1").reason
    assert f"about {refused} s if the port is closed, up to {silent} s if nothing answers" in reason


@pytest.mark.parametrize(
    ("env", "status", "reported"),
    [
        ({}, Status.PASS, ["slow-endpoint"]),
        ({METRICS: "0"}, Status.PASS, []),
        ({TIMEOUT: "3"}, Status.PASS, []),
        ({LOGS: "1"}, Status.WARN, ["exceeds-grace"]),
        (STEPS, Status.WARN, ["exceeds-grace"]),
        ({TIMEOUT: "10000"}, Status.WARN, ["exceeds-grace"]),
        ({TIMEOUT: "inf"}, Status.WARN, ["exceeds-grace"]),
        ({TIMEOUT: "nan"}, Status.WARN, ["exceeds-grace"]),
        ({"NEMO_LENS_EXPORTER": "console"}, Status.SKIP, []),
        ({"NEMO_LENS_TRACES_ENABLED": "0", METRICS: "0"}, Status.SKIP, []),
        ({TIMEOUT: "abc"}, Status.UNKNOWN, []),
    ],
)
def test_verdicts(env: dict[str, str], status: Status, reported: list[str]) -> None:
    found = outcome(failure_cost, env, lens="0.1")
    assert (found.status, rules(found)) == (status, reported)


def test_the_remedy_fits_into_the_grace() -> None:
    (judged,) = outcome(failure_cost, STEPS, lens="0.1").findings
    assert judged.finding.settings == ((TIMEOUT, "3"),)
    repaired = {**STEPS, TIMEOUT: "3"}
    assert outcome(failure_cost, repaired, lens="0.1").status is Status.PASS


def test_what_nobody_in_sight_sets_is_assumed_to_be_unset() -> None:
    found = outcome(failure_cost, Environment(complete=False, opaque="it depends on who submits"))
    assert found.status is Status.PASS
    assert "it depends on who submits" in [a.why for a in found.assumptions]
