"""Good set-ups: exactly their facts, and nothing to complain about."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.propagation import propagation
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity, State
from lens_preflight.jobs import JobLaunch
from tests.jobs.cases import folders
from tests.making import record, subject

RUN_IDS = ("MEGATRON_OTEL_RUN_ID", "NEMO_RL_OTEL_RUN_ID", "NEMO_GYM_OTEL_RUN_ID", "NEMO_LENS_RUN_ID")
CASES = folders("healthy")


def facts_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "case.json").read_text())
    return found


def described(folder: Path, facts: dict[str, Any]) -> Any:
    given = facts.get("submitter_environment")
    return subject(
        Environment.of({"PATH": "/usr/bin:/bin", "HOME": "/home/user", **(given or {})}),
        targets=(str(folder / facts["inputs"]["job"]),),
        submit=facts["submit"],
        submit_environ=given is not None,
        topology=facts["topology"],
        purpose=facts["purpose"],
        profile="ci",
    )


def run_id(launch: JobLaunch) -> str | None:
    for name in RUN_IDS:
        variable = launch.env[name]
        if variable.state is State.VALUE:
            return variable.value
        if variable.state is State.PROVIDED:
            return launch.written[name].template
    return None


@pytest.mark.parametrize("folder", CASES, ids=lambda p: p.name)
def test_facts(folder: Path) -> None:
    facts = facts_of(folder)
    expected = facts["facts"]
    (job,) = described(folder, facts).jobs
    assert len(job.launches) == len(expected["launches"])
    for launch, wanted, identity in zip(job.launches, expected["launches"], expected["run_id"], strict=True):
        assert launch.program == wanted["program"]
        file = wanted["program_file"]
        assert launch.program_file == (None if file is None else str(folder / file))
        if "world_size" in wanted:
            assert launch.world_size == wanted["world_size"]
        assert run_id(launch) == identity
        assert launch.env["OTEL_EXPORTER_OTLP_ENDPOINT"].value == expected["endpoint"]
    assert not job.secrets and not job.opaque and not job.inert and not job.unread


@pytest.mark.parametrize("folder", CASES, ids=lambda p: p.name)
def test_nothing_to_complain_about(folder: Path) -> None:
    facts = facts_of(folder)
    (result,) = record([propagation], described(folder, facts)).results
    weighty = [j.finding for j in result.findings if j.finding.severity > Severity.NOTE]
    assert not weighty, [(f.rule.id, f.message, str(f.at)) for f in weighty]
    assert result.status.value == "pass"


@pytest.mark.parametrize("folder", CASES, ids=lambda p: p.name)
def test_broken_in_one_place(folder: Path, tmp_path: Path) -> None:
    edit = json.loads((folder / "broken.json").read_text())
    facts = facts_of(folder)
    if edit["check"] != "propagation":
        pytest.skip(f"the edit is for {edit['check']}")
    copy = tmp_path / folder.name
    shutil.copytree(folder, copy)
    path = copy / edit["file"]
    parts = path.read_text().split(edit["old"])
    nth = edit["occurrence"]
    path.write_text(edit["old"].join(parts[:nth]) + edit["new"] + edit["old"].join(parts[nth:]))
    (result,) = record([propagation], described(copy, facts)).results
    found = [(j.finding.at.line, j.finding.severity) for j in result.findings]
    assert (edit["line"], Severity.BLOCKER) in found
