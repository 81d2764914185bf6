"""The ``[[waive]]`` tables of the settings, read and checked."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from lens_preflight.core.errors import InputError
from lens_preflight.core.waiver import Waiver
from lens_preflight.suggest import did_you_mean

GLOBS = ("path", "variable", "launch", "panel")
KEYS = ("rule", "status", "reason", "until", *GLOBS)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_waivers(value: Any, name: str) -> tuple[Waiver, ...]:
    """The waivers of a settings file.

    Raises:
        InputError: a key is not known, rule, reason or until is missing, or all checks would match.
    """
    if not isinstance(value, list):
        raise InputError(f"{name}: waive must be a list of tables; write [[waive]]")
    return tuple(_waiver(table, f"{name}: [[waive]] {number}", name) for number, table in enumerate(value, 1))


def _waiver(table: Any, where: str, source: str) -> Waiver:
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table; write [[waive]]")
    for key in table:
        if key not in KEYS:
            raise InputError(f"{where}: unknown key {key!r}; {did_you_mean(key, KEYS)}")
    status = _text(table, "status", where)
    rule = _rule(_text(table, "rule", where), status, where)
    reason = _text(table, "reason", where).strip()
    if not reason:
        raise InputError(f'{where}: a reason is missing; write reason = "why this may wait"')
    globs = {key: _text(table, key, where) for key in GLOBS}
    for key, glob in globs.items():
        if key in table and not glob.strip():
            raise InputError(f"{where}: {key} is empty and would match everything; remove it, or give a name")
    return Waiver(rule, reason, _day(table.get("until"), where), status, source=source, **globs)


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(f'{where}: {key} must be a text; write {key} = "..."')
    return value


def _rule(rule: str, status: str, where: str) -> str:
    if status not in ("", "unknown"):
        raise InputError(f'{where}: status = {status!r} cannot be waived; only "unknown" can, errors cannot')
    check, slash, name = rule.partition("/")
    if rule != "".join(rule.split()):
        raise InputError(f'{where}: rule = {rule!r} holds a blank; write rule = "{"".join(rule.split())}"')
    if not check or "*" in check or "?" in check:
        raise InputError(f'{where}: rule must name a check; write rule = "check/rule" or "check/*"')
    if status and slash:
        raise InputError(f'{where}: with status, rule is the id of a check; write rule = "{check}"')
    if not status and not name:
        raise InputError(f'{where}: rule = {rule!r} names no rule; write rule = "{check}/*" for all of them')
    if "*" in name and name != "*":
        raise InputError(f'{where}: rule = {rule!r}: only a whole name or * works; write rule = "{check}/*"')
    return rule


def _day(value: Any, where: str) -> datetime.date:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value
    if isinstance(value, str) and DAY.fullmatch(value):  # newer Pythons take more forms than older ones
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            pass
    raise InputError(f"{where}: until = {value!r} is no day; write until = 2027-01-31")
