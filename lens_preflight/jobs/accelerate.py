"""``accelerate launch``: one start for each machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.deepspeed import over_pdsh
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.options import Options, integer, split
from lens_preflight.jobs.torchrun import _finish, _worker_variables

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


_ACCELERATE = [
    "--config-file",
    "--num-processes",
    "--num-machines",
    "--machine-rank",
    "--main-process-ip",
    "--main-process-port",
    "--mixed-precision",
    "--dynamo-backend",
    "--gpu-ids",
    "--rdzv-backend",
    "--rdzv-conf",
    "--max-restarts",
    "--monitor-interval",
    "--deepspeed-config-file",
    "--zero-stage",
    "--offload-optimizer-device",
    "--gradient-accumulation-steps",
    "--gradient-clipping",
    "--deepspeed-hostfile",
    "--deepspeed-multinode-launcher",
    "--fsdp-sharding-strategy",
    "--num-cpu-threads-per-process",
    "--same-network-x",
    "--role",
    "--tee",
    "--log-dir",
    "--fsdp-auto-wrap-policy",
    "--fsdp-state-dict-type",
    "--fsdp-version",
    "--same-network",
]


def accelerate(step: Step, shell: Shell) -> None:
    """``accelerate launch``: one start per machine."""
    words = step.words[1:]
    if step.words[0].constant.rpartition("/")[2] == "accelerate":
        if not words or words[0].constant != "launch":
            return
        words = words[1:]
    options = split(words, _ACCELERATE, underscores=True)
    if not options.rest:
        return
    config = _accelerate_config(step, options, shell)
    processes = integer(options.text("--num-processes")) or config.get("num_processes")
    machines = integer(options.text("--num-machines")) or config.get("num_machines") or 1
    outer = step.where.counts
    per = processes // machines if processes is not None and machines else None
    counts = replace(outer, nodes=machines if machines > 1 else (outer.nodes or 1), procs_per_task=per)
    env = step.env.with_(_worker_variables("accelerate", processes))
    agents = outer.tasks if step.where.in_step else None
    where = step.where
    if machines > 1 and options.has("--deepspeed-hostfile") and not step.where.in_step:
        env, where = over_pdsh(step, env, shell)
    where = replace(where.link("accelerate launch"), counts=counts)
    _finish(
        step,
        shell,
        where,
        env,
        options.rest,
        options,
        agents,
        machines,
    )


def _accelerate_config(step: Step, options: Options, shell: Shell) -> dict[str, int]:
    value = options.text("--config-file")
    named = value.path if value is not None else None
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    text = shell.run.files.text(full) if full else None
    found = re.findall(r"^(num_processes|num_machines):\s*([0-9]{1,9})\s*$", text or "", re.MULTILINE)
    return {key: int(number) for key, number in found}
