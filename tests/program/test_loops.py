"""How often a loop runs: not at all, once, more than once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.setup_once import setup_once
from tests.program.scripts import HEAD, RANKED, asked, shut_down

SETUP = RANKED.strip()


def verdict(folder: Path, body: str) -> str:
    return asked(folder, setup_once, HEAD + body.replace("SETUP", SETUP) + "\n").verdict


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for i in range(1):\n    SETUP", "pass"),
        ("for i in range(2):\n    SETUP", "fail"),
        ("for i in range(20):\n    SETUP\n    break", "pass"),
        ("for i in []:\n    SETUP", "fail"),
        ("for i in [1]:\n    pass\nelse:\n    SETUP", "pass"),
        ("for i in [1]:\n    break\nelse:\n    SETUP", "fail"),
        ("while True:\n    SETUP\n    break", "pass"),
        ("while True:\n    break\nSETUP", "pass"),
        ("for i in range(3):\n    if i == 1:\n        break\nSETUP", "pass"),
        ("n = 0\nwhile n < 1:\n    n += 1\n    SETUP", "pass"),
        ("n = 0\nwhile n < 3:\n    n += 1\n    SETUP", "fail"),
        ("done = False\nwhile not done:\n    SETUP\n    done = True", "pass"),
        ("h = [setup_telemetry(NemoLensConfig.from_env()) for _ in range(2)]", "fail"),
        ("h = [setup_telemetry(NemoLensConfig.from_env()) for _ in range(1)]", "pass"),
        ("h = [setup_telemetry(NemoLensConfig.from_env()) for i in range(5) if i == 3]", "pass"),
        ("h = {k: setup_telemetry(NemoLensConfig.from_env()) for k in ('a',)}", "pass"),
        ("for i, x in enumerate(['a', 'b']):\n    if i == 1:\n        SETUP", "pass"),
        ("for a, b in zip([1, 2], [3, 4]):\n    if b == 4:\n        SETUP", "pass"),
        ("for x in reversed([0, 1]):\n    if not x:\n        continue\n    SETUP", "pass"),
        ("for k, v in {'a': 1}.items():\n    SETUP", "pass"),
        ("for x in 'ab':\n    SETUP", "fail"),
    ],
)
def test_how_often_it_is_set_up(body: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, body) == expected


@pytest.mark.parametrize("steps", ["range(BIG)", "range(0, BIG, 7)", "list(range(BIG))", "range(BIG, 0, -3)"])
def test_a_loop_over_more_turns_than_can_be_counted(steps: str, tmp_path: Path) -> None:
    steps = steps.replace("BIG", "1" + 30 * "0")
    lines = f"try:\n    for step in {steps}:\n        TRAIN\nfinally:\n    DOWN"
    assert shut_down(tmp_path, lines) == "pass"
