"""``read``: what it takes from a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "IFS=, read -ra p <<< 'a,,b'; export @@=${#p[@]}",
        "IFS=, read -r x y z <<< 'a,,b'; export @@=$x-$y-$z",
        "read -r x <<< 'a\\b'; export @@=$x",
        "read -r x <<< '  a  '; export @@=\"[$x]\"",
        "IFS= read -r x <<< '  a  '; export @@=\"[$x]\"",
        "read x y <<< 'a b c'; export @@=$y",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "read x <<< 'a\\b'; export @@=$x",
        "read -n 2 x <<< abc; export @@=$x",
        "read -rN 2 x <<< abc; export @@=$x",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
