"""Kubernetes manifests: Job, PyTorchJob and its kin, TrainJob; one launch per pod template.

Source: the pod specification, the training operator's PyTorchJob and the trainer's TrainJob (read).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs.chain import follow, launch
from lens_preflight.jobs.draft import Counts, Step, Where
from lens_preflight.jobs.model import Container, JobLaunch, JobModel, Loss, Lost
from lens_preflight.jobs.names import is_telemetry
from lens_preflight.jobs.reader import put_into_words
from lens_preflight.jobs.run import Frame, Run
from lens_preflight.jobs.secrets import look
from lens_preflight.jobs.shell import Shell
from lens_preflight.jobs.state import Bound, Exported, Rest, State
from lens_preflight.jobs.syntax import NoParser
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.words import Field

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")
_PER_POD = ("metadata.name", "metadata.uid", "status.podip", "status.hostip", "spec.nodename")
MAX_DOCUMENTS = 64


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


def read_manifest(path: str, text: str, run: Run) -> JobModel:
    """The model of a manifest with one or several documents."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        documents = [
            d for _, d in zip(range(MAX_DOCUMENTS), yaml.compose_all(text, Loader=loader), strict=False)
        ]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        return JobModel(path, "kubernetes", unread="it is not YAML", unread_at=Location.file(path, line))
    launches: list[JobLaunch] = []
    maps = _config_maps(documents)
    try:
        for document in documents:
            templates = list(_templates(document))
            if templates:
                launches += _launches(path, templates, maps, run, len(launches))
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
        last_line=text.count("\n") + 1,
    )


# --- YAML nodes -----------------------------------------------------------------------------------


def get(node: Any, *keys: str) -> Any:
    """The node below a path of keys; None when it is not there. The last of equal keys counts."""
    for key in keys:
        found = None
        for k, v in pairs(node):
            if k == key:
                found = v
        if found is None:
            return None
        node = found
    return node


def pairs(node: Any) -> list[tuple[str, Any]]:
    """The entries of a mapping node; none for another node."""
    if getattr(node, "id", "") != "mapping":
        return []
    return [(k.value, v) for k, v in node.value if getattr(k, "id", "") == "scalar"]


def items(node: Any) -> list[Any]:
    """The entries of a sequence node; none for another node."""
    return list(node.value) if getattr(node, "id", "") == "sequence" else []


def scalar(node: Any) -> str | None:
    """The text of a scalar node; None for another node or null."""
    if getattr(node, "id", "") != "scalar" or node.tag.endswith(":null"):
        return None
    return str(node.value)


def number(node: Any) -> int | None:
    """The number of a scalar node, None when it is none."""
    return whole(scalar(node))


def line_of(node: Any) -> int:
    """The line of a node, from 1."""
    return int(node.start_mark.line) + 1


# --- which pods there are ---------------------------------------------------------------------------

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


# --- their environment ------------------------------------------------------------------------------


def _config_maps(documents: list[Any]) -> dict[str, dict[str, tuple[str, int]]]:
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for document in documents:
        if scalar(get(document, "kind")) == "ConfigMap":
            name = scalar(get(document, "metadata", "name")) or ""
            found[name] = {k: (scalar(v) or "", line_of(v)) for k, v in pairs(get(document, "data"))}
    return found


def _environment(template: Template, container: Any, maps: Any, path: str, run: Run) -> Exported:
    at = Location.file(path, line_of(container))
    env: dict[str, Bound] = {}
    rest = Rest()
    for given in template.provided:
        spread = Spread.NODE if given.endswith(("RANK", "INDEX")) else Spread.JOB
        known = template.extra.get(given)
        one = Symbol(given, Cause.POD, spread, known=known, reason="set by the operator")
        env[given] = Bound(Text.of(one), None, template.label)
    for source in items(get(container, "envFrom")):
        config = scalar(get(source, "configMapRef", "name")) or ""
        prefix = scalar(get(source, "prefix")) or ""
        if config in maps:
            for key, (value, line) in maps[config].items():
                env[prefix + key] = Bound(literal(value), Location.file(path, line), "ConfigMap")
        else:
            rest = Rest(False, Cause.OPAQUE, "envFrom names an object that is not in this file",
                        Location.file(path, line_of(source)))  # fmt: skip
    for entry in items(get(container, "env")):
        name = scalar(get(entry, "name"))
        if not name:
            continue
        where = Location.file(path, line_of(get(entry, "value") or get(entry, "name")))
        bound = _entry(entry, name, env, maps, path)
        env[name] = bound
        if bound.value is not None:
            look(run, name, bound.value, bound.at or where, True)
    assert at is not None
    return Exported(env, rest)


