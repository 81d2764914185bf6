"""A share of the executions for each entry point; ``make fuzz`` runs many more.

PREFLIGHT_FUZZ and PREFLIGHT_FUZZ_SEED give another number and another seed than the ones that make
every run the same.
"""

from __future__ import annotations

import os

import pytest

from tests.corpus import LINES
from tests.fuzz.__main__ import spread
from tests.fuzz.engine import Hang, bounded_memory, execute, run, watchdog
from tests.fuzz.target import CANARY, Target
from tests.fuzz.targets import TARGETS

EXECUTIONS = int(os.environ.get("PREFLIGHT_FUZZ", "20000"))
SEED = os.environ.get("PREFLIGHT_FUZZ_SEED", "1")
COUNTS = spread(EXECUTIONS, TARGETS)


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_no_crash_no_hang_no_leak(target: Target) -> None:
    with bounded_memory():
        tally = run(target, SEED, range(COUNTS[target.name]))
    LINES.append(
        f"fuzz {target.name}: {tally.executions} executions, {len(tally.crashes)} crashes, seed {SEED}"
    )
    first = next(iter(tally.crashes), None)
    assert first is None, f"{len(tally.crashes)} crashes\n{first.detail}\nagain: {first.again}"


def test_all_executions_are_spread() -> None:
    assert sum(COUNTS.values()) == max(EXECUTIONS, len(TARGETS))
    assert len({target.name for target in TARGETS}) == len(TARGETS)


def _target(use: object) -> Target:
    return Target("broken", 1, lambda random: random.random(), use)  # type: ignore[arg-type]


def _raise(_: object) -> list[str]:
    raise ZeroDivisionError


def _spin(_: object) -> list[str]:
    while True:
        try:
            while True:
                pass
        except Exception:  # a careless handler does not stop the watchdog
            continue


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        (_raise, "ZeroDivisionError"),
        (lambda _: [f"the token {CANARY}"], "Leak"),
        (lambda _: [bytearray(1 << 42)], "MemoryError"),
        (lambda _: ["fine"], ""),
    ],
)
def test_the_engine_sees_what_goes_wrong(use: object, kind: str) -> None:
    with bounded_memory():
        crash = execute(_target(use), "s", 3)
    assert (crash.kind if crash else "") == kind
    assert crash is None or crash.again.endswith("--target broken --seed s --index 3")


def test_the_watchdog_ends_what_does_not_end() -> None:
    with pytest.raises(Hang), watchdog(0.05):
        _spin(None)


def test_an_execution_is_the_same_again() -> None:
    seen: list[object] = []

    def keep(made: object) -> list[str]:
        seen.append(made)
        return []

    target = Target("again", 1, lambda random: [random.random() for _ in range(3)], keep)
    for _ in range(2):
        assert execute(target, "seed", 7) is None
    assert seen[0] == seen[1]
