"""Imports: modules of the tree are run where they are imported, all others are libraries."""

from __future__ import annotations

import ast

from lens_preflight.lens import surface
from lens_preflight.program import access, failures, statements
from lens_preflight.program.closure import Found
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.source import Unreadable
from lens_preflight.program.state import Cell, State
from lens_preflight.program.tables import LENS
from lens_preflight.program.values import Choice, Const, Lanes, Lib, Ref, Unknown, Value

MODULES = 1
"""The cell of loaded modules by name."""

RELIABLE = (LENS, "nemo", "opentelemetry")
"""Libraries that are taken to be installed where the program runs."""

STAR = {LENS: tuple(sorted(surface.NAMES))}
"""What a star import of a library brings."""


def plain(m: Machine, node: ast.Import, state: State, frame: Frame) -> list[Outcome]:
    """``import a.b as c``."""
    live = [state]
    out: list[Outcome] = []
    for alias in node.names:
        following: list[State] = []
        for here in live:
            for o in module(m, alias.name, here, frame, node):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                bind_import(m, alias, o.value, o.state, frame)
                following.append(o.state)
        live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


def bind_import(m: Machine, alias: ast.alias, value: Value, state: State, frame: Frame) -> None:
    """The name that an import binds: the top package, or the module under another name."""
    from lens_preflight.program import objects

    if alias.asname:
        objects.bind(m, alias.asname, value, state, frame)
        return
    top = alias.name.partition(".")[0]
    found = state.read(MODULES).attrs.get(top)
    objects.bind(m, top, found if found is not None else Lib(top), state, frame)


def from_module(m: Machine, node: ast.ImportFrom, state: State, frame: Frame) -> list[Outcome]:
    """``from a import b``."""
    name = absolute(m, node, state, frame)
    if name is None:
        return [failures.failure(state, frame, node, "ImportError", "a relative import")]
    if name == "__future__":
        return normal(state)
    out: list[Outcome] = []
    for o in module(m, name, state, frame, node):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        out.extend(take_names(m, node, name, o.value, o.state, frame))
    return out


def take_names(
    m: Machine, node: ast.ImportFrom, name: str, value: Value, state: State, frame: Frame
) -> list[Outcome]:
    """Bind the names that are taken from a module; a missing one may be a submodule."""
    from lens_preflight.program import libraries, objects

    live = [state]
    out: list[Outcome] = []
    for alias in node.names:
        following: list[State] = []
        for here in live:
            if alias.name == "*":
                star(m, value, here, frame)
                following.append(here)
                continue
            target = alias.asname or alias.name
            if not isinstance(value, Ref | Lib):
                objects.bind(m, target, Unknown(frozenset((f"opaque:{name}.{alias.name}",))), here, frame)
                following.append(here)
                continue
            if isinstance(value, Lib):
                for o in libraries.attribute(m, value, alias.name, here, frame, node):
                    if o.flow is Flow.NORMAL:
                        objects.bind(m, target, o.value, o.state, frame)
                        following.append(o.state)
                    else:
                        out.append(o._replace(error="ImportError"))
                continue
            found = here.read(value.id).attrs.get(alias.name)
            if found is not None:
                objects.bind(m, target, found, here, frame)
                following.append(here)
                continue
            for o in submodule(m, name, alias.name, here, frame, node):
                if o.flow is Flow.NORMAL:
                    objects.bind(m, target, o.value, o.state, frame)
                    following.append(o.state)
                else:
                    out.append(o)
        live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


