"""Operators of an expansion: case, quoting, slices, patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "V=aBc; export @@=${V,,}${V^}${V^^}",
        "V='it is'; export @@=${V@Q}",
        'V="it\'s"; export @@=${V@Q}',
        "V=aBc; export @@=${V@U}${V@L}${V@u}",
        "V=abc; export @@=${V:1:-1}${V: -2:1}${V:5}",
        "V=aXbX; export @@=${V%X*}${V%%X*}",
        "V=a/b/c; export @@=${V#*/}-${V##*/}-${V%/*}-${V%%/*}",
        "V=aab; export @@=${V/a/}${V/#a/x}${V/%b/y}${V//a/}",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "V=aBc; export @@=${V^^[b]}",
        "V='a\\tb'; export @@=${V@E}",
        "V=$'a\\nb'; export @@=${V@Q}",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
