"""Containers: what of the environment enters, where their paths lead on this side."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.model import Container, Loss, Remark, Slip
from lens_preflight.jobs.names import SOFTWARE
from lens_preflight.jobs.options import Options, split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.run import Run
    from lens_preflight.jobs.shell import Shell

_DOCKER = frozenset(
    [
        "-e",
        "--env",
        "--env-file",
        "-v",
        "--volume",
        "-w",
        "--workdir",
        "--name",
        "--gpus",
        "--shm-size",
        "--network",
        "--net",
        "-u",
        "--user",
        "--entrypoint",
        "--ipc-x",
        "--ulimit",
        "--device",
        "--cap-add",
        "--cap-drop",
        "-h",
        "--hostname",
        "--mount",
        "--platform",
        "--runtime",
        "-m",
        "--memory",
        "--cpus",
        "--cpuset-cpus",
        "--ipc",
        "--pid",
        "--uts",
        "--label",
        "-l",
        "--label-file",
        "--add-host",
        "--dns",
        "--log-driver",
        "--log-opt",
        "--restart",
        "--security-opt",
        "--tmpfs",
        "--volumes-from",
        "-p",
        "--publish",
        "--pull",
        "--stop-signal",
        "--stop-timeout",
        "--sysctl",
        "--cgroupns",
        "--userns",
        "--memory-swap",
        "--oom-score-adj",
        "--pids-limit",
        "--group-add",
        "--cidfile",
        "--annotation",
        "--workdir",
    ]
)
_APPTAINER = frozenset(
    [
        "-B",
        "--bind",
        "--env",
        "--env-file",
        "-H",
        "--home",
        "--pwd",
        "--cwd",
        "-W",
        "--workdir",
        "--overlay",
        "-S",
        "--scratch",
        "--mount",
        "--network",
        "--dns",
        "--hostname",
        "--apply-cgroups",
        "--fusemount",
        "--security",
        "--add-caps",
        "--drop-caps",
        "--app",
        "-o",
        "--nvccli-x",
        "--memory",
        "--cpus",
        "--pem-path",
        "--fakeroot-x",
        "--pid-file",
    ]
)
_KEEPS = frozenset({"HOME", "TERM", "LANG", "PATH", "USER"})


def mounts_of(texts: list[Text], step: Step, run: Run) -> tuple[tuple[str, str], ...]:
    """``outside:inside[:options]``, comma separated, as (inside, outside) pairs."""
    found: list[tuple[str, str]] = []
    for text in texts:
        named = text.path or text.settled.path or text.settled.template
        for item in named.split(","):
            parts = item.split(":")
            if not parts[0] or "{" in parts[0]:
                continue
            outside = parts[0]
            inside = parts[1] if len(parts) > 1 and parts[1].startswith("/") else outside
            full = resolve(outside, step.cwd, replace(step.where, container=None), ()) or outside
            found.append((os.path.normpath(inside), full))
    for inside, full in found:
        run.mounts.setdefault(inside, full)
    return tuple(found)


def pyxis(step: Step, options: Options, shell: Shell) -> Step:
    """``srun --container-image``: the environment enters, the image's own names win."""
    image = options.text("--container-image", "--container-name")
    shown = image.template if image is not None else ""
    passed = frozenset((_constant(options.text("--container-env")) or "").split(","))
    texts = [o.value for o in options.all("--container-mounts") if o.value is not None]
    mounts = mounts_of(texts, step, shell.run)
    workdir = options.text("--container-workdir")
    container = Container(
        "pyxis", shown, step.at, mounts, None if workdir is None else workdir.path, True, passed
    )
    shell.run.images.append(shown)
    cwd = workdir.path if workdir is not None else None
    env = _image_may_win(step.env, passed)
    where = replace(step.where.link("pyxis"), container=container, pid1="")
    return replace(step, env=env, where=where, cwd=cwd)


