"""``declare``: flags that change a value on its way in, and names that stand for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "declare -u n; n=abc; export @@=$n",
        "declare -l n=ABC; export @@=$n",
        "declare -i n=3; export @@=$n",
        "declare -u n; n=a; n=b; export @@=$n",
        "declare -xu @@=abc",
        "declare n=Abc; export @@=$n",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "declare -n r=@@; export @@=1; r=5",
        "f() { local -n r=$1; r=5; }\nexport @@=1; f @@",
        "declare -i n; n=2+3; export @@=$n",
        "export @@=1; declare -n r=OTHER; r=2",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "export @@=o; f() { local @@; srun python train.py; }; f",
        "export @@=o; f() { local @@; @@=in; srun python train.py; }; f; srun python train.py",
        "export @@=o; f() { local @@; @@=in; unset @@; srun python train.py; }; f",
        "export @@=o; f() { local @@=; srun python train.py; }; f",
        "export @@=o; f() { local -x @@; srun python train.py; }; f",
        "export @@=o; f() { local -a @@; srun python train.py; @@=(q); srun python train.py; }; f",
        "export @@=o; f() { declare @@; bash -c 'srun python train.py'; }; f",
        "export @@=o; f() { local @@=a; local @@; srun python train.py; }; f",
        "@@=o; f() { local @@; srun python train.py; }; f; srun python train.py",
        "export @@=o; g() { srun python train.py; }; f() { local @@; g; }; f",
        "export @@=o; f() { local @@; export V=${@@-none}; @@=$V; srun python train.py; }; f",
        "f() { local @@; srun python train.py; }; f",
    ],
)
def test_children_see_what_a_local_without_a_value_hides(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "declare -rx @@=0; export @@=1",
        "readonly @@=a; export @@; @@=b srun python train.py",
        "declare -r @@=a; export @@=b; unset @@",
        "declare -r @@=a; declare -x @@=b",
        "readonly @@=a; typeset -x @@",
        "readonly @@=a; export @@ V=1; export -n @@",
        "export @@=a; readonly @@\n@@=b\nexport V=1",
        "export @@=a; readonly @@; unset @@ || export V=1",
        "export @@=a; readonly @@; read -r @@ <<< b",
        "export @@=a; readonly @@; printf -v @@ b; let @@=3",
        "export @@=a; readonly @@; f() { local @@=b; srun python train.py; }; f",
        "export @@=a; readonly @@; f() { srun python train.py; }; @@=b f",
        "export @@=a; readonly @@; bash -c '@@=b; srun python train.py'",
        "set -e; readonly @@=a; export @@=b; srun python train.py",
        "set -e; readonly @@=a; export @@=b || true; srun python train.py",
        "f() { local -r @@=in; export @@; srun python train.py; }; f; export @@=out; srun python train.py",
    ],
)
def test_readonly_keeps_its_value(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        'declare -A c=([@@]=0); for k in "${!c[@]}"; do export "$k=${c[$k]}"; done',
        'declare -A c; c[@@]=a; c[V]=b; for k in "${!c[@]}"; do export "$k"="${c[$k]}"; done',
        'declare -A c=([x]=1); export @@="${!c[*]}"',
    ],
)
def test_keys_of_a_table(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)
