"""From the inputs to the Subject: joins the models, and is the only one that knows them all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.core.world import World
from lens_preflight.lens.frameworks import FRAMEWORKS, PLAIN, Framework, detect
from lens_preflight.otel.files import Files, HostFiles
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.subject import Subject

if TYPE_CHECKING:
    from lens_preflight.jobs.model import JobLaunch, JobModel

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


def build(inputs: Inputs, files: Files | None = None) -> Subject:
    """The Subject of a run.

    Raises:
        InputError: a target cannot be opened, or the options contradict one another.
    """
    launches: list[Launch] = []
    jobs = []
    for target in inputs.targets:
        if is_program(target):
            launches.append(_script(inputs, target))
            continue
        job = _job(inputs, target)
        jobs.append(job)
        launches.extend(_launch(inputs, one) for one in job.launches)
    if inputs.module is not None:
        launches.append(_script(inputs, None))
    if not inputs.targets and inputs.module is None:
        launches.append(_bare(inputs))
    launches = [_with_endpoint(one, inputs.endpoint) for one in launches]
    return Subject(inputs, tuple(launches), files or HostFiles(), tuple(jobs))


def _job(inputs: Inputs, target: str) -> JobModel:
    """The model of a job script; one that says why it could not be read, when our reader breaks."""
    from lens_preflight.jobs import JobModel, read_job
    from lens_preflight.libraries import install, package

    try:
        return read_job(target, submit=inputs.submit, submitter=submitter(inputs), path_map=inputs.path_map)
    except InputError:
        raise
    except ModuleNotFoundError as error:
        name = package(error) or str(error.name)
        return JobModel(target, "", unread=f"{name} is not installed here", remedy=install(name))
    except Exception as error:  # whatever breaks in us must not end the run
        reason = f"our reader of job scripts broke ({type(error).__name__}); please report it"
        return JobModel(target, "", unread=reason, remedy="lens-preflight check TRAINING_SCRIPT")


def is_program(target: str) -> bool:
    """True for a training script, False for a job script or a manifest; judged by content.

    Raises:
        InputError: it cannot be opened.
    """
    path = Path(target)
    try:
        if path.is_dir():
            if (path / "__main__.py").is_file():
                return True
            raise InputError(f"{target}: is a directory without __main__.py; name a script or job file in it")
        with path.open("rb") as file:
            head = file.read(65_536)
    except OSError as error:
        raise InputError(f"{target}: cannot be opened ({error.strerror}); check the path") from None
    from lens_preflight.subject.recognise import looks_like_program

    return looks_like_program(path.name, head)


def judged(inputs: Inputs) -> Environment:
    """The environment of a launch that no job script stands before: process, file, --set."""
    return inputs.process.over(inputs.given)


def submitter(inputs: Inputs) -> Environment:
    """What the shell that submits the job has: only what was given, unless it is this shell."""
    shell = Environment(complete=False, opaque="it depends on who submits")
    if inputs.submit_environ:
        origin = Origin("submit shell")
        shell = Environment({v.name: replace(v, origin=origin) for v in inputs.process}, complete=True)
    return shell.over(inputs.given)


def _script(inputs: Inputs, target: str | None) -> Launch:
    env = judged(inputs)
    key = target or f"-m {inputs.module}"
    program_file = None
    if target is not None:
        program_file = str(Path(target) / "__main__.py") if os.path.isdir(target) else target
    return Launch(
        key=key,
        env=env,
        framework=_framework(target, inputs, env),
        at=Location.file(target) if target else None,
        program=target or inputs.module,
        program_file=program_file,
        module=inputs.module,
        args=inputs.args,
        nodes=inputs.nodes,
        world=_world(inputs, env),
        world_size=_size(inputs),
        import_roots=import_roots(inputs, env),
    )


def import_roots(inputs: Inputs, env: Environment) -> tuple[str, ...]:
    """Folders that PYTHONPATH adds before the program's own, as far as they are known."""
    variable = env["PYTHONPATH"]
    if variable.state is not State.VALUE or not variable.value:
        return ()
    return tuple(str(inputs.folder / part) for part in variable.value.split(":") if part)


