"""Loops that end early, also those around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree


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
