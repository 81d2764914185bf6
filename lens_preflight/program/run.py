"""One run: the entry of a program, from its first line to every end of its process."""

from __future__ import annotations

import ast

from lens_preflight.program import (
    argument_calls,
    async_calls,
    bridge_calls,
    builtin_calls,
    byte_variables,
    collective_calls,
    command_calls,
    config_calls,
    containers,
    context_calls,
    deletions,
    dotenv_calls,
    endings,
    framework_calls,
    group_calls,
    imports,
    iteration_calls,
    lazy_maps,
    lens_calls,
    libraries,
    module_calls,
    out_of_sight,
    pattern_calls,
    process_calls,
    process_pools,
    provider_calls,
    rank_gates,
    self_ends,
    signal_calls,
    statements,
    stdlib_calls,
    strategy_registry,
    thread_calls,
    thread_pools,
    variables,
)
from lens_preflight.program.budget import Exhausted
from lens_preflight.program.calls import Args
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.registry import Call
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import Const, Value

MODELS = (
    argument_calls,
    async_calls,
    bridge_calls,
    byte_variables,
    builtin_calls,
    collective_calls,
    command_calls,
    config_calls,
    context_calls,
    containers,
    deletions,
    dotenv_calls,
    framework_calls,
    group_calls,
    lazy_maps,
    iteration_calls,
    lens_calls,
    module_calls,
    pattern_calls,
    process_calls,
    process_pools,
    provider_calls,
    rank_gates,
    self_ends,
    signal_calls,
    stdlib_calls,
    strategy_registry,
    thread_calls,
    thread_pools,
)
"""Modules that register what they know by being imported."""


def run(m: Machine, path: str, package: str = "") -> str:
    """Interpret an entry file as ``__main__``; returns why it was not finished, empty when it was.

    What was seen is in ``m.seen``. Raises Unreadable when the entry does not parse.
    """
    source = m.closure.source(path)
    m.package = package
    state = State(m.all_lanes, {}, limit=6 if m.plan.small and not m.coarse else 1)
    state.meter.drops = not m.plan.small
    state.add(imports.MODULES, Cell("modules"))
    state.add(variables.ENVIRON, Cell("environ", items={}))
    state.add(libraries.SYSPATH, Cell("syspath", items=[]))
    names: dict[str, Value] = {"__name__": Const("__main__"), "__file__": Const(path)}
    names["__package__"] = Const(package)
    main = m.new(state, Cell("module", names))
    state.edit(imports.MODULES).attrs.update({"__main__": main, "main file": Const(path)})
    frame = Frame(path, main.id, main.id)
    top = ast.Pass(lineno=1, col_offset=0)
    try:
        out = statements.block(m, source.tree.body, state, frame)
        end = Call(m, "the end", None, Args(), state, frame, top)
        endings.end_all(end, out, "main")
    except Exhausted as error:
        return str(error)
    except RecursionError:
        return "its calls are nested too deeply to follow"
    out_of_sight.note(m)
    return ""
