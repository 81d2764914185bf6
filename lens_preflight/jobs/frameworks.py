"""Flags and YAML of a framework as the variables that they end up in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.jobs.environment import SUBMITTER
from lens_preflight.jobs.written import WHY
from lens_preflight.lens.frameworks import Effect, Framework, Projection

if TYPE_CHECKING:
    from lens_preflight.jobs.run import Files

CONFIG_FLAGS = ("--config", "--config-path", "--config_file", "--config-file", "-c")
_OVERRIDE = re.compile(r"(?:\+\+?)?([\w.]+)=(.*)")
_INHERIT = 4


def overlaid(
    env: Environment,
    framework: Framework,
    args: Sequence[str],
    at: Location,
    files: Files,
    folder: str | None,
    shown: object,
) -> Environment:
    """The environment after the framework has put its flags and its YAML into it."""
    changes = list(_flags(framework, args, at))
    env = env.over(changes)
    if framework.projection is not Projection.NONE:
        env = env.over(_yaml(env, framework, args, at, files, folder, shown))
    return env


def _flags(framework: Framework, args: Sequence[str], at: Location) -> list[Variable]:
    found: list[Variable] = []
    for flag in framework.flags:
        value = _flag_value(flag.name, args, flag.effect is Effect.ENABLE_ONLY)
        if value is None:
            continue
        name = "OTEL_SERVICE_NAME" if flag.key == "SERVICE_NAME" else f"{framework.prefix}_{flag.key}"
        found.append(Variable(name, State.VALUE, value, Origin(flag.name, at)))
    return found


def _flag_value(name: str, args: Sequence[str], switch: bool) -> str | None:
    spelled = {name, name.replace("-", "_").replace("__", "--", 1)}
    for index, arg in enumerate(args):
        head, equals, rest = arg.partition("=")
        if head in spelled:
            if switch:
                return "1"
            value = rest if equals else (args[index + 1] if index + 1 < len(args) else None)
            return None if value is None or "{" in value else value
    return None


def config_files(args: Sequence[str]) -> list[str]:
    """The configuration files that the arguments name."""
    found = []
    for index, arg in enumerate(args):
        head, equals, rest = arg.partition("=")
        if head in CONFIG_FLAGS:
            value = rest if equals else (args[index + 1] if index + 1 < len(args) else "")
            if value.endswith((".yaml", ".yml")):
                found.append(value)
    return found


def _yaml(
    env: Environment,
    framework: Framework,
    args: Sequence[str],
    at: Location,
    files: Files,
    folder: str | None,
    shown: object,
) -> list[Variable]:
    """The fields of the telemetry block, written where the prefixed variable is not set yet."""
    assert callable(shown)
    block: dict[str, tuple[str | None, Location]] = {}
    for name in config_files(args):
        path = name if os.path.isabs(name) else (os.path.join(folder, name) if folder else "")
        if path:
            block.update(_block(path, framework.yaml_path, files, shown, 0))
    for arg in args:
        override = _OVERRIDE.fullmatch(arg)
        if override and override[1].startswith(framework.yaml_path + "."):
            block[override[1].removeprefix(framework.yaml_path + ".")] = (override[2], at)
    found: list[Variable] = []
    for one in framework.yaml_fields:
        if not one.key or one.name not in block:
            continue
        value, where = block[one.name]
        name = one.key if one.key.startswith("OTEL_") else f"{framework.prefix}_{one.key}"
        variable = env[name]
        open_ = variable.state is State.UNKNOWN and variable.reason == SUBMITTER
        effective = framework.projection is Projection.EFFECTIVE_ENABLED and one.key == "ENABLED"
        blank = effective and variable.state is State.VALUE and not (variable.value or "").strip()
        if open_ or blank or variable.state is State.UNSET:
            origin = Origin(f"{framework.yaml_path}.{one.name}", where)
            reason = f"unless the submitter exports {name}" if open_ else ""
            if value is None:
                found.append(Variable(name, State.UNKNOWN, None, origin, reason=WHY))
                continue
            text = _spelled(value, one.type)
            found.append(Variable(name, State.VALUE, text, origin, reason=reason))
    return found


def _spelled(value: str, type_: str) -> str:
    if type_ == "bool":
        return {"true": "1", "false": "0"}.get(value.lower(), value)
    return value


def _block(
    path: str, key: str, files: Files, shown: object, depth: int
) -> dict[str, tuple[str | None, Location]]:
    """The scalar fields of one top-level block, with their lines; files named by ``defaults`` first.

    None stands for the value in a file that the job itself changes.
    """
    import yaml

    assert callable(shown)
    made = files.written.content(path)
    changed = made is not None and made.text is None and not made.gone
    text = files.found(path) if changed else files.text(path)
    if text is None or depth > _INHERIT:
        return {}
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    found: dict[str, tuple[str | None, Location]] = {}
    if not isinstance(root, yaml.MappingNode):
        return found
    pairs = {k.value: v for k, v in root.value if isinstance(k, yaml.ScalarNode)}
    parents = pairs.get("defaults")
    names = (
        [parents]
        if isinstance(parents, yaml.ScalarNode)
        else (parents.value if isinstance(parents, yaml.SequenceNode) else [])
    )
    for name in names:
        if isinstance(name, yaml.ScalarNode) and name.value.endswith((".yaml", ".yml")):
            parent = os.path.normpath(os.path.join(os.path.dirname(path), name.value))
            found.update(_block(parent, key, files, shown, depth + 1))
    block = pairs.get(key)
    if isinstance(block, yaml.MappingNode):
        for k, v in block.value:
            if (
                isinstance(k, yaml.ScalarNode)
                and isinstance(v, yaml.ScalarNode)
                and not v.tag.endswith(":null")
            ):
                value = None if changed else v.value
                found[k.value] = (value, Location.file(shown(path), k.start_mark.line + 1))
    return found
