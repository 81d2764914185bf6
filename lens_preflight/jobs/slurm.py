"""What Slurm puts into the environment of a batch script and of the tasks of a step.

Source: measured on Slurm 22.05, the tables of ``--export`` and of the input variables.
"""

from __future__ import annotations

import re

from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs.directives import Submission
from lens_preflight.jobs.draft import Counts, Where
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Symbol, Text, literal

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
    names.update(_counted(options, counts))
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


def _counted(options: Submission, counts: Counts) -> dict[str, Bound]:
    """The task counts: they only exist when a number of tasks was given."""
    names: dict[str, Bound] = {}
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
        nodes = whole(low) if dash and low == high else None
    return Counts(nodes, tasks, per_node, gpus_of(options.value, nodes))


def array_of(options: Submission) -> str:
    """The elements of an array job as they are written; empty for no array and for a single element."""
    written = (options.value("--array") or "").strip()
    elements: set[str] = set()
    for part in written.partition("%")[0].split(","):
        low, dash, high = part.partition(":")[0].partition("-")
        elements |= {low.strip(), high.strip()} if dash else {low.strip()}
    return written if len(elements) > 1 else ""


def gpus_of(value: object, nodes: int | None) -> int | None:
    """GPUs of a node from ``--gpus-per-node``, ``--gres``, ``--gpus``; None when not said."""
    assert callable(value)
    for option in ("--gpus-per-node", "--gres", "--gpus"):
        text = value(option)
        if not text:
            continue
        found = re.search(r"(?:^|gpu:|:)(?:[A-Za-z][\w.-]*:)?([0-9]{1,9})", text) if option != "--gres" else re.search(
            r"gpu(?::[A-Za-z][\w.-]*)?:([0-9]{1,9})", text
        )  # fmt: skip
        if found is None:
            continue
        count = int(found[1])
        if option == "--gpus":
            return count // nodes if nodes and count % nodes == 0 else None
        return count
    return None
