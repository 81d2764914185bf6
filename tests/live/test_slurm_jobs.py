"""A real Slurm against the reader of job scripts: exports, precedence, counts, identities."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Spread, State
from lens_preflight.jobs import JobLaunch, read_job
from tests.corpus import LINES
from tests.live.cluster import Cluster, lacking

pytestmark = [pytest.mark.live, pytest.mark.root]

A = "NEMO_LENS_RUN_ID"
GO = "python train.py"


@dataclass(frozen=True)
class Row:
    """One job: directives, options of sbatch, what the submitter exports, and the body."""

    body: str
    directives: tuple[str, ...] = ("-N2 --ntasks-per-node=2",)
    options: tuple[str, ...] = ()
    login: dict[str, str] = field(default_factory=lambda: {A: "login"})

    def text(self, program: str) -> str:
        """The script, with a program in the place of the training."""
        head = "".join(f"#SBATCH {line}\n" for line in self.directives)
        return (head + self.body + "\n").replace("@", A).replace(GO, program)


def exports(spec: str, body: str = f"export @=s\nsrun {GO}", **more: object) -> Row:
    return Row(body, ("-N2 --ntasks-per-node=2", f"--export={spec}"), **more)  # type: ignore[arg-type]


ROWS = (
    Row(f"srun {GO}"),
    Row(f"export @=s\nsrun {GO}"),
    exports("ALL", f"srun {GO}"),
    exports("NONE"),
    exports("NIL"),
    exports("NONE", f"export @=s\nsrun --export=ALL {GO}"),
    exports("NONE", f"unset SLURM_EXPORT_ENV\nexport @=s\nsrun {GO}"),
    exports("NONE", f"{GO}"),
    exports("NONE", f"export @=s\n{GO}"),
    exports(f"{A}=x", f"srun {GO}"),
    exports("B=x"),
    exports(A, f"srun {GO}"),
    exports(f"ALL,{A}=x", f"srun {GO}"),
    exports(f"ALL,{A}=x"),
    exports("ALL", options=("--export=NONE",)),
    exports("NONE", options=("--export=ALL",)),
    exports("ALL", login={A: "login", "SBATCH_EXPORT": "NONE"}),
    exports("NONE", login={A: "login", "SBATCH_EXPORT": "ALL"}),
    Row(f"srun {GO}", ("-N2 --ntasks-per-node=2", "--export=P=1", f"--export={A}=2,ALL")),
    Row(f"set -e\n#SBATCH --export=NONE\nexport @=s\nsrun {GO}"),
    Row(f"export @=s\nsrun --export=@ {GO}"),
    Row(f"export @=s\nsrun --export=PATH {GO}"),
    Row(f"export @=s\nsrun --export=NONE {GO}"),
    Row(f"export @=s\nsrun --export=@=t {GO}"),
    Row(f"unset @\nsrun --export=ALL,@=t {GO}"),
    Row(f"export @=s\nsrun --export=ALL,@=t {GO}"),
    Row(f"export @=s\nSLURM_EXPORT_ENV=PATH srun {GO}"),
    Row(f"export @=s\n@=7 srun {GO}"),
    Row(f"export @=s\nsrun {GO} &\nexport @=t\nwait"),
    Row(f"export @=s\nsrun {GO}", ("-N2",)),
    Row(f"export @=s\nsrun {GO}", ("-N2 -n3",)),
    Row(f"export @=s\nsrun --ntasks-per-node=1 {GO}", ("-N2 -n4",)),
    Row(f"export @=s\nsrun -n1 -N1 {GO}"),
    Row(f"export @=s\nsrun {GO}", ("-n2",)),
    Row(f"export @=s\nsrun {GO}", ("-N2-2 --ntasks-per-node=1",)),
    Row(f"export @=s\nsrun {GO}", ("-N1 # nodes", "##SBATCH -N2", "-n2")),
    Row(f"export @=s\nsrun {GO}", ("-N1",), options=("-N2", "--ntasks-per-node=1")),
    Row("export @=$SLURM_NTASKS\nsrun " + GO, ("-N2",)),
    Row("export @=$SLURM_NTASKS-$SLURM_NNODES-$SLURM_PROCID\nsrun " + GO),
    Row("export @=$SLURM_JOB_ID\nsrun " + GO),
    Row("export @=$RANDOM\nsrun " + GO),
    Row(f"srun /bin/sh -c '@=$SLURM_PROCID {GO}'"),
    Row(f'srun /bin/sh -c "@=$SLURM_PROCID {GO}"'),
    Row("export @=$SLURM_ARRAY_JOB_ID.\nsrun " + GO),
    Row(f"export @=$1$2\nsrun {GO}", options=("JOB", "a", "b")),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """One cluster for all rows."""
    why = lacking()
    if why and os.environ.get("PREFLIGHT_DEMAND_ALL") == "1":
        pytest.fail(why)
    if why:
        pytest.skip(why)
    with Cluster(3) as running:
        yield running


def submitted(cluster: Cluster, row: Row, number: int) -> tuple[str, Path]:
    """Submit a row; the program writes what it sees to a file of its own."""
    dump = cluster.folder / "out" / f"seen-{number}"
    program = cluster.folder / "out" / f"dump-{number}.sh"
    program.write_text(
        f'#!/bin/bash\nif [ -n "${{{A}+x}}" ]; then v="=${A}"; else v=unset; fi\n'
        f'echo "$SLURM_PROCID|$v" >> {dump}\n'
    )
    program.chmod(0o755)
    script = cluster.folder / "out" / f"row-{number}.sh"
    script.write_text(f"#!/bin/bash\n{row.text(str(program))}")
    script.chmod(0o755)
    options = [o for o in row.options if o.startswith("-")]
    tail = [o for o in row.options if not o.startswith("-")][1:]
    out = cluster.run(
        "sbatch", "--parsable", "--output=%j.out", *options, str(script), *tail, environ=row.login
    )
    return out.strip().splitlines()[-1], dump


def read(folder: Path, row: Row) -> JobLaunch:
    (folder / "job.sh").write_text(f"#!/bin/bash\n{row.text(GO)}")
    options = [o for o in row.options if o.startswith("-")]
    tail = [o for o in row.options if not o.startswith("-")][1:]
    login = {"PATH": "/usr/bin:/bin", "HOME": "/", **row.login}
    submit = shlex.join(["sbatch", *options, "job.sh", *tail])
    model = read_job(str(folder / "job.sh"), submit=submit, submitter=Environment.of(login))
    assert len(model.launches) == 1, row
    return model.launches[0]


def judge(launch: JobLaunch, seen: list[str]) -> str:
    """What is wrong with the reader's answer; empty when it agrees or does not know."""
    values = sorted({line.partition("|")[2] for line in seen})
    variable = launch.launcher_env[A]
    if launch.tasks is not None and "srun" in launch.chain and len(seen) != launch.tasks:
        return f"{len(seen)} tasks, read {launch.tasks}"
    if variable.state is State.VALUE:
        return "" if values == [f"={variable.value}"] else f"Slurm {values}, read {variable.value!r}"
    if variable.state is State.UNSET:
        return "" if values == ["unset"] else f"Slurm {values}, read unset"
    if variable.state is State.PROVIDED and "unset" in values:
        return f"Slurm {values}, read provided"
    wide = variable.spread in (Spread.NODE, Spread.TASK)
    return "" if wide is (len(values) > 1) or len(seen) < 2 else f"Slurm {values}, read {variable.spread}"


def test_tables(cluster: Cluster, tmp_path: Path) -> None:
    """Every row: the same environment and as many tasks as a real Slurm gives."""
    jobs = [submitted(cluster, row, number) for number, row in enumerate(ROWS)]
    wrong, known = [], 0
    for row, (job, dump) in zip(ROWS, jobs, strict=True):
        cluster.ended(job, 240)
        seen = dump.read_text().splitlines() if dump.exists() else []
        launch = read(tmp_path, row)
        known += launch.launcher_env[A].state in (State.VALUE, State.UNSET)
        why = judge(launch, seen) if seen else f"nothing ran: {cluster.output(job)[-200:]}"
        if why:
            wrong.append((row.directives, row.options, row.body, why))
    LINES.append(f"slurm: {len(ROWS)} jobs, {len(ROWS) - len(wrong)} agree, {known} with a known value")
    assert not wrong, "\n".join(map(str, wrong))
