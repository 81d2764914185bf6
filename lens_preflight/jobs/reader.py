"""Read a job file: recognise it, follow it, and put what was met into the model."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.core.variable import Environment
from lens_preflight.jobs import delivery, directives, environment, frameworks
from lens_preflight.jobs.draft import Draft
from lens_preflight.jobs.endpoints import endpoints
from lens_preflight.jobs.location import _local_folder, _module_file, _program_file
from lens_preflight.jobs.losses import lost_of
from lens_preflight.jobs.model import Delivery, JobLaunch, JobModel, Loss, Remark, Slip
from lens_preflight.jobs.run import Files, Run, TooMuch
from lens_preflight.jobs.secrets import on_command_line
from lens_preflight.jobs.shell import Shell
from lens_preflight.jobs.submit import (
    Start,
    login_environment,
    looks_like_batch,
    read_start,
    run_batch,
    run_plain,
    submission,
)
from lens_preflight.jobs.syntax import LIMIT, NoParser
from lens_preflight.jobs.words import Field
from lens_preflight.lens.frameworks import detect

_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-\S+\s+)*)?(?:\S*/)?([A-Za-z]+)")
_MANIFEST = re.compile(r"^apiVersion:\s*\S+", re.MULTILINE)
_KIND = re.compile(r"^kind:\s*\S+", re.MULTILINE)
_SHELLS = ("bash", "sh", "dash", "ksh")


def read_job(
    path: str,
    *,
    submit: str | None = None,
    submitter: Environment | None = None,
    path_map: Sequence[tuple[str, str]] = (),
) -> JobModel:
    """The model of one job file.

    ``submit`` is the command that starts it, ``submitter`` the environment of the shell that does
    (unknown when None); ``path_map`` pairs paths inside containers with paths here.

    Raises:
        InputError: the file cannot be opened.
    """
    data = _bytes(path)
    if len(data) > LIMIT:
        return _unread(path, "unknown", f"it is longer than {LIMIT >> 20} MB, and is not read")
    if b"\0" in data:
        return _unread(path, "binary", "it is no text")
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    kind = recognise(path, text)
    folder = os.path.dirname(os.path.abspath(path))
    extra = tuple((inside, os.path.abspath(outside)) for inside, outside in path_map)
    run = Run(path, folder, Files(folder), extra_map=extra)
    if submitter is None:
        submitter = Environment(complete=False, opaque=environment.SUBMITTER)
    if kind == "kubernetes":
        from lens_preflight.jobs.kubernetes import read_manifest

        return read_manifest(path, text, run)
    login = login_environment(submitter)
    if kind not in ("shell", "python"):
        found = tuple(directives.scan(text, path))
        why = f"it is a {kind} script: its #SBATCH lines are understood, its statements are not"
        return replace(_unread(path, kind, why), directives=found)
    refused = _refused(text, submit)
    text = text.replace("\r\n", "\n")
    try:
        return _shell_job(path, text, submit, login, run, kind, refused)
    except NoParser as missing:
        model = _unread(path, kind, "there is no parser for shell scripts")
        return replace(model, remedy=str(missing).rpartition("type ")[2].strip("`"),
                       directives=tuple(directives.scan(text, path)))  # fmt: skip


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError(f"{path}: cannot be opened ({reason}); check the path") from None


def _unread(path: str, kind: str, why: str) -> JobModel:
    return JobModel(path, kind, unread=why, unread_at=Location.file(path, 1))


def recognise(path: str, text: str) -> str:
    """``shell``, ``python``, ``kubernetes``, or the name of another language; by content."""
    shebang = _SHEBANG.match(text)
    if shebang:
        name = shebang[1].lower()
        if name in _SHELLS:
            return "shell"
        return "python" if name.startswith(("python", "pypy")) else name
    if _MANIFEST.search(text) and _KIND.search(text):
        return "kubernetes"
    suffix = os.path.splitext(path)[1].lower()
    by_suffix = {".csh": "csh", ".tcsh": "csh", ".zsh": "zsh", ".fish": "fish", ".py": "python"}
    return by_suffix.get(suffix, "shell")


def _refused(text: str, submit: str | None) -> str:
    """Why sbatch does not take the script, empty when it does."""
    batch = looks_like_batch(text) or (submit or "").lstrip().startswith("sbatch")
    if not batch:
        return ""
    if "\r\n" in text:
        return "sbatch refuses a script with DOS line ends: type `sed -i 's/\\r$//' {path}`"
    if not text.startswith("#!"):
        return "sbatch refuses a script without #! in its first line: put #!/bin/bash there"
    return ""


def _shell_job(
    path: str, text: str, submit: str | None, login: object, run: Run, kind: str, refused: str
) -> JobModel:
    from lens_preflight.jobs.state import Exported

    assert isinstance(login, Exported)
    start = read_start(submit, login, text, run)
    options = submission(text, path, start)
    unread = ""
    shell: Shell | None = None
    try:
        if kind == "python":
            _python_job(run, path, start, options)
        elif start.batch:
            shell = run_batch(run, path, text, start, options)
        else:
            shell = run_plain(run, path, text, start)
    except TooMuch as stopped:
        unread = str(stopped)
    except RecursionError:
        unread = "it is nested too deeply"
    signal = directives.signal_of(options) if start.batch else None
    traps = shell.state.traps if shell is not None else {}
    launches = _launches(run, signal, traps)
    requeue = options.get("--requeue") is not None or any("requeue" in t for t, _ in traps.values())
    array = options.value("--array")
    return JobModel(
        path,
        "sbatch" if start.batch else kind,
        launches,
        unread=unread,
        unread_at=Location.file(path, 1) if unread else None,
        refused=refused.format(path=path),
        directives=(tuple(directives.scan(text, path)) if start.batch else ()) + tuple(start.options),
        remarks=tuple(run.remarks),
        secrets=tuple(run.secrets),
        opaque=tuple(run.opaque),
        sourced=tuple(run.shown(p) for p in run.sourced),
        images=tuple(dict.fromkeys(run.images)),
        path_map=tuple((inside, run.shown(outside)) for inside, outside in run.mounts.items()),
        array=array,
        requeue=requeue or "scontrol requeue" in text,
        resubmits=run.resubmits,
        signal=signal,
        last_line=text.count("\n") + 1,
        batch=start.batch,
        arguments_known=start.args is not None,
    )


def _python_job(run: Run, path: str, start: Start, options: directives.Submission) -> None:
    """A Python file that sbatch starts as it stands."""
    from lens_preflight.jobs import slurm
    from lens_preflight.jobs.draft import Step, Where
    from lens_preflight.jobs.programs import launch
    from lens_preflight.jobs.run import Frame
    from lens_preflight.jobs.state import State
    from lens_preflight.jobs.text import literal

    counts = slurm.counts_of(options)
    export = options.get("--export")
    env, where = slurm.export_at_submission(start.env, None if export is None else export.value,
                                            None if export is None else export.at)  # fmt: skip
    env = env.with_(slurm.batch_variables(options, counts, path, run.folder))
    where = replace(where, in_job=True, counts=counts, execs=True, chain=("python",))
    at = Location.file(path, 1)
    word = Field(literal(os.path.basename(path)), 1)
    shell = Shell(run, State.of(env, cwd=run.folder, args=(), arg0=literal(path)), Frame(path), Where())
    words = tuple(Field(t, 1) for t in start.args or ())
    launch(Step((word,), env, where, run.folder, at), shell, word, None, words)


def _launches(
    run: Run, signal: object, traps: object, pod_grace: float | None = None
) -> tuple[JobLaunch, ...]:
    from lens_preflight.jobs.model import Signal

    assert signal is None or isinstance(signal, Signal)
    assert isinstance(traps, dict)
    seen: dict[str, int] = {}
    launches = []
    for draft in run.drafts:
        key = f"{os.path.basename(draft.at.what)}:{draft.at.line}"
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            key = f"{key}#{seen[key]}"
        launches.append(put_into_words(draft, run, key, signal, traps, pod_grace))
    return tuple(launches)


def put_into_words(
    draft: Draft, run: Run, key: str, signal: object, traps: object, pod_grace: float | None
) -> JobLaunch:
    """One draft as the launch that others see."""
    from lens_preflight.jobs.model import Signal

    assert signal is None or isinstance(signal, Signal)
    assert isinstance(traps, dict)
    where, counts = draft.where, draft.where.counts
    args = tuple(a.constant for a in draft.args)
    program = draft.program.constant if draft.program is not None else None
    file = _program_file(draft, run)
    module, opaque, importable = draft.module, draft.opaque, False
    if module is not None and not opaque:
        file, importable = _module_file(module, draft, run)
        if file is None and draft.where.container is None:
            opaque = f"the module {module} cannot be found from here"
    framework = detect(program or (draft.framework_hint or None), args, draft.module)
    raw = environment.environment(draft.env)
    folder = _local_folder(draft, run)
    env = frameworks.overlaid(raw, framework, args, draft.at, run.files, folder, run.shown)
    verdict = delivery.judge(draft, signal, traps or draft.traps, run.path)
    lost = lost_of(draft, run, run.order)
    if framework.ray_environment:
        lost = tuple(one for one in lost if one.loss is not Loss.RAY_ORDER)
    tasks_per_node = counts.tasks_per_node
    world = _world(draft)
    container = where.container
    named = draft.program is not None or module is not None
    in_image = container is not None and named and file is None and not opaque
    return JobLaunch(
        key=key,
        at=draft.at,
        command_at=where.command_at or draft.at,
        chain=where.chain,
        env=env,
        launcher_env=environment.environment(draft.agent_env),
        framework=framework,
        program=program,
        program_file=file,
        module=module if importable else None,
        args=args,
        nodes=_nodes(draft),
        tasks_per_node=tasks_per_node,
        tasks=counts.tasks,
        procs_per_task=counts.procs_per_task,
        gpus_per_node=counts.gpus_per_node,
        world_size=world,
        replicas=counts.replicas,
        agents=draft.agents,
        agent_nodes=draft.agent_nodes,
        written=environment.written(draft.env),
        lost=lost,
        remarks=tuple(r for r in run.remarks if _concerns(r, draft)),
        sigterm_delivery=verdict.delivery if draft.program or draft.module else Delivery.UNKNOWN,
        sigterm_at=verdict.at,
        sigterm_why=verdict.why,
        grace=delivery.grace(draft, signal, pod_grace),
        container=container,
        workdir=draft.cwd if container is not None else (run.shown(draft.cwd) if draft.cwd else None),
        in_image=in_image and "ray start" not in where.chain,
        opaque_program=opaque,
        conditional=where.conditional,
        background=where.background,
        segment=where.segment,
        from_batch=where.from_batch,
        submission=where.submission,
        follows=where.follows,
        helper=where.chain[-1:] == ("ray start",),
        pods=where.pods,
        restarts_in_place=draft.elastic,
        secrets=on_command_line(draft.args, draft.at),
        endpoints=endpoints(env),
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
