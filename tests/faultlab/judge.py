"""What the check otlp-endpoint says about an environment, in a whole run; also as a process of its own."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from lens_preflight.checks.otlp_endpoint import otlp_endpoint
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.variable import Environment
from lens_preflight.preflight import preflight
from lens_preflight.subject.builder import build
from lens_preflight.subject.inputs import Inputs

AT_ONCE = 8

BASE = {
    "NEMO_LENS_ENABLED": "1",
    "NEMO_LENS_METRICS_ENABLED": "0",
    "HOME": "/nonexistent",
}
"""Traces only, nobody's netrc."""


@dataclasses.dataclass(frozen=True)
class Said:
    """Status, rule, and the stage and code of the evidence."""

    verdict: str
    rule: str
    stage: str
    code: str
    reason: str
    text: str


def record(env: Mapping[str, str], profile: str = "node", seconds: float = 30.0, **options: str) -> RunRecord:
    """The record of a run with this check alone."""
    inputs = Inputs(process=Environment.of({**BASE, **env}), profile=profile, lens="0.1", **options)  # type: ignore[arg-type]
    return preflight(inputs, build(inputs), (otlp_endpoint,), Deadline.after(seconds))


def judge(env: Mapping[str, str], profile: str = "node", seconds: float = 30.0) -> Said:
    """What is said about the traces of an environment."""
    return said(record(env, profile, seconds).results[0])


def said(outcome: Outcome) -> Said:
    """The gist of an outcome."""
    weighing = [j.finding for j in outcome.findings if j.finding.rule.name != "server-message"]
    finding = weighing[0] if weighing else None
    evidence = finding.evidence if finding else outcome.evidence
    return Said(
        verdict=outcome.status.value,
        rule=finding.rule.name if finding else "",
        stage=evidence.get("stage", ""),
        code=evidence.get("code", ""),
        reason=outcome.reason,
        text=" | ".join((finding.message, finding.remedy)) if finding else "",
    )


def judge_all(envs: Sequence[Mapping[str, str]], profile: str = "node") -> list[Said]:
    """Several at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda env: judge(env, profile), envs))


if __name__ == "__main__":
    print(json.dumps([dataclasses.asdict(one) for one in judge_all(json.load(sys.stdin))]))
