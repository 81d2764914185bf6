"""Many small shapes of programs, each with the verdicts that are right for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program.judge import CHECKS
from tests.program.scripts import asked

SHAPES = json.loads((Path(__file__).parent / "shapes.json").read_text())


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shape(name: str, tmp_path: Path) -> None:
    """Every verdict that is written down for the shape."""
    shape = SHAPES[name]
    for check in CHECKS:
        wanted = shape["verdicts"].get(check.id)
        if wanted is None:
            continue
        answer = asked(
            tmp_path,
            check,
            "\n".join(shape["source"]),
            shape["generation"],
            shape["env"],
            args=tuple(shape["argv"]),
        )
        assert answer.verdict in wanted, (answer.reason, [f.message for f in answer.findings])
