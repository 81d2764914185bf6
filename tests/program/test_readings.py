"""A program is read once for each environment, however many checks ask at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import generation
from lens_preflight.program import Reading, analyse
from lens_preflight.program.budget import MAX_JOINS, Exhausted, Meter
from lens_preflight.program.state import State


def test_checks_on_several_threads_share_one_reading(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os\nfor i in range(9):\n    os.environ.get('RANK')\n")
    model = analyse(str(tmp_path / "train.py"))
    env, world = Environment.of({}), World(256, 8)
    start = threading.Barrier(6)
    found: list[Reading] = []

    def ask() -> None:
        start.wait()
        found.append(model.reading(env, world, generation("0.1")))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({id(reading) for reading in found}) == 1
    assert len(model.readings) == 1


def test_a_reading_beyond_its_budget_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "import os",
        "for x in os.listdir():",
        "    if os.getenv(x):",
        "        y = 1",
        "    else:",
        "        y = 2",
    ]
    (tmp_path / "train.py").write_text("\n".join(lines) + "\n")
    env, world = Environment(complete=False, opaque="unknown"), World(8, 8)
    model = analyse(str(tmp_path / "train.py"))
    assert model.read(env, world, generation("0.1")).incomplete == ""
    real = Meter.spend
    monkeypatch.setattr(Meter, "spend", lambda self, objects: real(self, MAX_JOINS + objects))
    assert "budget" in model.read(env, world, generation("0.1")).incomplete


def test_a_budget_of_joins_is_shared_by_all_states() -> None:
    state = State(1, {})
    copy = state.fork()
    copy.meter.left = 5
    state.meter.spend(5)
    with pytest.raises(Exhausted, match="budget"):
        copy.meter.spend(1)
