"""One run of the command line in every format: independent readers find the counts of the JSON report."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import junitparser
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sarif.loader import load_sarif_file  # type: ignore[import-untyped]
from tap.parser import Parser  # type: ignore[import-untyped]

from lens_preflight.reports import REPORTS
from tests.cli.running import run

JOB = """#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=8
export NEMO_LENS_ENABLED=1
export OTEL_TRACES_SAMPLR=always_on
export OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317
srun python train.py
"""
PROGRAM = """import os
from nemo.lens import setup_telemetry
handle = setup_telemetry()
os._exit(0)
"""
FORMATS = [name for name in REPORTS if name != "console"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reports of one run, each in a file that bears the name of its format."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "train.sbatch").write_text(JOB)
    (folder / "train.py").write_text(PROGRAM)
    reports = [word for name in FORMATS for word in ("--report", f"{name}={name}")]
    done = run("check", "train.sbatch", "--offline", *reports, cwd=folder)
    assert done.returncode == 1, done.stderr
    return folder


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Any]:
    """The JSON report of the run."""
    read: dict[str, Any] = json.loads((folder / "json").read_text())
    assert read["counts"]["fail"]
    return read


def findings(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for result in told["results"] for one in result["findings"]]


@pytest.mark.parametrize("name", ["junit", "junit-rich"])
def test_junit(folder: Path, told: dict[str, Any], name: str) -> None:
    cases = [c for suite in junitparser.JUnitXml.fromfile(str(folder / name)) for c in suite]
    targets = Counter[str]()
    for result in told["results"]:
        targets[result["status"]] += max(len(result["targets"]), 1)
    assert len(cases) == targets.total()
    assert sum(case.is_failure for case in cases) == targets["fail"]
    assert sum(case.is_skipped for case in cases) == targets["skip"] + targets["unknown"]


def test_tap(folder: Path, told: dict[str, Any]) -> None:
    points = [line for line in Parser().parse_file(str(folder / "tap")) if line.category == "test"]
    assert len(points) == sum(max(len(result["targets"]), 1) for result in told["results"])
    bad = sum(max(len(r["targets"]), 1) for r in told["results"] if r["status"] in ("fail", "error"))
    assert sum(not point.ok and not point.todo for point in points) == bad


def test_sarif(folder: Path, told: dict[str, Any]) -> None:
    (folder / "r.sarif").write_text((folder / "sarif").read_text())
    report = load_sarif_file(str(folder / "r.sarif")).get_report()
    words = {"blocker": "error", "caution": "warning", "note": "note"}
    expected = Counter(words[f["severity"]] for f in findings(told) if f["at"]["kind"] == "file")
    counted = {word: report.get_issue_count_for_severity(word) for word in words.values()}
    assert counted == {word: expected[word] for word in words.values()}


def test_gitlab_and_github(folder: Path, told: dict[str, Any]) -> None:
    untold = sum(result["status"] in ("unknown", "error") for result in told["results"])
    expected = len(findings(told)) + untold
    assert len(json.loads((folder / "gitlab").read_text())) == expected
    lines = (folder / "github").read_text().splitlines()
    assert sum(line.startswith("::") for line in lines) == expected
    words = ("**FAIL**", "**warn**", "**note**", "**unknown**", "**error**")
    page = (folder / "github-summary").read_text().splitlines()
    assert sum(line.startswith(tuple(f"- {word}" for word in words)) for line in page) == expected


def test_metrics_and_nagios(folder: Path, told: dict[str, Any]) -> None:
    read = {f.name: f.samples for f in text_string_to_metric_families((folder / "metrics").read_text())}
    counted = {s.labels["status"]: s.value for s in read["lens_preflight_checks"]}
    assert counted == {status: told["counts"][status] for status in counted}
    first = (folder / "nagios").read_text().splitlines()[0]
    assert first.startswith(f"LENS CRITICAL - {told['counts']['fail']} fail")