def _image_may_win(env: Exported, passed: frozenset[str]) -> Exported:
    changes: dict[str, Bound] = {}
    for name, bound in env:
        if name in SOFTWARE and name not in passed and bound.value is not None:
            why = "the image may set it, and then wins: it is not listed in --container-env"
            changes[name] = replace(bound, value=Text.of(Symbol(name, Cause.IMAGE, reason=why)))
    return env.with_(changes)


def _constant(text: Text | None) -> str | None:
    return None if text is None else text.constant


def docker(step: Step, shell: Shell) -> None:
    """``docker run`` and ``docker exec``, podman and nerdctl: nothing enters that is not named."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    runtime = step.words[0].constant.rpartition("/")[2]
    if words and words[0].constant == "container":
        words = words[1:]
    if not words or words[0].constant not in ("run", "exec"):
        return
    action = words[0].constant
    options = split(words[1:], _DOCKER)
    if not options.rest:
        return
    image, command = options.rest[0], options.rest[1:]
    env = step.env if options.has("--env-host") else Exported({}, Rest())
    env = _env_files(env, step, options, shell)
    env = _named(env, step, options)
    where = step.where.dropped(step.env, env, Loss.CONTAINER, step.at, runtime)
    texts = [o.value for o in options.all("-v", "--volume") if o.value is not None]
    mounts = mounts_of(texts, step, shell.run) + _long_mounts(options, step, shell.run)
    workdir = options.text("-w", "--workdir")
    network = _constant(options.text("--network", "--net")) or "bridge"
    cwd = workdir.path if workdir is not None else None
    container = Container(runtime, image.constant, step.at, mounts, cwd, network == "host", frozenset())
    shell.run.images.append(image.constant)
    pid1 = "init" if options.has("--init") or action == "exec" else "program"
    where = replace(
        where.link(f"{runtime} {action}"),
        container=container,
        pid1=pid1,
        in_job=False,
        in_step=False,
        batch=False,
    )
    counts = where.counts
    gpus = _constant(options.text("--gpus"))
    if gpus is not None:
        number = whole(gpus)
        where = replace(where, counts=replace(counts, gpus_per_node=gpus if number is None else number))
    entry = options.text("--entrypoint")
    if entry is not None and entry.filled:
        command = (replace(image, text=entry), *command)
    if command:
        follow(step.next(tuple(command), env=env, where=where, cwd=cwd), shell)


def _named(env: Exported, step: Step, options: Options) -> Exported:
    changes: dict[str, Bound] = {}
    for option in options.all("-e", "--env"):
        value = option.value or EMPTY
        head = value.pieces[0] if value.pieces and isinstance(value.pieces[0], str) else ""
        name, equals, rest = head.partition("=")
        at = Location.file(step.at.what, option.word.line) if step.where.depth == 1 else step.at
        if equals:
            changes[name] = Bound(literal(rest) + Text(value.pieces[1:]), at, "-e")
        elif name:
            changes[name] = step.env.variables.get(name) or Bound(step.env.value(name))
    return env.with_(changes)


def _env_files(env: Exported, step: Step, options: Options, shell: Shell) -> Exported:
    for option in options.all("--env-file"):
        named = option.value.path if option.value is not None else None
        full = resolve(named, step.cwd, replace(step.where, container=None), ()) if named else None
        text = shell.run.files.text(full) if full else None
        if text is None or full is None:
            shell.run.cannot_read(f"--env-file {option.value.template if option.value else ''}",
                                  "the file cannot be read from here", step.at)  # fmt: skip
            env = replace(
                env, rest=Rest(False, Cause.OPAQUE, "a file that cannot be read here may set it", step.at)
            )
            continue
        shown = shell.run.shown(full)
        changes: dict[str, Bound] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            name, equals, value = line.partition("=")
            at = Location.file(shown, number)
            if equals:
                changes[name] = Bound(literal(value), at, "--env-file")
                if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                    detail = "an env file keeps its quotes"
                    shell.run.remark(Remark(Slip.QUOTES_KEPT, name, step.at, detail, at))
            else:
                changes[name.strip()] = step.env.variables.get(name.strip()) or Bound(
                    step.env.value(name.strip())
                )
        env = env.with_(changes)
    return env


def _long_mounts(options: Options, step: Step, run: Run) -> tuple[tuple[str, str], ...]:
    pairs: list[Text] = []
    for option in options.all("--mount"):
        text = option.value.path if option.value is not None else None
        fields = dict(p.partition("=")[::2] for p in (text or "").split(","))
        outside = fields.get("source") or fields.get("src")
        inside = fields.get("target") or fields.get("dst") or fields.get("destination")
        if outside and inside:
            pairs.append(literal(f"{outside}:{inside}"))
    return mounts_of(pairs, step, run)


def apptainer(step: Step, shell: Shell) -> None:
    """``apptainer exec`` and ``run``: everything enters, or nothing under ``--cleanenv``."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    while words and words[0].constant.startswith("-"):
        words = words[1:]
    if not words or words[0].constant not in ("exec", "run"):
        return
    options = split(words[1:], _APPTAINER)
    if not options.rest:
        return
    image, command = options.rest[0], options.rest[1:]
    env, where = step.env, step.where
    if options.has("-e", "--cleanenv", "--containall", "-C"):
        env = env.only(lambda name: name in _KEEPS)
        where = where.dropped(step.env, env, Loss.CLEANENV, step.at, "apptainer")
    env = _apptainer_settings(env, step, options, shell)
    texts = [o.value for o in options.all("-B", "--bind") if o.value is not None]
    for name in ("APPTAINER_BIND", "APPTAINER_BINDPATH", "SINGULARITY_BIND", "SINGULARITY_BINDPATH"):
        value = step.env.value(name)
        if value is not None:
            texts.append(value)
    mounts = mounts_of(texts, step, shell.run) + _long_mounts(options, step, shell.run)
    workdir = options.text("--pwd", "--cwd")
    cwd = workdir.path if workdir is not None else step.cwd
    container = Container("apptainer", image.constant, step.at, mounts, cwd, True, frozenset())
    shell.run.images.append(image.constant)
    where = replace(where.link("apptainer"), container=container)
    known = {one for one in where.lost if env.value(one.name) is not None}
    where = replace(where, lost=tuple(one for one in where.lost if one not in known))
    if command:
        follow(step.next(tuple(command), env=env, where=where, cwd=cwd), shell)


