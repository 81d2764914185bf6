"""Decorators of libraries: those that keep the function, and those that call it in some processes only."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from lens_preflight.core.check import Check
from tests.program.scripts import FINALLY, HEAD, RANKED, asked, rules

FIRST = RANKED.replace("from_env()", "from_env(), export_strategy=lambda c, r, w: r == 0")
CLOSE = "def close():\n    handle.shutdown()\n" + FINALLY.replace("handle.shutdown", "close")
START = "def start():\n    " + RANKED.replace("handle =", "return") + "handle = start()\n"
GUARDED = FINALLY.replace("    handle.shutdown()", "    if handle is not None:\n        handle.shutdown()")
ACCELERATE = "from accelerate import Accelerator\naccelerator = Accelerator()\n"

RANK_ZERO = {
    "lightning": "from lightning.pytorch.utilities import rank_zero_only\n",
    "lightning by module": "from lightning.pytorch.utilities.rank_zero import rank_zero_only\n",
    "pytorch_lightning": "from pytorch_lightning.utilities import rank_zero_only\n",
    "pytorch_lightning by module": "from pytorch_lightning.utilities.rank_zero import rank_zero_only\n",
    "fabric": "from lightning.fabric.utilities import rank_zero_only\n",
    "utilities": "from lightning_utilities.core.rank_zero import rank_zero_only\n",
}
KEEPING = (
    "import torch\n@torch.no_grad()\n",
    "import torch\n@torch.inference_mode()\n",
    "import torch\n@torch.compile\n",
    "from torch.distributed.elastic.multiprocessing.errors import record\n@record\n",
    "import functools\n@functools.lru_cache(maxsize=None)\n",
)


@pytest.mark.parametrize("where", RANK_ZERO.values(), ids=RANK_ZERO)
def test_only_the_first_process_shuts_down(tmp_path: Path, where: str) -> None:
    gated = f"{HEAD}{where}{{setup}}@rank_zero_only\n{CLOSE}"
    assert asked(tmp_path, shutdown, gated.format(setup=RANKED)).verdict == "fail"
    assert asked(tmp_path, shutdown, gated.format(setup=FIRST)).verdict == "pass"


@pytest.mark.parametrize(
    ("setup", "verdict"), [(RANKED, "fail"), (FIRST, "pass")], ids=["the last exports", "the first exports"]
)
def test_only_the_first_process_sets_up(tmp_path: Path, setup: str, verdict: str) -> None:
    start = START.replace(RANKED.replace("handle =", "return"), setup.replace("handle =", "return"))
    text = f"{HEAD}{RANK_ZERO['lightning']}@rank_zero_only\n{start}{GUARDED}"
    answer = asked(tmp_path, rank_decision, text)
    assert answer.verdict == verdict
    assert verdict == "pass" or rules(answer) == ["nobody"]


@pytest.mark.parametrize(
    ("gate", "setup", "verdict"),
    [
        ("on_main_process", RANKED, "fail"),
        ("on_main_process", FIRST, "pass"),
        ("on_last_process", RANKED, "pass"),
        ("on_last_process", FIRST, "fail"),
        ("on_local_main_process", RANKED, "fail"),
        ("on_local_main_process", FIRST, "pass"),
    ],
)
def test_the_gates_of_accelerate(tmp_path: Path, gate: str, setup: str, verdict: str) -> None:
    text = f"{HEAD}{ACCELERATE}{setup}@accelerator.{gate}\n{CLOSE}"
    assert asked(tmp_path, shutdown, text).verdict == verdict


def test_a_method_behind_a_gate(tmp_path: Path) -> None:
    text = (
        f"{HEAD}{RANK_ZERO['lightning']}{{setup}}class Owner:\n    @rank_zero_only\n    def close(self):\n"
        "        handle.shutdown()\nowner = Owner()\n" + FINALLY.replace("handle.shutdown", "owner.close")
    )
    assert asked(tmp_path, shutdown, text.format(setup=RANKED)).verdict == "fail"
    assert asked(tmp_path, shutdown, text.format(setup=FIRST)).verdict == "pass"


def test_the_rank_of_a_gate_is_the_rank(tmp_path: Path) -> None:
    text = f"{HEAD}{RANK_ZERO['lightning']}{RANKED}def close():\n    if rank_zero_only.rank == 0:\n"
    text += "        handle.shutdown()\n" + FINALLY.replace("handle.shutdown", "close")
    assert asked(tmp_path, shutdown, text).verdict == "fail"


@pytest.mark.parametrize("decorator", KEEPING)
@pytest.mark.parametrize("check", [setup_once, shutdown], ids=lambda c: c.id)
def test_a_keeping_decorator_changes_nothing(tmp_path: Path, decorator: str, check: Check) -> None:
    main = (
        "def main():\n    " + RANKED + "".join(f"    {line}\n" for line in FINALLY.splitlines()) + "main()\n"
    )
    assert asked(tmp_path, check, f"{HEAD}{decorator}{main}").verdict == "pass"


@pytest.mark.parametrize("name", ["main_process_only", "master_only", "run_on_leader", "rank0"])
def test_a_decorator_that_may_choose_promises_nothing(tmp_path: Path, name: str) -> None:
    closed = f"{HEAD}from site_tools import {name}\n{RANKED}@{name}\n{CLOSE}"
    assert asked(tmp_path, shutdown, closed).verdict == "unknown"
    started = f"{HEAD}from site_tools import {name}\n@{name}\n{START}{GUARDED}"
    for check in (setup_once, rank_decision):
        assert asked(tmp_path, check, started).verdict == "unknown"


def test_a_decorator_of_unknown_use_still_calls(tmp_path: Path) -> None:
    main = (
        "def main():\n    " + RANKED + "".join(f"    {line}\n" for line in FINALLY.splitlines()) + "main()\n"
    )
    text = f"{HEAD}from site_tools import timed\n@timed\n{main}"
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "pass"
