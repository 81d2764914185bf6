"""The rules that settings name must exist: a slip would switch nothing off and say nothing."""

from __future__ import annotations

from collections.abc import Iterable

from lens_preflight.core.check import Check
from lens_preflight.core.errors import InputError
from lens_preflight.settings import Settings
from lens_preflight.suggest import did_you_mean, nearest

SLIP = 0.85
"""How alike an unknown id must be to a known one to be a slip, and not a check that is not installed here."""


def refuse_unknown_rules(settings: Settings, checks: Iterable[Check]) -> None:
    """Compare the rules of ``[severity]`` and ``[[waive]]`` with those of all checks.

    Checks of packages count as known. One that is not here today is no mistake: its waiver gets a note.

    Raises:
        InputError: a rule or a check is not known, and is meant to be one that is.
    """
    by_id = {check.id: [rule.name for rule in check.rules] for check in checks}
    for rule in settings.severity:
        _refuse(rule, by_id, f"{settings.source}: severity", ())
    for waiver in settings.waivers:
        _refuse(waiver.rule, by_id, f"{waiver.source}: [[waive]]", ("",) if waiver.status else ("*",))


def _refuse(rule: str, by_id: dict[str, list[str]], where: str, more: tuple[str, ...]) -> None:
    check, _, name = rule.partition("/")
    if check not in by_id:
        meant = nearest(check.strip().lower().replace("_", "-"), by_id, SLIP)
        if meant:
            raise InputError(f"{where}: no check is called {check!r}; did you mean {meant!r}?")
        return
    if name not in (*by_id[check], *more):
        raise InputError(f"{where}: {check} has no rule {name!r}; {did_you_mean(name, by_id[check])}")
