"""``uv run`` and other runners of Python environments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.names import ENV_NAME
from lens_preflight.jobs.options import split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def uv(step: Step, shell: Shell) -> None:
    """``uv run``: a file of variables fills in only what is not set."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    while words and words[0].constant.startswith("-") and words[0].constant != "-m":
        words = words[2:] if words[0].constant in ("--directory", "--project", "--cache-dir") else words[1:]
    if not words or words[0].constant != "run":
        return
    valued = (
        "--env-file --extra --with --with-requirements --with-editable -p --python --group --only-group --no-group "
        "--package --directory --project --index --index-url --extra-index-url --find-links --config-file --cache-dir "
        "-m --module -w --refresh-package --upgrade-package -P --no-extra"
    )
    options = split(words[1:], valued.split())
    env = step.env
    files = [o.value for o in options.all("--env-file") if o.value is not None]
    ambient = step.env.value("UV_ENV_FILE")
    for value in files or ([ambient] if ambient is not None and ambient.constant else []):
        env = _filled(env, value, step, shell)
    where = step.where.link("uv run")
    module = options.text("-m", "--module")
    if module is not None:
        head = options.given[0].word
        words = (replace(head, text=literal("python")), replace(head, text=literal("-m")),
                 replace(head, text=module), *options.rest)  # fmt: skip
        follow(step.next(words, env=env, where=where), shell)
    elif options.rest:
        rest = options.rest
        if rest[0].constant.endswith(".py") or rest[0].text.template.endswith(".py"):
            rest = (replace(rest[0], text=literal("python")), *rest)
            where = step.where.link("uv run")
        follow(step.next(rest, env=env, where=where), shell)


def _filled(env: Exported, value: Text, step: Step, shell: Shell) -> Exported:
    named = value.path
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    text = shell.run.files.text(full) if full else None
    if text is None or full is None:
        shell.run.cannot_read(f"--env-file {value.template}", "the file cannot be read from here", step.at)
        why = "a file that cannot be read here may set it"
        return replace(env, rest=Rest(False, Cause.OPAQUE, why, step.at)) if env.rest.complete else env
    shown = shell.run.shown(full)
    changes: dict[str, Bound] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, content = line.strip().removeprefix("export ").partition("=")
        if not equals or name.startswith("#") or not ENV_NAME.fullmatch(name.strip()):
            continue
        current = env.value(name.strip())
        if current is None or (current.optional and current.symbols[0].cause is Cause.SUBMITTER):
            content = content.strip()
            quoted = len(content) > 1 and content[0] == content[-1] and content[0] in "\"'"
            plain = content[1:-1] if quoted else re.sub(r"\s+#.*$", "", content)
            from lens_preflight.jobs.text import assume

            text_value = literal(plain) if current is None else assume(literal(plain), name.strip())
            changes[name.strip()] = Bound(text_value, Location.file(shown, number), "--env-file")
    return env.with_(changes)


def package_runner(step: Step, shell: Shell) -> None:
    """``poetry run``, ``pixi run``, ``conda run -n ENV``: the environment stays."""
    from lens_preflight.jobs.chain import follow

    words = step.words[1:]
    if not words or words[0].constant != "run":
        return
    options = split(words[1:], ("-n", "--name", "-p", "--prefix", "-e", "--environment", "--cwd", "-C"))
    if options.rest:
        follow(step.next(options.rest, where=step.where.link(f"{step.words[0].constant} run")), shell)
