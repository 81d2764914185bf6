"""Kubernetes manifests: Job, PyTorchJob and its kin, TrainJob; one launch per pod template.

Source: the pod specification, the training operator's PyTorchJob and the trainer's TrainJob (read).
"""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs.chain import follow
from lens_preflight.jobs.draft import Counts, Draft, Step, Where
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.launches import put_into_words
from lens_preflight.jobs.model import Container, JobLaunch, JobModel, Loss, Lost
from lens_preflight.jobs.names import is_telemetry
from lens_preflight.jobs.podenv import _config_maps, _environment, _expanded
from lens_preflight.jobs.pods import Template, _templates
from lens_preflight.jobs.programs import launch
from lens_preflight.jobs.run import Frame, Run
from lens_preflight.jobs.shell import Shell
from lens_preflight.jobs.state import Exported, State
from lens_preflight.jobs.syntax import NoParser
from lens_preflight.jobs.text import literal
from lens_preflight.jobs.yamlnodes import flag, get, items, line_of, number, pairs, scalar

MAX_DOCUMENTS = 64


def read_manifest(path: str, text: str, run: Run) -> JobModel:
    """The model of a manifest with one or several documents."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        documents = list(islice(yaml.compose_all(text, Loader=loader), MAX_DOCUMENTS + 1))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        problem = getattr(error, "problem", None)
        why = f"it is not YAML ({problem})" if problem else "it is not YAML"
        return JobModel(path, "kubernetes", unread=why, unread_at=Location.file(path, line))
    if len(documents) > MAX_DOCUMENTS:
        why = f"it holds more than {MAX_DOCUMENTS} documents; give those of the job in a file of their own"
        return JobModel(path, "kubernetes", unread=why, unread_at=Location.file(path, 1))
    launches: list[JobLaunch] = []
    maps = _config_maps(documents)
    try:
        for document in documents:
            templates = list(_templates(document))
            if templates:
                launches += _launches(path, templates, maps, run)
    except NoParser as missing:
        return JobModel(path, "kubernetes", tuple(launches), unread="there is no parser for shell scripts",
                        unread_at=Location.file(path, 1), remedy=str(missing).rpartition("type ")[2].strip("`"))  # fmt: skip
    except RecursionError:
        return JobModel(
            path, "kubernetes", unread="it is nested too deeply", unread_at=Location.file(path, 1)
        )
    return JobModel(
        path,
        "kubernetes",
        tuple(launches),
        remarks=tuple(run.remarks),
        secrets=tuple(run.secrets),
        opaque=tuple(run.opaque),
        images=tuple(dict.fromkeys(run.images)),
        path_map=tuple((inside, run.shown(outside)) for inside, outside in run.mounts.items()),
    )


def _launches(path: str, templates: list[Template], maps: Any, run: Run) -> list[JobLaunch]:
    made: list[tuple[JobLaunch, Exported]] = []
    for template in templates:
        pod = template.spec
        containers = [template.trainer] if template.trainer is not None else items(get(pod, "containers"))
        found: list[tuple[Any, Draft, Exported]] = []
        for container in containers:
            env = _environment(template, container, maps, path, run)
            first = len(run.drafts)
            _start(template, container, env, path, run, alone=len(containers) == 1)
            found += [(container, draft, env) for draft in run.drafts[first:]]
        grace = number(get(pod, "terminationGracePeriodSeconds")) if pod is not None else None
        for draft, env in _without_sidecars(found):
            key = f"{os.path.basename(path)}:{draft.at.line}"
            one = put_into_words(draft, run, key, {}, None if grace is None else float(grace))
            made.append((_sized(one, template), env))
    return [_compared(one, env, made) for one, env in made]


def _without_sidecars(found: list[tuple[Any, Draft, Exported]]) -> list[tuple[Draft, Exported]]:
    """The launches of a pod but for programs that nobody can read, in containers without a GPU beside one with."""
    trained = any(_gpus(container) and not draft.opaque for container, draft, _ in found)
    return [
        (draft, env)
        for container, draft, env in found
        if not (trained and draft.opaque and not _gpus(container))
    ]


def _sized(one: JobLaunch, template: Template) -> JobLaunch:
    """The counts that the manifest says; replicas are pods of the same template."""
    world = one.world_size
    if one.chain[-1:] not in (("torchrun",), ("ft_launcher",), ("accelerate launch",), ("deepspeed",)):
        world = None if template.nodes is None else template.nodes * (template.procs or 1)
        if not template.provided and template.label == "Job" and (template.replicas or 1) > 1:
            world = 1
    return replace(
        one, nodes=template.nodes, world_size=world, tasks_per_node=None, replicas=template.replicas or 1
    )


def _compared(one: JobLaunch, env: Exported, made: list[tuple[JobLaunch, Exported]]) -> JobLaunch:
    """With what other templates of the same job have and this one has not."""
    lost = {lost.name: lost for lost in one.lost}
    for other, theirs in made:
        if other is one:
            continue
        for name, bound in theirs:
            if (
                is_telemetry(name)
                and bound.value is not None
                and env.value(name) is None
                and name not in lost
            ):
                lost[name] = Lost(name, Loss.REPLICA, one.at, bound.at, "template")
    return replace(one, lost=tuple(lost.values()))


def _start(template: Template, container: Any, env: Exported, path: str, run: Run, alone: bool) -> None:
    words = _words(container, env)
    image = scalar(get(container, "image")) or ""
    run.images.append(image)
    mounts = _mounts(template.spec, container, run)
    at = Location.file(path, words[0].line if words else line_of(container))
    gpus = _gpus(container)
    workdir = scalar(get(container, "workingDir"))
    host = template.spec is not None and flag(get(template.spec, "hostNetwork"))
    others = items(get(template.spec, "containers")) if template.spec is not None else []
    beside = tuple(scalar(get(c, "image")) or "" for c in others if c is not container)
    box = Container("kubernetes", image, at, mounts, workdir, host, frozenset(), beside)
    many = Spread.NODE if (template.replicas or 2) > 1 or (template.nodes or 1) > 1 else Spread.JOB
    where = Where(
        chain=(template.label,),
        width=many,
        counts=Counts(template.nodes, None, None, gpus),
        container=box,
        pid1="program",
        pods=True,
        command_at=at,
        batch=False,
    )
    state = State.of(env, cwd=workdir, args=(), arg0=literal("sh"))
    shell = Shell(run, state, Frame(path), where)
    step = Step(tuple(words), env, where, workdir, at)
    if words:
        follow(step, shell)
    elif alone and get(container, "image") is not None:
        empty = Field(literal("entrypoint"), line_of(container))
        launch(step.next((empty,)), shell, None, None, (), opaque="the entry point of the image starts it")


def _words(container: Any, env: Exported) -> list[Field]:
    """The command with its arguments; none when there are only options for the image's own entry point."""
    found: list[Field] = []
    first = next(iter(items(get(container, "args"))), None)
    if not items(get(container, "command")) and (scalar(first) or "").startswith("-"):
        return []
    for key in ("command", "args"):
        for node in items(get(container, key)):
            text = scalar(node)
            if text is None:
                continue
            block = getattr(node, "style", None) in ("|", ">")
            line = line_of(node) + (1 if block else 0)
            found.append(Field(_expanded(text, dict(env.variables)), line, placed=node.style == "|"))
    return found


def _mounts(pod: Any, container: Any, run: Run) -> tuple[tuple[str, str], ...]:
    paths = {scalar(get(v, "name")): scalar(get(v, "hostPath", "path")) for v in items(get(pod, "volumes"))}
    found = []
    for mount in items(get(container, "volumeMounts")):
        outside = paths.get(scalar(get(mount, "name")))
        inside = scalar(get(mount, "mountPath"))
        if outside and inside:
            sub = scalar(get(mount, "subPath")) or ""
            full = os.path.normpath(os.path.join(run.folder, outside, sub))
            found.append((os.path.normpath(inside), full))
            run.mounts.setdefault(os.path.normpath(inside), full)
    return tuple(found)


def _gpus(container: Any) -> int | None:
    for place in ("limits", "requests"):
        for key, value in pairs(get(container, "resources", place)) + pairs(
            get(container, "resourcesPerNode", place)
        ):
            if key.endswith("/gpu"):
                return number(value)
    return None