def submodule(
    m: Machine, package: str, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """A name that a package does not have: its submodule, else nothing that is known."""
    full = f"{package}.{name}"
    if m.closure.find(full) is not None:
        return module(m, full, state, frame, node)
    loaded = state.read(MODULES).attrs.get(package)
    loading = isinstance(loaded, Ref) and state.read(loaded.id).extra == "running"
    opaque = isinstance(loaded, Ref) and state.read(loaded.id).open
    if loading or opaque:
        return normal(state, Unknown(frozenset((f"opaque:{full}",))))
    return [failures.failure(state, frame, node, "ImportError", f"import {name}")]


def star(m: Machine, value: Value, state: State, frame: Frame) -> None:
    """``from x import *``: ``__all__``, else every public name."""
    from lens_preflight.program import objects

    if isinstance(value, Lib):
        for name in STAR.get(value.path, ()):
            objects.bind(m, name, Lib(f"{value.path}.{name}"), state, frame)
        return
    assert isinstance(value, Ref)
    attrs = state.read(value.id).attrs
    names = [n for n in attrs if not n.startswith("_")]
    listed = attrs.get("__all__")
    if listed is not None:
        items = access.items_of(m, listed, state)
        if items is not None:
            names = [i.value for i in items if isinstance(i, Const)]
    for name in names:
        if name in attrs:
            objects.bind(m, name, attrs[name], state, frame)


def absolute(m: Machine, node: ast.ImportFrom, state: State, frame: Frame) -> str | None:
    """The absolute name of the module of a from-import."""
    if not node.level:
        return node.module or ""
    package = state.read(frame.globals).attrs.get("__package__")
    base = package.value if isinstance(package, Const) else None
    if not base:
        return None
    words = str(base).split(".")
    if node.level - 1 >= len(words):
        return None
    words = words[: len(words) - (node.level - 1)]
    return ".".join([*words, *([node.module] if node.module else [])])


def module(m: Machine, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Import a module: its packages first, each once; the value is the module itself."""
    if m.closure.find(name) is None and m.closure.find(name.partition(".")[0]) is None:
        return library(m, name, state, frame, node)
    from lens_preflight.program import objects

    live: list[State] = [state]
    out: list[Outcome] = []
    head = ""
    for word in name.split("."):
        parent, head = head, f"{head}.{word}" if head else word
        following: list[State] = []
        for here in live:
            for o in one_module(m, head, here, frame, node):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                above = o.state.read(MODULES).attrs.get(parent) if parent else None
                if isinstance(above, Ref):
                    o.state.edit(above.id).attrs[word] = o.value
                following.append(o.state)
        live = following
    for here in live:
        value = here.read(MODULES).attrs.get(name, Lib(name))
        for there, option in (
            objects.split_options(value, here) if isinstance(value, Choice | Lanes) else ((here, value),)
        ):
            there.edit(MODULES).attrs[name] = option
            out.extend(normal(there, option))
    return out


def library(m: Machine, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Import something outside the tree; inside a try it may be missing."""
    done = normal(state, Lib(name))
    matters = m.plan.small and (frame.guarded or state.facts.open_handles)
    if not matters or name.partition(".")[0] in RELIABLE or is_standard(name):
        return done
    failed = failures.failure(state.fork(), frame, node, "ImportError", f"import {name}")
    failed.state.hypo = True
    return [*done, failed]


def is_standard(name: str) -> bool:
    """True for modules of the standard library."""
    import sys

    return name.partition(".")[0] in sys.stdlib_module_names


def one_module(m: Machine, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Load one module or package of the tree, unless it is loaded."""
    loaded = state.read(MODULES).attrs.get(name)
    if isinstance(loaded, Choice | Lanes):
        from lens_preflight.program import objects

        out: list[Outcome] = []
        for here, option in objects.split_options(loaded, state):
            here.edit(MODULES).attrs[name] = option
            out.extend(normal(here, option))
        return out
    if loaded is not None:
        return normal(state, loaded)
    found = m.closure.find(name)
    if found is None:
        if name.partition(".")[0] in RELIABLE:
            return normal(state, Lib(name))
        return [failures.failure(state, frame, node, "ModuleNotFoundError", f"import {name}")]
    return load(m, found, state, frame, node)


def load(m: Machine, found: Found, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Run a module's top level."""
    cell = Cell("module", module_names(found))
    ref = m.new(state, cell)
    state.edit(MODULES).attrs[found.name] = ref
    if found.path is None:
        return normal(state, ref)
    if not m.plan.runs(found.path) or not m.closure.hot(found.path):
        cell.open = True
        return normal(state, ref)
    try:
        source = m.closure.source(found.path)
    except Unreadable as error:
        return unreadable(m, found, error, ref, state, frame, node)
    state.edit(ref.id).extra = "running"
    inner = Frame(
        found.path,
        ref.id,
        ref.id,
        stack=frame.chain(node, "import"),
        cleanup=frame.cleanup,
        phase=frame.phase,
    )
    loose = m.plan.loose_globals(found.path, m.closure.data(found.path))
    out: list[Outcome] = []
    for o in statements.block(m, source.tree.body, state, inner):
        if o.flow is Flow.NORMAL:
            done = o.state.edit(ref.id)
            done.extra = None
            for name in loose & done.attrs.keys():
                done.attrs[name] = Unknown(frozenset((f"opaque:{name}",)))
            out.append(o._replace(value=ref))
        elif o.flow is not Flow.YIELD:
            o.state.edit(MODULES).attrs.pop(found.name, None)
            out.append(o)
    return out


def module_names(found: Found) -> dict[str, Value]:
    """What a module knows of itself."""
    package = found.name if found.folders else found.name.rpartition(".")[0]
    names: dict[str, Value] = {"__name__": Const(found.name), "__package__": Const(package)}
    if found.path is not None:
        names["__file__"] = Const(found.path)
    return names


def unreadable(
    m: Machine, found: Found, error: Unreadable, ref: Ref, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """A helper that cannot be parsed: all in it is unknown, and importing it may raise."""
    m.seen.opaque.append((f"{m.relative(found.path or found.name)}: {error.reason}", frame.site(node)))
    state.edit(ref.id).open = True
    failed = failures.failure(state.fork(), frame, node, "SyntaxError", f"import {found.name}")
    return [*normal(state, ref), failed]
