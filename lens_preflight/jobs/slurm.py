"""What Slurm puts into the environment of a batch script and of the tasks of a step.

Source: measured on Slurm 22.05, the tables of ``--export`` and of the input variables.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs.directives import Submission
from lens_preflight.jobs.draft import Counts, Step, Where
from lens_preflight.jobs.model import Loss, Remark, Slip
from lens_preflight.jobs.names import RANKS, TASK_NUMBERS, is_telemetry
from lens_preflight.jobs.options import Options, integer, split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.words import Field

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
BASICS = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "MAIL"})
_ITEMS = re.compile(r",(?=(?:[^']*'[^']*')*[^']*$)")


def provided(
    name: str, spread: Spread = Spread.JOB, *, known: str | None = None, optional: bool = False
) -> Bound:
    """A variable that Slurm sets."""
    reason = f"{name} is set by Slurm when the job starts"
    return Bound(
        Text.of(Symbol(name, Cause.SLURM, spread, known=known, optional=optional, reason=reason)),
        None,
        "Slurm",
    )


def batch_variables(options: Submission, counts: Counts, path: str, folder: str) -> dict[str, Bound]:
    """The SLURM_* variables of the batch step."""
    names: dict[str, Bound] = {}
    for name in (
        "SLURM_JOB_ID",
        "SLURM_JOBID",
        "SLURM_CLUSTER_NAME",
        "SLURM_JOB_PARTITION",
        "SLURM_JOB_USER",
    ):
        names[name] = provided(name)
    for name in ("SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURMD_NODENAME", "SLURM_TASKS_PER_NODE"):
        names[name] = provided(name, Spread.RUN)
    names["SLURM_JOB_CPUS_PER_NODE"] = provided("SLURM_JOB_CPUS_PER_NODE")
    names["SLURM_RESTART_COUNT"] = provided("SLURM_RESTART_COUNT", Spread.RUN, optional=True)
    names["SLURM_JOB_ACCOUNT"] = provided("SLURM_JOB_ACCOUNT", optional=True)
    for name in ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"):
        names[name] = provided(name, known="0")
    nodes = None if counts.nodes is None else str(counts.nodes)
    for name in ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"):
        names[name] = provided(name, known=nodes)
    tasks = options.number("--ntasks")
    per_node = options.number("--ntasks-per-node")
    if tasks is None and per_node is not None and counts.nodes is not None:
        tasks = per_node * counts.nodes
    given = options.value("--ntasks") is not None or options.value("--ntasks-per-node") is not None
    for name in ("SLURM_NTASKS", "SLURM_NPROCS"):
        known = None if tasks is None else str(tasks)
        names[name] = provided(name, known=known) if given else Bound(None)
    names["SLURM_NTASKS_PER_NODE"] = (
        provided("SLURM_NTASKS_PER_NODE", known=options.value("--ntasks-per-node"))
        if options.value("--ntasks-per-node") is not None
        else Bound(None)
    )
    for option, name in (("--cpus-per-task", "SLURM_CPUS_PER_TASK"), ("--gpus", "SLURM_GPUS")):
        value = options.value(option)
        names[name] = Bound(None) if value is None else provided(name, known=value)
    gpus = options.value("--gpus-per-node")
    count = str(counts.gpus_per_node) if isinstance(counts.gpus_per_node, int) else None
    names["SLURM_GPUS_PER_NODE"] = (
        Bound(None) if gpus is None else provided("SLURM_GPUS_PER_NODE", known=gpus)
    )
    names["SLURM_GPUS_ON_NODE"] = provided("SLURM_GPUS_ON_NODE", known=count, optional=count is None)
    job_name = options.value("--job-name") or path.rpartition("/")[2]
    names["SLURM_JOB_NAME"] = provided("SLURM_JOB_NAME", known=job_name)
    place = Symbol("SLURM_SUBMIT_DIR", Cause.PLACE, hint=folder, reason="the folder of submission")
    names["SLURM_SUBMIT_DIR"] = Bound(Text.of(place), None, "Slurm")
    names["SLURM_SUBMIT_HOST"] = provided("SLURM_SUBMIT_HOST")
    for name in ("SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MAX",
                 "SLURM_ARRAY_TASK_MIN"):  # fmt: skip
        names[name] = provided(name) if options.get("--array") else Bound(None)
    for name in ("SLURM_HET_SIZE", "SLURM_HET_JOB_ID"):
        names[name] = Bound(None)
    return names


def export_at_submission(login: Exported, spec: str | None, at: Location | None) -> tuple[Exported, Where]:
    """The environment of the batch script before Slurm's own variables, after ``--export``."""
    where = Where()
    if spec is None or spec.upper() == "ALL":
        return login, where
    items = [i for i in _ITEMS.split(spec) if i]
    everything = any(i.upper() == "ALL" for i in items)
    empty = items and all(i.upper() in ("NONE", "NIL") for i in items)
    basics = {n: b for n, b in login if n in BASICS}
    base = login if everything else Exported(basics, Rest())
    changes: dict[str, Bound] = {}
    for item in [] if empty else items:
        name, equals, value = item.partition("=")
        if name.upper() == "ALL":
            changes = {n: b for n, b in changes.items() if login.value(n) is None}
        elif equals:
            changes[name] = Bound(literal(value), at, "--export")
        elif name.upper() not in ("ALL", "NONE", "NIL"):
            changes[name] = login.variables.get(name) or Bound(login.value(name))
    env = base.with_(changes)
    env = env.with_({"SLURM_EXPORT_ENV": Bound(literal(spec), at, "--export")})
    return env, where


