"""JUnit that strict readers accept, with a case per target and nothing green that was not seen."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import junitparser
import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from lens_preflight.core.finding import Location
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Scope, Severity, Status
from lens_preflight.reports import REPORTS
from tests.reports.records import everything, finding, outcome, record
from tests.reports.strategies import records
from tests.reports.xsd import SOURCES, schema


def suite(run: RunRecord) -> etree._Element:
    return etree.fromstring(text(run).encode())[0]


def text(run: RunRecord) -> str:
    out = io.StringIO()
    REPORTS["junit"].write(run, out)
    return out.getvalue()


def only_case(result: Outcome, exit_code: int = 0, verdict: str = "ready") -> etree._Element:
    cases = suite(record(result, exit_code=exit_code, verdict=verdict)).findall("testcase")
    assert len(cases) == 1
    return cases[0]


ODD_TIMES: tuple[dict[str, Any], ...] = (
    {"started": "2026-13-99T00:00:00", "seconds": 1e-9, "host": ""},
    {"started": "2026-02-03T04:05:06.123+00:00", "seconds": 1e300, "host": " \n "},
    {"started": None, "seconds": float("nan")},
    {},
)


@pytest.mark.parametrize("name", [source.name for source in SOURCES])
@pytest.mark.parametrize(
    "run", [everything(), record(), *(record(outcome(), run=times) for times in ODD_TIMES)]
)
def test_the_strict_schemas_accept_it(name: str, run: RunRecord) -> None:
    schema(name).assertValid(etree.fromstring(text(run).encode()))


@pytest.mark.parametrize("name", [source.name for source in SOURCES])
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(run=records())
def test_the_strict_schemas_accept_odd_text(name: str, run: RunRecord) -> None:
    schema(name).assertValid(etree.fromstring(text(run).encode()))


@pytest.mark.parametrize(
    ("status", "decisive", "exit_code", "child", "type"),
    [
        (Status.PASS, True, 0, None, None),
        (Status.WARN, True, 0, None, None),
        (Status.FAIL, True, 1, "failure", "lens.fail"),
        (Status.FAIL, True, 0, "failure", "lens.fail"),
        (Status.ERROR, False, 0, "error", "lens.error"),
        (Status.UNKNOWN, True, 3, "error", "lens.unknown"),
        (Status.UNKNOWN, True, 0, "skipped", None),
        (Status.UNKNOWN, False, 0, "skipped", None),
        (Status.SKIP, True, 0, "skipped", None),
    ],
)
def test_a_status_has_one_child(
    status: Status, decisive: bool, exit_code: int, child: str | None, type: str | None
) -> None:
    case = only_case(outcome("shutdown", status, reason="because", decisive=decisive), exit_code)
    assert [inner.tag for inner in case] == ([child] if child else [])
    assert [inner.get("type") for inner in case] == ([type] if child else [])
    assert all("because" in (inner.text or "") for inner in case)


def test_an_unknown_beside_a_fail_did_not_make_the_exit_code() -> None:
    fail = outcome("shutdown", Status.FAIL, finding(), decisive=True)
    unknown = outcome("run-id", Status.UNKNOWN, reason="not seen", decisive=True)
    cases = suite(record(fail, unknown, exit_code=1, verdict="not-ready")).findall("testcase")
    assert [case[0].tag for case in cases] == ["failure", "skipped"]
    assert cases[1][0].get("message") == "unknown: not seen"


@pytest.mark.parametrize(
    ("verdict", "code", "child"),
    [("nothing-judged", 4, "error"), ("cannot-tell", 130, "error"), ("not-ready", 1, "failure")],
)
def test_a_run_that_is_not_green_has_a_case_that_is_not(verdict: str, code: int, child: str) -> None:
    skip = outcome("shutdown", Status.SKIP, reason="no script")
    cases = suite(record(skip, verdict=verdict, exit_code=code, headline="H")).findall("testcase")
    assert [case[0].tag for case in cases] == ["skipped", child]
    assert cases[1][0].get("message") == "H"


def test_folded_targets_are_cases_of_their_own() -> None:
    cases = [c for c in suite(everything()).findall("testcase") if c.get("classname") == "shutdown"]
    assert [case.get("name") for case in cases] == [
        "Shutdown on every path (train.sbatch:13)",
        "Shutdown on every path (train.sbatch:20)",
    ]
    assert all(case.find("failure") is not None for case in cases)


def test_a_target_shows_its_own_findings() -> None:
    one, two = (Target(Scope.FILE, key) for key in ("a.json", "b.json"))
    found = (Judged(finding(message="in a"), (one,)), Judged(finding(message="in b"), (two,)))
    result = replace(outcome("dashboard-panels", Status.FAIL, *found), targets=(one, two))
    messages = [failure.get("message") for failure in suite(record(result)).iter("failure")]
    assert messages == ["in a", "in b"]


def test_cases_with_one_name_are_numbered() -> None:
    twice = (outcome(targets=("a",)), outcome(targets=("a",)), outcome(targets=("a", "a")))
    names = [case.get("name") for case in suite(record(*twice)).findall("testcase")]
    assert len(set(names)) == 4


def test_a_failure_says_all_that_is_needed() -> None:
    failure = only_case(_shutdown(), 1)[0]
    told = failure.text or ""
    assert told.startswith("train.py:41:5: blocker: handle.shutdown() runs only when")
    assert "fix: wrap lines 22 to 40" in told
    assert "train.py:12: telemetry is set up here" in told
    assert "setup = train.py:12" in told


def _shutdown() -> Outcome:
    return replace(everything().results[1], targets=(Target(Scope.LAUNCH, "train.sbatch:13"),))


def test_waived_findings_do_not_fail_and_are_told() -> None:
    waived = Judged(finding(message="known"), (), "until May")
    result = outcome("shutdown", Status.PASS, waived)
    read = suite(record(result))
    assert read.find("testcase/failure") is None
    assert "waived: shutdown: train.py:41: known: until May" in (read.findtext("system-out") or "")


def test_a_waived_unknown_is_skipped_and_says_why() -> None:
    unknown = outcome("run-id", Status.UNKNOWN, reason="not seen", decisive=True)
    waived = replace(unknown, waived="until May")
    cases = suite(record(unknown, waived, exit_code=3, verdict="cannot-tell")).findall("testcase")
    assert [case[0].tag for case in cases] == ["error", "skipped"]
    assert cases[1][0].get("message") == "unknown: not seen (waived: until May)"


def test_warnings_are_counted_and_told() -> None:
    caution = finding(message="slow", severity=Severity.CAUTION, remedy="export A=1")
    read = suite(record(outcome("shutdown", Status.WARN, caution)))
    properties = {p.get("name"): p.get("value") for p in read.iter("property")}
    assert properties["lens.warnings"] == "1"
    assert "warning: shutdown: train.py:41: slow; fix: export A=1" in (read.findtext("system-out") or "")


def test_the_place_of_a_reason_and_what_to_give_are_told() -> None:
    at = Location.file("train.sbatch", 9)
    unknown = outcome("run-id", Status.UNKNOWN, reason="sourced", reason_at=at, missing_input="--set A=B")
    assert only_case(unknown)[0].get("message") == "unknown: train.sbatch:9: sourced (give --set A=B)"


def test_characters_that_xml_forbids_are_replaced_and_the_others_kept() -> None:
    message = "\x1b[31mred\x1b[0m \0 \ud800 \udcff ]]> <&\"' é 漢 \r\n\t."
    read = only_case(outcome("shutdown", Status.FAIL, finding(message=message)), 1)[0]
    assert read.get("message") == "red \ufffd \ufffd \\xff ]]> <&\"' é 漢 \r\n\t."


def test_an_independent_reader_counts_the_same() -> None:
    parsed = junitparser.JUnitXml.fromstring(text(everything()).encode())
    cases = [case for suite in parsed for case in suite]
    kinds = [type(result).__name__ for case in cases for result in case.result]
    assert len(cases) == 11
    assert sorted(kinds) == ["Error", "Failure", "Failure", "Failure", "Skipped", "Skipped", "Skipped"]
