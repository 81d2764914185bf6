"""Names of libraries that the program replaces: what is read there afterwards, and what Lens does with them."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import calls, imports
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.registry import MODELS, Call, model
from lens_preflight.program.state import Hook, Site, State
from lens_preflight.program.tables import HARD_EXITS, LENS
from lens_preflight.program.values import Bound, Const, Func, Lib, Ref, Unknown, Value, Wrapped

MARK = "replaced "
"""What stands before the path among the modules."""

CONFIG = f"{LENS}.NemoLensConfig"
HANDLE = f"{LENS}.TelemetryHandle"
READ_BY_PROGRAMS = ("setup_telemetry", "NemoLensConfig", "_INITIALIZED", "_INSTRUMENTATION_SCOPE")
"""Names of the modules of Lens that Lens itself does not look up there when it decides."""

DECIDING = ("handle", "strategies", "providers", "sampling", "state", "config")
"""Modules of Lens with the functions that its setup calls."""

EXCEPTIONS = "sys.excepthook"
"""Called with an exception that nobody handled, unless it ends the program on purpose."""

CHOOSING = ("handle._should_export", "strategies")
"""Those of them that say which processes export, of those that are switched on."""

FLUSHING = ("shutdown", "flush", "provider")
"""Words in names of OpenTelemetry that the shutdown of a handle goes through."""


def note(m: Machine, target: Lib, name: str, value: Value, state: State, frame: Frame, node: ast.AST) -> None:
    """Remember ``target.name = value`` when it bears on telemetry; settings of libraries do not."""
    path = f"{target.path}.{name}"
    plain = isinstance(value, Const) and value.value is not None
    known = path in MODELS or path in HARD_EXITS or path == EXCEPTIONS
    known = known or (isinstance(value, Ref) and state.read(value.id).kind == "handle" and "()" not in path)
    if (path.startswith((f"{LENS}.", "opentelemetry.")) and not plain) or known:
        attrs = state.edit(imports.MODULES).attrs
        attrs[MARK + path] = value
        attrs[f"place of {path}"] = Const((frame.path, getattr(node, "lineno", 1)))


def read(m: Machine, target: Lib, name: str, state: State, frame: Frame, node: ast.AST) -> Value | None:
    """What stands under a name of a library since the program put it there; None where it did not."""
    value = state.read(imports.MODULES).attrs.get(f"{MARK}{target.path}.{name}")
    if isinstance(value, Wrapped) and value.role == "staticmethod":
        return value.inner
    if isinstance(value, Wrapped) and value.role == "classmethod":
        return Bound(target, value.inner)
    return value


def on_handle(
    m: Machine, handle: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome] | None:
    """An attribute of a handle whose class the program changed; None when it did not change that one."""
    value = state.read(imports.MODULES).attrs.get(f"{MARK}{HANDLE}.{name}")
    if value is None:
        return None
    if isinstance(value, Func) or value == Lib(f"{HANDLE}.{name}"):
        return normal(state, Bound(handle, value))
    if isinstance(value, Wrapped) and value.role == "staticmethod":
        return normal(state, value.inner)
    if isinstance(value, Wrapped) and value.role == "property":
        return calls.invoke(m, value.inner, calls.Args([handle]), state, frame, node)
    if name == "shutdown":
        doubted(state, f"{HANDLE}.{name}", frame.site(node))
    return normal(state, value)


def replaced(state: State) -> list[str]:
    """The paths that the program replaced so far."""
    attrs = state.read(imports.MODULES).attrs
    return [name.removeprefix(MARK) for name in attrs if name.startswith(MARK)]


def words(path: str) -> str:
    """A replacement as a reason."""
    return f"a {path} that the program replaces"


def of_exceptions(state: State) -> Hook | None:
    """What the program does with an exception that nobody handled, None when it does nothing of its own."""
    attrs = state.read(imports.MODULES).attrs
    function, place = attrs.get(MARK + EXCEPTIONS), attrs.get(f"place of {EXCEPTIONS}")
    if function is None or not isinstance(place, Const):
        return None
    site = Site(place.value[0], place.value[1], EXCEPTIONS)
    return Hook(function, (Unknown(), Unknown(), Unknown()), (), site, "excepthook")


def of_setup(state: State) -> tuple[str, str]:
    """What makes it unsure whether, and in which processes, a setup exports; empty when nothing does."""
    whether = which = ""
    for path in replaced(state):
        inside = path.removeprefix(f"{LENS}.")
        module, _, rest = inside.partition(".")
        if path == inside or module not in DECIDING or not rest or rest in READ_BY_PROGRAMS:
            continue
        if inside.startswith(CHOOSING):
            which = which or words(path)
        else:
            whether = whether or words(path)
    return whether, which or whether


def of_config(state: State) -> str:
    """What makes the fields of every new configuration unsure; empty when nothing does."""
    found = (p for p in replaced(state) if p.startswith(f"{CONFIG}.") and not p.endswith(".from_env"))
    return next(map(words, found), "")


def of_reading(state: State) -> str:
    """What makes it unsure what a subclass reads from the environment; empty when nothing does."""
    path = f"{CONFIG}.from_env"
    return words(path) if path in replaced(state) else ""


def doubt_shutdown(state: State, site: Site) -> None:
    """A shutdown through replaced parts of OpenTelemetry may deliver nothing."""
    for path in replaced(state):
        parts = path.startswith("opentelemetry.") and any(w in path.lower() for w in FLUSHING)
        if parts or path.startswith((f"{LENS}.handle.trace", f"{LENS}.handle.metrics")):
            doubted(state, path, site)
            return


def doubted(state: State, path: str, site: Site) -> None:
    """Every handle is from here on perhaps shut down."""
    place = state.read(imports.MODULES).attrs.get(f"place of {path}")
    at = Site(place.value[0], place.value[1], path) if isinstance(place, Const) else site
    for number, fact in state.facts.handles:
        if fact.status in ("open", "closed") and fact.process == state.facts.process:
            why = f"the program replaces {path}, and what its own does is not followed"
            state.facts = state.facts.with_handle(number, replace(fact, status="maybe", why=why, closer=at))


@model("unittest.mock.patch.object", "unittest.mock.patch", "mock.patch.object", "mock.patch")
def patch(this: Call) -> list[Outcome]:
    """A name of a library replaced for a while; it is taken to stay so, by something unknown."""
    from lens_preflight.program import libraries

    target: Value | None = this.arg(0, "target")
    name = this.text(1, "attribute")
    text = this.text(0, "target")
    if not this.path.endswith("object"):
        head, _, name = (text or "").rpartition(".")
        target = Lib(libraries.canonical(head)) if head else None
    if isinstance(target, Lib) and name:
        note(
            this.m,
            target,
            name,
            Unknown(frozenset((f"opaque:{this.path}",))),
            this.state,
            this.frame,
            this.node,
        )
    return libraries.unknown(this)
