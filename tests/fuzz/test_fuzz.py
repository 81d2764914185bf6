"""A share of the executions for each entry point; ``make fuzz`` runs many more.

PREFLIGHT_FUZZ and PREFLIGHT_FUZZ_SEED give another number and another seed than the ones that make
every run the same.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from tests.corpus import LINES
from tests.fuzz import engine, growth
from tests.fuzz.__main__ import spread
from tests.fuzz.engine import Hang, bounded_memory, execute, run, watchdog
from tests.fuzz.growth import Growth, Measured
from tests.fuzz.tally import Tally
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
    assert sum(target.share for target in TARGETS) == 20_000


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


def test_the_watchdog_ends_what_waits_for_what_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "WAITING", 0.2)
    crash = execute(_target(lambda _: threading.Event().wait()), "s", 0)
    assert crash is not None and crash.kind == "Hang"


def test_a_watchdog_that_was_not_heard_is_a_hang_too() -> None:
    def deaf(_: object) -> list[str]:
        end = time.process_time() + 1.4
        while time.process_time() < end:
            try:
                while time.process_time() < end:
                    pass
            except Hang:  # as a callback from C would
                continue
        return []

    tally = run(Target("deaf", 1, lambda random: None, deaf, seconds=0.1), "s", range(1))
    assert [crash.kind for crash in tally.crashes] == ["Hang"]


_HELD: list[object] = []


def _keep_file(_: object) -> list[str]:
    _HELD.append(open(os.devnull))  # noqa: SIM115
    return []


def _keep_child(_: object) -> list[str]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    _HELD.append(child)
    return []


def _keep_temporary(_: object) -> list[str]:
    _HELD.append(tempfile.mkdtemp())
    return []


def _keep_thread(_: object) -> list[str]:
    end = threading.Event()
    threading.Thread(target=end.wait, daemon=True).start()
    _HELD.append(end)
    return []


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (_keep_file, "20 open files"),
        (_keep_child, "20 child processes"),
        (_keep_temporary, "20 temporary files"),
        (_keep_thread, "20 threads"),
        (lambda _: ["fine"], ""),
    ],
)
def test_what_stays_behind_is_a_leak(use: object, what: str) -> None:
    try:
        crashes = run(_target(use), "s", range(20)).crashes
    finally:
        for one in _HELD:
            if isinstance(one, subprocess.Popen):
                one.communicate(b"\n")
            elif isinstance(one, threading.Event):
                one.set()
            elif isinstance(one, io.IOBase):
                one.close()
        _HELD.clear()
    assert [(crash.kind, what in crash.detail) for crash in crashes] == ([("Leak", True)] if what else [])


def test_memory_that_stays_behind_is_counted() -> None:
    kept: list[object] = []

    def keep(made: object) -> list[str]:
        kept.append([made])
        return []

    assert run(_target(keep), "s", range(3000)).kept > 3000
    assert run(_target(lambda _: []), "s", range(3000)).kept < 300


def test_memory_that_goes_on_growing_is_a_leak_and_a_cache_that_fills_is_none() -> None:
    cache, leak = Growth(4), Growth(4)
    for number in range(4):
        filled = growth.BLOCKS * 2 if number == 0 else 0
        cache.take(Tally("cache", kept=filled), Measured(1, growth.RESIDENT * 2, 0))
        leak.take(Tally("leak", kept=growth.BLOCKS), Measured(1, growth.RESIDENT * number, 0))
    assert list(cache.leaks("s")) == []
    assert [(crash.target, crash.place) for crash in leak.leaks("s")] == [
        ("leak", "memory"),
        ("all", "process"),
    ]
    assert len(list(leak.lines())) == 1


def test_an_execution_is_the_same_again() -> None:
    seen: list[object] = []

    def keep(made: object) -> list[str]:
        seen.append(made)
        return []

    target = Target("again", 1, lambda random: [random.random() for _ in range(3)], keep)
    for _ in range(2):
        assert execute(target, "seed", 7) is None
    assert seen[0] == seen[1]
