"""Whether what a check declares and says has the shape that everything behind the runner relies on.

Checks may come from anywhere, so this is looked at once, where a check is registered and where a word of it
enters. The answers name kinds, never values: a value may hold a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lens_preflight.core.check import Check
from lens_preflight.core.finding import Assumption, Finding, Location, Place, Proof, Related, Rule
from lens_preflight.core.words import Need, Owner, Scope, Severity

CHECKLIST = range(1, 10)
TAKEN = ("lens-preflight", "verdict", "waivers")
"""Names under which the program itself speaks in reports."""

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def is_id(value: object) -> bool:
    """Whether a value can be the id of a check."""
    return isinstance(value, str) and len(value) <= 100 and _SLUG.fullmatch(value) is not None


def declaration_fault(check: Check) -> str:
    """What is wrong with a declaration, empty when it can be run."""
    return next(_declaration(check), "")


def saying_fault(said: object) -> str:
    """What is wrong with something that a check yielded, empty when reports can show it."""
    if isinstance(said, Finding):
        return next(_finding(said), "")
    if isinstance(said, Proof):
        return next(_proof(said), "")
    if isinstance(said, Assumption):
        texts = (("what", said.what), ("value", said.value), ("why", said.why))
        return next((fault for name, value in texts for fault in _text(value, f"Assumption.{name}")), "")
    return f"what it said is {_kind(said)}, not a Finding, Proof or Assumption"


def ending_fault(reason: object, at: object, give: object) -> str:
    """What is wrong with what a Skip or an Undecided carries, empty when reports can show it."""
    faults = [*_text(reason, "the reason"), *_text(give, "missing_input")]
    faults += [] if at is None else _location(at, "at")
    return next(iter(faults), "")


def _declaration(check: Check) -> Iterator[str]:
    if not is_id(check.id):
        yield "the id must be one word of letters, digits and dashes"
    if check.id in TAKEN:
        yield "the id is taken by the program itself; choose another one"
    yield from _text(check.title, "title")
    if not callable(check.run):
        yield f"run is {_kind(check.run)}, not a function"
    if not isinstance(check.scope, Scope):
        yield f"scope is {_kind(check.scope)}; write scope=Scope.LAUNCH"
    yield from _tuple(check.items, "items", "4", _item)
    for name in ("needs", "any_of", "uses"):
        yield from _tuple(getattr(check, name), name, "Need.SCRIPT", lambda n: isinstance(n, Need))
    yield from _tuple(check.rules, "rules", "RULE", lambda r: isinstance(r, Rule))
    for rule in check.rules:
        yield from _rule(rule, check.id)
    if not isinstance(check.decisive, bool):
        yield f"decisive is {_kind(check.decisive)}; write True or False"


def _item(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in CHECKLIST


def _rule(rule: Rule, check: str) -> Iterator[str]:
    if not isinstance(rule.id, str) or rule.check != check or not is_id(rule.name):
        yield f"the id of a rule does not begin with {check}/; rename it"
    yield from _text(rule.summary, "summary of a rule")
    yield from _text(rule.help, "help of a rule")
    if not isinstance(rule.severity, Severity):
        yield f"the severity of a rule is {_kind(rule.severity)}; write Severity.BLOCKER"
    if not isinstance(rule.owner, Owner):
        yield f"the owner of a rule is {_kind(rule.owner)}; write Owner.JOB"


def _tuple(value: object, name: str, example: str, good: Callable[[Any], bool]) -> Iterator[str]:
    if not isinstance(value, tuple) or not all(good(one) for one in value):
        yield f"{name} is no tuple of what it takes; write {name}=({example},)"


def _finding(finding: Finding) -> Iterator[str]:
    if not isinstance(finding.rule, Rule):
        yield f"Finding.rule is {_kind(finding.rule)}, not a Rule"
    yield from _text(finding.message, "Finding.message")
    yield from _location(finding.at, "Finding.at")
    if not isinstance(finding.related, tuple):
        yield f"Finding.related is {_kind(finding.related)}, not a tuple"
    for related in finding.related:
        if not isinstance(related, Related):
            yield f"Finding.related holds {_kind(related)}, not a Related"
        yield from _text(related.text, "Related.text")
        yield from _location(related.at, "Related.at")
    yield from _evidence(finding.evidence, "Finding.evidence")
    yield from _text(finding.remedy, "Finding.remedy")
    if not isinstance(finding.settings, tuple) or not all(_assignment(one) for one in finding.settings):
        yield "Finding.settings is no tuple of (NAME, value or None)"


def _proof(proof: Proof) -> Iterator[str]:
    yield from _text(proof.text, "Proof.text")
    yield from _evidence(proof.evidence, "Proof.evidence")
    yield from _text(proof.missing_input, "Proof.missing_input")


def _location(at: object, name: str) -> Iterator[str]:
    if not isinstance(at, Location):
        yield f"{name} is {_kind(at)}; write Location.file(path, line)"
        return
    if not isinstance(at.kind, Place):
        yield f"{name}: kind is {_kind(at.kind)}, not a Place"
    yield from _text(at.what, f"{name}: what")
    for number in (at.line, at.column, at.end_line):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
            yield f"{name}: lines and columns are numbers from 1 on"


def _evidence(value: object, name: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{name} is {_kind(value)}, not a mapping"
    elif not all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        yield f"{name} maps texts to texts; write str(...)"


def _assignment(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return isinstance(value[0], str) and (value[1] is None or isinstance(value[1], str))


def _text(value: object, name: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{name} is {_kind(value)}, not a text"


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
