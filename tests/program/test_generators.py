"""Generators of the tree stop at a yield and go on behind it, whatever statement the yield is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import HEAD, RANKED, asked

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
