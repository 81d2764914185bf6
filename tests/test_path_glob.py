"""Patterns of paths: one folder by `*`, all below by `**`."""

from __future__ import annotations

import pytest

from lens_preflight.path_glob import path_matches


@pytest.mark.parametrize(
    ("glob", "covered", "spared"),
    [
        ("train.py", ["train.py"], ["a/train.py", "train.pyc", "Train.py"]),
        ("*", ["train.py"], ["legacy/train.py"]),
        ("./train.py", ["train.py"], ["a/train.py"]),
        ("legacy/*.py", ["legacy/a.py"], ["legacy/deep/a.py", "a.py", "x/legacy/a.py"]),
        ("legacy/**", ["legacy/a.py", "legacy/deep/er/a.py"], ["a.py", "legacy2/a.py"]),
        ("legacy/**/*.py", ["legacy/a.py", "legacy/deep/er/a.py"], ["legacy/a.sh", "a.py"]),
        ("**/a.py", ["a.py", "legacy/a.py", "/abs/a.py"], ["legacy/b.py", "legacy/a.py/b"]),
        ("**", ["a.py", "legacy/a.py", "../a.py"], []),
        ("leg**y/a.py", ["legacy/a.py"], ["leg/ac/y/a.py"]),
        ("leg[ab]cy/?.py", ["legacy/a.py"], ["legccy/a.py", "legacy/aa.py"]),
        ("[", ["["], ["a"]),
    ],
)
def test_a_pattern_covers_what_it_says(glob: str, covered: list[str], spared: list[str]) -> None:
    assert [path for path in (*covered, *spared) if path_matches(path, glob)] == covered


def test_many_stars_cost_little() -> None:
    assert not path_matches("a/" * 400 + "b", "**/a/" * 200 + "c")
    assert not path_matches("a" * 4000, "*a" * 60 + "b")
