"""A program is read once for each environment, however many checks ask at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import generation
from lens_preflight.program import Reading, analyse


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
