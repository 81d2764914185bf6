"""``docker run`` and ``docker exec``, podman and nerdctl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.model import Container, Loss, Remark, Slip
from lens_preflight.jobs.mounts import _long_mounts, mounts_of
from lens_preflight.jobs.options import Options, constant, split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import EMPTY, Cause, Text, literal

if TYPE_CHECKING:
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
    network = constant(options.text("--network", "--net")) or "bridge"
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
    gpus = constant(options.text("--gpus"))
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


def _env_files(env: Exported, step: Step, options: Options, shell: Shell, *, quotes: bool = True) -> Exported:
    """With the lines of env files; docker keeps their ``quotes``, Apptainer reads them like a shell."""
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
                if not quotes:
                    value = value.strip().strip("\"'")
                changes[name] = Bound(literal(value), at, "--env-file")
                if quotes and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                    detail = "an env file keeps its quotes"
                    shell.run.remark(Remark(Slip.QUOTES_KEPT, name, step.at, detail, at))
            else:
                changes[name.strip()] = step.env.variables.get(name.strip()) or Bound(
                    step.env.value(name.strip())
                )
        env = env.with_(changes)
    return env
