"""``torchrun`` and ``ft_launcher``: agents that start the ranks of a node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs.draft import Draft, Step, Where
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.options import Options, integer, split
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


_TORCHRUN = [
    "--nnodes",
    "--nproc-per-node",
    "--rdzv-backend",
    "--rdzv-endpoint",
    "--rdzv-id",
    "--rdzv-conf",
    "--max-restarts",
    "--monitor-interval",
    "--start-method",
    "--role",
    "--log-dir",
    "-r",
    "--redirects",
    "-t",
    "--tee",
    "--local-ranks-filter",
    "--node-rank",
    "--master-addr",
    "--master-port",
    "--local-addr",
    "--logs-specs",
    "--ft-param-x",
    "--signals-to-handle",
    "--numa-binding",
    "--event-log-handler",
]


_FT = re.compile(r"--(?:ft|fault|nvrx)-[\w-]+")


def set_by(launcher: str, *names: str, spread: Spread = Spread.TASK) -> dict[str, Bound]:
    """Variables that a launcher sets for its processes."""
    why = f"set by {launcher}"
    return {n: Bound(Text.of(Symbol(n, Cause.LAUNCHER, spread, reason=why)), None, launcher) for n in names}


def _worker_variables(launcher: str, world: int | None) -> dict[str, Bound]:
    ranks = ("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK")
    job = ("MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE",
           "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS")  # fmt: skip
    names = {**set_by(launcher, *ranks), **set_by(launcher, *job, spread=Spread.JOB)}
    size = Symbol("WORLD_SIZE", Cause.LAUNCHER, known=None if world is None else str(world))
    names["WORLD_SIZE"] = Bound(Text.of(size), None, launcher)
    return names


def torchrun(step: Step, shell: Shell) -> None:
    """``torchrun``, ``python -m torch.distributed.run`` and ``ft_launcher``: agents start the ranks."""
    name = step.words[0].constant.rpartition("/")[2]
    label = "ft_launcher" if "ft_launcher" in name or "resiliency" in name else "torchrun"
    options = _torchrun_options(step.words[1:])
    if not options.rest:
        return
    outer = step.where.counts
    standalone = options.has("--standalone")
    nodes_text = options.text("--nnodes") or step.env.value("PET_NNODES")
    procs_text = options.text("--nproc-per-node") or step.env.value("PET_NPROC_PER_NODE")
    agent_nodes = 1 if standalone else (1 if nodes_text is None else integer(nodes_text))
    known = None if nodes_text is None else nodes_text.constant
    if known and ":" in known:
        low, _, high = known.partition(":")
        agent_nodes = whole(low) if low == high else None
    procs = _procs(procs_text, outer.gpus_per_node)
    agents = outer.tasks if step.where.in_step else None
    replicas = 1
    if agents is not None and agent_nodes and agents > agent_nodes and (standalone or nodes_text is None):
        replicas = agents // agent_nodes
    world = agent_nodes * procs if agent_nodes is not None and procs is not None else None
    nodes = outer.nodes if step.where.in_step and outer.nodes is not None else agent_nodes
    if agent_nodes is not None and not step.where.in_step:
        nodes = agent_nodes
    counts = replace(outer, nodes=nodes, procs_per_task=procs, replicas=replicas)
    if not step.where.in_step and counts.tasks_per_node is None:
        counts = replace(counts, tasks_per_node=1)
    env = step.env.with_(_worker_variables(label, world))
    if env.value("OMP_NUM_THREADS") is None and (procs or 2) > 1:
        env = env.with_({"OMP_NUM_THREADS": Bound(literal("1"), None, label)})
    where = replace(step.where.link(label), counts=counts)
    _finish(
        step,
        shell,
        where,
        env,
        options.rest,
        options,
        agents,
        agent_nodes,
    )


def _torchrun_options(words: tuple[Field, ...]) -> Options:
    """Options of torchrun; those of ``ft_launcher`` that are not listed all take a value."""
    extra = [w.constant.replace("_", "-") for w in words if _FT.fullmatch(w.constant.replace("_", "-"))]
    return split(words, [*_TORCHRUN, *extra], underscores=True)


def _procs(text: Text | None, gpus: int | str | None) -> int | None:
    if text is None:
        return 1
    known = text.constant
    if known in ("gpu", "auto"):
        return gpus if isinstance(gpus, int) else None
    return integer(text)


def _finish(
    step: Step,
    shell: Shell,
    where: Where,
    env: Exported,
    rest: tuple[Field, ...],
    options: Options,
    agents: int | None,
    agent_nodes: int | None,
) -> None:
    program: Field | None = rest[0]
    module = None
    args = rest[1:]
    if options.has("-m", "--module"):
        module, program = rest[0].constant, None
    elif options.has("--no-python") and re.fullmatch(r"(?:.*/)?python[\d.]*", rest[0].constant) and args:
        program, args = args[0], args[1:]
    shell.run.drafts.append(
        Draft(
            shell.at(rest[0].line),
            where,
            step.env,
            env,
            program,
            module,
            args,
            step.cwd,
            shell.run.tick(),
            agents=agents,
            agent_nodes=agent_nodes,
            framework_hint=step.words[0].constant,
            traps=dict(shell.state.traps),
        )
    )
