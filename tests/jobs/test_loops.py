"""Loops that end early, also those around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree
from tests.jobs.making import job, seen


@pytest.mark.parametrize(
    "text",
    [
        "for x in a b; do for y in 1 2; do break 2; done; done; export @@=$x$y",
        "for x in a b; do for y in 1 2; do continue 2; done; done; export @@=$x$y",
        "for x in a b; do for y in 1 2; do break; done; done; export @@=$x$y",
        "for x in a b; do break 5; done; export @@=$x",
        "for x in a b c; do for y in 1; do for z in 8 9; do break 2; done; done; export @@=$x$z; done",
        "n=0; while true; do while true; do n=$((n+1)); [ $n -gt 2 ] && break 2; done; done; export @@=$n",
        "for x in a b; do continue; export @@=1; done",
        "for ((i=0;i<3;i++)); do export @@=$i; done",
        "f() { for y in 1 2; do return; done; }\nfor x in a b; do f; done; export @@=$x",
        "for x in a b; do (break); done; export @@=$x",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("while :; do python train.py; done", 1),
        ("until false; do srun python train.py; sleep 5; done", 1),
        ("while true; do for i in 1 2 3; do srun python train.py --seed $i; done; done", 3),
        ("srun python train.py\nwhile :; do python train.py; done", 2),
    ],
)
def test_a_loop_without_end_starts_its_program_once(text: str, count: int, tmp_path: Path) -> None:
    model = job(tmp_path, f"#!/bin/bash\nexport NEMO_LENS_RUN_ID=a\n{text}\n")
    assert len(model.launches) == count and not model.unread


def test_a_loop_without_end_that_changes_the_value_is_followed_and_then_open(tmp_path: Path) -> None:
    turns = "while :; do export NEMO_LENS_RUN_ID=$n; srun python train.py; n=$((n+1)); done"
    model = job(tmp_path, f"#!/bin/bash\nn=0\n{turns}\n")
    assert not model.unread
    assert [seen(one.env["NEMO_LENS_RUN_ID"]) for one in model.launches][::32] == ["0", "32"]
    assert seen(model.launches[-1].env["NEMO_LENS_RUN_ID"]) == "?"
