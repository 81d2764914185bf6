"""Launches beside the training: a download, a conversion, an exporter, which set no telemetry up and need none."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.errors import InputError, Skip, Undecided

if TYPE_CHECKING:
    from lens_preflight.lens.generations import Generation
    from lens_preflight.program.closure import Closure
    from lens_preflight.program.model import ProgramModel, Reading
    from lens_preflight.subject.launch import Launch
    from lens_preflight.subject.subject import Subject

MAX_FILES = 40
"""Files of a program that are looked through; a larger one is no errand beside the training."""

ENTRIES = frozenset({"main", "run", "launch", "cli", "app", "start", "entrypoint", "execute"})
"""Last words of calls that hand the whole program to a library."""

COMPUTED = frozenset({"import_module", "__import__", "exec", "eval", "run_path", "run_module"})
"""Calls that run what the text does not name."""

LOOPS = frozenset(
    {"jax", "flax", "optax", "haiku", "tensorflow", "keras", "lightning", "pytorch_lightning", "deepspeed"}
    | {
        "megatron",
        "accelerate",
        "composer",
        "trl",
        "nemo",
        "nemo_rl",
        "nemo_gym",
        "colossalai",
        "horovod",
        "ray",
    }
)
"""Libraries with which a program trains without a call that says so."""


def aside(subject: Subject, launch: Launch, generation: Generation) -> str:
    """Why a launch is a step beside the training; empty when it is not, or nobody can tell.

    It sets no telemetry up, all of it can be read, it calls nothing that trains, and another launch of
    the run does set telemetry up.
    """
    if launch.job is None or len(subject.launches) < 2:
        return ""
    mine = _reading(subject, launch, generation)
    if mine is None or mine.setups or mine.incomplete or mine.seen.opaque or may_train(mine.model):
        return ""
    for other in subject.launches:
        theirs = _reading(subject, other, generation) if other is not launch else None
        if theirs is not None and theirs.setups:
            return f"{_name(launch)} calls nothing that trains, and {_name(other)} is instrumented"
    return ""


def _name(launch: Launch) -> str:
    return launch.program or launch.module or launch.key


def _reading(subject: Subject, launch: Launch, generation: Generation) -> Reading | None:
    try:
        return subject.program(launch).reading(launch.settled or launch.env, launch.world, generation)
    except (Skip, Undecided, InputError):
        return None


def may_train(model: ProgramModel) -> bool:
    """Whether a file of the program calls something that trains, or hands over to a library that may."""
    from lens_preflight.program.source import Unreadable

    closure, todo, seen = model.closure, [model.entry], {model.entry}
    while todo:
        path = todo.pop()
        try:
            tree = closure.source(path).tree
        except Unreadable:
            return True
        if _trains(tree, closure):
            return True
        for name in _imported(tree):
            found = closure.find(name)
            if found is not None and found.path is not None and found.path not in seen:
                seen.add(found.path)
                todo.append(found.path)
        if len(seen) > MAX_FILES:
            return True
    return False


def _imported(tree: ast.Module) -> Iterator[str]:
    """The modules that a file names, each name behind ``from`` taken for one too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                continue
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _trains(tree: ast.Module, closure: Closure) -> bool:
    from lens_preflight.program.scopes import dotted
    from lens_preflight.program.training import trains

    origins = dict(_origins(tree, closure))
    if any(name.partition(".")[0] in LOOPS for name in _imported(tree)):
        return True
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            return True  # a part of a package: more than an errand
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        first, last = name.partition(".")[0], name.rpartition(".")[2]
        if trains(name) or last in COMPUTED:
            return True
        known = origins.get(first, not isinstance(node.func, ast.Attribute))
        if last in ENTRIES and not known:
            return True
    return False


def _origins(tree: ast.Module, closure: Closure) -> Iterator[tuple[str, bool]]:
    """Names of a file, and whether what they stand for is Python's own or can be read."""
    yield from (("self", True), ("cls", True))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, True
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], _readable(alias.name, closure)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, _readable(node.module, closure)


def _readable(module: str, closure: Closure) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or closure.find(top) is not None
