"""rank-decision: the exporting set of the world, and who decided it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.rank_decision import judge, rank_decision
from lens_preflight.core.errors import Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import generation
from lens_preflight.program import analyse
from tests.program.judge import Looked
from tests.program.scripts import FINALLY, GOOD, HEAD, asked, rules

PLACE = (
    'rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])\ncfg = NemoLensConfig.from_env()\n'
)
CALL = "handle = setup_telemetry(cfg)\n"
PREDICATES = {
    "rank == world - 1": ("pass", []),
    "rank % 4 == 0": ("pass", []),
    "os.environ['LOCAL_RANK'] == '0'": ("pass", []),
    "rank in range(4)": ("pass", []),
    "rank < 6": ("warn", ["most"]),
    "os.environ['RANK'] == 0": ("fail", ["nobody"]),
    "rank == world": ("fail", ["nobody"]),
    "True": ("fail", ["everybody"]),
    "trainlib.chosen(rank)": ("unknown", []),
    "hash(str(rank)) % 2 == 0": ("unknown", []),
}


@pytest.mark.parametrize("predicate", sorted(PREDICATES))
def test_predicates(tmp_path: Path, predicate: str) -> None:
    verdict, wanted = PREDICATES[predicate]
    text = HEAD + PLACE + f"cfg.enabled = cfg.enabled and {predicate}\n" + CALL + FINALLY
    answer = asked(tmp_path, rank_decision, text, "nightly")
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_the_default_strategy_is_a_note(tmp_path: Path) -> None:
    answer = asked(tmp_path, rank_decision, GOOD)
    assert (answer.verdict, answer.findings[0].evidence["exporting"]) == ("note", "7")


def test_a_gate_on_rank_zero_meets_the_default_strategy(tmp_path: Path) -> None:
    text = HEAD + PLACE + "cfg.enabled = cfg.enabled and rank == 0\n"
    text += "handle = setup_telemetry(cfg, rank=rank, world_size=world)\n" + FINALLY
    assert rules(asked(tmp_path, rank_decision, text)) == ["nobody"]


def test_a_gate_behind_the_setup_is_too_late(tmp_path: Path) -> None:
    text = HEAD + PLACE + CALL + "cfg.enabled = rank == 0\n" + FINALLY
    answer = asked(tmp_path, rank_decision, text, "nightly")
    assert rules(answer) == ["everybody"]
    assert "train.py:7" in answer.lines


def test_one_process_is_everybody(tmp_path: Path) -> None:
    assert (
        asked(tmp_path, rank_decision, HEAD + PLACE + CALL + FINALLY, "nightly", world=World(1, 1)).verdict
        == "pass"
    )


def test_without_a_world_three_are_tried(tmp_path: Path) -> None:
    text = HEAD + PLACE + "cfg.enabled = cfg.enabled and rank < 4\n" + CALL + FINALLY
    assert asked(tmp_path, rank_decision, text, "nightly", world=None).verdict == "pass"
    assert rules(asked(tmp_path, rank_decision, HEAD + PLACE + CALL + FINALLY, "nightly", world=None)) == [
        "everybody"
    ]


def test_everybody_for_a_hunt(tmp_path: Path) -> None:
    text = HEAD + PLACE + CALL + FINALLY
    assert asked(tmp_path, rank_decision, text, "nightly", purpose="debug").verdict == "pass"


@pytest.mark.parametrize(
    ("strategy", "verdict"), [("all_ranks", "warn"), ("first_rank_per_node", "pass"), ("single_rank", "note")]
)
def test_strategies_of_the_environment(tmp_path: Path, strategy: str, verdict: str) -> None:
    env = {"NEMO_LENS_EXPORT_STRATEGY": strategy}
    assert asked(tmp_path, rank_decision, GOOD, env=env).verdict == verdict


def test_a_reading_that_stopped_early_decides_nothing(tmp_path: Path) -> None:
    call = "handle = setup_telemetry(NemoLensConfig.from_env(), rank=trainlib.rank(), world_size=trainlib.size())\n"
    (tmp_path / "train.py").write_text(HEAD + call + FINALLY)
    model = analyse("train.py", base=str(tmp_path))
    reading = model.reading(Environment.of({"NEMO_LENS_ENABLED": "1"}), World(8, 4), generation("0.1"))
    ctx: Any = Looked()  # nothing else of it is asked on this way
    assert [said.rule.name for said in judge(ctx, reading)] == ["library-default"]  # type: ignore[union-attr]
    with pytest.raises(Undecided):
        list(judge(ctx, replace(reading, incomplete="it is too long")))
