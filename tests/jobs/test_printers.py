"""Commands whose output is said without running them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "printf -v @@ '%s,' a b; export @@",
        "printf -v @@ '%03d|%x|%i|%5s|%-3s|%%' 7 255 5 a b; export @@",
        "export @@=$(echo -e 'a\\tb')",
        "export @@=\"$(echo -n ' a ')\"",
        "export @@=$(printf 'a\\n\\n\\n')",
        "export @@=$(printf '%.2s' abc)",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "printf -v @@ '%d' 0x1f; export @@",
        "printf -v @@ '%d' 010; export @@",
        "printf -v @@ '%5.2f' 3.14159; export @@",
        "printf -v @@ '%q' 'a b'; export @@",
        "printf -v @@ '%b' 'a\\tb'; export @@",
        "printf -v @@ '%.3d' 5; export @@",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