def counts_of(options: Submission) -> Counts:
    """Nodes, tasks and GPUs of the allocation."""
    nodes = options.number("--nodes")
    tasks = options.number("--ntasks")
    per_node = options.number("--ntasks-per-node")
    if options.value("--nodes") is None:
        if tasks is not None and per_node:
            nodes = -(-tasks // per_node)
        elif tasks in (None, 1):
            nodes = 1
    elif nodes is None:
        low, dash, high = (options.value("--nodes") or "").partition("-")
        nodes = int(low) if dash and low == high and low.isdigit() else None
    return Counts(nodes, tasks, per_node, gpus_of(options.value, nodes))


def gpus_of(value: object, nodes: int | None) -> int | None:
    """GPUs of a node from ``--gpus-per-node``, ``--gres``, ``--gpus``; None when not said."""
    assert callable(value)
    for option in ("--gpus-per-node", "--gres", "--gpus"):
        text = value(option)
        if not text:
            continue
        found = re.search(r"(?:^|gpu:|:)(?:[A-Za-z][\w.-]*:)?(\d+)", text) if option != "--gres" else re.search(
            r"gpu(?::[A-Za-z][\w.-]*)?:(\d+)", text
        )  # fmt: skip
        if found is None:
            continue
        count = int(found[1])
        if option == "--gpus":
            return count // nodes if nodes and count % nodes == 0 else None
        return count
    return None


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
    given_nodes = options.text("-N", "--nodes")
    nodes = integer(given_nodes) if given_nodes is not None else integer(step.env.value("SLURM_NNODES"))
    if given_nodes is None and nodes is None:
        nodes = outer.nodes if step.where.in_job else 1
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
    gpus: int | str | None = gpus_of(lambda o: _constant(options.text(o)), nodes) or outer.gpus_per_node
    return Counts(nodes, tasks, spread, gpus)


def _constant(text: Text | None) -> str | None:
    return None if text is None else text.constant


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


def export_to_tasks(step: Step, options: Options) -> tuple[Exported, Where]:
    """``--export`` of srun, else SLURM_EXPORT_ENV of its environment."""
    env, where = step.env, step.where
    option = options.last("--export")
    link = Location.file(step.at.what, step.at.line)
    if option is not None:
        spec = option.value
        loss_list, loss_none, at = Loss.SRUN_LIST, Loss.SRUN_NONE, link
    else:
        bound = env.variables.get("SLURM_EXPORT_ENV")
        spec = None if bound is None else bound.value
        origin = bound.at if bound is not None and bound.at is not None else link
        loss_list, loss_none, at = Loss.EXPORT_LIST, Loss.EXPORT_NONE, origin
    if spec is None:
        return env, where
    items = _spelled_items(spec)
    names = [i.constant if i.constant is not None else "" for i in items]
    upper = [n.upper() for n in names]
    if not items or "ALL" in upper:
        base = env
    else:
        base = env.only(lambda n: n.startswith(("SLURM_", "SPANK_")))
    changes: dict[str, Bound] = {}
    for item in items:
        setting = _setting(item)
        if setting is not None:
            name, value = setting
            keeps = "ALL" in upper and name in env.variables and env.value(name) is not None
            if keeps:
                value = env.value(name) or value
            changes[name] = Bound(value, at, "--export")
        elif item.constant and item.constant.upper() not in ("ALL", "NONE", "NIL"):
            bound = env.variables.get(item.constant)
            changes[item.constant] = bound if bound is not None else Bound(env.value(item.constant))
    after = base.with_(changes)
    if "ALL" not in upper:
        none = bool(upper) and all(u in ("NONE", "NIL") for u in upper)
        where = where.dropped(env, after, loss_none if none else loss_list, at, "srun")
    return after, where


def _spelled_items(spec: Text) -> list[Text]:
    """The items of a list, each still a text."""
    items: list[Text] = []
    current: list[str | Symbol] = []
    for piece in spec.pieces:
        if isinstance(piece, Symbol):
            current.append(piece)
            continue
        parts = _ITEMS.split(piece)
        for index, part in enumerate(parts):
            if index:
                items.append(Text.of(*current))
                current = []
            current.append(part)
    items.append(Text.of(*current))
    return [i for i in items if i.pieces]


def _setting(item: Text) -> tuple[str, Text] | None:
    head = item.pieces[0] if item.pieces and isinstance(item.pieces[0], str) else ""
    name, equals, rest = head.partition("=")
    return (name, literal(rest) + Text(item.pieces[1:])) if equals else None


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
