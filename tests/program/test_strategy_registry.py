"""Names of export strategies: registered once, and known when the setup looks them up."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, RANKED, asked, rules

HEAD = (
    "import os\nimport trainlib\n"
    "from nemo.lens import NemoLensConfig, register_export_strategy, setup_telemetry, unregister_export_strategy\n"
)
SET_UP = RANKED.replace("NemoLensConfig.from_env()", "cfg")
CONFIG = "cfg = NemoLensConfig.from_env()\n"
NAMED = f"{CONFIG}cfg.export_strategy = '{{name}}'\n{SET_UP}{FINALLY}"
FIRST = "lambda c, r, w: r == 0"


def test_a_name_that_nobody_registered_raises(tmp_path: Path) -> None:
    text = HEAD + NAMED.format(name="last_rank")
    for check in (setup_once, shutdown, rank_decision):
        answer = asked(tmp_path, check, text)
        assert (answer.verdict, rules(answer)) == ("fail", ["rejected"])
    assert "'last_rank'" in asked(tmp_path, setup_once, text).findings[0].message


@pytest.mark.parametrize("name", ["all_ranks", "single_rank", "sampled", "first_rank_per_node"])
def test_the_names_of_the_library_are_known(tmp_path: Path, name: str) -> None:
    assert asked(tmp_path, setup_once, HEAD + NAMED.format(name=name)).verdict == "pass"


def test_a_name_from_the_environment_is_looked_up_too(tmp_path: Path) -> None:
    text = HEAD + CONFIG + SET_UP + FINALLY
    env = {"NEMO_LENS_EXPORT_STRATEGY": "rank_zero"}
    assert rules(asked(tmp_path, setup_once, text, env=env)) == ["rejected"]
    own = HEAD + f"register_export_strategy('rank_zero', {FIRST})\n" + CONFIG + SET_UP + FINALLY
    assert asked(tmp_path, setup_once, own, env=env).verdict == "pass"


def test_one_of_the_own_names(tmp_path: Path) -> None:
    text = HEAD + f"register_export_strategy('mine', {FIRST})\n" + NAMED.format(name="mine")
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    answer = asked(tmp_path, rank_decision, text)
    assert answer.verdict == "pass"


def test_a_misnamed_strategy_in_one_process_only(tmp_path: Path) -> None:
    text = (
        HEAD + f"register_export_strategy('mine', {FIRST})\n" + CONFIG + "cfg.export_strategy = "
        f"'mine' if int(os.environ['RANK']) == 0 else 'other'\n{SET_UP}{FINALLY}"
    )
    assert rules(asked(tmp_path, setup_once, text)) == ["rejected"]
    assert asked(tmp_path, rank_decision, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "pass"


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (f"register_export_strategy('single_rank', {FIRST})\n", "fail"),
        (f"register_export_strategy('single_rank', {FIRST}, allow_override=False)\n", "fail"),
        (f"register_export_strategy('single_rank', {FIRST}, allow_override=True)\n", "pass"),
        (f"for _ in range(2):\n    register_export_strategy('mine', {FIRST})\n", "fail"),
        (f"register_export_strategy('', {FIRST})\n", "fail"),
        (f"register_export_strategy('mine', {FIRST})\nregister_export_strategy('yours', {FIRST})\n", "pass"),
        (f"try:\n    register_export_strategy('sampled', {FIRST})\nexcept ValueError:\n    pass\n", "pass"),
        ("unregister_export_strategy('sampled')\n", "fail"),
        (f"register_export_strategy('mine', {FIRST})\nunregister_export_strategy('mine')\n", "pass"),
    ],
)
def test_a_name_is_registered_once(tmp_path: Path, lines: str, verdict: str) -> None:
    answer = asked(tmp_path, setup_once, HEAD + lines + CONFIG + SET_UP + FINALLY)
    assert answer.verdict == verdict
    assert verdict == "pass" or rules(answer) == ["rejected"]


def test_a_library_may_have_registered_the_name(tmp_path: Path) -> None:
    text = "import acme_telemetry\n" + HEAD + NAMED.format(name="acme")
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    answer = asked(tmp_path, rank_decision, text)
    assert answer.verdict == "unknown"
    assert "what acme_telemetry registers as a strategy" in answer.reason


def test_the_generation_without_strategies_does_not_look(tmp_path: Path) -> None:
    text = (
        "import trainlib\nfrom nemo.lens import NemoLensConfig, setup_telemetry\n"
        f"{CONFIG}cfg.export_strategy = 'last_rank'\nhandle = setup_telemetry(cfg)\n{FINALLY}"
    )
    assert asked(tmp_path, setup_once, text, "nightly").verdict == "pass"
