"""Small makers for tests: a subject, a context, the outcome of one check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lens_preflight.context import Context
from lens_preflight.core.check import Check
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import Files, MadeUpFiles
from lens_preflight.preflight import preflight
from lens_preflight.registry import register
from lens_preflight.subject.builder import build
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.subject import Subject


def subject(
    env: Mapping[str, str] | Environment | None = None, *, files: Files | None = None, **inputs: Any
) -> Subject:
    """A subject of one launch with this environment; ``inputs`` as the fields of Inputs."""
    process = env if isinstance(env, Environment) else Environment.of(env or {})
    return build(Inputs(process=process, **{"offline": True, **inputs}), files or MadeUpFiles())


def record(checks: Sequence[Check], subject_: Subject | None = None, **options: Any) -> RunRecord:
    """The finished run of some checks."""
    what = subject_ or subject()
    deadline = options.pop("deadline", Deadline.after(30))
    return preflight(what.inputs, what, register(checks), deadline, **options)


def outcomes(check: Check, subject_: Subject) -> tuple[Outcome, ...]:
    """What one check makes of a subject."""
    return record([check], subject_).results


def outcome(check: Check, env: Mapping[str, str] | Environment | None = None, **inputs: Any) -> Outcome:
    """The only outcome of a check for an environment."""
    (only,) = outcomes(check, subject(env, **inputs))
    return only


def rules(outcome_: Outcome) -> list[str]:
    """The names of the rules that an outcome reports, in order."""
    return [j.finding.rule.name for j in outcome_.findings]


__all__ = ["Context", "outcome", "outcomes", "record", "rules", "subject"]
