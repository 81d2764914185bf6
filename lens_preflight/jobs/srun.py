"""``srun``: tasks, their environment and their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs.draft import Counts, Step
from lens_preflight.jobs.exporting import export_to_tasks
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Remark, Slip
from lens_preflight.jobs.names import RANKS, TASK_NUMBERS, is_telemetry
from lens_preflight.jobs.options import Options, constant, integer, split
from lens_preflight.jobs.slurm import gpus_of, provided
from lens_preflight.jobs.state import Bound
from lens_preflight.jobs.text import Cause

if TYPE_CHECKING:
    from lens_preflight.jobs.run import Run
    from lens_preflight.jobs.shell import Shell


VALUED = frozenset(
    [
        "--export",
        "--ntasks",
        "--nodes",
        "--ntasks-per-node",
        "--ntasks-per-core",
        "--ntasks-per-socket",
        "--ntasks-per-gpu",
        "--container-image",
        "--container-name",
        "--container-mounts",
        "--container-workdir",
        "--container-env",
        "--container-save",
        "--output",
        "--error",
        "--input",
        "--gpus-per-node",
        "--gpus-per-task",
        "--gpus-per-socket",
        "--cpus-per-task",
        "--cpus-per-gpu",
        "--mpi",
        "--nodelist",
        "--time",
        "--job-name",
        "--partition",
        "--account",
        "--gres",
        "--gres-flags",
        "--kill-on-bad-exit",
        "--cpu-bind",
        "--gpu-bind",
        "--mem-bind",
        "--wait",
        "--chdir",
        "--exclude",
        "--gpus",
        "--mem",
        "--mem-per-cpu",
        "--mem-per-gpu",
        "--distribution",
        "--jobid",
        "--het-group",
        "--pack-group",
        "--qos",
        "--reservation",
        "--dependency",
        "--constraint",
        "--network",
        "--prolog",
        "--epilog",
        "--task-prolog",
        "--task-epilog",
        "--signal",
        "--comment",
        "--tmp",
        "--wckey",
        "--hint",
        "--licenses",
        "--relative",
        "--threads",
        "--threads-per-core",
        "--cores-per-socket",
        "--sockets-per-node",
        "--profile",
        "--propagate",
        "--switches",
        "--bcast",
        "--acctg-freq",
        "--nice",
        "--cluster-constraint",
        "--clusters",
        "--slurmd-debug",
        "--open-mode",
        "--unbuffered-x",
        "--cpu-freq",
        "--uid",
        "--gid",
        "-N",
        "-n",
        "-c",
        "-o",
        "-e",
        "-i",
        "-w",
        "-p",
        "-A",
        "-t",
        "-J",
        "-D",
        "-K",
        "-G",
        "-m",
        "-x",
        "-W",
        "-q",
        "-C",
        "-d",
        "-L",
        "-r",
        "-S",
        "-F",
        "-T",
        "-B",
        "-M",
    ]
)


def srun(step: Step, shell: Shell) -> None:
    """``srun [options] command [: options command]``."""
    from lens_preflight.jobs.chain import follow

    segments: list[list[Field]] = [[]]
    for word in step.words[1:]:
        if word.text.constant == ":":
            segments.append([])
        else:
            segments[-1].append(word)
    shared = split(segments[0], VALUED)
    for index, segment in enumerate(segments):
        options = split(segment, VALUED)
        if index and not options.rest:
            options = replace(options, rest=shared.rest)
        if options.rest:
            inner = task_step(step, options, shell)
            inner = inner.next(inner.words, where=replace(inner.where, segment=len(segments) > 1))
            follow(inner, shell)


def task_step(step: Step, options: Options, shell: Shell) -> Step:
    """The command as each task of the step gets it."""
    counts = step_counts(step, options)
    width = _width(counts)
    env, where = export_to_tasks(step, options)
    env = env.with_(task_variables(step, counts, width))
    where = replace(
        where.link("srun"),
        in_step=True,
        in_job=True,
        width=width,
        counts=counts,
        batch=False,
        pid1=where.pid1,
    )
    warn_early(shell.run, step, options.rest, width)
    cwd = step.cwd
    chdir = options.text("--chdir", "-D")
    if chdir is not None:
        from lens_preflight.jobs.draft import resolve

        cwd = resolve(chdir.path, step.cwd, step.where, shell.run.extra_map) if chdir.path else None
    inner = step.next(options.rest, env=env, where=where, cwd=cwd)
    if options.has("--container-image", "--container-name"):
        from lens_preflight.jobs.containers import pyxis

        return pyxis(inner, options, shell)
    return inner


def step_counts(step: Step, options: Options) -> Counts:
    """Tasks of a step: ``-n``, else SLURM_NTASKS, else per node times nodes, else nodes."""
    outer = step.where.counts
    group = options.text("--het-group", "--pack-group")
    if group is not None and group.constant != "0":
        tasks = integer(options.text("-n", "--ntasks"))
        return Counts(integer(options.text("-N", "--nodes")), tasks, None, None)
    given_nodes = options.text("-N", "--nodes")
    nodes = integer(given_nodes) if given_nodes is not None else integer(step.env.value("SLURM_NNODES"))
    if given_nodes is None and nodes is None:
        nodes = outer.nodes if step.where.in_job or _is_open(step) else 1
    given_tasks = options.text("-n", "--ntasks")
    per_node = integer(options.text("--ntasks-per-node"))
    inherited = step.env.value("SLURM_NTASKS")
    if given_tasks is not None:
        tasks = integer(given_tasks)
        if given_nodes is None and tasks is not None and nodes is not None and tasks < nodes:
            nodes = tasks
    elif inherited is not None:
        tasks = integer(inherited)
    elif per_node is not None:
        tasks = None if nodes is None else per_node * nodes
    else:
        tasks = nodes
    spread = -(-tasks // nodes) if tasks is not None and nodes else per_node
    gpus: int | str | None = gpus_of(lambda o: constant(options.text(o)), nodes) or outer.gpus_per_node
    return Counts(nodes, tasks, spread, gpus)


def _is_open(step: Step) -> bool:
    """Whether nobody says if the script runs in a job, and in how large a one."""
    value = step.env.value("SLURM_NNODES")
    return value is not None and any(s.cause is Cause.START for s in value.symbols)


def _width(counts: Counts) -> Spread:
    if counts.tasks == 1:
        return Spread.JOB
    if counts.tasks is not None and counts.tasks == counts.nodes:
        return Spread.NODE
    return Spread.TASK


def task_variables(step: Step, counts: Counts, width: Spread) -> dict[str, Bound]:
    """What Slurm sets for each task of a step."""
    alone = "0" if counts.tasks == 1 else None
    names = {
        "SLURM_PROCID": provided("SLURM_PROCID", width, known=alone),
        "SLURM_LOCALID": provided(
            "SLURM_LOCALID", Spread.TASK, known="0" if alone or width is Spread.NODE else None
        ),
        "SLURM_NODEID": provided("SLURM_NODEID", Spread.NODE, known="0" if counts.nodes == 1 else None),
        "SLURMD_NODENAME": provided("SLURMD_NODENAME", Spread.NODE),
        "SLURM_STEP_ID": provided("SLURM_STEP_ID"),
        "SLURM_STEPID": provided("SLURM_STEPID"),
    }
    if counts.nodes is not None:
        names["SLURM_NNODES"] = provided("SLURM_NNODES", known=str(counts.nodes))
    tasks = None if counts.tasks is None else str(counts.tasks)
    for name in ("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"):
        names[name] = provided(name, known=tasks)
    if not step.where.in_job:
        names["SLURM_JOB_ID"] = provided("SLURM_JOB_ID", Spread.RUN)
        names["SLURM_JOB_NODELIST"] = provided("SLURM_JOB_NODELIST", Spread.RUN)
    return names


def warn_early(run: Run, step: Step, words: tuple[Field, ...], width: Spread) -> None:
    """Task numbers that the batch shell already put in: every task gets those of the first."""
    if width is Spread.JOB or not step.where.batch:
        return
    for word in words:
        for one in word.text.symbols:
            if one.name in TASK_NUMBERS and one.known == "0" and not one.assumed:
                run.remark(
                    Remark(Slip.EARLY, one.name, _word_at(step, word), "expanded before the tasks start")
                )
    for name, bound in step.env:
        if bound.value is None or not (is_telemetry(name) or name in RANKS):
            continue
        for one in bound.value.symbols:
            if one.name in TASK_NUMBERS and one.known == "0" and bound.at is not None:
                run.remark(Remark(Slip.EARLY, one.name, bound.at, f"{name} has the number of the batch step"))


def _word_at(step: Step, word: Field) -> Location:
    return Location.file(step.at.what, word.line) if step.where.depth == 1 else step.at
