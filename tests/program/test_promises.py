"""Every way a process ends: each is named by what leaves there."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import HEAD, RANKED, asked, rules

TRAIN = "trainlib.train()"
DOWN = "handle.shutdown()"


def reported(folder: Path, body: str) -> list[str]:
    text = body.replace("TRAIN", TRAIN).replace("DOWN", DOWN)
    return rules(asked(folder, shutdown, f"{HEAD}{RANKED}{text}\n"))


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("TRAIN", "missing"),
        ("TRAIN\nDOWN", "success-only"),
        ("try:\n    TRAIN\nexcept Exception:\n    DOWN", "some-ways-only"),
        ("TRAIN\nos._exit(0)", "hard-exit"),
        ("try:\n    TRAIN\n    os._exit(0)\nfinally:\n    DOWN", "hard-exit"),
        ("try:\n    DOWN\nfinally:\n    TRAIN", "premature"),
        ("trainlib.load()\ntry:\n    TRAIN\nfinally:\n    DOWN", "gap"),
        ("import atexit\natexit.register(handle.shutdown)\nTRAIN", "exit-hook"),
    ],
)
def test_the_first_fault_of_each_way(body: str, rule: str, tmp_path: Path) -> None:
    assert reported(tmp_path, body)[:1] == [rule]
