"""GitLab Code Quality: required fields, fingerprints that differ, nothing red without a place."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft7Validator

from lens_preflight.core.finding import Location
from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import rendered, untold, waived, weights
from tests.reports.strategies import records

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": TEXT,
            "check_name": TEXT,
            "fingerprint": TEXT,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1, "not": {"pattern": "^\\./"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""What GitLab's documentation asks for."""


def read(run: RunRecord) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(rendered("gitlab", run), parse_constant=pytest.fail)
    return found


@relaxed
@given(records())
def test_it_has_what_gitlab_needs_and_counts_what_the_run_holds(run: RunRecord) -> None:
    found = read(run)
    Draft7Validator(SCHEMA).validate(found)
    prints = [issue["fingerprint"] for issue in found]
    assert len(set(prints)) == len(prints)
    words = Counter(issue["severity"] for issue in found)
    weight = weights(run)
    red = sum(o.status is Status.FAIL and all(j.waived for j in o.findings) for o in run.results)
    verdict = sum(issue["check_name"] == "verdict" for issue in found)
    assert words["info"] == weight[Severity.NOTE] + waived(run)
    heavy = weight[Severity.BLOCKER] + weight[Severity.CAUTION] + untold(run) + red + verdict
    assert len(found) - words["info"] == heavy
    assert words["blocker"] == weight[Severity.BLOCKER]


def test_a_finding_is_at_its_line() -> None:
    first = read(everything())[0]
    assert first["location"] == {"path": "train.py", "lines": {"begin": 41}}
    assert first["severity"] == "blocker"
    assert "; fix: wrap lines 22 to 40" in first["description"]


def test_what_has_no_file_is_shown_where_its_launch_is_started() -> None:
    launches = [{"key": f"j.sbatch:{n}", "at": f"jobs/j.sbatch:{n}"} for n in (13, 20)]
    unset = finding("sampler/unset", at=Location.variable("OTEL_TRACES_SAMPLER"))
    for key in ("j.sbatch:20", "traces @ j.sbatch:20"):
        result = outcome("sampler", Status.FAIL, unset, targets=(key,))
        (issue,) = read(record(result, exit_code=1, subject={"launches": launches}))
        assert issue["location"] == {"path": "jobs/j.sbatch", "lines": {"begin": 20}}
        assert issue["description"].startswith("$OTEL_TRACES_SAMPLER: ")


def test_without_a_launch_it_is_shown_at_a_file_that_was_read() -> None:
    result = outcome("sampler", Status.FAIL, finding(at=Location.variable("A")), targets=())
    (issue,) = read(record(result, exit_code=1, subject={}, inputs=(("train.py", "0" * 64),)))
    assert issue["location"] == {"path": "train.py", "lines": {"begin": 1}}


def test_a_waived_finding_stays_as_an_info_and_twins_stay_apart() -> None:
    known = Judged(finding(), (), "until May")
    twins = (outcome("shutdown", Status.FAIL, finding()), outcome("shutdown", Status.FAIL, finding(), known))
    first, second, third = read(record(*twins, exit_code=1))
    assert second["fingerprint"] == f"{first['fingerprint']}:2"
    assert (second["severity"], third["severity"]) == ("blocker", "info")
    assert third["description"].startswith("waived (until May): ")
