"""The subject of a run, and where it was looked at, as plain data for reports."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from lens_preflight.core.errors import Undecided
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.run_id import run_id
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.subject import Subject


def host_name() -> str:
    """The name of this host, as ``hostname`` prints it."""
    return os.uname().nodename


def obtained(inputs: Inputs) -> dict[str, Any]:
    """Where a verdict was obtained: host, network namespace, user, allocation."""
    job = inputs.process["SLURM_JOB_ID"].value
    node = inputs.process["SLURMD_NODENAME"].value
    try:
        netns = str(Path("/proc/self/ns/net").readlink())
    except OSError:
        netns = ""
    return {
        "host": host_name(),
        "netns": netns,
        "euid": os.geteuid(),
        "slurm_job": job,
        "node": node,
        "python": sys.version.split()[0],
    }


def describe(subject: Subject) -> dict[str, Any]:
    """The subject as plain data for reports."""
    return {
        "job": [job.path for job in subject.jobs],
        "purpose": subject.purpose,
        "topology": subject.topology,
        "launches": [_describe(subject, launch) for launch in subject.launches],
    }


def _describe(subject: Subject, launch: Launch) -> dict[str, Any]:
    generations = subject.generations(launch)
    return {
        "key": launch.key,
        "at": str(launch.at) if launch.at else None,
        "chain": list(launch.chain),
        "program": launch.program,
        "args": list(launch.args),
        "nodes": launch.nodes,
        "world_size": launch.world_size,
        "exporting_ranks": None,
        "generation": [g.id for g in generations],
        "framework": launch.framework.id,
        "run_id": _run_id(subject, launch),
        "world": launch.world and {"size": launch.world.size, "per_node": launch.world.per_node},
    }


def _run_id(subject: Subject, launch: Launch) -> dict[str, Any]:
    """The run id as the launch will have it: set, derived from Slurm, random, or not known yet."""
    framework = launch.framework
    names = LensConfig(launch.env, framework, subject.generations(launch)[-1]).names("RUN_ID")
    try:
        found = run_id(launch.env, names, framework.run_id_shared_by)
    except Undecided as reason:
        return {"kind": "unknown", "value": None, "spread": None, "reason": reason.reason}
    return {"kind": found.source.value, "value": found.value, "spread": found.spread.value}
