"""A program whose promise was taken away never passes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.corpus import corpus_root
from tests.program.judge import Case, cases, judge
from tests.program.mutations import MUTATIONS, mutate

PASSING = [
    c for c in cases(corpus_root() / "program") if c.data["expected_verdicts"].get("shutdown") == "pass"
]


def mutant(case: Case, name: str, folder: Path) -> Case | None:
    """A copy of a case with every file mutated; None when nothing changes."""
    shutil.copytree(case.folder, folder)
    changed = False
    for path in sorted(folder.rglob("*.py")):
        try:
            text = mutate(path.read_bytes(), name)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if text is not None:
            path.write_text(text)
            changed = True
    return Case(folder, case.data) if changed else None


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_no_mutant_passes(name: str, tmp_path: Path) -> None:
    """Every mutation of every passing case: out of the finally, behind an exit, a guard or a raise."""
    passed = []
    tried = 0
    for case in PASSING:
        changed = mutant(case, name, tmp_path / case.id)
        if changed is None:
            continue
        tried += 1
        if judge(changed)["shutdown"].verdict in ("pass", "note"):
            passed.append(case.id)
    assert tried
    assert passed == []
