"""Environment variables as the program sees and writes them."""

from __future__ import annotations

import ast

from lens_preflight.program import natives
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.state import Site, State, part
from lens_preflight.program.values import (
    LAUNCHER,
    NONE,
    Choice,
    Const,
    Lanes,
    Ref,
    Unknown,
    Value,
    tainted,
    taints_of,
)

ENVIRON = 2
SWITCH = "NEMO_LENS_ENABLED"

OTHER = ("a variable of no interest",)
"""The key of the name that stands, in loops over the environment, for all that nobody here reads."""

HIDDEN = Unknown(frozenset(("opaque:os.environ",)))
"""A variable that may have been written under a name that is not in the source."""

READ = ("SLURM_JOB_ID", *LAUNCHER, "http_proxy", "https_proxy", "all_proxy", "no_proxy", "grpc_proxy")
"""Names that are read beside those of Lens and OpenTelemetry; proxies in any case of letters."""


def of_interest(name: str) -> bool:
    """True for a variable that Lens, OpenTelemetry, an exporter or a decision about ranks may read."""
    known = name in READ or name.lower() in READ
    return known or name.startswith(("OTEL_", "NEMO_", "GRPC_", "SSL_", "REQUESTS_")) or "_OTEL_" in name


def environ_item(
    m: Machine, value: Ref, index: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``os.environ[name]``; a variable that is not set is taken to be given by the launch."""
    if not isinstance(index, Const):
        return normal(state, Unknown(taints_of(index) | {"env:?"}))
    found = variable(m, str(index.value), state, value.id)
    if isinstance(found, Const) and found.value is None:
        return normal(state, Unknown(found.taints, ("env", index.value)))
    return normal(state, found)


def variable(m: Machine, name: str, state: State, where: int = ENVIRON) -> Value:
    """A variable as the program sees it now, in the environment or a copy of it.

    Written by the program, else as it was started.
    """
    cell = state.read(where)
    written = cell.items.get(name)
    if written is None:
        return _not_written(m, name, cell.open)
    if isinstance(written, Choice) and any(map(natives.is_absent, written.options)):
        return Unknown(taints_of(written) | taints_of(m.variable(name)))
    return natives.without_absent(written, m.variable(name))


def _not_written(m: Machine, name: str, any_name: bool) -> Value:
    """A variable as it was started; not known when it may be among those that were written unnamed."""
    started = m.variable(name)
    if any_name and name == SWITCH:
        return m.per_lane(part(started, i) if lane.on else HIDDEN for i, lane in enumerate(m.lanes))
    there = not (isinstance(started, Const) and started.value is None)
    return HIDDEN if any_name and there and name not in LAUNCHER and of_interest(name) else started


def listed(m: Machine, state: State, where: int) -> list[tuple[Value, Value]]:
    """Names and values of an environment: those of interest that may be set, then one for all others."""
    names = {v.name for v in m.env} | {str(name) for name in state.read(where).items}
    names |= {"RANK", "WORLD_SIZE", "LOCAL_RANK"}
    out: list[tuple[Value, Value]] = []
    for name in sorted(filter(of_interest, names)):
        value = variable(m, name, state, where)
        if not (isinstance(value, Const) and value.value is None):
            out.append((Const(name), value))
    return [*out, (Unknown(frozenset(("opaque:os.environ",)), OTHER), Unknown(frozenset(("env:?",))))]


def any_name(m: Machine, state: State, where: int, site: Site) -> None:
    """A write under a name that nobody knows: what was written before may be gone."""
    cell = state.edit(where)
    cell.open = True
    for name, value in cell.items.items():
        if name == SWITCH:
            cell.items[name] = m.per_lane(
                part(value, i) if lane.on else HIDDEN for i, lane in enumerate(m.lanes)
            )
        elif of_interest(str(name)) and name not in LAUNCHER:
            cell.items[name] = HIDDEN
    cell.attrs.setdefault("opened", Const((site.path, site.line)))


def cleared(m: Machine, where: Ref, state: State, frame: Frame, node: ast.AST) -> None:
    """Nothing is set any more."""
    for name in sorted({v.name for v in m.env} | set(state.read(where.id).items) | {SWITCH, *LAUNCHER}):
        set_environ(m, where, Const(name), NONE, state, frame, node)


def set_environ(
    m: Machine, value: Ref, index: Value, new: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """``os.environ[name] = text``."""
    cell = state.edit(value.id)
    if value.id != ENVIRON:  # a copy, for a child
        if isinstance(index, Const):
            cell.items[str(index.value)] = new
        cell.open = cell.open or not (isinstance(index, Const) or is_other(index))
        return normal(state)
    if isinstance(index, Const):
        cell.items[str(index.value)] = tainted(new, frozenset((f"written:{index.value}",)))
        cell.attrs[f"written {index.value}"] = Const((frame.path, getattr(node, "lineno", 1)))
        if "_EXPORT_" in str(index.value):
            m.seen.late.append(("strategy", frame.site(node)))
        if index.value == "OTEL_RESOURCE_ATTRIBUTES" and state.facts.setups:
            m.seen.late.append(("OTEL_RESOURCE_ATTRIBUTES", frame.site(node)))
    elif not is_other(index) and not harmless(begins(node)):
        any_name(m, state, ENVIRON, frame.site(node))
    return normal(state)


def restored(m: Machine, where: Ref, saved: Ref, state: State, frame: Frame, node: ast.AST) -> None:
    """``os.environ.update(saved)``: what a copy of an environment holds is set again."""
    if where.id == saved.id:
        return
    for name in sorted({v.name for v in m.env} | set(state.read(saved.id).items) | {SWITCH, *LAUNCHER}):
        value = variable(m, name, state, saved.id)
        if not (isinstance(value, Const) and value.value is None):
            set_environ(m, where, Const(name), value, state, frame, node)
    if state.read(saved.id).open:
        any_name(m, state, where.id, frame.site(node))


def merged(m: Machine, where: Ref, more: Value, state: State, frame: Frame, node: ast.AST) -> None:
    """``os.environ.update(more)`` and ``os.environ |= more``."""
    cell = state.read(more.id) if isinstance(more, Ref) else None
    if isinstance(more, Ref) and cell is not None and cell.kind == "environ":
        restored(m, where, more, state, frame, node)
        return
    known = cell is not None and isinstance(cell.items, dict)
    if cell is None or not known or cell.open:
        any_name(m, state, where.id, frame.site(node))
    for name, text in list(cell.items.items()) if cell is not None and known else ():
        set_environ(m, where, Const(name), text, state, frame, node)


def begins(node: ast.AST) -> str:
    """The text with which the name of a subscript begins, as far as the source spells it: ``environ["NCCL_" + k]``."""
    name = getattr(node, "slice", None)
    while isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        name = name.left
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def harmless(head: str) -> bool:
    """True when no variable of interest begins with a text."""
    from lens_preflight.lens.frameworks import FRAMEWORKS

    prefixes = {f"{prefix}_" for framework in FRAMEWORKS for prefix in framework.prefixes}
    known = {"OTEL_", "NEMO_", "GRPC_", "SSL_", "REQUESTS_", *prefixes, *(name.upper() for name in READ)}
    word = head.upper()
    return bool(word) and not any(one.startswith(word) or word.startswith(one) for one in known)


def written_at(state: State, name: str) -> Site | None:
    """Where the program has written a variable; one of the places when there are several."""
    return _place(state.read(ENVIRON).attrs.get(f"written {name}"), name)


def opened_at(state: State) -> Site | None:
    """Where the program has written a variable of an unknown name."""
    return _place(state.read(ENVIRON).attrs.get("opened"), "")


def _place(found: Value | None, text: str) -> Site | None:
    if isinstance(found, Choice):
        return _place(found.options[0], text)
    if isinstance(found, Lanes):
        return _place(next((p for p in found.parts if p is not None), None), text)
    return Site(found.value[0], found.value[1], text) if isinstance(found, Const) else None


def is_other(name: Value) -> bool:
    """True for the name that stands for all variables of no interest."""
    return isinstance(name, Unknown) and name.key == OTHER
