"""Which processes export, by what decides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from tests.program.scripts import asked, decided


def verdict(folder: Path, decision: str) -> str:
    return decided(folder, decision).verdict


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("mine = rank in (0, 3)", "pass"),
        ("mine = rank in {5}", "pass"),
        ("mine = 0 <= rank < 2", "pass"),
        ("mine = rank % 4 == 0", "pass"),
        ("mine = rank == int(os.environ['WORLD_SIZE']) - 1", "pass"),
        ("mine = rank == 99", "fail"),
        ("mine = rank == 0 and os.environ.get('LOCAL_RANK') == '0'", "pass"),
        ("mine = os.environ['RANK'] == 0", "fail"),
        ("mine = {0: True}.get(rank, False)", "pass"),
        ("mine = rank is None", "fail"),
        ("mine = rank != 0", "warn"),
        ("mine = divmod(rank, 4)[1] == 0", "pass"),
        ("mine = str(rank).endswith('0')", "pass"),
        ("mine = max(rank, 1) == 1", "pass"),
        ("mine = rank // 8", "fail"),
        ("mine = any(rank == r for r in (1, 2))", "pass"),
        ("mine = all([rank == 0, True])", "pass"),
        ("try:\n    mine = [True][rank]\nexcept IndexError:\n    mine = False", "pass"),
        ("mine = rank == int(open('r').read())", "unknown"),
        ("import random\nmine = random.random() < 0.5", "unknown"),
        ("import site_rules\nmine = site_rules.exports(rank)", "unknown"),
    ],
)
def test_the_exporting_ranks(decision: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, decision) == expected


ELECTED = """
import os
from nemo.lens import NemoLensConfig, setup_telemetry
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
config = NemoLensConfig.from_env()
{lines}
handle = setup_telemetry(config, rank=rank, world_size=world{more})
"""
LEADER = """try:
    os.close(os.open("leader", os.O_CREAT | os.O_EXCL))
    mine = True
except FileExistsError:
    mine = False
config.export_strategy = "all_ranks"
config.enabled = config.enabled and mine"""
BY_CASE = """match (rank, os.environ.get("ROLE", "train")):
    case (0 | 4, "train"):
        chosen = lambda c, r, w: True
    case (int(), _):
        chosen = lambda c, r, w: False"""
GUARDED = """config.export_strategy = "all_ranks"
if os.environ.get("QUIET") == "1":
    config.enabled = False"""


@pytest.mark.parametrize(
    ("lines", "more", "expected"),
    [
        (LEADER, "", "unknown"),
        (BY_CASE, ", export_strategy=chosen", "pass"),
        ("import site_rules", ", export_strategy=lambda c, r, w: site_rules.exports(r)", "unknown"),
        ("config.export_strategy = 'all_ranks'", "", "warn"),
        (GUARDED, "", "warn"),
        ("try:\n    import wandb\nexcept ImportError:\n    config.enabled = False", "", "note"),
    ],
)
def test_everybody_on_purpose_is_said_of_what_asks_for_everybody(
    lines: str, more: str, expected: str, tmp_path: Path
) -> None:
    text = ELECTED.format(lines=lines, more=more)
    assert asked(tmp_path, rank_decision, text).verdict == expected
