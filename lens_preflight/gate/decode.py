"""A JSON report back into outcomes: what was written, no more; nothing in it is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Finding, Location, Place, Related, Rule
from lens_preflight.core.outcome import Judged, Outcome, Target
from lens_preflight.core.words import Owner, Scope, Severity, Status
from lens_preflight.gate.reportfile import NotAReport

SCHEMA = "lens-preflight/report/1"


@dataclass(frozen=True)
class Report:
    """What one report says that matters to others; ``run`` is the part that differs each time."""

    profile: str
    outcomes: tuple[Outcome, ...]
    run: Mapping[str, Any]
    subject: Mapping[str, Any]
    inputs: tuple[tuple[str, str], ...]
    tool: str


def decode(document: Mapping[str, Any]) -> Report:
    """Read a document of version 1 of the report.

    Raises:
        NotAReport: it is another document, or does not follow the schema.
    """
    schema = document.get("schema")
    if schema != SCHEMA:
        if isinstance(schema, str) and schema.startswith("lens-preflight/"):
            raise NotAReport(f"another format, {schema[:40]}")
        raise NotAReport("not a report of lens-preflight")
    try:
        return Report(
            profile=str(document["profile"]),
            outcomes=tuple(_outcome(result) for result in document["results"]),
            run=dict(document["run"]),
            subject=_subject(document["subject"]),
            inputs=tuple((str(i["path"]), str(i["sha256"])) for i in document["inputs"]),
            tool=str(document["tool"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise NotAReport("does not follow the schema of version 1") from None


def _subject(subject: Mapping[str, Any]) -> dict[str, Any]:
    launches = subject.get("launches") or []
    if not isinstance(launches, list) or not all(isinstance(launch, dict) for launch in launches):
        raise TypeError("launches are no list of tables")
    return dict(subject)


def _outcome(result: Mapping[str, Any]) -> Outcome:
    scope = Scope(result["scope"])
    return Outcome(
        check=_text(result["check"]),
        title=_text(result["title"]),
        items=tuple(int(n) for n in result["items"]),
        scope=scope,
        targets=_targets(scope, result["targets"]),
        status=Status(result["status"]),
        findings=tuple(_judged(scope, one) for one in result["findings"]),
        reason=_text(result["reason"]),
        reason_at=_place(result["reason_at"]) if result["reason_at"] else None,
        evidence=_evidence(result.get("evidence") or {}),
        missing_input=_text(result.get("missing_input") or ""),
        url=_text(result["url"]),
        decisive=bool(result.get("decisive")),
        waived=_text(result.get("waived") or ""),
    )


def _judged(scope: Scope, one: Mapping[str, Any]) -> Judged:
    rule = Rule(_text(one["rule"]), "", Severity[one["severity"].upper()], Owner(one["owner"]))
    finding = Finding(
        rule=rule,
        message=_text(one["message"]),
        at=_place(one["at"]),
        related=tuple(
            Related(_text(r["text"]), Location(Place(r["kind"]), _text(r["what"]), r["line"]))
            for r in one["related"]
        ),
        evidence=_evidence(one["evidence"]),
        remedy=_text(one["remedy"]),
        settings=tuple((_text(s["name"]), s["value"]) for s in one.get("settings") or ()),
    )
    return Judged(finding, _targets(scope, one["targets"]), _text(one["waived"] or ""))


def _targets(scope: Scope, keys: list[str]) -> tuple[Target, ...]:
    return tuple(Target(scope, _text(key)) for key in keys) or (Target(scope),)


def _place(at: Mapping[str, Any]) -> Location:
    numbers = [at.get(key) for key in ("line", "column", "end_line")]
    if not all(n is None or (isinstance(n, int) and n > 0) for n in numbers):
        raise ValueError("a line number is none")
    line, column, end_line = numbers
    return Location(Place(at["kind"]), _text(at["what"]), line, column, end_line)


def _evidence(evidence: Mapping[str, Any]) -> dict[str, str]:
    return {_text(key): _text(value) for key, value in evidence.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
