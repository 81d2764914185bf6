"""Paths, and modules that are imported or run by name."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from lens_preflight.program import imports, natives, opaque_calls, statements
from lens_preflight.program.machine import Frame
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.source import Unreadable
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    Const,
    Unknown,
    Value,
)


def pure(function: Callable[..., Any]) -> Callable[[Call], list[Outcome]]:
    """A model that applies a pure function to what is known."""

    def run(this: Call) -> list[Outcome]:
        values = [*this.args.plain, *this.args.names.values()]
        return natives.apply(this.m, function, values, this.state, this.path)

    return run


@model("os.getcwd", "pathlib.Path.cwd")
def cwd(this: Call) -> list[Outcome]:
    """The working directory, taken to be where the check runs."""
    base = this.m.closure.base
    return this.done(Const(PurePosixPath(base) if "pathlib" in this.path else base))


@model("importlib.import_module", "builtins.__import__")
def import_module(this: Call) -> list[Outcome]:
    """An import by a known name."""
    name = this.text(0, "name")
    if name is None:
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    if name.startswith("."):
        package = this.text(1, "package") or ""
        name = f"{package}.{name.lstrip('.')}"
    return imports.module(this.m, name, this.state, this.frame, this.node)


@model("runpy.run_path", "runpy.run_module")
def run_path(this: Call) -> list[Outcome]:
    """Another program in this process."""
    name = this.text(0, "path_name") or this.text(0, "mod_name")
    run_name = this.args.names.get("run_name", Const("<run_path>"))
    if name is None:
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    if this.path.endswith("run_module"):
        found = this.m.closure.find(name)
        path = found.path if found is not None else None
    else:
        path = os.path.normpath(os.path.join(this.m.closure.base, name))
    if path is None:
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    return run_file(this, path, run_name)


def run_file(this: Call, path: str, name: Value) -> list[Outcome]:
    """The top level of a file under a name of its own."""
    try:
        source = this.m.closure.source(path)
    except Unreadable as error:
        this.m.seen.opaque.append((f"{this.m.relative(path)}: {error.reason}", this.site))
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    names = {"__name__": name, "__file__": Const(path), "__package__": Const("")}
    ref = this.m.new(this.state, Cell("module", names))
    inner = Frame(path, ref.id, ref.id, stack=this.frame.chain(this.node, "run"))
    out = statements.block(this.m, source.tree.body, this.state, inner)
    return [o._replace(value=Unknown()) if o.flow is Flow.NORMAL else o for o in out]
