"""Redaction of whole structures: run records, findings, plain data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import names_of, replace
from lens_preflight.core.finding import Assumption, Finding, Location, Related
from lens_preflight.core.outcome import Item, Judged, Outcome, RunRecord, Target
from lens_preflight.redact.names import is_header_name, is_secret_name

if TYPE_CHECKING:
    from lens_preflight.redact.redactor import Redactor


def record(by: Redactor, run: RunRecord) -> RunRecord:
    """A run whose free texts are redacted; words of the verdict, ids and titles are ours and stay."""
    return replace(
        run,
        profile_why=by.redact(run.profile_why),
        headline=by.redact(run.headline),
        items=tuple(_item(by, item) for item in run.items),
        results=tuple(outcome(by, result) for result in run.results),
        assumptions=tuple(_assumption(by, a) for a in run.assumptions),
        inputs=tuple((by.redact(path), by.redact(digest)) for path, digest in run.inputs),
        subject=data(by, run.subject),
        run=data(by, run.run),
        incomplete=by.redact(run.incomplete),
    )


def outcome(by: Redactor, one: Outcome) -> Outcome:
    """An outcome without secrets in its reason, places, evidence and findings."""
    return replace(
        one,
        targets=tuple(_target(by, target) for target in one.targets),
        findings=tuple(_judged(by, judged) for judged in one.findings),
        reason=by.redact(one.reason),
        reason_at=_location(by, one.reason_at) if one.reason_at else None,
        evidence=_evidence(by, one.evidence),
        assumptions=tuple(_assumption(by, a) for a in one.assumptions),
        missing_input=by.redact(one.missing_input),
        waived=by.redact(one.waived),
    )


def finding(by: Redactor, one: Finding) -> Finding:
    """A finding without secrets in its message, places, evidence, remedy and settings."""
    return replace(
        one,
        message=by.redact(one.message),
        at=_location(by, one.at),
        related=tuple(Related(by.redact(r.text), _location(by, r.at)) for r in one.related),
        evidence=_evidence(by, one.evidence),
        remedy=by.redact(one.remedy),
        settings=tuple(
            (by.redact(name), None if value is None else by.variable(name, value))
            for name, value in one.settings
        ),
    )


def _judged(by: Redactor, one: Judged) -> Judged:
    targets = tuple(_target(by, target) for target in one.targets)
    return Judged(finding(by, one.finding), targets, by.redact(one.waived))


def _item(by: Redactor, item: Item) -> Item:
    return replace(item, missing_input=by.redact(item.missing_input))


def _target(by: Redactor, target: Target) -> Target:
    return Target(target.scope, by.redact(target.key))


def _location(by: Redactor, at: Location) -> Location:
    variable, panel = by.redact(at.of_variable), by.redact(at.of_panel)
    return replace(at, what=by.redact(at.what), of_variable=variable, of_panel=panel)


def _assumption(by: Redactor, one: Assumption) -> Assumption:
    return Assumption(by.redact(one.what), by.variable(one.what, one.value), by.redact(one.why))


def _evidence(by: Redactor, evidence: Mapping[str, str]) -> dict[str, str]:
    return {by.redact(str(key)): by.variable(str(key), str(value)) for key, value in evidence.items()}


def data(by: Redactor, value: Any, name: str = "") -> Any:
    """Plain data without secrets: mappings, sequences, texts, and dataclasses of these.

    A text under a secret name is hidden whole; a sequence of texts is read as a command line.
    """
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, str):
        return by.variable(name, value) if name else by.redact(value)
    if isinstance(value, Mapping):
        under = name if is_header_name(name) else ""
        return {_key(by, key): data(by, inner, under or str(key)) for key, inner in value.items()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return _sequence(by, value, name)
    if isinstance(value, (set, frozenset)):
        return type(value)(data(by, inner, name) for inner in value)
    names = names_of(value)
    return replace(value, **{n: data(by, getattr(value, n), n) for n in names}) if names else value


def _key(by: Redactor, key: Any) -> Any:
    return by.redact(key) if isinstance(key, str) else key


def _sequence(by: Redactor, values: list[Any] | tuple[Any, ...], name: str) -> Any:
    if values and all(isinstance(value, str) for value in values) and not is_secret_name(name):
        return type(values)(by.arguments(values))
    return type(values)(data(by, value, name) for value in values)
