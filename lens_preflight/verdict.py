"""From outcomes to the nine items, one word and one exit code."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from lens_preflight.core.outcome import Item, Outcome
from lens_preflight.core.words import Severity, Status
from lens_preflight.registry import ITEMS


class Verdict(enum.Enum):
    """The one word of a run."""

    READY = "ready"
    NOT_READY = "not-ready"
    CANNOT_TELL = "cannot-tell"
    NOTHING_JUDGED = "nothing-judged"


CODES = {Verdict.READY: 0, Verdict.NOT_READY: 1, Verdict.CANNOT_TELL: 3, Verdict.NOTHING_JUDGED: 4}

LEFT_OUT = "a run of all checks"
"""What to give for an item whose check is not part of the run."""


def counted(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many outcomes ended in each status, and how many findings are waived."""
    counts = {status.value: 0 for status in Status} | {"waived": 0}
    for outcome in outcomes:
        counts[outcome.status.value] += 1
        counts["waived"] += sum(bool(j.waived) for j in outcome.findings) + bool(outcome.waived)
    return counts


def fails(outcome: Outcome) -> bool:
    """True when a blocker of the outcome is not waived, or when it fails and says no more."""
    if outcome.status is Status.FAIL and not outcome.findings:
        return True
    return any(j.finding.severity is Severity.BLOCKER and not j.waived for j in outcome.findings)


def _warns(outcome: Outcome) -> bool:
    return any(j.finding.severity is Severity.CAUTION and not j.waived for j in outcome.findings)


def _cannot_tell(outcome: Outcome) -> bool:
    return outcome.decisive and outcome.status in (Status.UNKNOWN, Status.ERROR) and not outcome.waived


def _unmet(item: Item, outcomes: Sequence[Outcome]) -> bool:
    """An expected item that stayed unknown, unless somebody waived all that is not known of it."""
    if item.status != "unknown":
        return False
    ours, carriers = [o for o in outcomes if item.n in o.items], ITEMS[item.n].carriers
    judged = {o.check for o in ours if o.status is not Status.SKIP}
    return not judged.issuperset(carriers) or any(
        o.status in (Status.UNKNOWN, Status.ERROR) or (o.missing_input and o.check in carriers)
        for o in ours
        if not _known_to_wait(o)
    )


def _known_to_wait(outcome: Outcome) -> bool:
    return outcome.status is Status.UNKNOWN and bool(outcome.waived)


def sum_items(outcomes: Sequence[Outcome], expected: frozenset[int]) -> tuple[Item, ...]:
    """The nine items. One that is expected but lacks an input is unknown, else not judged."""
    return tuple(_item(n, outcomes, n in expected) for n in ITEMS)


def _item(n: int, outcomes: Sequence[Outcome], expected: bool) -> Item:
    line = ITEMS[n]
    ours = [o for o in outcomes if n in o.items]
    checks = tuple(dict.fromkeys(o.check for o in ours))
    missing, unjudged = "", False
    for carrier in line.carriers:
        carried = [o for o in ours if o.check == carrier]
        open_ones = [o for o in carried if o.status is Status.SKIP or o.missing_input]
        if not carried or len(open_ones) == len(carried) or any(o.missing_input for o in open_ones):
            unjudged = True
            hints = [o.missing_input for o in open_ones if o.missing_input]
            missing = missing or next(iter(hints), "" if carried else LEFT_OUT)
    worst = _worst(ours)
    if unjudged and worst in ("warn", "pass"):  # what was seen is no answer to what was asked
        lacking = expected and bool(missing)
        worst = "unknown" if lacking else "warn" if worst == "warn" else "not-judged"
    return Item(n, line.title, worst, checks, missing if unjudged else "")


def _worst(outcomes: Sequence[Outcome]) -> str:
    if any(fails(o) for o in outcomes):
        return "fail"
    if any(o.status in (Status.UNKNOWN, Status.ERROR) for o in outcomes):
        return "unknown"
    return "warn" if any(o.status is Status.WARN for o in outcomes) else "pass"


def judge(
    outcomes: Sequence[Outcome],
    items: Sequence[Item],
    expected: frozenset[int],
    *,
    fail_on: str = "unknown",
    incomplete: bool = False,
) -> tuple[Verdict, int]:
    """The verdict and the exit code of a run.

    ``fail_on`` is never, fail, unknown or warn: ``never`` turns 1 and 3 into 0, ``fail`` turns 3
    into 0, ``warn`` makes a caution count like a blocker. ``incomplete`` says that the deadline or
    the user ended the run.
    """
    if any(fails(o) for o in outcomes) or (fail_on == "warn" and any(_warns(o) for o in outcomes)):
        verdict = Verdict.NOT_READY
    elif (
        incomplete
        or any(_cannot_tell(o) for o in outcomes)
        or any(_unmet(i, outcomes) for i in items if i.n in expected)
    ):
        verdict = Verdict.CANNOT_TELL
    elif all(o.status is Status.SKIP for o in outcomes):
        verdict = Verdict.NOTHING_JUDGED
    else:
        verdict = Verdict.READY
    forgiven = {"never": (1, 3), "fail": (3,)}.get(fail_on, ())
    code = CODES[verdict]
    return verdict, 0 if code in forgiven else code


def headline(verdict: Verdict, items: Sequence[Item]) -> str:
    """One line: the word, how many items were judged, and what to give for the others."""
    open_items = [i for i in items if i.status == "not-judged"]
    judged = len(items) - len(open_items)
    word = {
        Verdict.READY: "READY",
        Verdict.NOT_READY: "NOT READY",
        Verdict.CANNOT_TELL: "CANNOT TELL",
        Verdict.NOTHING_JUDGED: "NOTHING JUDGED",
    }[verdict]
    if not open_items:
        return f"{word} ({judged} of {len(items)} judged)"
    numbers = ", ".join(str(i.n) for i in open_items)
    gifts = ", ".join(dict.fromkeys(i.missing_input for i in open_items if i.missing_input))
    give = f" — give {gifts}" if gifts else ""
    scope = " for what was judged" if verdict is Verdict.READY else ""
    return f"{word}{scope} ({judged} of {len(items)}; not judged: {numbers}{give})"
