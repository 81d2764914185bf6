"""``deepspeed``: with a host file only a few names reach the other hosts."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.draft import Counts, Step, Where, resolve
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.options import Options, integer, split
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import literal
from lens_preflight.jobs.torchrun import _finish, _worker_variables

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


_DEEPSPEED = [
    "-H",
    "--hostfile",
    "-i",
    "--include",
    "-e",
    "--exclude",
    "--num-nodes",
    "--num-gpus",
    "--master-port",
    "--master-addr",
    "--node-rank",
    "--launcher",
    "--launcher-args",
    "--ssh-port",
    "--autotuning",
    "--venv-script",
    "--elastic-training-x",
    "--min-elastic-nodes",
    "--max-elastic-nodes",
    "--log-level",
    "--bind-core-list",
]


_DEEPSPEED_PASSES = ("MLFLOW", "PYTHON", "MV2", "UCX", "NCCL")


def deepspeed(step: Step, shell: Shell) -> None:
    """``deepspeed``: with a host file only a few names reach the other hosts."""
    options = split(step.words[1:], _DEEPSPEED, underscores=True)
    if not options.rest:
        return
    hosts = _hostfile(step, options, shell)
    gpus = integer(options.text("--num-gpus"))
    nodes = integer(options.text("--num-nodes"))
    per = gpus if gpus is not None else (max(hosts.values()) if hosts else None)
    if per is None and isinstance(step.where.counts.gpus_per_node, int):
        per = step.where.counts.gpus_per_node
    count = nodes if nodes is not None else (len(hosts) or 1)
    include = options.text("--include", "-i")
    world = None if per is None or include is not None else per * count
    launcher = options.text("--launcher")
    kind = launcher.constant if launcher is not None else "pdsh"
    env, where = step.env, step.where
    if (count > 1 or options.has("--force-multi")) and kind != "slurm" and not options.has("--no-ssh"):
        env, where = over_pdsh(step, env, shell)
    env = env.with_(_worker_variables("deepspeed", world))
    counts = Counts(count, None, None, step.where.counts.gpus_per_node, per)
    where = replace(where.link("deepspeed"), counts=counts, remote=count > 1)
    _finish(step, shell, where, env, options.rest, options, None, None)


def over_pdsh(step: Step, env: Exported, shell: Shell) -> tuple[Exported, Where]:
    """What reaches the other hosts: a few prefixes, and the lines of ``.deepspeed_env``."""
    kept = env.only(lambda name: name.startswith(_DEEPSPEED_PASSES) or name in ("PATH", "HOME"))
    kept = kept.with_(_deepspeed_env(step, shell))
    return kept, step.where.dropped(step.env, kept, Loss.DEEPSPEED, step.at, "deepspeed")


def _hostfile(step: Step, options: Options, shell: Shell) -> dict[str, int]:
    value = options.text("--hostfile", "-H")
    named = value.path if value is not None else None
    full = resolve(named, step.cwd, step.where, ()) if named else None
    text = shell.run.files.text(full) if full else None
    hosts: dict[str, int] = {}
    for line in (text or "").splitlines():
        found = re.match(r"\s*([\w.-]+)(?:\s+slots=([0-9]{1,9}))?", line)
        if found and not line.lstrip().startswith("#"):
            hosts[found[1]] = int(found[2] or 1)
    return hosts


def _deepspeed_env(step: Step, shell: Shell) -> dict[str, Bound]:
    from lens_preflight.core.finding import Location

    name = step.env.value("DS_ENV_FILE")
    file = name.constant if name is not None and name.constant else ".deepspeed_env"
    path = os.path.join(step.cwd, file) if step.cwd is not None else None
    text = shell.run.files.text(path) if path else None
    found: dict[str, Bound] = {}
    for number, line in enumerate((text or "").splitlines(), 1):
        key, equals, value = line.strip().partition("=")
        if equals and path is not None:
            found[key] = Bound(literal(value), Location.file(shell.run.shown(path), number), file)
    return found
