"""The pod templates of a manifest: how many pods, and what their operator adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.yamlnodes import get, items, number, pairs, scalar


@dataclass(frozen=True)
class Template:
    """One pod template: its name in the manifest, how many pods, and what the job says of processes."""

    label: str
    spec: Any
    replicas: int | None = 1
    nodes: int | None = None
    procs: int | None = None
    provided: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    trainer: Any = None


_PET = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK",
        "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_NNODES", "PET_NPROC_PER_NODE", "PYTHONUNBUFFERED")  # fmt: skip


def _templates(document: Any) -> Iterator[Template]:
    kind = scalar(get(document, "kind")) or ""
    if kind == "List":
        for item in items(get(document, "items")):
            yield from _templates(item)
        return
    spec = get(document, "spec")
    if kind == "TrainJob":
        yield _train_job(spec)
        return
    replica_specs = next((v for k, v in pairs(spec) if k.endswith("ReplicaSpecs")), None)
    if replica_specs is not None:
        yield from _replicas(kind, spec, replica_specs)
        return
    if kind == "Pod":
        yield Template("Pod", spec)
        return
    if kind == "CronJob":
        spec = get(spec, "jobTemplate", "spec")
    for job in items(get(spec, "replicatedJobs")):
        inner = get(job, "template", "spec")
        count = (number(get(job, "replicas")) or 1) * (number(get(inner, "parallelism")) or 1)
        yield Template(
            f"{kind}/{scalar(get(job, 'name')) or ''}", get(inner, "template", "spec"), count, count
        )
    pod = get(spec, "template", "spec")
    if pod is not None:
        completions = number(get(spec, "completions")) or number(get(spec, "parallelism")) or 1
        indexed = scalar(get(spec, "completionMode")) == "Indexed"
        count = number(get(spec, "replicas")) or completions
        yield Template(kind, pod, count, count, provided=("JOB_COMPLETION_INDEX",) if indexed else ())


def _replicas(kind: str, spec: Any, replica_specs: Any) -> Iterator[Template]:
    counts = [
        number(get(v, "replicas")) if get(v, "replicas") is not None else 1 for _, v in pairs(replica_specs)
    ]
    total = None if any(c is None for c in counts) else sum(c or 0 for c in counts)
    procs = whole(scalar(get(spec, "nprocPerNode")))
    elastic = get(spec, "elasticPolicy") is not None
    for (name, replica), count in zip(pairs(replica_specs), counts, strict=True):
        extra = {}
        if total is not None and kind == "PyTorchJob" and not elastic:
            extra["PET_NNODES"] = str(total)
        if procs is not None:
            extra["PET_NPROC_PER_NODE"] = str(procs)
        provided = _PET if kind == "PyTorchJob" else ()
        yield Template(
            f"{kind}/{name}", get(replica, "template", "spec"), count, total, procs, provided, extra
        )


def _train_job(spec: Any) -> Template:
    trainer = get(spec, "trainer")
    nodes = number(get(trainer, "numNodes"))
    procs = number(get(trainer, "numProcPerNode"))
    extra = {}
    if nodes is not None:
        extra["PET_NNODES"] = str(nodes)
    if procs is not None:
        extra["PET_NPROC_PER_NODE"] = str(procs)
    return Template("TrainJob", None, nodes, nodes, procs, _PET, extra, trainer)
