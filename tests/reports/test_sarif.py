"""SARIF that code scanning takes: schema, required fields, limits, the counts of the run."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from sarif.loader import load_sarif_file  # type: ignore[import-untyped]

from lens_preflight.core.finding import Location, Related, Rule
from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports import sarif
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import placed, rendered, untold
from tests.reports.strategies import records
from tests.reports.xsd import folder, sarif_validator

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
WORDS = {Severity.BLOCKER: "error", Severity.CAUTION: "warning", Severity.NOTE: "note"}


def log(run: RunRecord) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(rendered("sarif", run), parse_constant=pytest.fail)
    return read


def only_run(run: RunRecord) -> dict[str, Any]:
    (one,) = log(run)["runs"]
    return dict(one)


def of(*found: Judged) -> RunRecord:
    return record(outcome("shutdown", Status.FAIL, *found), exit_code=1, verdict="not-ready")


@relaxed
@given(records())
def test_the_schema_accepts_any_text(run: RunRecord) -> None:
    sarif_validator().validate(log(run))


@relaxed
@given(records())
def test_what_github_requires_is_there(run: RunRecord) -> None:
    read = only_run(run)
    rules = read["tool"]["driver"]["rules"]
    for rule in rules:
        texts = [rule[key]["text"] for key in ("shortDescription", "fullDescription", "help")]
        assert all(text.strip() for text in texts)
        assert max(map(len, texts[:2])) <= 1024
    for result in read["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"].strip()
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"]
        region = place["physicalLocation"]["region"]
        assert set(region) == {"startLine", "startColumn", "endLine", "endColumn"}
        assert min(region.values()) >= 1
        start, end = (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])
        assert start < end
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in read["results"]]
    assert len(set(prints)) == len(prints)


@relaxed
@given(records())
def test_each_finding_in_a_file_is_one_result(run: RunRecord) -> None:
    read = only_run(run)
    expected = Counter((WORDS[j.finding.severity], bool(j.waived)) for j in placed(run))
    assert Counter((r["level"], bool(r["suppressions"])) for r in read["results"]) == expected
    told = read["invocations"][0]["toolExecutionNotifications"]
    assert len(told) >= untold(run)
    assert read["invocations"][0]["exitCode"] == run.exit_code


def test_an_independent_reader_counts_the_same(tmp_path: Path) -> None:
    run, path = everything(), tmp_path / "preflight.sarif"
    path.write_text(rendered("sarif", run))
    read = load_sarif_file(str(path))
    assert read.get_distinct_tool_names() == ["lens-preflight"]
    counted = {level: read.get_report().get_issue_count_for_severity(level) for level in WORDS.values()}
    expected = Counter(WORDS[j.finding.severity] for j in placed(run))
    assert counted == {level: expected[level] for level in WORDS.values()}
    lines = {(r["Location"], r["Line"]) for r in read.get_records()}
    assert lines == {(j.finding.at.what, j.finding.at.line) for j in placed(run)}


def test_the_validator_of_the_format_finds_nothing(tmp_path: Path) -> None:
    tool = folder() / "npm/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
    if not os.access(tool, os.X_OK):
        pytest.skip(f"npm install --prefix {tool.parents[3]} @microsoft/sarif-multitool-linux")
    (tmp_path / "r.sarif").write_text(rendered("sarif", everything()))
    command = [str(tool), "validate", "r.sarif", "--rule-kind", "Sarif;Ghas"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    assert "Analysis completed successfully" in said
    assert not re.findall(r"(?:error|warning) \w+\d+", said), said


def test_the_rule_explains_itself() -> None:
    rule = Rule("shutdown/hard-exit", "leaves at once", Severity.BLOCKER, help="Long " * 400)
    found = Judged(replace(finding(), rule=rule))
    (told,) = only_run(of(found, found))["tool"]["driver"]["rules"]
    assert told["shortDescription"]["text"] == "leaves at once"
    assert told["fullDescription"]["text"].endswith("…")
    assert told["help"]["text"].startswith(("Long " * 400).strip())
    assert told["helpUri"].endswith("/checks/shutdown#hard-exit")
    assert told["properties"]["problem.severity"] == "error"


def test_a_finding_without_a_file_is_no_result() -> None:
    assert only_run(of(Judged(finding(at=Location.variable("A")))))["results"] == []


def test_a_waived_finding_is_suppressed_with_its_reason() -> None:
    first, second = only_run(of(Judged(finding(message="known"), (), "until May"), Judged(finding())))[
        "results"
    ]
    assert first["suppressions"] == []
    (waived,) = second["suppressions"]
    assert (waived["kind"], waived["justification"]) == ("external", "until May")


def test_a_region_covers_what_is_known() -> None:
    at = Location.file("a.py", 3, 5, 7)
    assert sarif.region(at) == {"startLine": 3, "startColumn": 5, "endLine": 7, "endColumn": 2}
    assert sarif.region(Location.file("a.py")) == {
        "startLine": 1,
        "startColumn": 1,
        "endLine": 1,
        "endColumn": 2,
    }


def test_related_places_are_those_in_files() -> None:
    related = (Related("here", Location.file("b c.py", 2)), Related("there", Location.variable("A")))
    (result,) = only_run(of(Judged(finding(related=related))))["results"]
    (place,) = result["relatedLocations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "b%20c.py"
    assert place["message"]["text"] == "here"


def test_paths_are_relative_uris() -> None:
    at = Location.file(str(Path("sub/ä b.py").absolute()), 1)
    (result,) = only_run(of(Judged(finding(at=at))))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert unquote(uri) == "sub/ä b.py"


def test_of_too_many_results_the_worst_stay() -> None:
    notes = [Judged(finding(message=f"n{i}", severity=Severity.NOTE)) for i in range(sarif.MOST_RESULTS)]
    read = only_run(of(*notes, Judged(finding(message="bad"))))
    assert len(read["results"]) == sarif.MOST_RESULTS
    assert read["results"][0]["message"]["text"] == "bad"
    assert "1 more results" in read["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_a_file_that_would_be_too_long_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_BYTES", 200_000)
    noise = random.Random(7)
    long = [Judged(finding(message=noise.randbytes(1900).hex())) for _ in range(200)]
    text = rendered("sarif", of(*long))
    assert len(gzip.compress(text.encode())) <= 200_000
    read = json.loads(text)["runs"][0]
    assert 20 < len(read["results"]) < 200
    told = read["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert told.startswith(f"{200 - len(read['results'])} more")


def test_runs_on_other_jobs_replace_nothing() -> None:
    one, two = (record(inputs=((path, "0" * 64),)) for path in ("jobs/a.sbatch", "jobs/b.sbatch"))
    assert only_run(one)["automationDetails"]["id"] == "lens-preflight/jobs-a.sbatch/"
    assert only_run(two)["automationDetails"]["id"] == "lens-preflight/jobs-b.sbatch/"
