"""Generators of the tree stop at a yield and go on behind it, whatever statement the yield is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import HEAD, RANKED, asked
from tests.program.test_hostile import PRELUDE, SETUP, verdicts

MANAGER = (
    HEAD
    + """
import sys
from contextlib import contextmanager

@contextmanager
def telemetry(kind):
    {setup}
    match kind:
        case "quiet":
            yield handle
        case _:
            try:
                yield handle
            finally:
                {end}

with telemetry("loud") as handle:
    trainlib.train()
"""
)


@pytest.mark.parametrize(("end", "status"), [("handle.shutdown()", "pass"), ("pass", "fail")])
def test_a_yield_inside_a_case(tmp_path: Path, end: str, status: str) -> None:
    text = MANAGER.replace("{setup}", RANKED.strip()).replace("{end}", end)
    assert asked(tmp_path, shutdown, text).verdict == status


def test_a_yield_in_a_finally_body_goes_on_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(
        PRELUDE
        + b"def steps():\n    try:\n        yield 1\n    finally:\n        yield 2\n        yield 3\n"
        + SETUP
        + b"try:\n    for step in steps():\n        print(step)\nfinally:\n    handle.shutdown()\n"
    )
    assert "error" not in verdicts(path).values()
    assert verdicts(path)["shutdown"] in ("pass", "warn", "unknown")
