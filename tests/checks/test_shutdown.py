"""shutdown: promised on every way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, GOOD, HEAD, RANKED, asked, rules

SHAPES = {
    "finally": (FINALLY, "pass", []),
    "nothing": ("trainlib.train()\n", "fail", ["missing"]),
    "success only": ("trainlib.train()\nhandle.shutdown()\n", "fail", ["success-only"]),
    "failure only": (
        "try:\n    trainlib.train()\nexcept Exception:\n    handle.shutdown()\n    raise\n",
        "fail",
        ["some-ways-only"],
    ),
    "gap": ("m = trainlib.build()\n" + FINALLY, "warn", ["gap"]),
    "hard exit": (
        "try:\n    trainlib.train()\n    os._exit(0)\nfinally:\n    handle.shutdown()\n",
        "fail",
        ["hard-exit"],
    ),
    "too early": (
        "try:\n    trainlib.load()\nfinally:\n    handle.shutdown()\ntrainlib.train()\n",
        "fail",
        ["premature"],
    ),
    "exit hook": (
        "import atexit\natexit.register(handle.shutdown)\ntrainlib.train()\n",
        "note",
        ["exit-hook"],
    ),
    "other object": ("try:\n    trainlib.train()\nfinally:\n    trainlib.shutdown()\n", "fail", ["missing"]),
    "unrelated guard": (
        "try:\n    trainlib.train()\nfinally:\n    if trainlib.up():\n        handle.shutdown()\n",
        "fail",
        ["some-ways-only"],
    ),
}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shapes(tmp_path: Path, name: str) -> None:
    tail, verdict, wanted = SHAPES[name]
    answer = asked(tmp_path, shutdown, HEAD + RANKED + tail)
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_a_finding_names_setup_statement_and_nearest_shutdown(tmp_path: Path) -> None:
    answer = asked(tmp_path, shutdown, HEAD + RANKED + "m = trainlib.build()\n" + FINALLY)
    (finding,) = answer.findings
    assert str(finding.at) == "train.py:5"
    assert "trainlib.build()" in finding.message
    assert {str(r.at): r.text for r in finding.related} == {
        "train.py:4": "telemetry is set up here",
        "train.py:9": "the nearest shutdown",
    }
    assert "finally:\n    handle.shutdown()" in finding.remedy


def test_the_path_goes_through_files(tmp_path: Path) -> None:
    files = {"ends.py": "import os\n\ndef leave():\n    os._exit(0)\n"}
    text = (
        HEAD
        + "import ends\n"
        + RANKED
        + "try:\n    trainlib.train()\n    ends.leave()\nfinally:\n    handle.shutdown()\n"
    )
    answer = asked(tmp_path, shutdown, text, files=files)
    assert str(answer.findings[0].at) == "ends.py:4"
    assert "train.py:8" in answer.lines


def test_a_guard_on_the_handle_is_no_hole(tmp_path: Path) -> None:
    text = (
        HEAD
        + "handle = None\ntry:\n    "
        + RANKED
        + "    trainlib.train()\nfinally:\n    if handle:\n        handle.shutdown()\n"
    )
    assert asked(tmp_path, shutdown, text).verdict == "pass"


def test_what_cannot_be_parsed_is_unknown_with_its_place(tmp_path: Path) -> None:
    answer = asked(tmp_path, shutdown, "def main(:\n")
    assert answer.verdict == "unknown"
    assert "does not parse" in answer.reason


def test_not_instrumented_skips(tmp_path: Path) -> None:
    assert "not instrumented" in asked(tmp_path, shutdown, "import trainlib\ntrainlib.train()\n").reason


def test_notebook_cells_are_named(tmp_path: Path) -> None:
    import json

    from lens_preflight.program import analyse
    from tests.program.judge import ask, context

    cells = [HEAD, "%matplotlib inline\n" + RANKED, "trainlib.train()\n"]
    document = {"cells": [{"cell_type": "code", "source": c.splitlines(keepends=True)} for c in cells]}
    (tmp_path / "train.ipynb").write_text(json.dumps(document))
    program = analyse("train.ipynb", base=str(tmp_path))
    answer = ask(shutdown, context(program, "0.1", {"NEMO_LENS_ENABLED": "1"}))
    assert answer.verdict == "fail"
    assert "train.ipynb#cell2:2" in answer.lines


def test_a_healthy_program_in_every_world(tmp_path: Path) -> None:
    assert asked(tmp_path, shutdown, GOOD, world=None).verdict == "pass"
