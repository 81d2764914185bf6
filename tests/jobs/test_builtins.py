"""Builtins that change the shell: ``set``, ``shift``, ``trap``, ``unset``, ``return``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "trap 'echo bye' EXIT; export @@=1; srun python train.py",
        "trap 'export @@=t' EXIT; trap - EXIT; srun python train.py",
        "f() { set -- z; }; set -- a; f b; export @@=$1",
        "f() { shift; export @@=$1; }; f a b",
        "set -- a b; shift 5; export @@=$#",
        "set -u; export @@=${UNDEFINED:-d}",
        "set -e; false; export @@=1; srun python train.py",
        "set -e; false || true; export @@=1",
        "set -e; f() { false; export @@=1; }; f || true",
        "f() { return 1; export @@=1; }; f; export V=1",
        "(return 0 2>/dev/null) && S=1 || S=0; export @@=$S",
        "return 0 2>/dev/null || export @@=1",
        "set -e; return 0; export @@=1; srun python train.py",
        "echo 'return 0; export @@=1' > part.sh; . ./part.sh; export V=1",
        "f() { (return 0) && export @@=1; }; f",
        "export @@=1; (unset @@; srun python train.py); srun python train.py",
        "set -eo pipefail; export @@=1; srun python train.py",
        "let 'x=4*2'; export @@=$x",
        "export @@=3; let 'x=1, @@-=1'",
        "x=2; let \"x+=1\" 'y = x*2'; export @@=$x$y",
        "export @@=1; let @@++ z=@@; export V=$z",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "let 'x=4*2'; export @@=$x",
        "let 'x+=1' y=2; export @@=$y",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)
