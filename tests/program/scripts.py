"""Small training scripts for tests: written to a folder and asked about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.shutdown import shutdown
from lens_preflight.core.check import Check
from lens_preflight.core.world import World
from lens_preflight.program import analyse
from tests.program.judge import WORLD, Answer, ask, context

HEAD = "import os\nimport trainlib\nfrom nemo.lens import NemoLensConfig, setup_telemetry\n"
RANKED = (
    'handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), '
    'world_size=int(os.environ["WORLD_SIZE"]))\n'
)
FINALLY = "try:\n    trainlib.train()\nfinally:\n    handle.shutdown()\n"
GOOD = HEAD + RANKED + FINALLY
DECIDED = """
import os
from nemo.lens import NemoLensConfig, setup_telemetry
rank = int(os.environ["RANK"])
config = NemoLensConfig.from_env()
{decision}
config.enabled = config.enabled and bool(mine)
handle = setup_telemetry(config)
"""


def asked(
    folder: Path,
    check: Check,
    text: str,
    generation: str = "0.1",
    env: Mapping[str, str] | None = None,
    world: World | None = WORLD,
    args: tuple[str, ...] = (),
    framework: Any = None,
    files: Mapping[str, str] | None = None,
    **more: Any,
) -> Answer:
    """The answer of a check about one script."""
    (folder / "train.py").write_text(text)
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    program = analyse("train.py", base=str(folder), argv=args)
    ctx = context(program, generation, {"NEMO_LENS_ENABLED": "1", **(env or {})}, world, args, framework)
    for name, value in more.items():
        setattr(ctx, name, value)
    return ask(check, ctx)


def decided(folder: Path, decision: str) -> Answer:
    """What rank-decision says when the truth of ``mine``, set by some lines, switches telemetry on."""
    return asked(folder, rank_decision, DECIDED.format(decision=decision), "nightly")


def shut_down(folder: Path, body: str) -> str:
    """The verdict of shutdown on a body behind the setup; TRAIN and DOWN stand for the two calls."""
    text = body.replace("TRAIN", "trainlib.train()").replace("DOWN", "handle.shutdown()")
    return asked(folder, shutdown, f"{HEAD}{RANKED}{text}\n").verdict


def rules(answer: Answer) -> list[str]:
    """The names of the rules of an answer."""
    return [f.rule.name for f in answer.findings]
