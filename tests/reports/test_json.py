"""The JSON report keeps to its schema, and only ``run`` is volatile."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports import REPORTS
from lens_preflight.reports.jsonreport import SCHEMA_FILE
from tests.reports.records import everything, finding, outcome, record
from tests.reports.strategies import records

SCHEMA = json.loads(SCHEMA_FILE.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def report(run: RunRecord) -> dict[str, Any]:
    out = io.StringIO()
    REPORTS["json"].write(run, out)
    read = json.loads(out.getvalue())
    assert isinstance(read, dict)
    return read


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "run", [everything(), record(), record(subject={}, run={})], ids=["full", "empty", "bare"]
)
def test_a_report_keeps_to_its_schema(run: RunRecord) -> None:
    VALIDATOR.validate(report(run))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(records())
def test_a_report_of_odd_text_keeps_to_its_schema(run: RunRecord) -> None:
    VALIDATOR.validate(report(run))


@pytest.mark.parametrize(
    "path",
    [("verdict",), ("items", 0, "status"), ("results", 1, "findings", 0, "severity"), ("counts", "fail")],
)
def test_the_schema_rejects_an_unknown_word(path: tuple[Any, ...]) -> None:
    read: Any = report(everything())
    inner = read
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = "splendid"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(read)


@pytest.mark.parametrize("name", SCHEMA["required"])
def test_the_schema_demands_every_part(name: str) -> None:
    read = report(everything())
    del read[name]
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(read)


def test_another_run_on_equal_input_differs_in_run_only() -> None:
    first = everything()
    later = {**first.run, "started": "2027-01-01T00:00:00Z", "seconds": 9.0, "host": "other", "argv": []}
    slower = tuple(replace(outcome, seconds=7.5) for outcome in first.results)
    second = replace(first, run=later, results=slower, profile_why="CI is set to 77", incomplete="deadline")
    one, two = report(first), report(second)
    assert one.pop("run") != two.pop("run")
    assert one == two


def test_what_the_run_says_survives_word_for_word() -> None:
    read = report(everything())
    shutdown = next(result for result in read["results"] if result["check"] == "shutdown")
    found = shutdown["findings"][0]
    assert shutdown["targets"] == ["train.sbatch:13", "train.sbatch:20"]
    assert found["at"] == {"kind": "file", "what": "train.py", "line": 41, "column": 5, "end_line": None}
    assert found["related"][1] == {
        "text": "this call may raise",
        "kind": "file",
        "what": "train.py",
        "line": 30,
    }
    assert read["subject"]["launches"][0]["at"]["line"] == 13
    assert read["run"]["seconds_by_check"]["shutdown"] == 0.012


def test_counts_come_from_the_results_when_nobody_counted() -> None:
    read = report(everything())
    expected = {"pass": 3, "warn": 1, "fail": 2, "unknown": 1, "error": 1, "skip": 1, "waived": 1}
    assert read["counts"] == expected


def test_numbers_that_json_lacks_become_null() -> None:
    read = report(record(run={"seconds": math.inf, "settings": {"a": math.nan, "b": {3, 1}, "c": Path("x")}}))
    assert read["run"]["seconds"] is None
    assert read["run"]["settings"] == {"a": None, "b": [1, 3], "c": "x"}


def test_enumerations_are_written_as_words() -> None:
    read = report(record(run={"settings": {"status": Status.FAIL, "severity": Severity.NOTE}}))
    assert read["run"]["settings"] == {"status": "fail", "severity": 10}


def test_an_undecodable_byte_is_spelt_out_and_other_text_is_kept() -> None:
    found = finding(message="file \udcff\x1b[1m\0 é 漢")
    read = report(record(outcome("shutdown", Status.FAIL, found)))
    assert read["results"][0]["findings"][0]["message"] == "file \\xff\x1b[1m\0 é 漢"
