"""``match``: the case that fits is taken, in each process its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from tests.program.scripts import asked

PROGRAM = """
import os
from nemo.lens import NemoLensConfig, setup_telemetry
rank, local = int(os.environ["RANK"]), os.environ["LOCAL_RANK"]
config = NemoLensConfig.from_env()
match {subject}:
{cases}
config.enabled = config.enabled and mine
handle = setup_telemetry(config)
"""


@pytest.mark.parametrize(
    ("subject", "cases", "verdict"),
    [
        ("rank", "    case 0 | 7:\n        mine = True\n    case _:\n        mine = False", "pass"),
        ("rank", "    case 9:\n        mine = True\n    case _:\n        mine = False", "fail"),
        ("rank", "    case _:\n        mine = True", "warn"),
        ("rank", "    case n if n < 2:\n        mine = True\n    case _:\n        mine = False", "pass"),
        ("local", "    case '0':\n        mine = True\n    case _:\n        mine = False", "pass"),
        ("local", "    case 0:\n        mine = True\n    case _:\n        mine = False", "fail"),
        ("(rank, local)", "    case (0, _):\n        mine = True\n    case _:\n        mine = False", "pass"),
        ("[rank]", "    case [0, _]:\n        mine = True\n    case _:\n        mine = False", "fail"),
        ("rank", "    case str():\n        mine = True\n    case int(n):\n        mine = n == 3", "pass"),
        ("rank == 0", "    case True:\n        mine = True\n    case False:\n        mine = False", "pass"),
        ("rank", "    case 0 as n:\n        mine = n == 0\n    case _:\n        mine = False", "pass"),
    ],
)
def test_the_exporting_ranks_follow_the_case(subject: str, cases: str, verdict: str, tmp_path: Path) -> None:
    text = PROGRAM.format(subject=subject, cases=cases)
    assert asked(tmp_path, rank_decision, text, "nightly").verdict == verdict


def test_an_unknown_subject_takes_every_case(tmp_path: Path) -> None:
    cases = "    case 1:\n        mine = rank == 0\n    case _:\n        mine = True"
    text = PROGRAM.format(subject="hash(str(rank))", cases=cases)
    assert asked(tmp_path, rank_decision, text, "nightly").verdict == "unknown"
