"""Real programs and small ones of the same shapes.

PREFLIGHT_MEGATRON names a checkout of Megatron-LM (August 2026); without it those tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.core.world import World
from lens_preflight.program import analyse
from tests.program.big import write
from tests.program.judge import CHECKS, Answer, ask, context
from tests.program.scripts import HEAD, asked

MEGATRON = os.environ.get("PREFLIGHT_MEGATRON", "")
QUICKSTART = HEAD + (
    "handle = setup_telemetry(NemoLensConfig.from_env())\n\ntry:\n"
    "    with handle.tracer.start_as_current_span('work'):\n        trainlib.train()\nfinally:\n    handle.shutdown()\n"
)


def answers(base: Path, entry: str, world: World = World(8, 4)) -> dict[str, Answer]:  # noqa: B008
    """The answers of all checks for a program."""
    program = analyse(entry, base=str(base))
    ctx = context(program, "0.1", {"NEMO_LENS_ENABLED": "1"}, world)
    return {check.id: ask(check, ctx) for check in CHECKS}


@pytest.mark.skipif(not MEGATRON, reason="PREFLIGHT_MEGATRON is not set")
@pytest.mark.parametrize(
    ("entry", "verdict", "line"),
    [
        ("pretrain_gpt.py", "warn", "megatron/training/global_vars.py:523"),
        ("train_rl.py", "warn", "megatron/rl/rl_utils.py:3026"),
        (
            "examples/inference/advanced/gpt_static_inference.py",
            "fail",
            "megatron/training/global_vars.py:523",
        ),
    ],
)
def test_megatron(entry: str, verdict: str, line: str) -> None:
    found = answers(Path(MEGATRON), entry)
    assert (found["setup-once"].verdict, found["shutdown"].verdict) == ("pass", verdict)
    assert line in found["shutdown"].lines
    assert found["rollback"].verdict == "warn"
    assert found["rank-decision"].verdict in ("note", "warn")


def test_the_quickstart_passes_for_one_process(tmp_path: Path) -> None:
    by_id = {c.id: c for c in CHECKS}
    for check in ("setup-once", "shutdown", "rollback"):
        assert asked(tmp_path, by_id[check], QUICKSTART).verdict == "pass"
    assert asked(tmp_path, by_id["rank-decision"], QUICKSTART, world=World(1, 1)).verdict in ("pass", "note")
    assert asked(tmp_path, by_id["rank-decision"], QUICKSTART).verdict in ("warn", "fail")


def test_a_large_program_with_a_hook_and_a_flag(tmp_path: Path) -> None:
    write(tmp_path, 120)
    found = answers(tmp_path, "pretrain.py")
    verdicts = {name: found[name].verdict for name in ("setup-once", "shutdown", "rank-decision", "rollback")}
    assert verdicts == {"setup-once": "pass", "shutdown": "note", "rank-decision": "note", "rollback": "warn"}


def test_a_hook_registered_late_in_a_large_program(tmp_path: Path) -> None:
    write(tmp_path, 120)
    entry = tmp_path / "pretrain.py"
    entry.write_text(entry.read_text().replace("    pretrain(", "    forward_m0002(1)\n    pretrain("))
    found = answers(tmp_path, "pretrain.py")["shutdown"]
    assert found.verdict == "warn"
    assert "pretrain.py:12" in found.lines


def test_a_hard_exit_in_another_file_of_a_large_program(tmp_path: Path) -> None:
    write(tmp_path, 120)
    (tmp_path / "big" / "serving.py").write_text(
        "import os\n\ndef leave():\n    print('bye')\n    os._exit(0)\n"
    )
    loop = tmp_path / "big" / "training.py"
    text = loop.read_text().replace("        raise\n", "        raise\n    leave()\n")
    loop.write_text(text.replace("import atexit\n", "import atexit\nfrom big.serving import leave\n"))
    found = answers(tmp_path, "pretrain.py")["shutdown"]
    assert found.verdict == "fail"
    assert "big/serving.py:5" in found.lines


def test_a_namesake_of_plain_opentelemetry_is_not_lens(tmp_path: Path) -> None:
    text = "from opentelemetry import trace\ndef setup_telemetry(name):\n    return trace.get_tracer(name)\n"
    text += "setup_telemetry('a')\n"
    by_id = {c.id: c for c in CHECKS}
    assert asked(tmp_path, by_id["shutdown"], text).verdict == "unknown"
