"""setup-once: one call on every path of each process."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.setup_once import setup_once
from tests.program.scripts import FINALLY, GOOD, HEAD, RANKED, asked, rules


def test_one_call_passes(tmp_path: Path) -> None:
    assert asked(tmp_path, setup_once, GOOD).verdict == "pass"


def test_a_second_call_names_the_first(tmp_path: Path) -> None:
    answer = asked(tmp_path, setup_once, HEAD + RANKED + RANKED + FINALLY)
    assert (answer.verdict, rules(answer)) == ("fail", ["twice"])
    (finding,) = answer.findings
    assert str(finding.at) == "train.py:5"
    assert [str(r.at) for r in finding.related] == ["train.py:4"]
    assert "if _HANDLE is None" in finding.remedy


def test_a_loop_sets_up_again(tmp_path: Path) -> None:
    text = HEAD + "for seed in (1, 2):\n    " + RANKED + "    handle.shutdown()\n"
    assert asked(tmp_path, setup_once, text).verdict == "fail"


def test_the_guard_of_a_singleton_counts(tmp_path: Path) -> None:
    text = (
        HEAD + "_h = None\ndef get():\n    global _h\n    if _h is None:\n"
        "        _h = setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=8)\n    return _h\n"
        "get()\ntry:\n    get()\nfinally:\n    get().shutdown()\n"
    )
    assert asked(tmp_path, setup_once, text).verdict == "pass"


def test_a_function_of_the_same_name_does_not_count(tmp_path: Path) -> None:
    answer = asked(tmp_path, setup_once, "def setup_telemetry(x):\n    return x\nsetup_telemetry(1)\n")
    assert (answer.verdict, rules(answer)) == ("fail", ["never"])
    assert str(answer.findings[0].at) == "train.py:3"


def test_reinit_is_for_tests(tmp_path: Path) -> None:
    text = HEAD + "handle = setup_telemetry(NemoLensConfig.from_env(), _allow_reinit=True)\n" + FINALLY
    assert rules(asked(tmp_path, setup_once, text)) == ["allow-reinit"]


@pytest.mark.parametrize(("generation", "verdict"), [("0.1", "pass"), ("0.2", "pass"), ("nightly", "fail")])
def test_the_call_has_to_fit_the_generation(tmp_path: Path, generation: str, verdict: str) -> None:
    assert asked(tmp_path, setup_once, GOOD, generation).verdict == verdict


def test_outside_of_the_tree_is_unknown(tmp_path: Path) -> None:
    answer = asked(tmp_path, setup_once, "from acme import init_telemetry\ninit_telemetry()\n")
    assert answer.verdict == "unknown"
    assert "acme.init_telemetry() is outside the tree" in answer.reason


def test_a_child_process_counts_for_itself(tmp_path: Path) -> None:
    text = (
        HEAD
        + "import multiprocessing as mp\ndef work(rank):\n    "
        + RANKED.replace("handle", "h")
        + "    h.shutdown()\n"
        "if __name__ == '__main__':\n    for rank in range(2):\n        mp.Process(target=work, args=(rank,)).start()\n"
    )
    assert asked(tmp_path, setup_once, text).verdict == "pass"
