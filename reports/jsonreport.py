"""The JSON report ``lens-preflight/report/1``; its schema is ``schema/report-1.json`` beside this file.

Only ``run`` differs between two runs on equal input; ``evidence`` may hold hosts and times too.
Fields may be added within version 1, never renamed or removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from lens_preflight.core.outcome import Item, Judged, Outcome, RunRecord, Target
from lens_preflight.reports.counts import counts
from lens_preflight.reports.plain import place, plain
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "json"

SCHEMA: Final = "lens-preflight/report/1"
SCHEMA_FILE: Final = Path(__file__).with_name("schema") / "report-1.json"

_RUN = ("started", "seconds", "host", "argv", "settings", "obtained")
_OBTAINED = ("host", "netns", "euid", "slurm_job", "node")
_SUBJECT = ("job", "purpose", "topology")
_LAUNCH = (
    *("key", "at", "chain", "program", "args", "nodes", "world_size", "exporting_ranks"),
    *("generation", "framework", "run_id", "world"),
)


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the report as ASCII JSON, two spaces deep, with a line feed at the end."""
    json.dump(plain(document(record)), to, indent=2, allow_nan=False)
    to.write("\n")


def document(record: RunRecord) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "schema": SCHEMA,
        "tool": record.tool,
        "run": _run(record),
        "profile": record.profile,
        "verdict": record.verdict,
        "headline": record.headline,
        "exit_code": record.exit_code,
        "items": [_item(item) for item in record.items],
        "assumptions": [{"what": a.what, "value": a.value, "why": a.why} for a in record.assumptions],
        "inputs": [{"path": path, "sha256": digest} for path, digest in record.inputs],
        "subject": _subject(record.subject),
        "results": [_result(outcome) for outcome in record.results],
        "counts": counts(record),
    }


def _run(record: RunRecord) -> dict[str, Any]:
    spent: dict[str, float] = {}
    for outcome in record.results:
        spent[outcome.check] = round(spent.get(outcome.check, 0.0) + outcome.seconds, 3)
    obtained = record.run.get("obtained")
    return {
        **dict.fromkeys(_RUN),
        **record.run,
        "obtained": {**dict.fromkeys(_OBTAINED), **(obtained if isinstance(obtained, Mapping) else {})},
        "profile_why": record.profile_why,
        "incomplete": record.incomplete,
        "seconds_by_check": spent,
    }


def _subject(subject: Mapping[str, Any]) -> dict[str, Any]:
    launches = [
        {**dict.fromkeys(_LAUNCH), **launch} if isinstance(launch, Mapping) else launch
        for launch in subject.get("launches") or ()
    ]
    return {**dict.fromkeys(_SUBJECT), **subject, "launches": launches}


def _item(item: Item) -> dict[str, Any]:
    return {
        "n": item.n,
        "title": item.title,
        "status": item.status,
        "checks": item.checks,
        "missing_input": item.missing_input,
    }


def _keys(targets: tuple[Target, ...]) -> list[str]:
    return [target.key for target in targets if target.key]


def _evidence(evidence: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in evidence.items()}


def _result(outcome: Outcome) -> dict[str, Any]:
    return {
        "check": outcome.check,
        "title": outcome.title,
        "items": outcome.items,
        "scope": outcome.scope.value,
        "targets": _keys(outcome.targets),
        "status": outcome.status.value,
        "decisive": outcome.decisive,
        "reason": outcome.reason,
        "reason_at": place(outcome.reason_at) if outcome.reason_at else None,
        "missing_input": outcome.missing_input,
        "evidence": _evidence(outcome.evidence),
        "url": outcome.url,
        "waived": outcome.waived,
        "findings": [_finding(judged) for judged in outcome.findings],
    }


def _finding(judged: Judged) -> dict[str, Any]:
    finding = judged.finding
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.word,
        "owner": finding.rule.owner.value,
        "message": finding.message,
        "at": place(finding.at),
        "related": [
            {"text": r.text, "kind": r.at.kind.value, "what": r.at.what, "line": r.at.line}
            for r in finding.related
        ],
        "evidence": _evidence(finding.evidence),
        "remedy": finding.remedy,
        "settings": [{"name": key, "value": value} for key, value in finding.settings],
        "fingerprint": finding.fingerprint,
        "targets": _keys(judged.targets),
        "waived": judged.waived,
    }
