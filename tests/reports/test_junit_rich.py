"""JUnit with file, line and properties: the same cases as the strict shape, and where to look."""

from __future__ import annotations

import junitparser
import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from lens_preflight.core.finding import Location
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Scope, Severity, Status
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import rendered
from tests.reports.strategies import records
from tests.reports.xsd import SOURCES, schema

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def suite(name: str, run: RunRecord) -> etree._Element:
    return etree.fromstring(rendered(name, run).encode())[0]


def only_case(run: RunRecord) -> etree._Element:
    (case,) = suite("junit-rich", run).findall("testcase")
    return case


def properties(case: etree._Element) -> dict[str, str | None]:
    return {str(one.get("name")): one.get("value") for one in case.iter("property")}


@relaxed
@given(records())
def test_without_its_extras_it_is_the_strict_report(run: RunRecord) -> None:
    rich, strict = suite("junit-rich", run), suite("junit", run)
    for case in rich.findall("testcase"):
        for extra in ("file", "line"):
            case.attrib.pop(extra, "")
        for child in [*case.findall("properties"), *case.findall("system-out")]:
            case.remove(child)
    for one in (rich, strict):
        for element in one.iter("testcase"):
            element.text = element.tail = None
            for child in element:
                child.tail = None
    assert etree.tostring(rich, method="c14n") == etree.tostring(strict, method="c14n")


@pytest.mark.parametrize("name", [source.name for source in SOURCES])
def test_the_strict_schemas_accept_it_without_its_extras_alone(name: str) -> None:
    tree = etree.fromstring(rendered("junit-rich", everything()).encode())
    assert not schema(name).validate(tree)
    for case in tree.iter("testcase"):
        case.attrib.pop("file", "")
        case.attrib.pop("line", "")
        for child in [*case.findall("properties"), *case.findall("system-out")]:
            case.remove(child)
    schema(name).assertValid(tree)


def test_an_independent_reader_counts_the_same() -> None:
    parsed = junitparser.JUnitXml.fromstring(rendered("junit-rich", everything()).encode())
    cases = [case for suite in parsed for case in suite]
    kinds = sorted(type(result).__name__ for case in cases for result in case.result)
    assert len(cases) == 11
    assert kinds == ["Error", "Failure", "Failure", "Failure", "Skipped", "Skipped", "Skipped"]
    places = {(case._elem.get("file"), case._elem.get("line")) for case in cases if case.is_failure}
    assert places == {("train.py", "41"), ("train.sbatch", "7")}


def test_a_case_knows_its_rule_and_its_remedy() -> None:
    found = finding(remedy="export A=1", at=Location.file("./sub/../a.py", 7))
    case = only_case(record(outcome("shutdown", Status.FAIL, found), exit_code=1))
    told = properties(case)
    assert (case.get("file"), case.get("line")) == ("a.py", "7")
    assert told["lens.status"] == "fail"
    assert told["lens.rule"] == "shutdown/hard-exit"
    assert told["lens.severity"] == "blocker"
    assert told["lens.fingerprint"] == found.fingerprint
    assert told["lens.fix"] == "export A=1"


def test_a_warning_is_the_output_of_its_case() -> None:
    caution = finding(message="slow", severity=Severity.CAUTION)
    case = only_case(record(outcome("shutdown", Status.WARN, caution)))
    assert [child.tag for child in case] == ["properties", "system-out"]
    assert "caution: slow" in (case.findtext("system-out") or "")


def test_what_has_no_finding_is_placed_too() -> None:
    unknown = outcome("run-id", Status.UNKNOWN, reason="sourced", reason_at=Location.file("b.sh", 2))
    dashboard = outcome(scope=Scope.FILE, targets=("d.json",))
    launched = outcome(targets=("train.sbatch:13",))
    whole = outcome(scope=Scope.RUN, targets=("",))
    places = [
        (case.get("file"), case.get("line"))
        for case in suite("junit-rich", record(unknown, dashboard, launched, whole)).findall("testcase")
    ]
    assert places == [("b.sh", "2"), ("d.json", None), ("train.sbatch", "13"), (None, None)]
