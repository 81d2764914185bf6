"""What was left out of a run was not judged, whatever the rest says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run

CHECK = ("check", "train.py", "--offline", "--no-environ", "--profile", "ci", "--report", "json=r.json", "-q")
SAMPLER = ("--set", "OTEL_TRACES_SAMPLER=always_on")
EVERYTHING = "a run of all checks"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A program that says nothing, in a folder of its own."""
    (tmp_path / "train.py").write_text("print(1)\n")
    return tmp_path


def verdict(place: Path, *words: str) -> tuple[int, dict[int, tuple[str, str]]]:
    """The exit code, and of each item its status and what to give."""
    code = run(*CHECK, *SAMPLER, *words, cwd=place).returncode
    told = json.loads((place / "r.json").read_text())
    return code, {item["n"]: (item["status"], item["missing_input"]) for item in told["items"]}


@pytest.mark.parametrize(
    "words", [("--select", "sampler"), ("--select", "sampler,run-id", "--ignore", "run-id")]
)
def test_an_expected_item_that_was_left_out_cannot_be_told(place: Path, words: tuple[str, ...]) -> None:
    for expected in ("2", "7"):  # of 7, one of two carriers is there
        code, items = verdict(place, *words, "--expect", expected)
        assert (code, items[int(expected)]) == (3, ("unknown", EVERYTHING))


def test_nothing_is_asked_for_that_would_not_help(place: Path) -> None:
    code, items = verdict(place, "--select", "sampler")
    assert code == 0
    assert set(items.values()) == {("not-judged", EVERYTHING)}


def test_what_is_typed_narrows_what_settings_expect(place: Path) -> None:
    (place / "preflight.toml").write_text("expect = [2]\n")
    assert verdict(place, "--select", "sampler")[0] == 0
    assert verdict(place, "--select", "sampler", "--expect", "2")[0] == 3
    (place / "preflight.toml").write_text('expect = [2]\nselect = ["sampler"]\n')
    assert verdict(place)[0] == 3
