from __future__ import annotations

import pytest

from lens_preflight.core.words import Owner, Severity, Status
from lens_preflight.gate.classes import Class, faults, inconclusive
from lens_preflight.gate.control import Control, Controls
from tests.gate.records import failed, finding, outcome, record

FINE = Controls(Control.FINE, Control.FINE, Control.FINE)
NOT_ASKED = Controls()
NO_NAMES = Controls(Control.FAILED, Control.FINE, Control.FINE, "the known name has no address here either")
NO_ROUTE = Controls(Control.FINE, Control.FAILED, Control.FAILED, "no route leads out of this host")


@pytest.mark.parametrize(
    ("rule", "controls", "cause"),
    [
        ("dns-failed", NO_NAMES, Class.HOST),
        ("dns-failed", FINE, Class.SHARED),
        ("dns-failed", NOT_ASKED, Class.SHARED),
        ("dns-failed", NO_ROUTE, Class.SHARED),
        ("unreachable", NO_ROUTE, Class.HOST),
        ("syn-dropped", NO_ROUTE, Class.HOST),
        ("syn-dropped", FINE, Class.SHARED),
        ("refused", NO_NAMES, Class.SHARED),
        ("proxy-down", NO_ROUTE, Class.HOST),
        ("ca-file-missing", FINE, Class.HOST),
        ("client-pair-incomplete", FINE, Class.HOST),
        ("tls-untrusted", NO_ROUTE, Class.SHARED),
        ("tls-expired", NO_ROUTE, Class.SHARED),
        ("unauthorized", NO_ROUTE, Class.SHARED),
        ("unavailable", NO_ROUTE, Class.SHARED),
        ("endpoint-syntax", NO_ROUTE, Class.SHARED),
    ],
)
def test_only_a_failing_control_makes_it_the_hosts_fault(rule: str, controls: Controls, cause: Class) -> None:
    (only,) = faults(failed(finding(f"otlp-endpoint/{rule}", Owner.JOB)), controls)
    assert only.cause is cause
    assert only.proven is (cause is Class.HOST)


@pytest.mark.parametrize(
    ("owner", "cause"),
    [
        (Owner.HOST, Class.HOST),
        (Owner.PLATFORM, Class.SHARED),
        (Owner.JOB, Class.JOB),
        (Owner.FRAMEWORK, Class.JOB),
    ],
)
def test_other_rules_go_by_their_owner(owner: Owner, cause: Class) -> None:
    (only,) = faults(failed(finding("site/clock-off", owner)), FINE)
    assert only.cause is cause


def test_the_hosts_fault_comes_first_and_cautions_are_none() -> None:
    found = faults(
        failed(
            finding("otlp-endpoint/unauthorized"),
            finding("otlp-endpoint/ca-file-missing"),
            finding("otlp-endpoint/partly-reachable", severity=Severity.CAUTION),
        ),
        FINE,
    )
    assert [f.cause for f in found] == [Class.HOST, Class.SHARED]


def test_a_run_without_a_proof_is_no_pass() -> None:
    assert not inconclusive(record(outcome()))
    assert inconclusive(record(outcome(Status.UNKNOWN, reason="no time")))
    assert inconclusive(record(outcome(Status.ERROR, reason="broke")))
    assert inconclusive(record(outcome(Status.SKIP, reason="telemetry is off")))
    assert inconclusive(record(outcome(), incomplete="terminated"))
    assert inconclusive(record())
