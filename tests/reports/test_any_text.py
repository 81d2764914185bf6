"""Whatever text a run holds, each format can be read back."""

from __future__ import annotations

import io
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Status
from lens_preflight.reports import REPORTS, Style
from tests.reports.records import finding, outcome, record
from tests.reports.strategies import records

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
WITHOUT_REMEDIES = ("nagios", "metrics")
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def written(name: str, run: RunRecord, style: Style = Style()) -> str:  # noqa: B008
    out = io.StringIO()
    REPORTS[name].write(run, out, style)
    return out.getvalue()


@relaxed
@given(records())
def test_json_is_strict_ascii_json_that_strict_readers_take(run: RunRecord) -> None:
    text = written("json", run)
    assert text.isascii()
    read = json.loads(text, parse_constant=pytest.fail)
    json.dumps(read, ensure_ascii=False).encode("utf-8")
    assert len(read["results"]) == len(run.results)


@relaxed
@given(records())
def test_junit_is_well_formed_and_counts_its_own_cases(run: RunRecord) -> None:
    text = written("junit", run)
    assert text.isascii()
    suite = etree.fromstring(text.encode())[0]
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases))
    for child, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(attribute) == str(len(suite.findall(f"testcase/{child}")))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)
    red = suite.findall("testcase/failure") + suite.findall("testcase/error")
    assert red or run.exit_code == 0


@relaxed
@given(records())
def test_the_console_sends_nothing_to_a_terminal_but_text_and_line_feeds(run: RunRecord) -> None:
    for verbosity in (0, 1, 2):
        text = written("console", run, Style(verbosity=verbosity))
        assert not UNSAFE.search(text)
        text.encode("utf-8")


@pytest.mark.parametrize("name", list(REPORTS))
def test_a_megabyte_of_text_is_written_and_commands_stay_whole(name: str) -> None:
    long = "word " * 200_000 + "\0" * 1000
    command = "`" + "x" * 5000 + "`"
    found = finding(message=long, remedy=f"type {command}", evidence={"text": long})
    text = written(name, record(outcome("shutdown", Status.FAIL, found, reason=long), exit_code=1))
    assert command in text or name in WITHOUT_REMEDIES
    assert len(text) < 20_000_000
    if name == "console":
        assert len(text) < 20_000
