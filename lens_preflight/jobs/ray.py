"""``ray start`` and ``ray job submit``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.options import Options, split
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.yamlnodes import get, line_of, pairs, scalar

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def ray(step: Step, shell: Shell) -> None:
    """``ray start`` and ``ray job submit``: actors have the environment of their raylet."""
    from lens_preflight.jobs.chain import follow
    from lens_preflight.jobs.programs import launch

    words = step.words[1:]
    if not words:
        return
    if words[0].constant == "start":
        names = frozenset(n for n, b in step.env if b.value is not None)
        shell.run.ray_started.append((step.at, names))
        inner = step.next(step.words, where=step.where.link("ray start"))
        launch(inner, shell, step.words[0], None, words[1:])
        return
    if [w.constant for w in words[:2]] != ["job", "submit"]:
        return
    options = split(words[2:], ("--address", "--runtime-env", "--runtime-env-json", "--working-dir", "--submission-id",
                                "--entrypoint-num-cpus", "--entrypoint-num-gpus", "--job-id",
                                "--metadata-json"))  # fmt: skip
    env = Exported({}, Rest(False, Cause.REMOTE, "the Ray cluster decides it"))
    env = env.with_(_runtime_env(options, step)).with_(_runtime_file(options, step, shell))
    where = step.where.dropped(
        step.env, step.env.only(lambda n: n in env.variables), Loss.RAY_ORDER, step.at, "ray job submit"
    )
    if options.rest:
        where = replace(where.link("ray job submit"), remote=True)
        follow(step.next(options.rest, env=env, where=where, cwd=step.cwd), shell)


def _runtime_file(options: Options, step: Step, shell: Shell) -> dict[str, Bound]:
    """``--runtime-env FILE``: the ``env_vars`` of a YAML file."""
    import yaml

    value = options.text("--runtime-env")
    named = value.path if value is not None else None
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    text = shell.run.files.text(full) if full else None
    try:
        root = yaml.compose(text or "", Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    place = shell.run.shown(full) if full else ""
    return {
        name: Bound(literal(scalar(node) or ""), Location.file(place, line_of(node)), "runtime_env")
        for name, node in pairs(get(root, "env_vars"))
    }


def _runtime_env(options: Options, step: Step) -> dict[str, Bound]:
    value = options.text("--runtime-env-json")
    known = value.template if value is not None else ""
    try:
        content = json.loads(known or "{}")
    except ValueError:
        return {}
    names = content.get("env_vars") if isinstance(content, dict) else None
    if not isinstance(names, dict):
        return {}
    symbols = {"{" + s.name + "}": s for s in (value.symbols if value is not None else ())}
    found: dict[str, Bound] = {}
    for name, text in names.items():
        pieces: list[str | Symbol] = [symbols.get(p, p) for p in re.split(r"(\{[^{}]*\})", str(text)) if p]
        found[str(name)] = Bound(Text.of(*pieces), step.at, "runtime_env")
    return found
