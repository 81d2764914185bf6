"""Commands that take the names of variables, where those come out of a list or are known in part."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.jobs.listing import chosen
from lens_preflight.jobs.text import literal
from tests.jobs.bash import NAME, agree, both, never_wrong
from tests.jobs.making import batch, job, only, seen

P = NAME.rpartition("_")[0]
UNKNOWN = "X=$(cat /no/such/file || echo RUN_ID)\n"
"""A text that bash knows, and the reader does not."""


@pytest.mark.parametrize(
    "text",
    [
        f'export @@=1; for v in "${{!{P}@}}"; do unset "$v"; done',
        f"export @@=1 V=2; for v in ${{!{P}*}} ${{!V*}}; do unset $v; done",
        f"export @@=1; unset ${{!{P}@}}",
        f'export @@=1; A=("${{!{P}@}}"); for v in "${{A[@]}}"; do unset -v "$v"; done',
        f'export @@=1; f() {{ local v; for v in "$@"; do unset "$v"; done; }}; f "${{!{P}@}}"',
        f"@@=1; export ${{!{P}@}}",
        f"@@=1; for v in ${{!{P}*}}; do export $v; done",
        f"@@=1; for v in ${{!{P}*}}; do declare -gx $v; done",
        f"export @@=1; export -n ${{!{P}@}}",
        f"export @@=1; for v in ${{!{P}*}}; do export $v=2; done",
        f"export @@=1; for v in ${{!{P}*}}; do printf -v $v %s 3; done",
        f"export @@=1; for v in ${{!{P}*}}; do read -r $v <<< 4; done",
        f"export @@=1; for v in ${{!{P}*}}; do eval $v=5; done",
        f'for v in "${{!{P}@}}"; do export V=$v; done; export @@=${{V-none}}',
        'V_C=1 V_A=2; declare V_B V_D=; V_E=(1); export @@="${!V_@}"',
        'V_C=1 V_A=2; IFS=,; export @@="${!V_*}"',
        'V_C=1 V_A=2; set -- "${!V_@}"; export @@=$#',
        'V_C=1 V_A=2; set -- "${!V_*}"; export @@=$#',
        "export @@=1; for v in $(compgen -v | grep RUN_ID); do unset $v; done",
        f"export @@=1; for v in $(compgen -v {P}); do unset $v; done",
        "export @@=1 V=2; for v in $(compgen -v | grep ^V | grep -v RUN); do unset $v; done",
        "export @@=1 V=2; for v in $(compgen -e); do [[ $v == NEMO_* ]] && unset $v; done",
        "export @@=1; for v in $(compgen -e); do [[ $v == SLURM_* ]] && unset $v; done",
        "export @@=1; for v in $(env | awk -F= '/^NEMO_/ {print $1}'); do unset $v; done",
        "export @@=1; for v in $(env | awk -F= '/^SLURM_/ {print $1}'); do unset $v; done",
        "export @@=1; for v in $(env | sed -n 's/^\\(NEMO_[^=]*\\)=.*/\\1/p'); do unset $v; done",
        "export @@=1; unset $(env | grep -o '^OTEL_[A-Z_]*')",
        'export @@=1; p=NEMO; q=_; unset $(compgen -v | grep "^$p$q")',
        'export @@=1; p=OTEL; q=_; unset $(compgen -v | grep "^$p$q")',
        'export @@=1; for p in SLURM_ OTEL_; do for v in $(compgen -v "$p"); do unset $v; done; done',
        'export @@=1; for p in NEMO_ OTEL_; do for v in $(compgen -v "$p"); do unset $v; done; done',
        "export @@=1; unset $(env | grep -E '^(SLURM|NEMO)_' | cut -d= -f1)",
        "export @@=1; unset $(compgen -v | grep -v '^NEMO_' | grep '^V')",
        "export @@=1; mapfile -t a < <(compgen -v | grep '^NEMO_'); for v in ${a[@]}; do unset $v; done",
        "export @@=1; while read -r v; do unset $v; done < <(compgen -v | grep '^SLURM_')",
        "export @@=1; declare -n r=@@; unset r",
        "@@=1; export $(compgen -v | grep ^NEMO_)",
        "@@=1; export $(compgen -v | grep ^OTEL_)",
        "export @@=1; export $(env | grep ^NEMO_ | cut -d= -f1)",
        "export @@=o; f() { local @@=i; unset $(compgen -v | grep ^NEMO_); srun python train.py; }; f",
        "export @@=1; declare +x @@",
        "export @@=1; declare -x +x @@=2; V=1 srun python train.py",
        "export @@=1; typeset +x @@=2",
        "export -p @@=1",
        "export @@=1; command export @@=2; builtin export -n @@",
        "export @@=1; V=1 declare +x @@",
        "printf -v@@ %s 1; export @@",
        "printf -v @@ -- %s 1; export @@",
        f"K={P}; printf -v ${{K}}_RUN_ID %s 1; export @@",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "command",
    [
        'unset "$K"',
        "unset $K",
        "unset -v $K",
        "export -n $K",
        "export -n $(compgen -v | grep ^NEMO_)",
        "export -n $(compgen -v | grep ^NEMO_); export @@",
        "declare +x $(compgen -v | grep ^NEMO_)",
        'export "$K=2"',
        "export $K",
        "V=1 export $K=2",
        "declare $K=2",
        "declare -x $K=2",
        "typeset +x $K",
        "readonly $K=2",
        "printf -v $K %s 2",
        "printf -v$K %s 2",
        'read -r "$K" <<< 2',
        "read -r V $K <<< '1 2'",
        "read -ra $K <<< 2",
        "read -rd '' $K <<< 2",
        "mapfile -t $K <<< 2",
        "readarray -t $K <<< 2",
        "getopts ab $K -a",
        'eval "$K=2"',
        'eval "export $K=2"',
        'eval "$K=2; V=1"',
        'let "$K=2"',
        "let $K++",
        "(( $K = 2 ))",
        "(( ${K}++ ))",
        ": ${!K:=2}",
        "f() { unset $1; }; f $K",
        'f() { printf -v "$1" %s 2; }; f "$K"',
        'f() { local -n r=$1; r=2; }; f "$K"',
        "env -u $K srun python train.py #",
        "env --unset=$K srun python train.py #",
        "env -u$K srun python train.py #",
        "for v in $K; do unset $v; done",
        "for v in $K; do export $v=2; done",
        "set -a; printf -v $K %s 2",
        "while read -r v; do unset $v; done <<< $K",
        "while read -r v; do unset $v; done < <(compgen -v | grep RUN)",
        "unset $(env | cut -d= -f1 | grep -v '^[VPDH]')",
        "unset $(env | grep qqq | cut -d= -f1)",
        "unset $(compgen -v $K)",
        'unset $(compgen -v | grep "^$K")',
        "unset $(compgen -v | grep -e ^SLURM -e ^NEMO)",
        "unset $(compgen -v | grep -w NEMO)",
        "unset $(compgen -v | sed -n 's/NEMO/OTEL/p')",
        "unset $(compgen -v | sed -n 's/^OTHER/NEMO/p')",
        "for v in $(env | grep qqq | cut -d= -f1); do unset $v; done",
    ],
)
@pytest.mark.parametrize("name", ["$X", f"{P}_$X"])
def test_a_name_that_is_not_known_may_be_any_that_fits(command: str, name: str, tmp_path: Path) -> None:
    full = "@@" if name == "$X" else "RUN_ID"
    said, done = both(
        tmp_path, f"{UNKNOWN.replace('RUN_ID', full)}K={name}\nexport @@=qqq\n{command}\nsrun python train.py"
    )
    assert said[0] in ("?", done[0]), f"the reader says {said}, bash does {done}"


@pytest.mark.parametrize(
    "command", ["unset OTHER_$X", "export OTHER_$X=2", "printf -v OTHER_$X %s 2", "read OTHER_$X"]
)
def test_a_name_that_cannot_fit_stays(command: str, tmp_path: Path) -> None:
    agree(
        tmp_path,
        f"{UNKNOWN}export @@=7\n{command} <<< 1\n"
        if "read" in command
        else f"{UNKNOWN}export @@=7\n{command}\n",
    )


@pytest.mark.parametrize("command", ["printf -v V_$X %s 2", "read -r V_$X <<< 2", "export V_$X=2"])
def test_a_variable_that_may_have_been_set_is_no_unset_one(command: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, f"{UNKNOWN}{command}\nexport @@=${{V_RUN_ID:-none}}\n")


CLEARING = [
    'for v in "${!OTEL_@}"; do unset "$v"; done',
    "for v in ${!OTEL_*} ${!NEMO_*}; do unset $v; done",
    'unset "${!OTEL_@}"',
    "for v in $(compgen -v | grep ^OTEL_); do unset $v; done",
    "for v in $(env | cut -d= -f1); do [[ $v == OTEL_* ]] && unset $v; done",
    'A=("${!OTEL_@}"); for v in "${A[@]}"; do unset "$v"; done',
]


@pytest.mark.parametrize("open_", [False, True])
@pytest.mark.parametrize("clearing", CLEARING)
def test_what_a_list_of_names_clears_is_lost(clearing: str, open_: bool, tmp_path: Path) -> None:
    body = f"export OTEL_TRACES_SAMPLER=always_on NEMO_LENS_ENABLED=1\n{clearing}\nsrun python train.py"
    launch = only(batch(tmp_path, body, open_=open_))
    assert seen(launch.env["OTEL_TRACES_SAMPLER"]) is None
    lost = {one.name: (one.loss.value, one.at.line) for one in launch.lost}
    assert lost["OTEL_TRACES_SAMPLER"] == ("unset", 4)


@pytest.mark.parametrize("open_", [False, True])
def test_clearing_what_slurm_sets_leaves_the_rest(open_: bool, tmp_path: Path) -> None:
    body = "export OTEL_TRACES_SAMPLER=always_on\nfor v in ${!SLURM_@}; do unset $v; done\npython train.py"
    env = only(batch(tmp_path, body, open_=open_)).env
    assert seen(env["OTEL_TRACES_SAMPLER"]) == "always_on"
    assert seen(env["SLURM_JOB_ID"]) is None


def test_what_the_submitter_may_have_set_is_set_by_a_loop_over_names(tmp_path: Path) -> None:
    text = "#!/bin/bash\nfor v in ${!OTEL_@}; do export $v=x; done\nsrun python train.py\n"
    assert seen(only(job(tmp_path, text)).env["OTEL_TRACES_SAMPLER"]) is None
    assert seen(only(job(tmp_path, text, open_=True)).env["OTEL_TRACES_SAMPLER"]) == "?"


def test_an_unset_that_only_the_submitter_names_is_assumed_away(tmp_path: Path) -> None:
    text = "#!/bin/bash\nexport OTEL_TRACES_SAMPLER=always_on\nunset $DROP\nsrun python train.py\n"
    found = only(job(tmp_path, text, open_=True)).env["OTEL_TRACES_SAMPLER"]
    assert (found.value, "DROP" in found.reason) == ("always_on", True)


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("compgen -v OTEL_", True),
        ("compgen -A variable NEMO_", False),
        ("compgen -e grep ^OTEL", True),
        ("env grep -v ^OTEL cut -d= -f1", False),
        ("env grep -E ^(SLURM|OTEL)_ cut -d= -f1", True),
        ("env grep ^\\(SLURM\\|OTEL\\)_ cut -d= -f1", True),
        ("env grep -i ^otel cut -d= -f1", True),
        ("env grep -F .* cut -d= -f1", False),
        ("env grep always cut -d= -f1", True),
        ("env grep ^$PREFIX cut -d= -f1", None),
        ("env grep [ cut -d= -f1", None),
        ("env grep -E (a+)+$ cut -d= -f1", None),
        ("env grep OTEL grep -v SAMPLER", False),
        ("env cut -d= -f1 head -3", None),
        ("env awk -F= /^OTEL_/ {print $1}", True),
        ("env awk -F= !/^OTEL_/ {print $1}", False),
        ("env awk -F= {print $1}", True),
        ('env awk -F= $1=="A" {print $1}', None),
        ("env sed s/=.*//", True),
        ("env sed -n s/^\\(SLURM_[^=]*\\)=.*/\\1/p", False),
        ("env sed /^OTEL/d", False),
        ("compgen -v $PREFIX", None),
        ("compgen -v grep -e ^SLURM -e ^OTEL", None),
        ("compgen -v grep -w OTEL", None),
        ("compgen -v grep -o ^OTEL", None),
        ("env sed s/^OTEL/X/", None),
        ("env sed -n s/^OTEL/X/p", None),
        ("env sed -nE s/^(OTEL_[^=]*)=.*/\\1/p", True),
        ("compgen -v sed -n /^OTEL_/p", True),
        ("env cut -c1-4", None),
        ("env cut -d = -f 1 tr A-Z a-z", None),
        ("env cut -d= -f1 tr \\n  ", True),
        ("cat names.txt", None),
        ("grep ^NEMO_ names.txt", False),
    ],
)
def test_which_names_a_command_line_lists(source: str, answer: bool | None) -> None:
    assert chosen(source, "OTEL_TRACES_SAMPLER", literal("always_on")) is answer


def test_a_value_that_is_not_known_may_fit_a_pattern() -> None:
    assert chosen("env grep always cut -d= -f1", "OTEL_TRACES_SAMPLER", None) is None
    assert chosen("env grep ^always cut -d= -f1", "OTEL_TRACES_SAMPLER", None) is False
