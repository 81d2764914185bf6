"""The checks of a run: the built-in ones, selected by id or by checklist item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lens_preflight.core.check import Check, StandIn, stand_in
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Broken, InputError
from lens_preflight.core.numbers import whole
from lens_preflight.core.wellformed import declaration_fault, is_id
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
    """The checks as a tuple; one that is misdeclared gives way to the error that says so.

    One check that comes twice, by two entry points or files, is one.

    Raises:
        InputError: two checks carry one id.
    """
    seen: dict[str, Check] = {}
    came: set[int] = set()
    ours = {id(one) for one in builtin()}  # which a test looks at
    for one in checks:
        if id(one) in came:
            continue
        came.add(id(one))
        known = one if isinstance(one, StandIn) or id(one) in ours else _declared(one)
        name = known.id
        if name in seen:
            if not isinstance(known, StandIn) or is_id(name):
                places = f"{_module(seen[name])} and {_module(one)}"
                raise InputError(f"two checks are called {name!r}, in {places}; rename one of them")
            name = f"{name} {len(seen)}"
            known = stand_in(name, why(known))
        seen[name] = known
    return tuple(seen.values())


def _module(check: Check) -> str:
    return str(getattr(check.run, "__module__", "?"))


def _declared(check: Check) -> Check:
    """The check itself, or the error that says what is wrong with its declaration."""
    fault = declaration_fault(check)
    if not fault:
        return check
    name = check.id if is_id(check.id) else "plugin:without-id"
    return stand_in(name, f"the check is misdeclared: {fault}")


def why(broken: StandIn) -> str:
    """What kept a check from running."""
    try:
        list(broken.run(None))
    except Broken as error:
        return error.reason
    return ""


def find(check_id: str, checks: Sequence[Check]) -> Check:
    """The check of that id; InputError with the nearest one otherwise, and with what could not be loaded."""
    for one in checks:
        if one.id == check_id:
            return one
    hint = did_you_mean(check_id, [c.id for c in checks])
    broken = "".join(f"; {c.id} cannot be run: {why(c)}" for c in checks if isinstance(c, StandIn))
    raise InputError(f"no check is called {check_id!r}; {hint}{broken}")


def select(checks: Sequence[Check], wanted: Sequence[str], unwanted: Sequence[str]) -> tuple[Check, ...]:
    """The checks with a wanted id (all when none is named) and no unwanted one.

    What could not be loaded stays unless it is unwanted by its own id: nobody knows what it would be.

    Raises:
        InputError: an id is not known.
    """
    for check_id in (*wanted, *unwanted):
        find(check_id, checks)
    asked = (c for c in checks if not wanted or c.id in wanted or isinstance(c, StandIn))
    return tuple(c for c in asked if c.id not in unwanted)


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
