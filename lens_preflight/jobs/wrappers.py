"""Commands that start another command: env, sudo, timeout, ssh, uv run, and the like."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.names import ENV_NAME
from lens_preflight.jobs.options import split
from lens_preflight.jobs.repeating import find, parallel, xargs
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import EMPTY, Text, literal
from lens_preflight.jobs.unnamed import cut, without
from lens_preflight.jobs.uv import package_runner, uv

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

Link = Callable[["Step", "Shell"], None]

_TRANSPARENT: dict[str, tuple[str, ...]] = {
    "nohup": (),
    "nice": ("-n", "--adjustment"),
    "ionice": ("-c", "-n", "-p", "--class", "--classdata"),
    "timeout": ("-k", "-s", "--kill-after", "--signal"),
    "stdbuf": ("-i", "-o", "-e", "--input", "--output", "--error"),
    "setsid": (),
    "taskset": ("-c", "--cpu-list"),
    "time": ("-f", "-o", "--format", "--output"),
    "strace": ("-e", "-o", "-p", "-s"),
    "numactl": ("--cpunodebind", "--membind", "--physcpubind", "--localalloc-x", "-N", "-m", "-C", "-i", "-p"),
    "chrt": ("-p", "-T", "-P", "-D"),
    "nsys": ("-o", "-t", "-s", "-c", "-w", "-f", "-y", "-d", "-b", "-e", "--output", "--trace", "--sample", "--stats",
             "--capture-range", "--capture-range-end", "--force-overwrite", "--cuda-memory-usage", "--delay",
             "--duration", "--kill", "--wait", "--gpu-metrics-device", "--python-sampling", "--session"),
    "ncu": ("-o", "-k", "-s", "-c", "--set", "--section", "--target-processes", "--kernel-name", "--export"),
    "compute-sanitizer": ("--tool", "--log-file"),
    "catchsegv": (),
    "unbuffer": (),
    "caffeinate": (),
    "perf": ("-o", "-e", "-F", "-g"),
    "dumb-init": (),
    "tini": ("-p", "-e"),
    "numa_wrapper": (),
    "py-spy": ("-o", "--output", "-r", "--rate", "-d", "-f", "--format"),
    "scalene": (),
    "viztracer": ("-o",),
    "fakeroot": (),
    "proxychains": ("-f",),
    "proxychains4": ("-f",),
    "bindpcie": (),
}  # fmt: skip
_LEADING = {"timeout": 1, "taskset": 1, "chrt": 1}
_SUBCOMMAND = {"nsys": ("profile", "launch", "start"), "perf": ("record", "stat"), "py-spy": ("record",)}


def transparent(step: Step, shell: Shell) -> None:
    """A wrapper that hands its environment on as it is."""
    from lens_preflight.jobs.chain import follow

    name = step.words[0].constant.rpartition("/")[2]
    words = step.words[1:]
    allowed = _SUBCOMMAND.get(name)
    if allowed is not None:
        if not words or words[0].constant not in allowed:
            return
        words = words[1:]
    options = split(words, _TRANSPARENT[name])
    rest = options.rest
    skip = _LEADING.get(name, 0)
    if name == "taskset" and options.has("-c", "--cpu-list"):
        skip = 0
    rest = rest[skip:]
    if rest:
        pid1 = "init" if name in ("dumb-init", "tini") and step.where.pid1 else step.where.pid1
        follow(step.next(rest, where=replace(step.where.link(name), pid1=pid1)), shell)


def env_command(step: Step, shell: Shell) -> None:
    """``env [-i] [-u NAME] [NAME=value] command``."""
    from lens_preflight.jobs.chain import follow

    env, where, cwd = step.env, step.where, step.cwd
    words = list(step.words[1:])
    while words:
        text = words[0].text
        plain = text.constant if text.constant is not None else text.template
        before = env
        if plain in ("-i", "-", "--ignore-environment"):
            env = Exported({}, Rest())
            where = where.dropped(before, env, Loss.ENV_CLEARED, step.at, "env -i")
        elif (name := _unset_by(words)) is not None:
            env = without(env, name, Bound(None, _line(step, words[0])))
            where = where.dropped(before, env, Loss.UNSET_AGAIN, _line(step, words[0]), "env -u")
            words = words[plain in ("-u", "--unset") :]
        elif plain in ("-C", "--chdir") and len(words) > 1:
            cwd = resolve(words[1].text.path or "", step.cwd, step.where, ())
            words.pop(0)
        elif plain in ("-S", "--split-string") and len(words) > 1:
            line = words[1]
            words[:2] = [replace(line, text=literal(w), lone=False) for w in _shell_words(line.constant)]
            continue
        elif plain.startswith("-"):
            pass
        elif "=" in plain and ENV_NAME.fullmatch(plain.partition("=")[0]):
            set_name, value = named_value(text)
            env = env.with_({set_name: Bound(value, _line(step, words[0]), "env")})
        else:
            break
        words.pop(0)
    if words:
        follow(step.next(tuple(words), env=env, where=where.link("env"), cwd=cwd), shell)


def _unset_by(words: list[Field]) -> Text | None:
    """The name behind ``-u``, ``-uNAME`` or ``--unset=NAME``; None for another word."""
    plain = words[0].constant
    if plain in ("-u", "--unset"):
        return words[1].text if len(words) > 1 else None
    if plain.startswith("--unset="):
        return cut(words[0].text, 8)
    return cut(words[0].text, 2) if re.fullmatch(r"-u[^-=]+", plain) else None


def _line(step: Step, word: Field) -> Location:
    return Location.file(step.at.what, word.line) if step.where.depth == 1 else step.at


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def named_value(text: Text) -> tuple[str, Text]:
    """``NAME=value`` as a name and a text."""
    head = text.pieces[0] if text.pieces and isinstance(text.pieces[0], str) else ""
    name, _, rest = head.partition("=")
    return name, literal(rest) + Text(text.pieces[1:])


def sudo(step: Step, shell: Shell) -> None:
    """``sudo``: clears the environment but for what is named."""
    from lens_preflight.jobs.chain import follow

    options = split(
        step.words[1:], ("-u", "-g", "-h", "-p", "-C", "-r", "-t", "--user", "--group", "--chdir", "-D")
    )
    env = step.env
    kept = options.last("--preserve-env")
    everything = options.has("-E") or (kept is not None and kept.value is None)
    if not everything:
        names = {"PATH", "TERM", "LANG", "DISPLAY"}
        if kept is not None and kept.value is not None:
            names |= set((kept.value.constant or "").split(","))
        env = env.only(lambda name: name in names)
    rest = list(options.rest)
    while (
        rest and "=" in rest[0].text.template and ENV_NAME.fullmatch(rest[0].text.template.partition("=")[0])
    ):
        name, value = named_value(rest.pop(0).text)
        env = env.with_({name: Bound(value, step.at, "sudo")})
    where = step.where.dropped(step.env, env, Loss.SUDO, step.at, "sudo")
    if rest:
        follow(step.next(tuple(rest), env=env, where=where.link("sudo")), shell)


def su(step: Step, shell: Shell) -> None:
    """``su [-] USER -c '...'``: keeps the environment unless it is a login."""
    from lens_preflight.jobs.scripts import run_script

    words = step.words[1:]
    login = any(w.constant in ("-", "-l", "--login") for w in words)
    env, where = step.env, step.where
    if login:
        env = env.only(lambda name: name in ("TERM",))
        where = where.dropped(step.env, env, Loss.LOGIN_SHELL, step.at, "su -")
    for index, word in enumerate(words):
        if word.constant in ("-c", "--command") and index + 1 < len(words):
            run_script(step.next(words, env=env, where=where.link("su")), words[index + 1], (), shell)


def runuser(step: Step, shell: Shell) -> None:
    """``runuser -u USER -- command``: keeps the environment."""
    from lens_preflight.jobs.chain import follow

    options = split(step.words[1:], ("-u", "-g", "-G", "-s", "--user", "--group"))
    if options.has("-c", "-l", "-") or not options.has("-u", "--user"):
        su(step, shell)
    elif options.rest:
        follow(step.next(options.rest, where=step.where.link("runuser")), shell)


def remote(step: Step, shell: Shell) -> None:
    """``ssh``, ``pdsh`` and their kin: the other host has the environment of its own login."""
    from lens_preflight.jobs.scripts import run_script

    name = step.words[0].constant.rpartition("/")[2]
    valued = (
        "-o",
        "-p",
        "-l",
        "-i",
        "-w",
        "-f",
        "-F",
        "-R",
        "-L",
        "-J",
        "-x",
        "-g",
        "-h",
        "-H",
        "-t",
        "-c",
        "-b",
        "-E",
    )
    options = split(step.words[1:], valued)
    rest = options.rest[1:] if name in ("ssh", "rsh") else options.rest
    sent = {(o.value.constant or "").partition("=")[2] for o in options.all("-o")
            if o.value is not None and (o.value.constant or "").startswith("SendEnv")}  # fmt: skip
    env = step.env.only(lambda n: n in sent or n == "LANG")
    where = step.where.dropped(step.env, env, Loss.REMOTE_SHELL, step.at, name)
    text = EMPTY
    for index, word in enumerate(rest):
        text = text + (literal(" ") if index else EMPTY) + word.text
    body = step.heredoc if not rest else None
    where = replace(where.link(name), in_job=False, in_step=False, remote=True, batch=False)
    inner = step.next(rest, env=env, where=where, cwd=None)
    if rest:
        run_script(inner, replace(rest[0], text=text), (), shell)
    elif body is not None:
        run_script(inner, body, (), shell)


def flock(step: Step, shell: Shell) -> None:
    """``flock FILE command`` and ``flock FILE -c '...'``; with a number alone it starts nothing."""
    from lens_preflight.jobs.chain import follow
    from lens_preflight.jobs.scripts import run_script

    options = split(step.words[1:], ("-w", "--timeout", "--wait", "-E", "--conflict-exit-code"))
    rest, where = options.rest[1:], step.where.link("flock")
    if len(rest) > 1 and rest[0].constant in ("-c", "--command"):
        run_script(step.next(rest[1:], where=where), rest[1], (), shell)
    elif rest:
        follow(step.next(rest, where=where), shell)


WRAPPERS: dict[str, Link] = {
    **dict.fromkeys(_TRANSPARENT, transparent),
    "env": env_command,
    "sudo": sudo,
    "su": su,
    "flock": flock,
    "xargs": xargs,
    "find": find,
    "parallel": parallel,
    "runuser": runuser,
    **dict.fromkeys(("ssh", "rsh", "pdsh", "parallel-ssh", "pssh", "clush", "mpssh"), remote),
    "uv": uv,
    **dict.fromkeys(
        ("poetry", "pixi", "pipenv", "conda", "mamba", "micromamba", "pdm", "hatch", "rye"), package_runner
    ),
}
