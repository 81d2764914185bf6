"""Which processes export, by what decides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import decided


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
