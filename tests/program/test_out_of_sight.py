"""A large program without a setup: not instrumented, unless something outside may do it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import GENERATIONS
from lens_preflight.program import analyse
from lens_preflight.program.model import Reading

FILES = 70


def large(folder: Path, **more: str) -> Reading:
    """A program of many files whose main function is not in the entry."""
    (folder / "work").mkdir()
    names = [f"m{n}" for n in range(FILES)]
    for name in names:
        (folder / "work" / f"{name}.py").write_text(f"def {name}(x):\n    return x + 1\n")
    imports = "".join(f"from work.{name} import {name}\n" for name in (*names, *more))
    for name, text in more.items():
        (folder / "work" / f"{name}.py").write_text(text)
    (folder / "train.py").write_text(f"{imports}\nif __name__ == '__main__':\n    m0(1)\n")
    model = analyse("train.py", base=str(folder))
    return model.reading(Environment(), World(8, 4), GENERATIONS[0])


def test_nothing_names_lens(tmp_path: Path) -> None:
    ends = (
        "import atexit, os, signal\ndef leave():\n    os._exit(1)\ndef ends():\n    atexit.register(leave)\n"
    )
    reading = large(tmp_path, ends=ends)
    assert (reading.setups, reading.seen.opaque, reading.incomplete) == ([], [], "")
    assert [Path(p).name for p in reading.model.closure.sources] == ["train.py"]


@pytest.mark.parametrize(
    "text",
    [
        "import platform_tools\ndef outside():\n    platform_tools.init_telemetry('x')\n",
        "from tools import setup_tracing\ndef outside():\n    return setup_tracing()\n",
    ],
)
def test_a_call_outside_of_the_tree_may_set_up(tmp_path: Path, text: str) -> None:
    reading = large(tmp_path, outside=text)
    ((reason, site),) = reading.seen.opaque
    assert "may set telemetry up" in reason
    assert (Path(site.path).name, site.line) == ("outside.py", 3)


@pytest.mark.parametrize(
    "text",
    [
        "def init_telemetry():\n    pass\ndef inside():\n    init_telemetry()\n",
        "# init_telemetry() is done by the platform\ninside = 1\n",
        "def inside(seq_lens):\n    return telemetry_level(seq_lens)\n",
    ],
)
def test_what_is_in_sight_or_no_setup_says_nothing(tmp_path: Path, text: str) -> None:
    assert large(tmp_path, inside=text).seen.opaque == []
