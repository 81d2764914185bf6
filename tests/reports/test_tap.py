"""TAP that harnesses read: the plan, one point a target, nothing green that was not seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tap.parser import Parser  # type: ignore[import-untyped]

from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import rendered, statuses
from tests.reports.strategies import records

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def read(run: RunRecord) -> tuple[int, list[Any]]:
    """The plan and the test points, as an independent reader has them."""
    lines = list(Parser().parse_text(rendered("tap", run)))
    assert [line.category for line in lines[:2]] == ["version", "plan"]
    assert not [line for line in lines if line.category in ("unknown", "bail")]
    return lines[1].expected_tests, [line for line in lines if line.category == "test"]


@relaxed
@given(records())
def test_an_independent_reader_counts_the_same(run: RunRecord) -> None:
    plan, points = read(run)
    assert plan == len(points)
    assert [point.number for point in points] == list(range(1, plan + 1))
    found, verdict = statuses(run), sum(point.description == "- lens-preflight: verdict" for point in points)
    assert sum(point.todo for point in points) == found["warn"]
    bad = sum(not point.ok and not point.todo for point in points)
    decisive = [o for o in run.results if o.status is Status.UNKNOWN and o.decisive and not o.waived]
    doubts = sum(max(len(o.targets), 1) for o in decisive) if run.exit_code == 3 else 0
    assert bad == found["fail"] + found["error"] + doubts + verdict
    assert sum(point.skip for point in points) == found["skip"] + found["unknown"] - doubts
    assert bad or run.exit_code == 0
    assert plan == sum(found.values()) + verdict


@relaxed
@given(records())
def test_the_blocks_are_yaml_with_the_findings(run: RunRecord) -> None:
    blocks = [point.yaml_block for point in read(run)[1]]
    texts = rendered("tap", run).split("\n")
    read_blocks = [block for block in blocks if block is not None]
    assert len(read_blocks) == texts.count("  ---") == texts.count("  ...")
    for block in read_blocks:
        assert isinstance(block["status"], str)
        assert all(set(one) >= {"rule", "severity", "message", "at"} for one in block.get("findings", ()))


def test_a_failure_says_all_that_is_needed() -> None:
    found = finding(message='a "b" \\ 漢 😀 #5\nnext', remedy="type `x`")
    (point,) = read(record(outcome("shutdown", Status.FAIL, found), exit_code=1))[1]
    (told,) = point.yaml_block["findings"]
    assert told["message"] == 'a "b" \\ 漢 😀 #5\nnext'
    assert (told["fix"], told["severity"], told["at"]) == ("type `x`", "blocker", "train.py:41")


def test_a_warning_is_an_expected_failure() -> None:
    caution = finding(message="slow", severity=Severity.CAUTION)
    (point,) = read(record(outcome("shutdown", Status.WARN, caution)))[1]
    assert (point.ok, point.todo, point.directive.text) == (False, True, "TODO warn: slow")


def test_what_is_waived_says_so_and_why() -> None:
    known = Judged(finding(message="slow"), (), "until May # SKIP")
    (point,) = read(record(outcome("shutdown", Status.WARN, known)))[1]
    assert (point.ok, point.todo, point.skip) == (False, True, False)
    assert point.directive.text.startswith("TODO waived: until May")
    (told,) = point.yaml_block["waived"]
    assert (told["message"], told["reason"]) == ("slow", "until May # SKIP")


@pytest.mark.parametrize("text", ["a # TODO b", "a #skip", "a \\# Todo", "## SKIP", "a #\nTODO"])
def test_a_title_cannot_excuse_its_check(text: str) -> None:
    (point,) = read(record(outcome("shutdown", Status.FAIL, finding(), title=text), exit_code=1))[1]
    assert not (point.ok or point.todo or point.skip)


def test_nothing_at_all_is_a_plan_of_nothing() -> None:
    assert read(record()) == (0, [])


def test_targets_are_points_of_their_own() -> None:
    names = Counter(point.description.partition(":")[0] for point in read(everything())[1])
    assert (names["- shutdown"], names["- otlp-endpoint"], names["- sampler"]) == (2, 2, 1)
