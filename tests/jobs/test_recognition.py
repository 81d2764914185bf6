"""Files of other kinds, broken files and hostile ones: an answer, never a crash."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.words import State
from lens_preflight.jobs import read_job, syntax
from tests.jobs.making import batch, job, only

A = "NEMO_LENS_RUN_ID"


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("#!/bin/bash\n", "a.txt", "shell"),
        ("#!/usr/bin/env bash\n", "a", "shell"),
        ("#!/bin/sh\n", "a", "shell"),
        ("srun python t.py\n", "a.sbatch", "shell"),
        ("#!/bin/csh\n#SBATCH -N2\nsetenv A 1\n", "a", "csh"),
        ("#!/bin/tcsh\n", "a", "tcsh"),
        ("#!/usr/bin/env zsh\n", "a.sh", "zsh"),
        ("#!/usr/bin/perl\n", "a", "perl"),
        ("apiVersion: batch/v1\nkind: Job\n", "a.yaml", "kubernetes"),
        ("kind: Job\napiVersion: batch/v1\n", "a", "kubernetes"),
    ],
)
def test_kind(tmp_path: Path, text: str, name: str, kind: str) -> None:
    model = job(tmp_path, text, name=name, submit=None)
    assert model.kind in (kind, "sbatch")
    if kind not in ("shell", "kubernetes"):
        assert kind in model.unread and "#SBATCH" in model.unread


def test_directives_of_another_shell_are_understood(tmp_path: Path) -> None:
    model = job(tmp_path, "#!/bin/csh\n#SBATCH -N2\nsetenv A 1\n", submit=None)
    assert [d.option for d in model.directives] == ["--nodes"]


def test_python_as_a_batch_script(tmp_path: Path) -> None:
    text = "#!/usr/bin/env python3\n#SBATCH -N2 --gpus-per-node=8\nimport os\n"
    launch = only(job(tmp_path, text, name="train.py", submit="sbatch train.py"))
    assert launch.program_file == str(tmp_path / "train.py")
    assert launch.env["SLURM_JOB_ID"].state is State.PROVIDED and launch.world_size == 1


def test_binary(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"\x7fELF\0\0\0")
    model = read_job(str(tmp_path / "a.sh"))
    assert model.kind == "binary" and model.unread and not model.launches


def test_other_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(
        b"\xef\xbb\xbf#!/bin/bash\n# caf\xe9\nexport NEMO_LENS_RUN_ID=caf\xe9\nsrun python t.py\n"
    )
    launch = only(read_job(str(tmp_path / "a.sh"), submit="bash a.sh"))
    assert launch.env[A].state is State.VALUE


@pytest.mark.parametrize("path", ["missing.sh", "."])
def test_what_cannot_be_opened(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        read_job(str(tmp_path / path))


def test_ten_megabytes(tmp_path: Path) -> None:
    model = job(tmp_path, "#!/bin/bash\n" + "export A=1\n" * 1_000_000)
    assert "longer than" in model.unread and not model.launches


def test_a_long_script_is_read_in_bounds(tmp_path: Path) -> None:
    model = job(tmp_path, "#!/bin/bash\n" + "export A=1\n" * 25_000 + "srun python t.py\n")
    assert "more than" in model.unread


@pytest.mark.parametrize(
    "text",
    [
        "if true; then\n" * 400 + "srun python t.py\n" + "fi\n" * 400,
        "(" * 300 + "srun python t.py" + ")" * 300,
        "export A=" + "$(" * 200 + "echo x" + ")" * 200,
        "f() { f; }\nf\nsrun python t.py",
        "f() { g; }\ng() { f; }\nf",
        ". ./job.sh\nsrun python t.py",
        "bash job.sh",
        "eval 'eval \"eval x\"'",
        "x='eval $x'\neval $x",
        "while true; do :; done\nsrun python t.py",
        "while true; do x=$((x+1)); done",
        "for ((;;)); do :; done",
        "for i in {1..100000}; do for j in {1..100000}; do echo; done; done\nsrun python t.py",
        "A={a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\necho " + "{a,b}" * 16,
        "\n".join(f'if [ "$X{i}" = 1 ]; then export V{i}=1; else export V{i}=2; fi' for i in range(200))
        + "\nsrun python t.py",
        "\n".join('if [ "$X" = 1 ]; then A=$A$A; else A=x$A; fi' for _ in range(60)) + "\nexport A\nsrun python t.py",
        "A=x\n" + "A=$A$A\n" * 40 + "export A\nsrun python t.py",
        "case x in\n" + "x) srun python t.py;;\n" * 500 + "esac",
        "srun bash -c " + "'bash -c ' " * 50,
        "cat <<EOF | bash\n" * 20 + "EOF\n" * 20,
        "}\nexport A=1\nsrun python t.py",
        "export A=1\n<placeholder>\nsrun python t.py",
        "if then fi (\n" * 40,
        "${",
        "'",
        "`",
        "$(",
        "export A=$((1<<99999))\nsrun python t.py",
        "export A=$((2**64))\nexport B=$((1/0))\nsrun python t.py",
        "echo ${A:99999999999999999999:1}",
        "\x01\x02export A=1",
        "srun",
        "docker run",
        "env",
        "torchrun",
        "sbatch",
        "ray",
        "mpirun -np",
        "srun --export= python t.py",
        "srun -n99999999999999999999 python t.py",
        "unset\nexport\nread\ntrap\nset\nsource\n[ \ntest",
        "cd \"$(dirname \"$0\")\" && srun python t.py",
    ],
)  # fmt: skip
@pytest.mark.parametrize("submit", ["bash job.sh", "sbatch job.sh", None])
def test_hostile(tmp_path: Path, text: str, submit: str | None) -> None:
    model = job(tmp_path, f"#!/bin/bash\n{text}\n", submit=submit, open_=submit is None)
    assert model.path.endswith("job.sh")
    for launch in model.launches:
        assert launch.key and launch.framework


def test_lines_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    text = (
        f"#!/bin/bash\nexport B=1\nexport {A}=<placeholder> )\nexport OTEL_SERVICE_NAME=x\nsrun python t.py\n"
    )
    model = job(tmp_path, text)
    assert [o.at.line for o in model.opaque] == [3]
    launch = only(model)
    assert launch.env[A].state is State.UNKNOWN and launch.env["B"].value == "1"
    assert launch.env["OTEL_SERVICE_NAME"].value == "x"


def test_a_missing_file_is_named_and_later_exports_stay_certain(tmp_path: Path) -> None:
    text = f"#!/bin/bash\nexport {A}=1\nsource site.sh\nexport OTEL_SERVICE_NAME=x\nsrun python t.py\n"
    model = job(tmp_path, text)
    assert [(o.what, o.at.line) for o in model.opaque] == [("source site.sh", 3)]
    launch = only(model)
    assert launch.env[A].state is State.UNKNOWN and "site.sh" in launch.env[A].reason
    assert launch.env["OTEL_SERVICE_NAME"].value == "x"
    assert launch.env["NEMO_LENS_ENABLED"].state is State.UNKNOWN


@pytest.mark.parametrize("line", ["module load cuda", "ml cuda", "spack load x", "eval $(site-env)"])
def test_what_may_set_anything(tmp_path: Path, line: str) -> None:
    launch = only(batch(tmp_path, f"export {A}=1\n{line}\nexport B=2\nsrun python t.py"))
    assert launch.env[A].state is State.UNKNOWN
    assert launch.env["B"].value == "2"


@pytest.mark.parametrize(
    "line",
    ["source .venv/bin/activate", "conda activate x", "module purge", 'eval "$(conda shell.bash hook)"'],
)
def test_what_only_sets_its_own(tmp_path: Path, line: str) -> None:
    launch = only(batch(tmp_path, f"export {A}=1\n{line}\nsrun python t.py"))
    assert launch.env[A].value == "1"


def test_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise syntax.NoParser("shell scripts need the parser shfmt: type `pip install shfmt-py`")

    monkeypatch.setattr(syntax, "shfmt", none)
    model = batch(tmp_path, "if true; then srun python t.py; fi")
    assert model.unread and model.remedy == "pip install shfmt-py" and not model.launches
    assert [d.option for d in model.directives] == ["--nodes", "--ntasks-per-node"]


def test_shfmt_on_the_path_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "shfmt"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert syntax.shfmt() == str(mine)


def test_secrets_are_named_and_not_shown(tmp_path: Path) -> None:
    secret = "hcaik_" + "EXAMPLE" * 4
    text = f"export OTEL_EXPORTER_OTLP_HEADERS=x-honeycomb-team={secret}\nsrun python t.py --api-key {secret}"
    model = batch(tmp_path, text)
    assert [(s.name, s.at.line) for s in model.secrets] == [("OTEL_EXPORTER_OTLP_HEADERS", 3)]
    assert [s.name for s in only(model).secrets] == ["api-key"]
    assert secret not in repr(model.secrets) + repr(only(model).secrets)


@pytest.mark.parametrize(
    "text",
    [
        'export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer ${TOKEN}"',
        "export WANDB_API_KEY=$(cat key)",
        "export HF_TOKEN=<your-token>",
        "export OTEL_EXPORTER_OTLP_HEADERS=tenant=team-a",
        "export TOKENIZER_MODEL=/models/t.model",
    ],
)
def test_no_secret(tmp_path: Path, text: str) -> None:
    assert batch(tmp_path, f"{text}\nsrun python t.py", login={"TOKEN": "abcdefgh1234"}).secrets == ()


CHECKOUTS = [os.environ.get(name, "") for name in ("PREFLIGHT_MEGATRON", "PREFLIGHT_NEMO_RL")]


@pytest.mark.parametrize(
    "checkout", [c for c in CHECKOUTS if c] or [pytest.param("", marks=pytest.mark.skip("no checkout"))]
)
def test_checkouts(checkout: str) -> None:
    """Every shell file of a checkout is read; its launches have a program or a reason."""
    suffixes = (".sh", ".sub", ".slurm", ".sbatch", ".bash")
    count: dict[str, Any] = {"files": 0, "launches": 0}
    for path in sorted(p for p in Path(checkout).rglob("*") if p.suffix in suffixes and p.is_file()):
        model = read_job(str(path))
        count["files"] += 1
        count["launches"] += len(model.launches)
    assert count["files"]
    print(checkout, count)
