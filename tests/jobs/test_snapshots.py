"""Output of ``export -p``, ``declare -p`` and their kin, read again by this shell or another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, both, never_wrong
from tests.jobs.making import batch, only, seen

LISTS = ["export -p", "export", "declare -px", "declare -p -x", "typeset -px", "declare -x", "declare -p @@"]


@pytest.mark.parametrize("lists", LISTS)
@pytest.mark.parametrize(
    "around",
    [
        "{} > snap.sh; export @@=2; . ./snap.sh",
        "V=$({} > snap.sh); export @@=2; . ./snap.sh",
        "{{ {} > snap.sh; }} | cat; export @@=2; . ./snap.sh",
        'S=$({} 2>/dev/null); export @@=2; eval "$S"',
        "{{ {}; echo V=1; }} > snap.sh; export @@=2; source snap.sh",
        "({}) > snap.sh; export @@=2; . ./snap.sh",
        'S=$({}); export @@=2; eval "$S"',
        'S="$({})"; unset @@; eval "$S"',
        ". <({})",
        "{} > snap.sh; env -i PATH=$PATH DUMP=$DUMP bash -c '. ./snap.sh; srun python train.py'; exit",
        "{} > snap.sh; BASH_ENV=./snap.sh bash -c 'export @@; srun python train.py'; exit",
        ": > snap.sh; {} >> snap.sh; export @@=2; . ./snap.sh",
        "{} > snap.sh; f() {{ . ./snap.sh; srun python train.py; }}; export @@=2; f; srun python train.py",
        "{} | tee snap.sh > copy.sh; export @@=2; . ./snap.sh",
    ],
)
def test_a_snapshot_brings_its_values_back(lists: str, around: str, tmp_path: Path) -> None:
    agree(tmp_path, "export @@=1\n" + around.format(lists))


VALUES = ['"a b"', "'x$y'", "'`q`'", "'\"q\"'", "'a\\b'", '"it\'s"', "$'a\\nb'", "''", "$'a\\tb\\''", "'!'"]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_spelled_as_bash_does(value: str, tmp_path: Path) -> None:
    agree(tmp_path, f"export V={value}; S=$(declare -p V); export @@=$S; srun python train.py")


@pytest.mark.parametrize("value", [*VALUES, "é"])
def test_a_value_comes_back_as_it_was(value: str, tmp_path: Path) -> None:
    said, done = both(tmp_path, f"export @@={value}\nexport -p > snap.sh\nexport @@=2\n. ./snap.sh")
    assert "\n".join(said) == "\n".join(done)


@pytest.mark.parametrize(
    "text",
    [
        "V=1; export @@=$(declare -p V)",
        "declare -i V=1; export @@=$(declare -p V)",
        "declare -xr V=1; export @@=$(declare -p V)",
        "declare -u V=a; export V; export @@=$(declare -p V)",
        "export V; export @@=$(declare -p V)",
        "V=1 W=2; S=$(declare -p W V); export @@=\"${S//$'\\n'/,}\"",
        "export @@=$(declare -p NOPE 2>&1 >/dev/null | cut -c1-0)",
        "declare -p NOPE 2>/dev/null || export @@=1",
        "V=1; declare -p V >/dev/null && export @@=1",
        "f() { local V=2; export @@=$(declare -p V); }; f",
        "V=1; export @@=x$(declare -p V >/dev/null)x",
        "V=1; export @@=x$(export V)x",
    ],
)
def test_one_variable_is_printed_as_bash_does(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)


@pytest.mark.parametrize(
    "lists",
    [
        *LISTS,
        "declare -p",
        "typeset -p",
        "readonly -p",
        "readonly",
        "declare",
        "set",
        "env",
        "printenv",
        "alias -p",
        "alias",
        "trap -p",
        "trap",
        "compgen -v",
        "compgen -e",
        "compgen -A export",
        "export -pf",
        "declare -f f",
        "declare -pf",
        "declare -F",
        "shopt -p",
        "set +o",
        "ulimit -a",
        "hash -l",
        "local",
        "command export -p",
        "builtin declare -px",
        "export -p | sort",
        "export -p | grep NEMO",
        "export -p | head -50",
        "export -p | wc -l",
        "export -p | tail -1",
        "declare -px | sed 's/declare -x/export/'",
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "export @@=${{S:+some}}",
        '[ -n "$S" ] && export @@=2',
        'eval "$S"',
        'printf "%s\\n" "$S" > snap.sh; . ./snap.sh',
    ],
)
def test_what_is_printed_is_never_taken_for_nothing(lists: str, around: str, tmp_path: Path) -> None:
    text = f"f() {{ :; }}; export -f f; alias ll=ls; trap : TERM\nreadonly V=1\nexport @@=1\nS=$({lists})\nexport @@=2\n"
    never_wrong(tmp_path, text + around.format())


@pytest.mark.parametrize("open_", [False, True])
def test_a_healthy_snapshot_reaches_a_cleared_environment(open_: bool, tmp_path: Path) -> None:
    body = """export NEMO_LENS_RUN_ID=run-$SLURM_JOB_ID OTEL_TRACES_SAMPLER=always_on
export -p > env.sh.$SLURM_JOB_ID
srun env -i PATH=$PATH bash -c ". ./env.sh.$SLURM_JOB_ID; torchrun --nproc-per-node=8 train.py\""""
    launch = only(batch(tmp_path, body, open_=open_))
    assert seen(launch.env["NEMO_LENS_RUN_ID"]) == "+"
    assert seen(launch.env["OTEL_TRACES_SAMPLER"]) == "always_on"
    assert seen(launch.env["OTEL_METRICS_EXPORTER"]) is None if not open_ else True
    assert not launch.lost


def test_a_snapshot_holds_what_the_submitter_set(tmp_path: Path) -> None:
    body = "export -p > env.sh\nsrun env -i PATH=$PATH bash -c '. ./env.sh; python train.py'"
    launch = only(batch(tmp_path, body, open_=True))
    assert seen(launch.env["NEMO_LENS_RUN_ID"]) == "?"
    assert not launch.env.complete
