"""The checks of a run: the built-in ones, selected by id or by checklist item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lens_preflight.core.check import Check
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import InputError
from lens_preflight.core.numbers import whole
from lens_preflight.suggest import did_you_mean


@dataclass(frozen=True)
class Line:
    """One line of the checklist. ``carriers`` are the checks without which it is not judged; other
    checks that name the item can only make it worse.
    """

    title: str
    carriers: tuple[str, ...]


ITEMS: dict[int, Line] = {
    1: Line("setup_telemetry runs exactly once", ("setup-once",)),
    2: Line("handle.shutdown() runs on every way out", ("shutdown",)),
    3: Line("truncated spans are kept out of durations", ("truncated-spans",)),
    4: Line("nemo.run.id is set and shown in dashboards", ("run-id",)),
    5: Line("the backend can filter by nemo.run.id", ("backend-run-id",)),
    6: Line("the OTLP endpoint answers OTLP", ("otlp-endpoint",)),
    7: Line("exporting ranks and sampler are decided", ("rank-decision", "sampler")),
    8: Line("dashboards have the four panel families", ("dashboard-panels",)),
    9: Line("NEMO_LENS_ENABLED=0 switches off", ("rollback",)),
}


def builtin() -> tuple[Check, ...]:
    """The built-in checks, in checklist order."""
    from lens_preflight.checks import BUILTIN

    return BUILTIN


def register(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks as a tuple.

    Raises:
        InputError: two checks carry one id, or a rule does not belong to its check.
    """
    seen: dict[str, Check] = {}
    for one in checks:
        if one.id in seen:
            raise InputError(f"two checks are called {one.id!r}; rename one of them")
        for rule in one.rules:
            if rule.check != one.id:
                raise InputError(f"rule {rule.id!r} is declared by check {one.id!r}; call it {one.id}/...")
        seen[one.id] = one
    return tuple(seen.values())


def find(check_id: str, checks: Sequence[Check]) -> Check:
    """The check of that id; InputError with the nearest one otherwise."""
    for one in checks:
        if one.id == check_id:
            return one
    raise InputError(f"no check is called {check_id!r}; {did_you_mean(check_id, [c.id for c in checks])}")


def select(checks: Sequence[Check], wanted: Sequence[str], unwanted: Sequence[str]) -> tuple[Check, ...]:
    """The checks with a wanted id (all when none is named) and no unwanted one.

    Raises:
        InputError: an id is not known.
    """
    for check_id in (*wanted, *unwanted):
        find(check_id, checks)
    return tuple(c for c in checks if (not wanted or c.id in wanted) and c.id not in unwanted)


def carried_by(items: Iterable[int], checks: Iterable[Check]) -> frozenset[int]:
    """Those of the items of which no carrier is missing among the checks."""
    ids = {check.id for check in checks}
    return frozenset(n for n in items if ids.issuperset(ITEMS[n].carriers))


def expected_items(words: Sequence[str]) -> frozenset[int]:
    """The checklist items named by ``--expect``: numbers, or ``all``.

    Raises:
        InputError: a word is neither.
    """
    numbers: set[int] = set()
    for word in words:
        if word == "all":
            numbers.update(ITEMS)
        elif (number := whole(word)) in ITEMS and number is not None:
            numbers.add(number)
        else:
            raise InputError(f"--expect {word}: not an item of the checklist; give 1 to 9, or all")
    return frozenset(numbers)
