"""2,000 random programs: an answer for each, and never a pass where no shutdown can be reached."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.program.generated import program
from tests.program.test_hostile import verdicts

COUNT = 2_000


def test_generated_programs(tmp_path: Path) -> None:
    """No crash; a program without the word shutdown never passes."""
    path = tmp_path / "train.py"
    judged = 0
    for seed in range(COUNT):
        text = program(seed)
        try:
            ast.parse(text)
            compile(text, "train.py", "exec")
        except SyntaxError:
            continue
        path.write_text(text)
        found = verdicts(path)
        judged += 1
        if "shutdown" not in text:
            assert found["shutdown"] in ("fail", "warn", "unknown"), text
    assert judged > COUNT // 4
