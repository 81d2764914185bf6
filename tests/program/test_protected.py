"""``try``: which exceptions stop where, and what runs on the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import shut_down


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("try:\n    TRAIN\nfinally:\n    DOWN", "pass"),
        ("try:\n    TRAIN\nexcept Exception:\n    raise\nelse:\n    DOWN", "fail"),
        ("try:\n    TRAIN\nexcept BaseException:\n    DOWN\n    raise\nelse:\n    DOWN", "pass"),
        ("try:\n    TRAIN\nexcept Exception:\n    DOWN\n    raise\nelse:\n    DOWN", "warn"),
        ("try:\n    TRAIN\nexcept ValueError:\n    pass\nDOWN", "fail"),
        (
            """
try:
    try:
        TRAIN
    finally:
        os._exit(1)
finally:
    DOWN
""",
            "fail",
        ),
        ("try:\n    TRAIN\nexcept* ValueError:\n    pass\nfinally:\n    DOWN", "pass"),
        ("try:\n    raise KeyError\nexcept (ValueError, TypeError):\n    DOWN", "fail"),
        ("try:\n    TRAIN\nfinally:\n    trainlib.cleanup()\n    DOWN", "warn"),
        ("def main():\n    try:\n        return TRAIN\n    finally:\n        DOWN\nmain()", "pass"),
        (
            """
for _ in range(1):
    try:
        TRAIN
        break
    finally:
        DOWN
""",
            "pass",
        ),
        ("try:\n    TRAIN\nfinally:\n    if False:\n        DOWN", "fail"),
    ],
)
def test_what_runs_on_the_way_out(body: str, expected: str, tmp_path: Path) -> None:
    assert shut_down(tmp_path, body) == expected
