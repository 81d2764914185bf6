"""Runs made by hand: every status, folded targets, waived findings, odd text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.core.finding import Assumption, Finding, Location, Place, Related, Rule
from lens_preflight.core.outcome import Item, Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Owner, Scope, Severity, Status

TITLES = (
    "Telemetry is set up once",
    "It is shut down on every path",
    "Truncated spans stay out of durations",
    "The run id is set and visible",
    "Backends filter by the run id",
    "The OTLP endpoint is reachable",
    "Ranks and sampler are chosen",
    "Dashboards show the four families",
    "Telemetry can be switched off",
)


def rule(id: str, severity: Severity = Severity.BLOCKER, owner: Owner = Owner.JOB) -> Rule:
    """A declared rule."""
    return Rule(id, f"what {id} says", severity, owner, "Why it matters.")


def finding(
    id: str = "shutdown/hard-exit",
    message: str = "os._exit() leaves before the last spans are flushed",
    at: Location | None = None,
    *,
    severity: Severity = Severity.BLOCKER,
    remedy: str = "",
    settings: tuple[tuple[str, str | None], ...] = (),
    related: tuple[Related, ...] = (),
    evidence: Mapping[str, str] | None = None,
) -> Finding:
    """A finding; every part has a default."""
    place = at or Location.file("train.py", 41)
    return Finding(rule(id, severity), message, place, related, evidence or {}, remedy, settings)


def outcome(
    check: str = "shutdown",
    status: Status = Status.PASS,
    *findings: Finding | Judged,
    title: str = "Shutdown on every path",
    items: tuple[int, ...] = (2,),
    scope: Scope = Scope.LAUNCH,
    targets: tuple[str, ...] = ("train.sbatch:13",),
    reason: str = "",
    reason_at: Location | None = None,
    evidence: Mapping[str, str] | None = None,
    missing_input: str = "",
    decisive: bool = False,
) -> Outcome:
    """An outcome; bare findings hold for all of its targets."""
    keys = tuple(Target(scope, key) for key in targets)
    return Outcome(
        check,
        title,
        items,
        scope,
        keys,
        status,
        tuple(f if isinstance(f, Judged) else Judged(f, keys) for f in findings),
        reason,
        reason_at,
        evidence or {},
        missing_input=missing_input,
        url=f"https://lens-preflight.readthedocs.io/checks/{check}",
        decisive=decisive,
        seconds=0.0123,
    )


def record(
    *results: Outcome,
    verdict: str = "ready",
    headline: str = "READY",
    exit_code: int = 0,
    statuses: Mapping[int, str] | None = None,
    **fields: Any,
) -> RunRecord:
    """A finished run of the given outcomes."""
    given = {
        "profile": "login",
        "profile_why": "CI is not set and this is not an allocation",
        "tool": "lens-preflight 0.1.0",
        "run": dict(RUN),
        "subject": dict(SUBJECT),
        **fields,
    }
    items = tuple(
        Item(n, title, (statuses or {}).get(n, "pass"), _checks(n, results))
        for n, title in enumerate(TITLES, 1)
    )
    given.setdefault("items", items)
    return RunRecord(verdict=verdict, headline=headline, exit_code=exit_code, results=tuple(results), **given)


def _checks(n: int, results: tuple[Outcome, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(result.check for result in results if n in result.items))


RUN: Mapping[str, Any] = {
    "started": "2026-02-03T04:05:06Z",
    "seconds": 1.234,
    "host": "login1",
    "argv": ["lens-preflight", "check", "train.sbatch"],
    "settings": {"profile": "auto", "timeout": 30.0},
    "obtained": {"host": "login1", "netns": "4026531840", "euid": 1000, "slurm_job": None, "node": None},
}
SUBJECT: Mapping[str, Any] = {
    "job": "train.sbatch",
    "purpose": "production",
    "topology": "gateway",
    "launches": [
        {
            "key": "train.sbatch:13",
            "at": Location.file("train.sbatch", 13),
            "chain": ("srun", "python"),
            "program": "train.py",
            "args": ("--lr", "3e-4"),
            "nodes": 2,
            "world_size": 16,
            "exporting_ranks": [0],
            "generation": "0.2",
            "framework": "plain",
            "run_id": {"kind": "slurm", "value": None, "spread": "job"},
            "world": {"size": 16, "per_node": 8, "known": True},
        }
    ],
}

SUCCESS_ONLY = finding(
    "shutdown/success-only",
    "handle.shutdown() runs only when train() returns: an exception loses the last spans",
    Location.file("train.py", 41, 5),
    remedy="wrap lines 22 to 40 in `try:` and move `handle.shutdown()` into `finally:`",
    related=(
        Related("telemetry is set up here", Location.file("train.py", 12)),
        Related("this call may raise", Location.file("train.py", 30)),
    ),
    evidence={"function": "main", "setup": "train.py:12"},
)
MISSPELT = finding(
    "environment/unknown-name",
    "OTEL_EXPORTER_OTLP_ENDPONT is read by nobody; did you mean OTEL_EXPORTER_OTLP_ENDPOINT",
    Location.file("train.sbatch", 7),
    remedy="export OTEL_EXPORTER_OTLP_ENDPOINT='http://collector:4317' and delete line 7 of train.sbatch",
    settings=(("OTEL_EXPORTER_OTLP_ENDPONT", None), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317")),
)
UNSET_SAMPLER = finding(
    "sampler/unset",
    "no sampler is chosen, the default takes 100 % of the traces",
    Location.variable("OTEL_TRACES_SAMPLER"),
    severity=Severity.CAUTION,
    remedy="say that you mean it: export OTEL_TRACES_SAMPLER=parentbased_always_on",
    settings=(("OTEL_TRACES_SAMPLER", "parentbased_always_on"),),
)
RUN_ID_CHANGES = finding(
    "run-id/changes",
    "the run id changes with a requeue",
    Location.file("train.sbatch", 3),
    severity=Severity.NOTE,
    remedy="export NEMO_LENS_RUN_ID=run-7 keeps it",
    settings=(("NEMO_LENS_RUN_ID", "run-7"),),
)
DARK_PANEL = finding(
    "dashboard-panels/family-missing",
    "no panel shows the gradient norm (Gradientennorm, 勾配ノルム) → add one",
    Location(Place.PANEL, "Training ▸ Überblick"),
    remedy='add a panel with `nemo_grad_norm{nemo_run_id=~"$run"}`',
)


def everything() -> RunRecord:
    """One run with all six statuses, folded targets, a waived finding and foreign letters."""
    both = ("train.sbatch:13", "train.sbatch:20")
    waived = Judged(DARK_PANEL, (Target(Scope.FILE, "d.json"),), "panel is built by the platform team")
    results = (
        outcome(
            "setup-once",
            title="Set up once",
            reason="set up once, on every path",
            evidence={"line": "12"},
            items=(1,),
        ),
        outcome("shutdown", Status.FAIL, SUCCESS_ONLY, decisive=True, targets=both),
        outcome(
            "truncated-spans",
            Status.SKIP,
            title="Truncated spans",
            items=(3,),
            scope=Scope.RUN,
            targets=("",),
            reason="no dashboard, rule file or collector configuration was given",
            missing_input="--dashboard FILE",
        ),
        outcome(
            "run-id",
            Status.PASS,
            RUN_ID_CHANGES,
            title="One run id",
            items=(4,),
            reason="one run id for all 16 ranks",
        ),
        outcome(
            "otlp-endpoint",
            Status.UNKNOWN,
            title="The endpoint takes every signal",
            items=(6,),
            scope=Scope.SIGNAL,
            targets=("traces", "metrics"),
            reason="OTEL_EXPORTER_OTLP_ENDPOINT comes from a file that is sourced at start",
            reason_at=Location.file("train.sbatch", 9),
            decisive=True,
        ),
        outcome("sampler", Status.WARN, UNSET_SAMPLER, title="A sampler is chosen", items=(7,)),
        outcome(
            "dashboard-panels",
            Status.PASS,
            waived,
            title="Dashboards show the families",
            items=(8,),
            scope=Scope.FILE,
            targets=("d.json",),
            reason="all four families have a panel, or are waived",
        ),
        outcome("environment", Status.FAIL, MISSPELT, title="Variables do what they seem to", items=()),
        outcome(
            "volume",
            Status.ERROR,
            title="The queues hold",
            items=(),
            reason="the check broke: KeyError: 'queue'",
        ),
    )
    statuses = {2: "fail", 3: "not-judged", 5: "not-judged", 6: "unknown", 7: "warn", 9: "not-judged"}
    items = tuple(
        Item(n, title, statuses.get(n, "pass"), _checks(n, results), MISSING.get(n, ""))
        for n, title in enumerate(TITLES, 1)
    )
    return record(
        *results,
        verdict="not-ready",
        headline="NOT READY: 2 fail (6 of 9 judged; not judged: 3, 5, 9 — give --dashboard, --backend)",
        exit_code=1,
        items=items,
        assumptions=(Assumption("lens generation", "0.2", "requirements.txt pins it"),),
        inputs=(("train.sbatch", "0" * 64), ("train.py", "f" * 64)),
    )


MISSING: Mapping[int, str] = {3: "--dashboard FILE", 5: "--backend jaeger=URL", 9: "a training script"}
