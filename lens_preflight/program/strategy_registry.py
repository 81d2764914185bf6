"""The registry of export strategies up to 0.2: names are registered once, and unknown ones raise at the setup.

Source: ``nemo.lens.strategies`` of 0.1.0 as executed.
"""

from __future__ import annotations

import re
import sys

from lens_preflight.lens.setup import STRATEGIES
from lens_preflight.program import failures, imports, truths
from lens_preflight.program.machine import Machine
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import State, lane_numbers, part
from lens_preflight.program.tables import TELEMETRY_WORDS
from lens_preflight.program.values import FALSE, Const, Unknown, Value

ANY = "strategy *"
"""Stands among the modules for a registration whose name is not known."""

IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.M)
FAMILY = (*TELEMETRY_WORDS, "nemo", "megatron")
OURS = b"nemo.lens"


@model("nemo.lens.register_export_strategy")
def register(this: Call) -> list[Outcome]:
    """A strategy of the program under a name; a name that is taken needs ``allow_override``."""
    name = this.text(0, "name")
    modules = this.state.edit(imports.MODULES).attrs
    if name is None:
        modules[ANY] = Unknown()
        return this.done()
    taken = name in STRATEGIES or f"strategy {name}" in modules
    if name and not taken:
        modules[f"strategy {name}"] = this.arg(1, "strategy")
        return this.done()
    override = truths.truth_of(this.args.names.get("allow_override", FALSE), this.state)
    out: list[Outcome] = []
    if not name or not override:
        out.append(
            refused(this, f"the strategy {name!r} is registered already" if name else "the name is empty")
        )
    if name and override is not False:
        if override is None:
            this.state = this.state.fork()
        this.state.edit(imports.MODULES).attrs[f"strategy {name}"] = this.arg(1, "strategy")
        out.extend(this.done())
    return out


@model("nemo.lens.unregister_export_strategy")
def unregister(this: Call) -> list[Outcome]:
    """Takes a strategy of the program out again; those of the library stay."""
    name = this.text(0, "name")
    if name is None:
        return this.done()
    found = this.state.edit(imports.MODULES).attrs.pop(f"strategy {name}", None)
    if found is None or name in STRATEGIES:
        return [refused(this, f"the strategy {name!r} cannot be taken out")]
    return this.done()


def refused(this: Call, why: str) -> Outcome:
    """ValueError of the registry, remembered for the case that nothing catches it."""
    last = this.path.rpartition(".")[2]
    this.m.seen.refusals.append((f"{last} raises ValueError: {why}", this.site))
    return failures.failure(this.state.fork(), this.frame, this.node, "ValueError", f"{last}()")


def unregistered(strategy: Value, state: State) -> tuple[int, str]:
    """The lanes in which the name of the strategy is not registered, and the name."""
    mask, name = 0, ""
    for lane in lane_numbers(state.lanes):
        mine = part(strategy, lane)
        if isinstance(mine, Const) and not known(mine.value, state):
            mask, name = mask | 1 << lane, str(mine.value)
    return mask, name


def own(strategy: Value, state: State) -> bool:
    """True for a name under which the program itself has registered a function."""
    return isinstance(strategy, Const) and f"strategy {strategy.value}" in state.read(imports.MODULES).attrs


def known(name: object, state: State) -> bool:
    """True for a name that the library or the program has registered, or may have."""
    modules = state.read(imports.MODULES).attrs
    return name in STRATEGIES or f"strategy {name}" in modules or ANY in modules


def looked_up(m: Machine, strategy: Value, state: State) -> Value:
    """The strategy; one with a name that only a library outside of the tree may have registered is unknown."""
    if unregistered(strategy, state)[0]:
        for library in outside(m):
            return Unknown(frozenset((f"opaque:what {library} registers as a strategy",)))
    return strategy


def outside(m: Machine) -> list[str]:
    """The libraries that the program imports and that by their names have to do with telemetry."""
    found: list[str] = []
    for path in m.closure.sources:
        for match in IMPORT.finditer(m.closure.bytes.get(path, b"")):
            name = match.group(1)
            top = name.decode().partition(".")[0]
            if name.startswith(OURS) or name == b"nemo" or top == "opentelemetry":
                continue
            if top in sys.stdlib_module_names or m.closure.find(top) is not None:
                continue
            if any(word in name.decode().lower() for word in FAMILY):
                found.append(name.decode())
    return found