def _apptainer_settings(env: Exported, step: Step, options: Options, shell: Shell) -> Exported:
    env = _env_files(env, step, options, shell) if options.has("--env-file") else env
    changes: dict[str, Bound] = {}
    for name, bound in step.env:
        for prefix in ("SINGULARITYENV_", "APPTAINERENV_"):
            if name.startswith(prefix):
                changes[name[len(prefix) :]] = bound
    for option in options.all("--env"):
        for item in (option.value or EMPTY).template.split(","):
            name, equals, value = item.partition("=")
            if equals:
                whole = (option.value or EMPTY).symbols
                text = literal(value) if not whole else _tail(option.value or EMPTY, name)
                changes[name] = Bound(text, step.at, "--env")
    return env.with_(changes)


def _tail(value: Text, name: str) -> Text:
    head = value.pieces[0]
    if isinstance(head, str) and head.startswith(name + "="):
        return literal(head[len(name) + 1 :]) + Text(value.pieces[1:])
    return Text.of(Symbol(name, Cause.COMMAND))


def enroot(step: Step, shell: Shell) -> None:
    """``enroot start``: the environment enters, ``-e`` sets more."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    if not words or words[0].constant not in ("start", "exec"):
        return
    options = split(words[1:], ("-e", "--env", "-m", "--mount", "-c", "--rc", "--conf"))
    if not options.rest:
        return
    mounts = mounts_of(
        [o.value for o in options.all("-m", "--mount") if o.value is not None], step, shell.run
    )
    container = Container("enroot", options.rest[0].constant, step.at, mounts, None, True, frozenset())
    shell.run.images.append(options.rest[0].constant)
    where = replace(step.where.link("enroot"), container=container)
    env = _named(step.env, step, options)
    if options.rest[1:]:
        follow(step.next(options.rest[1:], env=env, where=where, cwd=None), shell)
