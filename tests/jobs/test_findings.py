"""The findings of the job corpus: right rule, right line, nothing false."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.propagation import propagation
from lens_preflight.checks.propagation_rules import RULES
from lens_preflight.checks.run_id import run_id
from lens_preflight.core.check import Check
from lens_preflight.core.finding import Finding
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity
from tests.corpus import LINES, Score
from tests.jobs.cases import LOGIN, command, job_folders
from tests.jobs.codes import CODES, ELSEWHERE, SEVERITIES
from tests.making import record, subject

ENOUGH = 0.95


@cache
def found(folder: Path, check: Check, topology: str | None, known: bool = True) -> tuple[Finding, ...]:
    """What one check reports for the job of a case; ``known``: so is the shell that submits."""
    facts = json.loads((folder / "case.json").read_text())
    login = {**LOGIN, **facts.get("verify", {}).get("login_env", {})}
    what = subject(
        Environment.of(login),
        targets=(str(folder / facts["file"]),),
        submit=command(facts),
        submit_environ=known,
        topology=topology,
    )
    results = record([check], what).results
    findings = [judged.finding for one in results for judged in one.findings]
    return tuple(findings)


def places(finding: Finding) -> set[int | None]:
    """The lines that a finding names: its own, and those that explain it."""
    return {finding.at.line, *(related.at.line for related in finding.related)}


def expected(facts: dict[str, Any], check: str) -> list[dict[str, Any]]:
    """The faults of a case that one check has to report."""
    return [
        f for f in facts["findings"] if f["code"] in CODES and CODES[f["code"]][0].startswith(check + "/")
    ]


def verdict(folder: Path, check: Check) -> str:
    """``pass`` when a fault is missed, ``fail`` for a false alarm, ``unknown`` for a missing note."""
    facts = json.loads((folder / "case.json").read_text())
    left = list(found(folder, check, facts.get("topology")))
    said: list[str] = []
    for fault in expected(facts, check.id):
        rules, line = CODES[fault["code"]], fault.get("line")
        hits = [f for f in left if f.rule.id in rules and (line is None or line in places(f))]
        exact = [f for f in hits if fault.get("variable", "") in f.message]
        if not hits:
            said.append("unknown" if fault["severity"] == "info" else "pass")
            continue
        hit = (exact or hits)[0]
        left = [f for f in left if f is not hit]
        said.append("right" if hit.severity >= SEVERITIES[fault["severity"]] else "pass")
    allowed = {rule for f in facts["findings"] for rule in CODES.get(f["code"], ())}
    control = facts.get("fault") is None
    weight = Severity.CAUTION if control else Severity.NOTE
    if check is propagation or control:
        said += ["fail" for f in left if f.severity > weight and f.rule.id not in allowed]
    return next((v for v in ("pass", "fail", "unknown") if v in said), "right")


def run(check: Check, name: str) -> Score:
    score = Score(name)
    for folder in job_folders():
        score.add(folder.name, verdict(folder, check), "right")
    print(score.line(), score.wrong)
    if not score.total:
        pytest.skip("no cases here")
    return score


def test_findings() -> None:
    score = run(propagation, "jobs/findings")
    assert not score.false_passes, score.wrong
    assert score.right >= ENOUGH * score.total, score.wrong


def test_run_id() -> None:
    score = run(run_id, "jobs/run-id")
    assert not score.false_passes, score.wrong
    assert score.right >= ENOUGH * score.total, score.wrong


def weighing(findings: tuple[Finding, ...]) -> set[tuple[str, int | None]]:
    """Rule and line of what is more than a note."""
    return {(f.rule.id, f.at.line) for f in findings if f.severity > Severity.NOTE}


@pytest.mark.parametrize("check", [propagation, run_id], ids=lambda c: c.id)
def test_a_fault_is_found_whoever_submits(check: Check) -> None:
    """In CI nobody knows the submitting shell, and what it may set excuses nothing in the script."""
    score = Score(f"jobs/open-submitter-{check.id}")
    for folder in job_folders():
        topology = json.loads((folder / "case.json").read_text()).get("topology")
        closed = weighing(found(folder, check, topology))
        open_ = weighing(found(folder, check, topology, known=False))
        score.add(folder.name, "pass" if closed - open_ else "fail" if open_ - closed else "right", "right")
    print(score.line(), score.wrong)
    assert not score.false_passes, score.wrong
    assert score.right >= ENOUGH * score.total, score.wrong


def test_topologies() -> None:
    """The same localhost weighs by what the site has."""
    for folder in job_folders():
        facts = json.loads((folder / "case.json").read_text())
        for topology, severity in facts.get("topology_variants", {}).items():
            left = [f for f in found(folder, propagation, topology) if f.rule.name.startswith("localhost")]
            wanted = [] if severity is None else [Severity(SEVERITIES[severity])]
            assert [f.severity for f in left] == wanted, (folder.name, topology)


def test_every_code_has_a_rule() -> None:
    """The table of codes, printed; each of our rules that it names exists."""

    def lines() -> Iterator[str]:
        for code, rules in CODES.items():
            yield f"{code} -> {', '.join(rules)}"
        for code, check in ELSEWHERE.items():
            yield f"{code} -> {check}"

    table = list(lines())
    print("\n".join(table))
    LINES.append(f"job codes: {len(CODES)} by rule, {len(ELSEWHERE)} by other checks")
    ours = {rule.id for rule in RULES}
    named = {rule for rules in CODES.values() for rule in rules if rule.startswith("propagation/")}
    assert named <= ours
    mentioned = {
        f["code"]
        for folder in job_folders()
        for f in json.loads((folder / "case.json").read_text())["findings"]
    }
    assert mentioned <= set(CODES) | set(ELSEWHERE)
