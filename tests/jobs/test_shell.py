"""What enters the environment, construct by construct; measured on bash 5.2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.making import job, only, seen

A = "NEMO_LENS_RUN_ID"
LAUNCH = "srun python train.py"


def value(folder: Path, text: str, **options: object) -> str | None:
    """What the launch sees in A, which the scripts spell A."""
    script = f"#!/bin/bash\n{text}\n".replace("@", A)
    if "srun" not in script:
        script += LAUNCH + "\n"
    return seen(only(job(folder, script, **options)).launcher_env[A])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@=1", None),
        ("export @; @=1", "1"),
        ("export @=1", "1"),
        ("declare -x @=1", "1"),
        ("typeset -x @=1", "1"),
        ("export '@=1'", "1"),
        ('K=@; V=1; export "$K=$V"', "1"),
        ("export @", None),
        ("export @\n@=2", "2"),
        ("@=1 srun python train.py", "1"),
        ("f() { srun python train.py; }\n@=1 f", "1"),
        ("B=2 @=$B srun python train.py", "2"),
        ("X=1 @=$X true\nX=1\n@=${X}2 srun python train.py", "12"),
        ("export X=1 @=$X", ""),
        ("export X=1; export @=$X", "1"),
        ("@=1 cd /tmp && srun python train.py", None),
        ("@=1 export B=2", None),
        ("@=1 :", None),
        ("f() { declare -x @=1; }\nf", None),
        ("f() { declare -x @=1; srun python train.py; }\nf", "1"),
        ("f() { local @; export @; @=1; }\nf", None),
        ("f() { declare -gx @=1; }\nf", "1"),
        ("f() { export @=1; }\nf", "1"),
        ("readonly @=1", None),
        ("export @=(1 2)", None),
        ("@=(1 2); export @", None),
        ("export @=1; export -n @", None),
        ("export @=1; unset @", None),
        ("export @=1; unset @; @=2", None),
        ("set -a\n@=1", "1"),
        ("set -o allexport\n@=1\nset +o allexport", "1"),
        ("( export @=1 )", None),
        ("echo x | export @=1", None),
        ("echo x | while read -r l; do export @=$l; done", None),
        ("{ export @=1; } | cat", None),
        ("f() ( export @=1 )\nf", None),
        ("export @=1 &\nwait", None),
        ("shopt -s lastpipe\necho x | export @=1", "1"),
        ("shopt -s lastpipe\necho x | while read -r l; do export @=$l; done", "x"),
        ("{ export @=1; }", "1"),
        ("[[ 1 == 1 ]] && export @=1", "1"),
        ("[[ 1 == 2 ]] && export @=1", None),
        ("[[ 1 == 2 ]] || export @=1", "1"),
        ("export @ = 1", None),
        ("@ =1", None),
        ("export @=a=1;b=2", "a=1"),
        ("export @=http://h/?x=1&y=2\nwait", None),
        ("export B='a #b'; export @=$B", "a #b"),
        ("export @=a #b", "a"),
        ("@=1 \\\n# comment\nsrun python train.py", None),
        ("S=(@=1)\n\"${S[@]}\" srun python train.py\nsrun python train.py", None),
        ("S=(@=1)\nenv \"${S[@]}\" srun python train.py", "1"),
        ("E='@=1'\neval $E srun python train.py", "1"),
        ("export @='$HOME'", "$HOME"),
        ('export @="$HOME"', "/home/user"),
        ("export @=${B:-d}", "d"),
        ("B=; export @=${B:-d}", "d"),
        ("B=; export @=${B-d}", ""),
        (": ${@:=d}", None),
        (": ${@:=d}\nexport @", "d"),
        ("B=1; export @=${B:+x}", "x"),
        ("export @=${B:+x}", ""),
        ("export @=$((N*8))", "0"),
        ("N=2; export @=$((N*8+1))", "17"),
        ("export @=1\nsrun python train.py &\nexport @=2\nwait", "1"),
        ("export @=1\nexec srun python train.py\nexport @=2", "1"),
        ("export @={a,b}", "b"),
        ("V=1\nbash -c 'export @=$V; srun python train.py'", ""),
        ("V=1\nbash -c \"export @=$V; srun python train.py\"", "1"),
        ("export V=1\nbash -c 'export @=$V; srun python train.py'", "1"),
        ("bash -c 'export @=$0-$1; srun python train.py' x y", "x-y"),
        ("bash <<EOF\nexport @=1\nsrun python train.py\nEOF", "1"),
        ("V=1\nbash <<'EOF'\nexport @=x$V\nsrun python train.py\nEOF", "x"),
        ("V=1\nbash <<EOF\nexport @=x$V\nsrun python train.py\nEOF", "x1"),
        ("for i in 1 2; do export @=$i; done", "2"),
        ("for i in 1 2 3; do [ $i = 2 ] && break; export @=$i; done", "1"),
        ("for i in $(seq 3); do export @=$i; done", "3"),
        ("for i in {1..4}; do @=$i; done; export @", "4"),
        ("n=0; while [ $n -lt 3 ]; do n=$((n+1)); done; export @=$n", "3"),
        ("IFS=, read -r x y <<< 'a,b'\nexport @=$y", "b"),
        ("read -r x y <<< 'a b c'\nexport @=$y", "b c"),
        ("read -r -d '' x <<'E'\n  a b\nc\nE\nexport @=\"$x\"", "a b\nc"),
        ("read -d '' -r x <<E || true\n$HOME\nc\nE\nexport @=\"$x\"", "/home/user\nc"),
        ("IFS=$'\\n' read -r -d '' -a l < <(printf 'a\\nb\\n')\nexport @=${l[1]}", "b"),
        ("case abc in a*) export @=1;; *) export @=2;; esac", "1"),
        ("case abc in b*|c*) export @=1;; *) export @=2;; esac", "2"),
        ("if false; then export @=1; elif true; then export @=2; else export @=3; fi", "2"),
        ("until true; do export @=1; done", None),
        ("export @=$(echo a b)", "a b"),
        ("export @=$(printf '%s-%03d' a 7)", "a-007"),
        ("export @=$(basename /x/y.txt .txt)", "?"),
        ("export @=$(dirname /x/y)", "/x"),
        ("export @=$(echo a,b | cut -d, -f2)", "b"),
        ("export @=$(echo A | tr A b)", "b"),
        ("set -- p q\nexport @=$2$#", "q2"),
        ("set -- p q\nshift\nexport @=$1", "q"),
        ("a=(x y)\na+=(z)\nexport @=${a[2]}${#a[*]}", "z3"),
        ("declare -A m=([k]=v)\nexport @=${m[k]}", "v"),
        ("v=path/to/file.txt\nexport @=${v##*/}", "file.txt"),
        ("v=path/to/file.txt\nexport @=${v%.txt}", "path/to/file"),
        ("v=abcabc\nexport @=${v/b/X}-${v//b/X}", "aXcabc-aXcaXc"),
        ("v=abc\nexport @=${v:1:1}${v^^}${v: -1}", "bABCc"),
        ("n=@\nexport $n=1", "1"),
        ("n=B; B=7\nexport @=${!n}", "7"),
        ("printf -v @ '%s' x\nexport @", "x"),
        ("mapfile -t l < <(printf 'a\\nb\\n')\nexport @=${l[1]}", "b"),
        ("export @=$'a\\tb'", "a\tb"),
        ('export @="a\\"b\\$c"', 'a"b$c'),
        ("export @=a\\ b", "a b"),
        ("let n=2+3\nexport @=$n", "5"),
        ("(( n = 4, n += 1 ))\nexport @=$n", "5"),
        ("trap 'x' TERM\nexport @=1", "1"),
        (". <(echo export @=1)", "1"),
        ("source <(printf '@=2\\n'); export @", "2"),
        ("export @=$(cat <(echo x))", "x"),
        ("export @=$(false)", ""),
        ("set -e\nexport @=$(false)", ""),
        ("set -e\n@=$(false)\nexport @", "no launch"),
        ("exit 0\nexport @=1", "no launch"),
        ("return_early() { return 0; export @=1; }\nreturn_early", None),
        ("set -e\nfalse\nexport @=1", "no launch"),
        ("set -e\nif false; then :; fi\nexport @=1", "1"),
        ("set -u\nexport @=$NOT_THERE", "no launch"),
        ("export @=${NOT_THERE:?needed}", "no launch"),
        ("time srun python train.py", None),
        ("! srun python train.py", None),
        ("export @=1\nfunction g { srun python train.py; }\ng", "1"),
    ],
)  # fmt: skip
def test_construct(tmp_path: Path, text: str, expected: str | None) -> None:
    if expected == "no launch":
        model = job(tmp_path, f"#!/bin/bash\n{text}\n{LAUNCH}\n".replace("@", A))
        assert model.launches == ()
        return
    if text.endswith("srun python train.py\nsrun python train.py"):
        script = f"#!/bin/bash\n{text}\n".replace("@", A)
        assert seen(job(tmp_path, script).launches[-1].launcher_env[A]) == expected
        return
    assert value(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source f", None),
        ("set -a; source f", "1"),
        ("set -a; . ./f; set +a", "1"),
        ("export $(cat f)", "1"),
        ("export $(grep -v '^#' f | xargs)", "1"),
        ("while read -r l; do export \"$l\"; done < f", "1"),
        ("while IFS= read -r l || [ -n \"$l\" ]; do export \"$l\"; done < f", "1"),
        ("eval \"$(cat f)\"; export @", "1"),
        ("eval \"export $(cat f)\"", "1"),
        (". g", "2"),
        ("bash g", None),
        ("[ -f f ] && set -a && . ./f", "1"),
        ("if [ -e f ]; then set -a; source f; fi", "1"),
        ("export @=$(< plain)", "text"),
        ("export @=$(cat plain | head -n1)", "text"),
    ],
)  # fmt: skip
def test_files(tmp_path: Path, text: str, expected: str | None) -> None:
    files = {"f": f"{A}=1\n", "g": f"export {A}=2\n", "plain": "text\n"}
    assert value(tmp_path, text, files=files) == expected


def test_words_of_a_file_are_split(tmp_path: Path) -> None:
    assert value(tmp_path, "export $(cat f)", files={"f": f"{A}=x y\n"}) == "x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nohup srun python train.py", "1"),
        ("nice -n 5 srun python train.py", "1"),
        ("timeout -k 5 3600 srun python train.py", "1"),
        ("stdbuf -oL srun python train.py", "1"),
        ("setsid srun python train.py", "1"),
        ("taskset -c 0-7 srun python train.py", "1"),
        ("numactl --cpunodebind=0 srun python train.py", "1"),
        ("env srun python train.py", "1"),
        ("env @=2 srun python train.py", "2"),
        ("env -u @ srun python train.py", None),
        ("env --unset=@ srun python train.py", None),
        ("env -i srun python train.py", None),
        ("env - @=3 srun python train.py", "3"),
        ("env -S '@=4 srun python train.py'", "4"),
        ("sudo python train.py", None),
        ("sudo @=5 python train.py", "5"),
        ("sudo --preserve-env=@ python train.py", "1"),
        ("sudo -E python train.py", "1"),
        ("su user -c 'python train.py'", "1"),
        ("su - user -c 'python train.py'", None),
        ("runuser -u user -- python train.py", "1"),
        ("bash -l -c 'python train.py'", "1"),
        ("sh -c 'python train.py'", "1"),
        ("ssh node1 python train.py", None),
        ("ssh node1 \"@=$@ python train.py\"", "1"),
        ("ssh node1 '@=6 python train.py'", "6"),
        ("pdsh -w node[1-2] python train.py", None),
        ("uv run python train.py", "1"),
        ("uv run train.py", "1"),
        ("uv run --with x -- python train.py", "1"),
        ("uv run torchrun --nproc_per_node=2 train.py", "1"),
        ("poetry run python train.py", "1"),
        ("conda run -n e python train.py", "1"),
        ("mpirun -np 4 python train.py", "1"),
        ("mpirun -np 4 -x @=7 python train.py", "7"),
        ("mpirun -np 4 -H a:2,b:2 python train.py", "?"),
        ("mpirun -np 4 -H a:2,b:2 -x @ python train.py", "1"),
        ("mpiexec.hydra -n 4 -ppn 2 python train.py", "1"),
        ("mpiexec.hydra -genv @ 8 -n 4 python train.py", "8"),
        ("nsys profile -o out python train.py", "1"),
        ("xargs -n1 echo; python train.py", "1"),
        ("docker run img python train.py", None),
        ("docker run -e @ img python train.py", "1"),
        ("docker run -e @=9 img python train.py", "9"),
        ("docker run --env @=9 --gpus all img python train.py", "9"),
        ("sudo docker run -e @ img python train.py", None),
        ("podman run --env-host img python train.py", "1"),
        ("docker exec -e @=9 box python train.py", "9"),
        ("docker exec box python train.py", None),
        ("apptainer exec img.sif python train.py", "1"),
        ("apptainer exec --cleanenv img.sif python train.py", None),
        ("apptainer exec -e --env @=9 img.sif python train.py", "9"),
        ("SINGULARITYENV_@=9 singularity exec --containall img.sif python train.py", "9"),
        ("enroot start -e @=9 box python train.py", "9"),
        ("enroot start box python train.py", "1"),
        ("ray job submit -- python train.py", "?"),
        ("ray job submit --runtime-env-json '{\"env_vars\": {\"@\": \"9\"}}' -- python train.py", "9"),
        ("deepspeed --num_gpus 8 train.py", "1"),
        ("accelerate launch --num_processes 8 train.py", "1"),
        ("python -m torch.distributed.run --nproc_per_node 8 train.py", "1"),
    ],
)  # fmt: skip
def test_wrapper(tmp_path: Path, text: str, expected: str | None) -> None:
    script = f"#!/bin/bash\nexport {A}=1\n{text}\n".replace("@", A)
    assert seen(only(job(tmp_path, script)).launcher_env[A]) == expected
