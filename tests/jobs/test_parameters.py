"""Parameter expansion: lists as one text, defaults, quotes inside of quotes, indirection."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        'A=(k=1 l=2); export @@=$(IFS=,; echo "${A[*]}")',
        'IFS=,; set -- a b; export @@="$*"',
        "IFS=,; set -- a b; export @@=$*",
        'IFS=,; set -- a b; export @@="$@"',
        'IFS=; set -- a b; export @@="$*"',
        'a=(1 2 3); IFS=-; export @@="${a[*]:1}"',
        'a=(1 2 3); export @@="${a[@]: -1}${a[-1]}${#a[@]}"',
        'a=(x.py y.py); export @@="${a[*]%.py}"',
        'set -- a b c d; export @@="${*:2:2}${@: -2}"',
        "V=x; N=V; export @@=${!N:-d}",
        "N=V; export @@=${!N:-d}",
        "export @@=\"${U:-'a b'}\"",
        'export @@="${U:-"a b"}"',
        "export @@=${U:-'a b'}",
        'export @@="${U-\\"a\\"}"',
        "U=1; export @@=\"${U:+'on'}\"",
        "U=always; export @@=\"${U:-'never'}\"",
        "export @@=\"${U:='x'}$U\"",
        "export @@=${#HOME}",
        "declare -A m=([a]=1 [b]=2); export @@=${m[a]}${m[b]}${#m[@]}",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "a=(1 2 3); unset 'a[1]'; export @@=\"${#a[@]}${a[1]}\"",
        "export @@=\"${U:-'$HOME'}\"",
        'export V1=1 V2=2; export @@="${!V@}"',
        "set -- a b c; export @@=${!#}",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
