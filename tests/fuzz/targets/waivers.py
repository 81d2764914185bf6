"""Waivers and baselines on outcomes, the verdict that is left, and the settings that hold waivers."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Severity, Status
from lens_preflight.verdict import counted, fails, headline, judge, sum_items
from lens_preflight.waivers import apply
from tests.fuzz import mutate
from tests.fuzz.target import Target
from tests.fuzz.targets.reports import stuffed
from tests.gate.records import finding, outcome
from tests.reports.records import everything

_RULES = ("otlp-endpoint/refused", "otlp-endpoint/*", "otlp-endpoint", "shutdown/hard-exit", "*", "/", "")
_GLOBS = ("", "", "*", "train*.py", "OTEL_*", "[", "[!", "[]-a]", "?" * 40, "*a" * 30 + "b", "\ud800*")
_DAYS = (datetime.date.min, datetime.date(2026, 2, 3), datetime.date(2026, 2, 17), datetime.date.max)


@dataclass(frozen=True)
class Case:
    """Outcomes, and what is waived of them on a day."""

    outcomes: tuple[Outcome, ...]
    waivers: tuple[Waiver, ...]
    today: datetime.date
    accepted: Accepted


def _waiver(random: Random) -> Waiver:
    def glob() -> str:
        return random.choice(_GLOBS) if random.random() < 0.8 else mutate.nasty(random)

    return Waiver(
        rule=random.choice(_RULES),
        until=random.choice(_DAYS),
        reason=mutate.nasty(random) or "known",
        path=glob(),
        variable=glob(),
        panel=glob(),
        launch=glob(),
        status=random.choice(("", "", "unknown")),
        source=random.choice(("", "preflight.toml")),
    )


def _case(random: Random) -> Case:
    one = finding(severity=random.choice(list(Severity)))
    status = random.choice([s for s in Status if s is not Status.PASS])
    made = (outcome(status, one), outcome(), *random.sample(everything().results, 3))
    outcomes = stuffed(random, made, random.choice((0.0, 0.0, 0.2)))
    places = {f.finding.fingerprint: 1 for o in outcomes for f in o.findings if random.random() < 0.2}
    accepted = Accepted(places, "accepted")
    return Case(outcomes, tuple(_waiver(random) for _ in range(random.randrange(5))),
                random.choice(_DAYS), accepted)  # fmt: skip


def _use(made: Case) -> Iterator[str]:
    judged = apply(made.outcomes, made.waivers, made.today, made.accepted)
    for before, after in zip(made.outcomes, judged, strict=False):
        if before.status is Status.ERROR:
            assert after == before, "an error was waived"
        assert len(after.findings) == len(before.findings), "a waived finding is not shown"
        blocked = any(f.finding.severity is Severity.BLOCKER and not f.waived for f in after.findings)
        if before.status is Status.FAIL and blocked:
            assert after.status is Status.FAIL, "a blocker that is not waived counts no more"
        if before.status is Status.FAIL and not blocked and before.beneath is Status.ERROR:
            assert after.status is Status.ERROR, "a waived blocker hides an error"
    items = sum_items(judged, frozenset((6,)))
    verdict, code = judge(judged, items, frozenset((6,)), incomplete=False)
    counted(judged)
    assert code or not any(fails(outcome) for outcome in judged), "a fail that counts ends with 0"
    yield headline(verdict, items)


TARGETS = (Target("waivers", 830, _case, _use),)
