"""Checks on a subject without the runner, so that what breaks in a check is seen as what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lens_preflight.core.check import Check, Said
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Finding
from lens_preflight.needs import missing
from lens_preflight.preflight import _context, _jobs
from lens_preflight.redact import Redactor
from lens_preflight.redact.deep import finding as redacted
from lens_preflight.subject.secrets import redactor
from lens_preflight.subject.subject import Subject
from tests.fuzz.target import CANARY


class Undeclared(Exception):
    """A check reports a rule that is not its own, or a message of several lines."""


def said(subject: Subject, checks: Sequence[Check]) -> Iterator[str]:
    """Everything that the checks say of a subject, as a reader would see it.

    Raises whatever a check raises, apart from the ways in which it may end.
    """
    subject.open_inputs()
    base = _context(subject, Deadline.after(3600))
    words: list[Any] = []
    for check in checks:
        for job in _jobs(check, subject, base):
            for context in job.contexts:
                if missing(check, context) is None:
                    words += asked(check, context)
    known: list[Redactor] = []
    for word in words:
        yield _shown(word, subject, known)


def asked(check: Check, context: Any) -> list[Said | str]:
    """What one call of a check says, and the reason with which it ends."""
    found: list[Said | str] = []
    try:
        for word in check.run(context) or ():
            if isinstance(word, Finding):
                _sound(check, word)
            found.append(word)
    except (Skip, Undecided) as end:
        found.append(end.reason)
    except LibraryFailure as failure:
        found.append(str(failure))
    return found


def _sound(check: Check, finding: Finding) -> None:
    if finding.rule not in check.rules:
        raise Undeclared(f"{finding.rule.id} is not declared by {check.id}")
    if not finding.message.strip() or not finding.fingerprint:
        raise Undeclared(f"{finding.rule.id} has no message")


def _shown(word: Any, subject: Subject, known: list[Redactor]) -> str:
    """A word as text; the redactor of the subject is made only when there is something to hide."""
    text = repr(word)
    if CANARY not in text:
        return text
    if not known:
        known.append(redactor(subject))
    if isinstance(word, Finding):
        return repr(redacted(known[0], word))
    return repr(known[0].data(word)) if not isinstance(word, str) else known[0].redact(word)
