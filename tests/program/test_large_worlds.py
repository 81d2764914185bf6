"""Worlds of more ranks than are evaluated: the first and the last of them are."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.core.world import World
from lens_preflight.program import analyse, model
from lens_preflight.program.model import MAX_RANKS, ranks_tried
from tests.program.judge import ask, context

PROGRAM = """
import os
from nemo.lens import NemoLensConfig, setup_telemetry
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
config = NemoLensConfig.from_env()
config.enabled = config.enabled and ({})
setup_telemetry(config, {})
"""


def test_the_first_and_the_last_ranks_are_tried() -> None:
    assert ranks_tried(5) == (0, 1, 2, 3, 4)
    tried = ranks_tried(3 * MAX_RANKS)
    assert len(tried) == len(set(tried)) == MAX_RANKS
    assert (tried[0], tried[-1]) == (0, 3 * MAX_RANKS - 1)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("rank == 0", "pass"),
        ("rank == world - 1", "pass"),
        ("rank % 8 == 0", "pass"),
        ("True", "warn"),
        ("rank % 4 != 0", "warn"),
        ("rank == 20", "unknown"),
        ("rank == -1", "unknown"),
    ],
)
def test_a_large_world_is_judged_by_the_ranks_that_were_tried(
    condition: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 16 of 48 ranks; rank 20 is none of them, so that nothing is known of who else exports."""
    monkeypatch.setattr(model, "MAX_RANKS", 16)
    monkeypatch.setattr("lens_preflight.program.ranks.MAX_RANKS", 16)
    (tmp_path / "train.py").write_text(PROGRAM.format(condition, "rank=0, world_size=1"))
    found = analyse(str(tmp_path / "train.py"))
    answer = ask(rank_decision, context(found, "0.1", {"NEMO_LENS_ENABLED": "1"}, World(48, 8)))
    assert answer.verdict == verdict, (answer.findings, answer.reason)


def test_the_last_rank_of_the_library_is_seen(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.format("True", "rank=rank, world_size=world"))
    found = analyse(str(tmp_path / "train.py"))
    answer = ask(rank_decision, context(found, "0.1", {"NEMO_LENS_ENABLED": "1"}, World(2 * MAX_RANKS, 8)))
    assert answer.verdict == "note", (answer.findings, answer.reason)
    assert answer.findings[0].evidence["exporting"] == str(2 * MAX_RANKS - 1)
