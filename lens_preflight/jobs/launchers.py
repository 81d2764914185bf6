"""Launchers of training processes: torchrun, accelerate, deepspeed, mpirun, ray, and nested sbatch."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs.draft import Counts, Draft, Step, Where, resolve
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.options import Options, integer, split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.words import Field

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell
    from lens_preflight.jobs.wrappers import Link

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
    elastic = bool(known and ":" in known)
    if elastic and known:
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
        world,
        agents,
        agent_nodes,
        elastic=elastic or _restarts(options),
    )


def _restarts(options: Options) -> bool:
    return (integer(options.text("--max-restarts")) or 0) > 0


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
    world: int | None,
    agents: int | None,
    agent_nodes: int | None,
    *,
    elastic: bool = False,
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
            elastic=elastic,
            agents=agents,
            agent_nodes=agent_nodes,
            framework_hint=step.words[0].constant,
            traps=dict(shell.state.traps),
        )
    )


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
    where = replace(step.where.link("accelerate launch"), counts=counts)
    _finish(
        step,
        shell,
        where,
        env,
        options.rest,
        options,
        processes,
        agents,
        machines,
        elastic=_restarts(options),
    )


def _accelerate_config(step: Step, options: Options, shell: Shell) -> dict[str, int]:
    value = options.text("--config-file")
    named = value.path if value is not None else None
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    text = shell.run.files.text(full) if full else None
    found = re.findall(r"^(num_processes|num_machines):\s*(\d+)\s*$", text or "", re.MULTILINE)
    return {key: int(number) for key, number in found}


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
        env = step.env.only(lambda name: name.startswith(_DEEPSPEED_PASSES) or name in ("PATH", "HOME"))
        env = env.with_(_deepspeed_env(step, shell))
        where = where.dropped(step.env, env, Loss.DEEPSPEED, step.at, "deepspeed")
    env = env.with_(_worker_variables("deepspeed", world))
    counts = Counts(count, None, None, step.where.counts.gpus_per_node, per)
    where = replace(where.link("deepspeed"), counts=counts, remote=count > 1)
    _finish(step, shell, where, env, options.rest, options, world, None, None)


def _hostfile(step: Step, options: Options, shell: Shell) -> dict[str, int]:
    value = options.text("--hostfile", "-H")
    named = value.path if value is not None else None
    full = resolve(named, step.cwd, step.where, ()) if named else None
    text = shell.run.files.text(full) if full else None
    hosts: dict[str, int] = {}
    for line in (text or "").splitlines():
        found = re.match(r"\s*([\w.-]+)(?:\s+slots=(\d+))?", line)
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


_MPI_VALUED = [
    "-n",
    "-np",
    "--np",
    "-c",
    "-H",
    "--host",
    "-hostfile",
    "--hostfile",
    "--machinefile",
    "-machinefile",
    "--map-by",
    "--bind-to",
    "--rank-by",
    "-N",
    "-npernode",
    "--npernode",
    "-ppn",
    "--ppn",
    "-perhost",
    "-wdir",
    "--wdir",
    "-hosts",
    "-f",
    "-iface",
    "-bootstrap",
    "--oversubscribe-x",
    "--prefix",
    "--tag-output-x",
    "--output-filename",
    "--report-bindings-x",
    "-rf",
    "--rankfile",
    "-am",
    "--display",
    "-x",
    "-genvlist",
    "-envlist",
    "-path",
]


def mpirun(step: Step, shell: Shell) -> None:
    """``mpirun`` and ``mpiexec``: Open MPI hands on what ``-x`` names, Hydra everything."""
    from lens_preflight.jobs.chain import follow

    words, given = _mpi_words(step.words[1:])
    if not words:
        return
    values = {name: value for name, value in given if name not in ("-x", "-genv", "-env")}
    hydra = step.words[0].constant.endswith("hydra") or any(
        n.startswith(("-genv", "-ppn", "-perhost")) for n, _ in given
    )
    open_mpi = (
        any(n in ("-x", "--mca", "-mca", "-H", "--host") for n, _ in given)
        or "mpirun" in step.words[0].constant
    )
    size = next((integer(v) for n, v in given if n in ("-n", "-np", "--np", "-c")), None)
    hosts = _hosts(values, step, shell)
    nodes = len(hosts) or (step.where.counts.nodes if step.where.in_job else 1)
    if size is None:
        size = sum(hosts.values()) or _slots(step)
    env, where = step.env, step.where
    sent = _sent(step, given)
    if len(hosts) > 1 and open_mpi and not hydra and not step.where.in_job:
        env, where = _remote_ranks(step, sent)
    env = env.with_(sent)
    if any(n == "-genvnone" for n, _ in given):
        env = env.only(lambda name: name in sent)
        where = where.dropped(step.env, env, Loss.MPIRUN, step.at, "mpiexec")
    ranks = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK") if not hydra else ("PMI_RANK",)
    env = env.with_(set_by("mpirun", *ranks))
    env = env.with_(set_by("mpirun", "OMPI_COMM_WORLD_SIZE" if not hydra else "PMI_SIZE", spread=Spread.JOB))
    per = size // nodes if size is not None and nodes and size % nodes == 0 else None
    width = Spread.JOB if size == 1 else Spread.TASK
    counts = Counts(nodes, size, per, step.where.counts.gpus_per_node)
    where = replace(where.link("mpirun" if "mpirun" in step.words[0].constant else "mpiexec"), counts=counts,
                    width=width, batch=False)  # fmt: skip
    follow(step.next(words, env=env, where=where), shell)


def _slots(step: Step) -> int | None:
    """The slots of the allocation: its tasks."""
    counts = step.where.counts
    if not step.where.in_job:
        return None
    if counts.tasks is None and counts.tasks_per_node is not None and counts.nodes is not None:
        return counts.tasks_per_node * counts.nodes
    return counts.tasks


def _mpi_words(words: tuple[Field, ...]) -> tuple[tuple[Field, ...], list[tuple[str, Text]]]:
    given: list[tuple[str, Text]] = []
    index = 0
    while index < len(words) and words[index].constant.startswith("-"):
        name = words[index].constant
        if name in ("--mca", "-mca", "-genv", "-env") and index + 2 < len(words):
            key = words[index + 1].text
            given.append((name, key + literal("=") + words[index + 2].text))
            index += 3
        elif name in _MPI_VALUED and index + 1 < len(words):
            given.append((name, words[index + 1].text))
            index += 2
        else:
            head, equals, value = name.partition("=")
            given.append((head, literal(value)))
            index += 1
    return words[index:], given


def _hosts(values: dict[str, Text], step: Step, shell: Shell) -> dict[str, int]:
    for name in ("-H", "--host", "-hosts"):
        text = values.get(name)
        if text is not None and text.constant:
            pairs = [h.partition(":") for h in text.constant.split(",")]
            hosts: dict[str, int] = {}
            for host, _, slots in pairs:
                hosts[host] = hosts.get(host, 0) + (whole(slots) or 1)
            return hosts
    for name in ("-hostfile", "--hostfile", "--machinefile", "-machinefile", "-f"):
        text = values.get(name)
        full = resolve(text.path, step.cwd, step.where, ()) if text is not None and text.path else None
        content = shell.run.files.text(full) if full else None
        found = re.findall(r"^\s*([\w.-]+)(?:[ \t:]+(?:slots=)?(\d+))?", content or "", re.MULTILINE)
        if found:
            return {host: int(slots or 1) for host, slots in found}
    return {}


def _sent(step: Step, given: list[tuple[str, Text]]) -> dict[str, Bound]:
    """What ``-x``, ``-genv`` and ``-genvlist`` name."""
    sent: dict[str, Bound] = {}
    for option, text in given:
        if option in ("-genvlist", "-envlist"):
            for name in (text.constant or "").split(","):
                sent[name] = step.env.variables.get(name) or Bound(step.env.value(name))
        if option not in ("-x", "-genv", "-env"):
            continue
        head = text.pieces[0] if text.pieces and isinstance(text.pieces[0], str) else ""
        name, equals, rest = head.partition("=")
        if equals:
            sent[name] = Bound(literal(rest) + Text(text.pieces[1:]), step.at, option)
        else:
            sent[name] = step.env.variables.get(name) or Bound(step.env.value(name))
    return sent


def _remote_ranks(step: Step, sent: dict[str, Bound]) -> tuple[Exported, Where]:
    """Ranks on this host inherit everything, those on other hosts only what was sent."""
    changes: dict[str, Bound] = {}
    for name, bound in step.env:
        if name not in sent and bound.value is not None and name not in ("PATH", "LD_LIBRARY_PATH"):
            why = "the ranks on other hosts lack it: it is not named by -x"
            one = Symbol(
                name, Cause.REMOTE, Spread.NODE, optional=True, reason=why, values=(bound.value, None)
            )
            changes[name] = replace(bound, value=Text.of(one))
    kept = step.env.only(lambda name: name in sent or name in ("PATH", "LD_LIBRARY_PATH"))
    where = step.where.dropped(step.env, kept, Loss.MPIRUN, step.at, "mpirun")
    return step.env.with_(changes), replace(where, remote=True)


def ray(step: Step, shell: Shell) -> None:
    """``ray start`` and ``ray job submit``: actors have the environment of their raylet."""
    from lens_preflight.jobs.chain import follow, launch

    words = step.words[1:]
    if not words:
        return
    if words[0].constant == "start":
        names = frozenset(n for n, b in step.env if b.value is not None)
        shell.run.ray_started.append((step.at, names))
        inner = step.next(step.words, where=step.where.link("ray start"))
        launch(inner, shell, step.words[0], None, words[1:])
        return
    if [w.constant for w in words[:2]] != ["job", "submit"]:
        return
    options = split(words[2:], ("--address", "--runtime-env", "--runtime-env-json", "--working-dir", "--submission-id",
                                "--entrypoint-num-cpus", "--entrypoint-num-gpus", "--job-id", "--metadata-json"))  # fmt: skip
    env = Exported({}, Rest(False, Cause.REMOTE, "the Ray cluster decides it"))
    env = env.with_(_runtime_env(options, step))
    where = step.where.dropped(
        step.env, step.env.only(lambda n: n in env.variables), Loss.RAY_ORDER, step.at, "ray job submit"
    )
    if options.rest:
        where = replace(where.link("ray job submit"), remote=True)
        follow(step.next(options.rest, env=env, where=where, cwd=step.cwd), shell)


def _runtime_env(options: Options, step: Step) -> dict[str, Bound]:
    value = options.text("--runtime-env-json")
    known = value.template if value is not None else ""
    try:
        content = json.loads(known or "{}")
    except ValueError:
        return {}
    names = content.get("env_vars") if isinstance(content, dict) else None
    if not isinstance(names, dict):
        return {}
    symbols = {"{" + s.name + "}": s for s in (value.symbols if value is not None else ())}
    found: dict[str, Bound] = {}
    for name, text in names.items():
        pieces: list[str | Symbol] = [symbols.get(p, p) for p in re.split(r"(\{[^{}]*\})", str(text)) if p]
        found[str(name)] = Bound(Text.of(*pieces), step.at, "runtime_env")
    return found


def nested_sbatch(step: Step, shell: Shell) -> None:
    """``sbatch`` inside a script: the job file itself again, or another job."""
    from lens_preflight.jobs.submit import nested

    nested(step, shell)


def salloc(step: Step, shell: Shell) -> None:
    """``salloc [options] command``: the command runs on this host inside an allocation."""
    from lens_preflight.jobs.submit import allocated

    allocated(step, shell)


LAUNCHERS: dict[str, Link] = {
    "torchrun": torchrun,
    "ft_launcher": torchrun,
    "accelerate": accelerate,
    "accelerate-launch": accelerate,
    "deepspeed": deepspeed,
    "deepspeed.launcher.runner": deepspeed,
    **dict.fromkeys(("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.hydra", "orterun", "prterun"), mpirun),
    "ray": ray,
    "sbatch": nested_sbatch,
    "salloc": salloc,
}
