"""Containers: what of the environment enters, where their paths lead on this side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.docker import _env_files, _named
from lens_preflight.jobs.draft import Step
from lens_preflight.jobs.model import Container, Loss
from lens_preflight.jobs.mounts import _long_mounts, mounts_of
from lens_preflight.jobs.names import SOFTWARE
from lens_preflight.jobs.options import Options, constant, split
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

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


def pyxis(step: Step, options: Options, shell: Shell) -> Step:
    """``srun --container-image``: the environment enters, the image's own names win."""
    image = options.text("--container-image", "--container-name")
    shown = image.template if image is not None else ""
    passed = frozenset((constant(options.text("--container-env")) or "").split(","))
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
    env = _env_files(env, step, options, shell, quotes=False) if options.has("--env-file") else env
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
