"""Records of a node's run, as the check of the endpoint makes them."""

from __future__ import annotations

from collections.abc import Mapping

from lens_preflight.core.finding import Finding, Location, Rule
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Owner, Scope, Severity, Status
from lens_preflight.probe.way import Way
from lens_preflight.verdict import counted, headline, judge, sum_items

AT = Location.variable("OTEL_EXPORTER_OTLP_ENDPOINT")
SIGNALS = ("traces", "metrics")


def ways(**facts: str) -> dict[str, frozenset[Way]]:
    """How a job sends these signals."""
    told = {"protocol": "gRPC", "endpoint": "collector:4317", "headers": "none", **facts}
    return {s: frozenset({Way(s, tuple(told.items()), "1a2")}) for s in SIGNALS}


WAYS = {way.key: way.text for each in ways().values() for way in each}
"""The evidence of it."""


def finding(
    rule: str = "otlp-endpoint/refused",
    owner: Owner = Owner.PLATFORM,
    severity: Severity = Severity.BLOCKER,
    message: str = "the host answers, and nothing listens on the port",
    **evidence: str,
) -> Finding:
    """A finding about the endpoint."""
    return Finding(Rule(rule, "", severity, owner), message, AT, evidence=evidence, remedy="start it")


def outcome(
    status: Status = Status.PASS,
    *findings: Finding,
    check: str = "otlp-endpoint",
    reason: str = "empty request accepted",
    targets: tuple[str, ...] = SIGNALS,
    decisive: bool = True,
    items: tuple[int, ...] = (6,),
    sent: Mapping[str, str] | None = None,
    **evidence: str,
) -> Outcome:
    """What one check says."""
    keys = tuple(Target(Scope.SIGNAL, key) for key in targets)
    judged = tuple(Judged(f, keys) for f in findings)
    return Outcome(
        check=check,
        title="The endpoint takes an empty request",
        items=items,
        scope=Scope.SIGNAL,
        targets=keys,
        status=status,
        findings=judged,
        reason="" if findings else reason,
        evidence={"endpoint": "collector:4317", **(WAYS if sent is None else sent), **evidence},
        decisive=decisive,
    )


def record(
    *results: Outcome,
    node: str = "n1",
    job: str | None = "42",
    started: str = "2026-02-03T04:05:06+00:00",
    incomplete: str = "",
    profile: str = "node",
) -> RunRecord:
    """A finished run on a node."""
    items = sum_items(results, frozenset())
    verdict, code = judge(results, items, frozenset(), incomplete=bool(incomplete))
    return RunRecord(
        profile=profile,
        profile_why="inside an allocation",
        verdict=verdict.value,
        headline=headline(verdict, items),
        exit_code=code,
        items=items,
        results=results,
        run={
            "started": started,
            "seconds": 0.1,
            "host": node,
            "argv": ["check"],
            "settings": "",
            "obtained": {"host": node, "netns": "", "euid": 0, "slurm_job": job, "node": node},
        },
        counts=counted(results),
        incomplete=incomplete,
        tool="lens-preflight 0.1.0",
    )


def failed(*findings: Finding) -> RunRecord:
    """A run in which the endpoint fails."""
    return record(outcome(Status.FAIL, *(findings or (finding(),))))
