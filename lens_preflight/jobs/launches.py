"""From what the interpreter met to the launches that others see."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lens_preflight.core.data import replace
from lens_preflight.core.numbers import whole
from lens_preflight.jobs import delivery, environment, frameworks
from lens_preflight.jobs.draft import Draft
from lens_preflight.jobs.endpoints import default_endpoint, endpoints
from lens_preflight.jobs.location import _local_folder, _module_file, _program_file
from lens_preflight.jobs.losses import lost_of
from lens_preflight.jobs.model import Delivery, JobLaunch, Loss, Remark, Slip
from lens_preflight.jobs.run import Run
from lens_preflight.jobs.secrets import on_command_line
from lens_preflight.lens.frameworks import detect


def launches_of(run: Run, traps: Mapping[str, tuple[str, int]]) -> tuple[JobLaunch, ...]:
    """All launches of a reading, in order, each with a key of its own; ``traps`` are the script's at its end."""
    seen: dict[str, int] = {}
    launches = []
    for draft in run.drafts:
        key = f"{os.path.basename(draft.at.what)}:{draft.at.line}"
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            key = f"{key}#{seen[key]}"
        launches.append(put_into_words(draft, run, key, traps))
    return tuple(launches)


def put_into_words(
    draft: Draft,
    run: Run,
    key: str,
    traps: Mapping[str, tuple[str, int]],
    pod_grace: float | None = None,
) -> JobLaunch:
    """One draft as the launch that others see."""
    where = draft.where
    traps = draft.traps if where.submission else traps or draft.traps
    args = tuple(a.constant for a in draft.args)
    program = draft.program.constant if draft.program is not None else None
    framework = detect(program or (draft.framework_hint or None), args, draft.module)
    raw = environment.environment(draft.env)
    env = frameworks.overlaid(raw, framework, args, draft.at, run.files, _local_folder(draft, run), run.shown)
    lost = lost_of(draft, run, run.order)
    if framework.ray_environment:
        lost = tuple(one for one in lost if one.loss is not Loss.RAY_ORDER)
    bare = JobLaunch(
        key=key,
        at=draft.at,
        command_at=where.command_at or draft.at,
        chain=where.chain,
        env=env,
        launcher_env=environment.environment(draft.agent_env),
        framework=framework,
        program=program,
        args=args,
        written=environment.written(draft.env),
        lost=lost,
        remarks=tuple(r for r in run.remarks if _concerns(r, draft)),
        secrets=on_command_line(draft.args, draft.at),
        endpoints=endpoints(env) + default_endpoint(env, framework, draft.at),
    )
    verdict = delivery.judge(draft, where.signal, traps, run.path)
    delivered = replace(
        bare,
        sigterm_delivery=verdict.delivery if draft.program or draft.module else Delivery.UNKNOWN,
        sigterm_at=verdict.at,
        sigterm_why=verdict.why,
        grace=delivery.grace(draft, where.signal, pod_grace),
    )
    return _placed(_counted(delivered, draft), draft, run)


def _counted(launch: JobLaunch, draft: Draft) -> JobLaunch:
    """With nodes, tasks and processes, and how the launch stands among others."""
    where, counts = draft.where, draft.where.counts
    return replace(
        launch,
        nodes=_nodes(draft),
        tasks_per_node=counts.tasks_per_node,
        tasks=counts.tasks,
        procs_per_task=counts.procs_per_task,
        gpus_per_node=counts.gpus_per_node,
        world_size=_world(draft),
        replicas=counts.replicas,
        agents=draft.agents,
        agent_nodes=draft.agent_nodes,
        conditional=where.conditional,
        background=where.background,
        segment=where.segment,
        loop_start=where.loop_start,
        from_batch=where.from_batch,
        submission=where.submission,
        follows=where.follows,
        array=where.array,
        helper=where.chain[-1:] == ("ray start",),
        pods=where.pods,
    )


def _placed(launch: JobLaunch, draft: Draft, run: Run) -> JobLaunch:
    """With the file of the program on this side, the container, and why there is no file."""
    file = _program_file(draft, run)
    module, opaque, importable = draft.module, draft.opaque, False
    container = draft.where.container
    if module is not None and not opaque:
        file, importable = _module_file(module, draft, run)
        if file is None and container is None:
            opaque = f"the module {module} cannot be found from here"
    named = draft.program is not None or module is not None
    inside = container is not None and named and file is None and not opaque
    return replace(
        launch,
        program_file=file,
        module=module if importable else None,
        container=container,
        workdir=draft.cwd if container is not None else (run.shown(draft.cwd) if draft.cwd else None),
        in_image=inside and not launch.helper,
        opaque_program=opaque,
    )


def _concerns(remark: Remark, draft: Draft) -> bool:
    return remark.slip is Slip.EARLY and remark.at == draft.at


def _nodes(draft: Draft) -> int | None:
    counts = draft.where.counts
    if counts.nodes is not None:
        return counts.nodes
    return None if draft.where.in_job or draft.where.in_step else 1


def _world(draft: Draft) -> int | None:
    counts = draft.where.counts
    chain = draft.where.chain
    last = chain[-1] if chain else ""
    if last in ("torchrun", "ft_launcher", "accelerate launch", "deepspeed"):
        known = draft.env.value("WORLD_SIZE")
        text = known.constant if known is not None else None
        return whole(text)
    if draft.opaque and draft.program is None and draft.module is None:
        return counts.tasks if draft.where.in_step else None
    if last == "ray start":
        return None
    if draft.where.in_step or "mpirun" in chain or "mpiexec" in chain:
        return counts.tasks
    return 1