def _bare(inputs: Inputs) -> Launch:
    env = judged(inputs)
    return Launch(
        key="environment",
        env=env,
        framework=_framework(None, inputs, env),
        nodes=inputs.nodes,
        world=_world(inputs, env),
        world_size=_size(inputs),
    )


def _framework(program: str | None, inputs: Inputs, env: Environment) -> Framework:
    """The framework of a program; of an environment alone, when one prefix of its own is used."""
    found = detect(program, inputs.args, inputs.module)
    if found is not PLAIN:
        return found
    own = [f for f in FRAMEWORKS if f.fallback and any(v.name.startswith(f"{f.prefix}_") for v in env)]
    return own[0] if len(own) == 1 else PLAIN


def _size(inputs: Inputs) -> int | None:
    if inputs.world_size is not None:
        return inputs.world_size
    if inputs.nodes is not None and inputs.gpus_per_node is not None:
        return inputs.nodes * inputs.gpus_per_node
    return None


def _world(inputs: Inputs, env: Environment) -> World | None:
    size = _size(inputs)
    if size is None:
        size = _number(env, "WORLD_SIZE")
        return None if size is None else World(size, _number(env, "LOCAL_WORLD_SIZE") or size)
    if inputs.gpus_per_node is not None:
        per_node = min(inputs.gpus_per_node, size)
    else:
        per_node = -(-size // (inputs.nodes or 1))
    if inputs.nodes is not None and per_node * inputs.nodes < size:
        raise InputError(
            f"--world-size {size} does not fit on --nodes {inputs.nodes} with {per_node} a node; correct one"
        )
    return World(size, per_node)


def _number(env: Environment, name: str) -> int | None:
    variable = env[name]
    return whole(variable.value) or None


def _with_endpoint(launch: Launch, endpoint: str | None) -> Launch:
    """The launch with the endpoint of the command line in place of all its own."""
    if endpoint is None:
        return launch
    origin = Origin("--endpoint", Location.option("--endpoint"))
    own = (f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT" for signal in ("TRACES", "METRICS", "LOGS"))
    changes = [Variable(ENDPOINT, State.VALUE, endpoint, origin)]
    changes += [Variable(name, State.UNSET, origin=origin) for name in own]
    return replace(launch, env=launch.env.over(changes))


def _settled(job: JobLaunch) -> Environment:
    """The environment if nothing more is submitted; the switch stays open when nobody sets it."""
    from lens_preflight.jobs import if_nothing_is_submitted

    settled, _ = if_nothing_is_submitted(job.env)
    switches = [job.env[f"{prefix}_ENABLED"] for prefix in job.framework.prefixes]
    if any(v.state in (State.VALUE, State.PROVIDED) for v in switches):
        return settled
    return settled.over(v for v in switches if v.state is State.UNKNOWN)


def _launch(inputs: Inputs, job: JobLaunch) -> Launch:
    """A launch of a job script; world options fill in what the script does not say."""
    size = job.world_size if job.world_size is not None else _size(inputs)
    nodes = job.nodes if job.nodes is not None else inputs.nodes
    world = None
    if size is not None:
        per_node = -(-size // nodes) if nodes else size
        world = World(size, per_node)
    return Launch(
        key=job.key,
        env=job.env,
        framework=job.framework,
        at=job.at,
        chain=job.chain,
        program=job.program,
        program_file=job.program_file,
        module=job.module,
        args=job.args,
        nodes=nodes,
        tasks_per_node=job.tasks_per_node,
        procs_per_task=job.procs_per_task,
        world_size=size,
        world=world,
        import_roots=import_roots(inputs, job.env),
        job=job,
        settled=_settled(job),
    )
