"""What TaskProlog says to the user: at most three lines about the real environment of the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.finding import Finding
from lens_preflight.core.numbers import whole
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity
from lens_preflight.subject.inputs import Inputs

CHECKS = ("environment", "run-id", "sampler")
LINES = 3
WIDTH = 300
SECONDS = 2.0
SAID = "LENS_PREFLIGHT_SAID"
"""Carries from the batch step to its steps what the user has been told already."""


def judge(environ: Mapping[str, str], *, early: bool) -> RunRecord:
    """Judge the environment of this task with the checks that need nothing else; sends no packet.

    ``early``: the batch script has not run yet and may still set what is not set now.
    """
    from lens_preflight.preflight import preflight
    from lens_preflight.registry import builtin, register
    from lens_preflight.subject.builder import build
    from lens_preflight.subject.secrets import redactor

    process = Environment.of(environ, "the task's environment")
    if early:
        why = "the batch script may still set it"
        process = Environment(process.variables, complete=False, opaque=why)
    inputs = Inputs(
        profile="node",
        profile_why="inside an allocation",
        offline=True,
        process=process,
        world_size=_tasks(environ),
    )
    subject = build(inputs)
    checks = [check for check in register(builtin()) if check.id in CHECKS]
    record = preflight(inputs, subject, checks, Deadline.after(SECONDS))
    return redactor(subject).record(record)


def _tasks(environ: Mapping[str, str]) -> int | None:
    """The tasks of this step, None when Slurm does not say."""
    for name in ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"):
        tasks = whole(environ.get(name))
        if tasks:
            return tasks
    return None


def lines(record: RunRecord, said: str) -> list[str]:
    """What to print, as TaskProlog prints it: blockers that were not told yet, at most three."""
    told = set(said.split("."))
    blockers = [f for f in _blockers(record) if f.fingerprint not in told]
    if not blockers:
        return []
    shown = [f"print lens-preflight: {_one_line(f)}" for f in blockers[:LINES]]
    if len(blockers) > LINES:
        more = len(blockers) - LINES + 1
        shown[-1] = f"print lens-preflight: and {more} more; type lens-preflight check --profile node"
    marks = sorted(told - {""} | {f.fingerprint for f in blockers})
    return [*shown, f"export {SAID}={'.'.join(marks)}"]


def _blockers(record: RunRecord) -> Sequence[Finding]:
    found = [
        judged.finding
        for outcome in record.results
        for judged in outcome.findings
        if judged.finding.severity is Severity.BLOCKER and not judged.waived
    ]
    return list({f.fingerprint: f for f in found}.values())


def _one_line(finding: Finding) -> str:
    from lens_preflight.reports.text import one_line

    fix = f"; fix: {finding.remedy}" if finding.remedy else ""
    return one_line(f"{finding.message}{fix} [{finding.rule.id}]")[:WIDTH]
