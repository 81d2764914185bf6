"""The line of a monitoring plug-in: state and data by the guidelines, details after it, 4 KB in all."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports import nagios
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import rendered
from tests.reports.strategies import records

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
FIRST = re.compile(r"LENS (?P<state>OK|WARNING|CRITICAL|UNKNOWN) - (?P<text>[^|\n]+) \| (?P<data>[^|\n]+)")
DATUM = re.compile(r"(?P<label>[a-z]+)=(?P<value>\d+(?:\.\d+)?)(?P<unit>s?)(?:;\d*){0,4}")


def read(run: RunRecord) -> tuple[str, dict[str, float], list[str]]:
    """State, data and details, as the plug-in guidelines define them."""
    first, *details = rendered("nagios", run).splitlines()
    match = FIRST.fullmatch(first)
    assert match, first
    data = {}
    for word in match["data"].split(" "):
        datum = DATUM.fullmatch(word)
        assert datum, word
        data[datum["label"]] = float(datum["value"])
    return match["state"], data, details


@relaxed
@given(records())
def test_the_data_count_what_the_run_holds(run: RunRecord) -> None:
    state, data, details = read(run)
    found = [outcome.status for outcome in run.results]
    assert data["checks"] == len(found)
    assert data["failed"] == found.count(Status.FAIL)
    assert data["warned"] == found.count(Status.WARN)
    assert data["unknown"] == found.count(Status.UNKNOWN) + found.count(Status.ERROR)
    assert nagios.STATES.index(state) == nagios.state(run)
    assert not [line for line in details if "|" in line]
    assert (state == "OK") <= (run.exit_code == 0 and run.verdict == "ready" and not run.incomplete)
    assert len(rendered("nagios", run).encode()) <= 4096


CAUTION = outcome("sampler", Status.WARN, finding(severity=Severity.CAUTION))
WAIVED = outcome("sampler", Status.PASS, Judged(finding(severity=Severity.CAUTION), (), "until May"))
NOTED = outcome("sampler", Status.PASS, finding(severity=Severity.NOTE))
FAILED = outcome("shutdown", Status.FAIL, finding())
DOUBT = outcome("run-id", Status.UNKNOWN, reason="sourced", decisive=True)


@pytest.mark.parametrize(
    ("results", "verdict", "code", "state"),
    [
        ((outcome(),), "ready", 0, nagios.OK),
        ((NOTED,), "ready", 0, nagios.OK),
        ((WAIVED,), "ready", 0, nagios.OK),
        ((CAUTION,), "ready", 0, nagios.WARNING),
        ((DOUBT,), "ready", 0, nagios.WARNING),
        ((FAILED,), "not-ready", 1, nagios.CRITICAL),
        ((CAUTION,), "not-ready", 1, nagios.CRITICAL),
        ((FAILED,), "not-ready", 0, nagios.WARNING),
        ((FAILED,), "not-ready", 143, nagios.CRITICAL),
        ((DOUBT,), "cannot-tell", 3, nagios.UNKNOWN),
        ((DOUBT,), "cannot-tell", 0, nagios.WARNING),
        ((outcome(),), "cannot-tell", 130, nagios.UNKNOWN),
        ((), "nothing-judged", 4, nagios.UNKNOWN),
    ],
)
def test_the_state_of_a_run(results: tuple[object, ...], verdict: str, code: int, state: int) -> None:
    assert nagios.state(record(*results, verdict=verdict, exit_code=code)) == state  # type: ignore[arg-type]


def test_the_details_are_worst_first() -> None:
    state, data, details = read(everything())
    assert (state, data["failed"], data["time"]) == ("CRITICAL", 2, 1.234)
    assert details[0].startswith("NOT READY: 2 fail")
    assert [line.split()[0] for line in details[1:]] == ["FAIL", "FAIL", "unknown", "warn", "error", "note"]


def test_what_does_not_fit_is_counted() -> None:
    found = [finding(message=f"{number} " + "x" * 200) for number in range(50)]
    _, _, details = read(record(outcome("shutdown", Status.FAIL, *found), exit_code=1, verdict="not-ready"))
    assert details[-1] == f"and {50 - (len(details) - 2)} more; --report json has all"