def _entry(entry: Any, name: str, env: dict[str, Bound], maps: Any, path: str) -> Bound:
    value = get(entry, "value")
    at = Location.file(path, line_of(get(entry, "name")))
    if get(entry, "valueFrom") is None:
        if value is not None:
            at = Location.file(path, line_of(value))
        return Bound(_expanded(scalar(value) or "", env), at, "env")
    source = get(entry, "valueFrom")
    field_path = scalar(get(source, "fieldRef", "fieldPath"))
    if field_path is not None:
        per_pod = field_path.lower() in _PER_POD or "completion-index" in field_path
        spread = Spread.NODE if per_pod else Spread.JOB
        one = Symbol(field_path, Cause.POD, spread, reason=f"{field_path} of the pod")
        return Bound(Text.of(one), Location.file(path, line_of(get(entry, "name"))), "fieldRef")
    config = get(source, "configMapKeyRef")
    if config is not None:
        data = maps.get(scalar(get(config, "name")) or "", {})
        found = data.get(scalar(get(config, "key")) or "")
        if found is not None:
            return Bound(literal(found[0]), Location.file(path, found[1]), "ConfigMap")
    kind = "secret" if get(source, "secretKeyRef") is not None else "config map"
    optional = (
        scalar(get(source, "secretKeyRef", "optional") or get(source, "configMapKeyRef", "optional"))
        == "true"
    )
    one = Symbol(name, Cause.POD, reason=f"read from a {kind} at start", optional=optional)
    return Bound(Text.of(one), at, "valueFrom")


def _expanded(text: str, env: dict[str, Bound]) -> Text:
    """``$(NAME)`` of an earlier entry; a name that is none stays as it is written."""
    pieces: list[str | Symbol] = []
    start = 0
    for match in _REFERENCE.finditer(text):
        pieces.append(text[start : match.start()])
        start = match.end()
        bound = env.get(match[1]) if match[1] else None
        if match[0] == "$$":
            pieces.append("$")
        elif bound is not None and bound.value is not None:
            pieces += bound.value.pieces
        else:
            pieces.append(match[0])
    pieces.append(text[start:])
    return Text.of(*pieces)


# --- their commands -----------------------------------------------------------------------------------


def _launches(path: str, templates: list[Template], maps: Any, run: Run, before: int) -> list[JobLaunch]:
    drafts: list[tuple[Template, Any, Exported]] = []
    made: list[tuple[Template, JobLaunch, Exported]] = []
    for template in templates:
        pod = template.spec
        containers = [template.trainer] if template.trainer is not None else items(get(pod, "containers"))
        for container in containers:
            env = _environment(template, container, maps, path, run)
            drafts.append((template, container, env))
    alone = len(drafts) == len(templates)
    for template, container, env in drafts:
        first = len(run.drafts)
        _start(template, container, env, path, run, alone)
        grace = (
            number(get(template.spec, "terminationGracePeriodSeconds")) if template.spec is not None else None
        )
        for draft in run.drafts[first:]:
            key = f"{os.path.basename(path)}:{draft.at.line}"
            one = put_into_words(draft, run, key, None, {}, None if grace is None else float(grace))
            one = _sized(one, template)
            made.append((template, one, env))
    assert before >= 0
    return [_compared(one, env, made, path) for _, one, env in made]


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


def _compared(
    one: JobLaunch, env: Exported, made: list[tuple[Template, JobLaunch, Exported]], path: str
) -> JobLaunch:
    """With what other templates of the same job have and this one has not."""
    lost = {lost.name: lost for lost in one.lost}
    for _, other, theirs in made:
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
    host = scalar(get(template.spec, "hostNetwork")) == "true" if template.spec is not None else False
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
    found: list[Field] = []
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
