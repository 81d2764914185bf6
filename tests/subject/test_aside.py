"""A step beside the training is no training that forgot its telemetry."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.run_id import run_id
from lens_preflight.checks.sampler import sampler
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.core.check import Check
from lens_preflight.core.words import Status
from lens_preflight.program import analyse
from lens_preflight.subject.aside import MAX_FILES, may_train
from tests.making import outcomes, subject

TRAIN = """\
import os
from nemo.lens import NemoLensConfig, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=8)
try:
    train()
finally:
    handle.shutdown()
"""
FETCH = """\
import argparse
from huggingface_hub import snapshot_download


def main():
    snapshot_download("model", local_dir="data")


if __name__ == "__main__":
    main()
"""
LOOP = "import torch\nloss = torch.ones(2, requires_grad=True).sum()\nloss.backward()\n"


def statuses(folder: Path, check: Check, first: str, second: str = TRAIN) -> list[Status]:
    """What becomes of a check for the two launches of a job."""
    (folder / "first.py").write_text(first)
    (folder / "second.py").write_text(second)
    script = "#!/bin/bash\n#SBATCH -N1\npython first.py\nexport OTEL_TRACES_SAMPLER=always_on\n"
    script += "export NEMO_LENS_RUN_ID=a-$SLURM_JOB_ID\ntorchrun --standalone --nproc-per-node 8 second.py\n"
    (folder / "job.sh").write_text(script)
    found = outcomes(check, subject({}, targets=(str(folder / "job.sh"),), lens="0.2", submit_environ=True))
    by_target = {t.key: o.status for o in found for t in o.targets}
    return [by_target[key] for key in sorted(by_target)]


@pytest.mark.parametrize("check", [setup_once, sampler, run_id])
def test_a_download_before_the_training_is_skipped(tmp_path: Path, check: Check) -> None:
    assert statuses(tmp_path, check, FETCH) == [Status.SKIP, Status.PASS]


def test_a_loop_that_forgot_its_telemetry_fails(tmp_path: Path) -> None:
    assert statuses(tmp_path, setup_once, LOOP) == [Status.FAIL, Status.PASS]


def test_nothing_is_beside_a_training_that_is_not_instrumented(tmp_path: Path) -> None:
    assert set(statuses(tmp_path, setup_once, FETCH, LOOP)) == {Status.FAIL}
    assert set(statuses(tmp_path, setup_once, FETCH, FETCH)) == {Status.FAIL}


def test_a_program_that_starts_another_is_not_decided(tmp_path: Path) -> None:
    starts = "import subprocess\nsubprocess.run(['torchrun', 'hidden.py'])\n"
    assert statuses(tmp_path, setup_once, starts) == [Status.UNKNOWN, Status.PASS]


@pytest.mark.parametrize(
    ("text", "trains"),
    [
        (FETCH, False),
        ("import json\njson.dump({}, open('x', 'w'))\n", False),
        ("import subprocess\nsubprocess.run(['df'])\n", False),
        ("class Mover:\n    def run(self): ...\nMover().run()\n", False),
        ("import helper\nhelper.copy()\n", False),
        (LOOP, True),
        ("import helper2\nhelper2.go()\n", True),
        ("from bigtrainer import main\nmain()\n", True),
        ("import bigtrainer as b\nb.cli.run()\n", True),
        ("import importlib\nimportlib.import_module('x').go()\n", True),
        ("import runpy\nrunpy.run_path('x.py')\n", True),
        ("from . import x\n", True),
        ("import jax\nstate = update(state)\n", True),
        ("from nemo.lens import managed_span\n", True),
        ("import torch\ntorch.save(torch.load('a'), 'b')\n", False),
        ("def (", True),
    ],
)
def test_what_may_train(tmp_path: Path, text: str, trains: bool) -> None:
    (tmp_path / "helper.py").write_text("def copy(): ...\n")
    (tmp_path / "helper2.py").write_text("def go():\n    trainer.fit()\n")
    (tmp_path / "entry.py").write_text(text)
    assert may_train(analyse("entry.py", base=str(tmp_path))) is trains


def test_a_large_program_is_no_errand(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        (tmp_path / f"part{number}.py").write_text("")
    (tmp_path / "entry.py").write_text("".join(f"import part{n}\n" for n in range(MAX_FILES + 1)))
    assert may_train(analyse("entry.py", base=str(tmp_path)))
