"""Whole set-ups through the command line: the good ones are READY, each broken one is found at its line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.corpus import LINES, corpus_root

pytestmark = pytest.mark.xdist_group("healthy")  # one worker, one line
ROOT = corpus_root() / "healthy"
CASES = sorted(p.parent for p in ROOT.glob("*/case.json"))
SCORE: dict[str, dict[str, bool]] = {"ready": {}, "found": {}}


def words(case: Mapping[str, Any]) -> list[str]:
    """The command line of a set-up, as its description says."""
    inputs = case["inputs"]
    line = ["check", inputs["job"], "--profile", "ci", "--offline", "--report", "json=report.json", "-q"]
    options = {
        "--config": inputs.get("settings"),
        "--dashboard": inputs.get("dashboards"),
        "--collector-config": inputs.get("collector_config"),
        "--rules": inputs.get("rules"),
        "--topology": case.get("topology"),
        "--purpose": case.get("purpose"),
        "--submit": case.get("submit"),
        "--map": [f"{a}={b}" for a, b in (case.get("path_map") or {}).items()],
    }
    for option, values in options.items():
        for value in [values] if isinstance(values, str) else values or ():
            line += [option, value]
    return line + (["--submit-environ"] if case.get("submitter_environment") else [])


def judge(folder: Path, case: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Exit code and report of one set-up; PATH and HOME are its whole process environment."""
    done = run(*words(case), cwd=folder, env=case.get("submitter_environment") or {})
    file = folder / "report.json"
    assert file.exists(), done.stderr
    return done.returncode, json.loads(file.read_text())


def copied(source: Path, target: Path) -> dict[str, Any]:
    """A fresh copy of a set-up; its description."""
    shutil.copytree(source, target)
    description: dict[str, Any] = json.loads((target / "case.json").read_text())
    return description


@pytest.mark.parametrize("source", CASES, ids=lambda p: p.name)
def test_a_healthy_set_up_is_ready(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / source.name
    case = copied(source, folder)
    code, report = judge(folder, case)
    weighing = [
        f"{r['check']}: {r['status']} {r['reason']} {[f['message'] for f in r['findings']]}"
        for r in report["results"]
        if r["status"] not in ("pass", "skip")
    ]
    SCORE["ready"][source.name] = code == 0 and report["counts"]["warn"] <= case["max_warnings"]
    assert code == 0, weighing
    assert report["verdict"] == "ready"
    assert report["counts"]["warn"] <= case["max_warnings"], weighing


@pytest.mark.parametrize("source", CASES, ids=lambda p: p.name)
def test_a_broken_edit_is_found_at_its_line(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / source.name
    case = copied(source, folder)
    edit = json.loads((folder / "broken.json").read_text())
    file = folder / edit["file"]
    before = file.read_text().split(edit["old"])
    cut = edit.get("occurrence", 1)
    assert len(before) > cut, "the edit does not fit the file"
    file.write_text(edit["old"].join(before[:cut]) + edit["new"] + edit["old"].join(before[cut:]))
    code, report = judge(folder, case)
    places = {
        (r["check"], place["what"], place["line"])
        for r in report["results"]
        for f in r["findings"]
        if f["severity"] != "note"
        for place in (f["at"], *f["related"])
    }
    found = code == edit["exit_code"] and (edit["check"], edit["file"], edit["line"]) in places
    SCORE["found"][source.name] = found
    assert code == edit["exit_code"]
    assert (edit["check"], edit["file"], edit["line"]) in places


@pytest.fixture(scope="module", autouse=True)
def score() -> Any:
    """One line for the end of the run; a worker process counts what it judged."""
    yield
    for word, title in (("ready", "healthy"), ("found", "healthy/broken")):
        results = SCORE[word].values()
        LINES.append(f"corpus {title}: {len(results)} set-ups, {sum(results)} {word}")
