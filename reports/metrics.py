"""Metrics of the last run for node_exporter's textfile collector (a file that ends in ``.prom``).

Prometheus text format; the closing ``# EOF`` is a comment there and makes it OpenMetrics too. No
sample has a time stamp: ``lens_preflight_last_run_timestamp_seconds`` tells a stale file, and is 0
when nobody knows when the run was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Final, TextIO, TypeAlias

from lens_preflight.core.outcome import RunRecord, Target
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports.text import one_line, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "metrics"

LONGEST: Final = 500
"""Characters of a label."""
VERDICTS: Final = ("ready", "not-ready", "cannot-tell", "nothing-judged")
Sample: TypeAlias = tuple[Mapping[str, str], float]


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write all metrics."""
    for line in lines(record):
        to.write(line + "\n")


def lines(record: RunRecord) -> Iterator[str]:
    """The lines, without line ends."""
    for metric, about, samples in _metrics(record):
        yield f"# HELP lens_preflight_{metric} {about}"
        yield f"# TYPE lens_preflight_{metric} gauge"
        for labels, value in samples:
            given = ",".join(f'{key}="{_label(text)}"' for key, text in labels.items())
            yield (
                f"lens_preflight_{metric}{{{given}}} {value:.15g}"
                if given
                else (f"lens_preflight_{metric} {value:.15g}")
            )
    yield "# EOF"


def _metrics(record: RunRecord) -> Iterator[tuple[str, str, list[Sample]]]:
    """Name, help and samples of each metric."""
    yield "run", "The tool and the profile of the last run.", [_run(record)]
    yield (
        "run_verdict",
        "The verdict of the last run: 1 for the one that holds.",
        [({"verdict": word}, float(record.verdict == word)) for word in VERDICTS],
    )
    yield "run_exit_code", "The exit code of the last run.", [({}, float(record.exit_code))]
    yield "check_status", "Each check and target of the last run, with what became of it.", _checks(record)
    yield (
        "item_status",
        "The lines of the checklist, with what became of them.",
        [({"item": str(item.n), "status": item.status}, 1.0) for item in record.items],
    )
    yield "checks", "How many outcomes of the last run have each status.", _outcomes(record)
    yield "findings", "How many findings of the last run have each weight.", _findings(record)
    yield "last_run_timestamp_seconds", "When the last run began, in Unix time.", [({}, _started(record))]
    yield "last_run_duration_seconds", "How long the last run took.", [({}, _took(record))]


def _run(record: RunRecord) -> Sample:
    tool, _, version = record.tool.rpartition(" ")
    return {"version": version if tool else "", "profile": record.profile}, 1.0


def _checks(record: RunRecord) -> list[Sample]:
    """One sample for each outcome and target; the targets of a check that look alike are numbered."""
    samples: list[Sample] = []
    seen: set[tuple[str, str]] = set()
    for outcome in record.results:
        for target in outcome.targets or (Target(outcome.scope),):
            key = shorten(one_line(target.key), LONGEST)
            name, number = key, 1
            while (outcome.check, name) in seen:
                number += 1
                name = f"{key} #{number}"
            seen.add((outcome.check, name))
            labels = {"check": outcome.check, "target": name, "status": outcome.status.value}
            samples.append((labels, 1.0))
    return samples


def _outcomes(record: RunRecord) -> list[Sample]:
    found = Counter(outcome.status for outcome in record.results)
    return [({"status": status.value}, float(found[status])) for status in Status]


def _findings(record: RunRecord) -> list[Sample]:
    judged = [j for outcome in record.results for j in outcome.findings]
    found = Counter((j.finding.severity, bool(j.waived)) for j in judged)
    return [
        ({"severity": severity.word, "waived": str(waived).lower()}, float(found[severity, waived]))
        for severity in Severity
        for waived in (False, True)
    ]


def _started(record: RunRecord) -> float:
    try:
        at = datetime.fromisoformat(str(record.run.get("started")).replace("Z", "+00:00"))
        return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _took(record: RunRecord) -> float:
    seconds = record.run.get("seconds")
    return float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e12 else 0.0


def _label(text: str) -> str:
    text = shorten(one_line(text), LONGEST)
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
