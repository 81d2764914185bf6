"""Context managers that end telemetry, and those that only look so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import shut_down


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            """
import contextlib
with contextlib.ExitStack() as s:
    s.callback(handle.shutdown)
    TRAIN
""",
            "pass",
        ),
        (
            """
import contextlib
s = contextlib.ExitStack()
s.callback(handle.shutdown)
TRAIN
""",
            "fail",
        ),
        (
            """
import contextlib
with contextlib.ExitStack() as s:
    s.callback(handle.shutdown)
    s.pop_all()
    TRAIN
""",
            "fail",
        ),
        (
            """
import contextlib
with contextlib.ExitStack() as s:
    s.callback(handle.shutdown)
    k = s.pop_all()
    with k:
        TRAIN
""",
            "pass",
        ),
        (
            """
import contextlib
@contextlib.contextmanager
def tel():
    yield
    DOWN
with tel():
    TRAIN
""",
            "fail",
        ),
        (
            """
import contextlib
@contextlib.contextmanager
def tel():
    try:
        yield
    finally:
        DOWN
with tel():
    TRAIN
""",
            "pass",
        ),
        (
            """
class T:
    def __enter__(self): return self
    def __exit__(self, *a):
        DOWN
with T():
    TRAIN
""",
            "pass",
        ),
        (
            """
class T:
    def __enter__(self): return self
    def __exit__(self, kind, v, t):
        if kind is None:
            DOWN
with T():
    TRAIN
""",
            "fail",
        ),
        (
            """
class T:
    def __enter__(self): return self
    def __exit__(self, kind, v, t):
        if kind is not None:
            DOWN
with T():
    TRAIN
""",
            "fail",
        ),
        ("class T:\n    def __exit__(self, *a):\n        DOWN\nwith T():\n    TRAIN", "fail"),
        (
            """
import contextlib
class T:
    def close(self):
        DOWN
with contextlib.closing(T()):
    TRAIN
""",
            "pass",
        ),
        ("import contextlib\nwith contextlib.nullcontext():\n    TRAIN\nDOWN", "fail"),
    ],
)
def test_who_shuts_down(body: str, expected: str, tmp_path: Path) -> None:
    assert shut_down(tmp_path, body) == expected
