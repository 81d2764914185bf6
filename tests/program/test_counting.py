"""How often a setup call runs: factories of fields, and wrappers that nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked

MADE = """from dataclasses import dataclass, field
from typing import Any
def make():
    return {call}
@dataclass
class Job:
    name: str
    {field}
{use}
"""
CALL = RANKED.removeprefix("handle = ").strip()
FACTORY = "telemetry: Any = field(default_factory=make)"


def verdict(folder: Path, use: str, field: str = FACTORY) -> str:
    """The verdict of setup-once on a dataclass whose field sets up."""
    return asked(folder, setup_once, HEAD + MADE.format(call=CALL, field=field, use=use)).verdict


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("job = Job('train')", "pass"),
        ("job = Job(name='train')", "pass"),
        ("job = Job('train')\nother = Job('eval')", "fail"),
        ("job = Job('train')\nother = Job('eval', None)", "pass"),
        ("job = Job('train', None)", "unknown"),
        ("job = Job('train', telemetry=None)", "unknown"),
        ("print(Job)", "unknown"),
        ("import tyro\njob = tyro.cli(Job)", "unknown"),
    ],
)
def test_a_factory_runs_for_each_object_without_the_argument(use: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, use) == expected


@pytest.mark.parametrize(
    ("field", "use", "expected"),
    [
        ("telemetry: Any = field(default_factory=make, init=False)", "Job('a')", "pass"),
        ("telemetry: Any = field(default_factory=make, init=False)", "Job('a')\nJob('b')", "fail"),
        ("telemetry: Any = field(default_factory=make, kw_only=True)", "Job('a', telemetry=1)", "unknown"),
        (
            "telemetry: Any = field(default=None)",
            "job = Job('a')\nassert job.telemetry is None\nmake()",
            "pass",
        ),
        ("tags: list = field(default_factory=list)", "Job('a').tags.append(1)\nJob('b')\nmake()", "pass"),
    ],
)
def test_kinds_of_fields(field: str, use: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, use, field) == expected


def wrapped(decorator: str) -> str:
    """A program in one decorated function."""
    body = "".join(f"    {line}\n" for line in (RANKED + FINALLY).splitlines())
    return f"{HEAD}{decorator}\ndef main(cfg=None):\n{body}main()\n"


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("from tenacity import retry, stop_after_attempt\n@retry(stop=stop_after_attempt(3))", "unknown"),
        ("import backoff\n@backoff.on_exception(backoff.expo, ValueError)", "unknown"),
        ("import site_tools\n@site_tools.restarting(times=2)", "unknown"),
        ("from tenacity import retry\n@retry", "unknown"),
        ("import draccus\n@draccus.wrap()", "pass"),
        ("import mlflow\n@mlflow.trace(name='main')", "pass"),
        ("import site_tools\n@site_tools.timed", "pass"),
        ("import torch\n@torch.no_grad()", "pass"),
        ("import functools\n@functools.lru_cache(maxsize=None)", "pass"),
        ("from torch.distributed.elastic.multiprocessing.errors import record\n@record", "pass"),
        ("import hydra\n@hydra.main(config_path='.', config_name='c', version_base=None)", "pass"),
    ],
)
def test_what_a_wrapper_repeats(decorator: str, expected: str, tmp_path: Path) -> None:
    answer = asked(tmp_path, setup_once, wrapped(decorator))
    assert answer.verdict == expected, answer.reason


def test_a_training_step_behind_a_wrapper_costs_nothing(tmp_path: Path) -> None:
    step = "from tenacity import retry, stop_after_attempt\n@retry(stop=stop_after_attempt(3))\n"
    text = HEAD + step + "def step():\n    trainlib.train()\n" + RANKED
    text += FINALLY.replace("trainlib.train()", "step()")
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "pass"
