"""Fuzzing that is led by coverage: what it draws, and that it finds what chance does not."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.drawn import Drawn
from tests.fuzz.guided import once
from tests.fuzz.target import CANARY, Target

ROOT = Path(__file__).parents[2]
needs_atheris = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="no atheris for this interpreter"
)


def test_the_bytes_are_the_choices() -> None:
    assert Drawn(b"\x02" * 8).choice("abcd") == "c"
    assert Drawn(b"\x00\x00").random() == 0.0
    assert 0.99 < Drawn(b"\xff\xff").random() < 1.0
    one, other = Drawn(b"\x01\x00\x02\x07"), Drawn(b"\x01\x00\x02\x09")
    assert [one.getrandbits(8) for _ in range(3)] == [other.getrandbits(8) for _ in range(3)]
    assert one.getrandbits(8) != other.getrandbits(8)


def test_beyond_the_bytes_choices_go_on_and_are_the_same_again() -> None:
    draws = [Drawn(b"\x05") for _ in range(2)]
    first, second = ([d.randrange(1000) for _ in range(50)] + [d.random()] for d in draws)
    assert first == second
    assert len(set(first)) > 30


def test_an_execution_raises_what_goes_wrong() -> None:
    target = Target("leaky", 1, lambda random: random.randrange(2), lambda made: [CANARY] * made)
    once(target, b"\x00")
    with pytest.raises(Exception, match="planted secret"):
        once(target, b"\x01")


@needs_atheris
def test_it_runs_on_entry_points_of_the_product(tmp_path: Path) -> None:
    """How many inputs are kept moves with the product (24 to 66 when written); without instrumentation none is."""
    done = guided("--target", "settings", "--target", "waivers", "--executions", "1000", folder=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    kept = [line.split()[2] for line in done.stdout.splitlines() if "reach something new" in line]
    assert len(kept) == 2
    assert all(int(number) > 3 for number in kept)


PLANTED = """
import sys
import atheris
from tests.fuzz import guided
from tests.fuzz.target import Target

with atheris.instrument_imports(include=["lens_preflight"]):
    from lens_preflight.core.numbers import whole
    from tests.fuzz import targets

def use(made):
    if whole(str(made)) == 3:
        raise ZeroDivisionError("planted")
    return []

targets.BY_NAME["planted"] = Target("planted", 1, lambda random: random.randrange(8), use)
sys.exit(guided.main(sys.argv[1:]))
"""


@needs_atheris
def test_a_find_is_a_file_and_the_line_to_type(tmp_path: Path) -> None:
    line = [sys.executable, "-c", PLANTED, "--target", "planted", "--finds", str(tmp_path)]
    done = run([*line, "--executions", "2000"])
    (find,) = tmp_path.glob("planted-*")
    assert done.returncode == 1
    assert f"again: python -m tests.fuzz.guided --target planted --file {find}" in done.stdout.splitlines()
    again = run([*line, "--file", str(find)])
    assert again.returncode == 1
    assert "ZeroDivisionError: planted" in again.stderr


def guided(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "tests.fuzz.guided", "--finds", str(folder), *words])


def run(line: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=500)
