"""Abstract values: what the interpreter knows of the objects of a program that it does not run."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any, TypeAlias

from lens_preflight.core.data import dataclass

EMPTY: frozenset[str] = frozenset()

Taints: TypeAlias = frozenset[str]
"""What a value depends on: ``env:NAME``, ``cli:--flag``, ``rank``, ``file``, ``chance``, ``opaque:NAME``,
``const:NAME`` (a True or False that was given a name), ``choice:NAME`` (a text that was)."""


@dataclass(frozen=True, slots=True)
class Const:
    """A known immutable object. ``key`` names it for the memory of branches taken."""

    value: Any
    taints: Taints = EMPTY
    key: Hashable = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything. Two reads of one Unknown with a ``key`` branch the same way."""

    taints: Taints = EMPTY
    key: Hashable = None


@dataclass(frozen=True, slots=True)
class Ref:
    """A mutable object: the number of its cell on the heap."""

    id: int


@dataclass(frozen=True, slots=True)
class Tup:
    """A tuple of known length."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Lanes:
    """A value that differs between the processes of the world; None where no process is."""

    parts: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values, after paths were joined."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Lib:
    """An object outside the tree by its dotted path: ``torch.distributed.barrier``."""

    path: str


@dataclass(frozen=True, slots=True)
class Func:
    """A function of the tree. ``scope``: the cells of the enclosing calls, innermost first."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    path: str
    globals: int
    scope: tuple[int, ...] = ()
    defaults: tuple[Value, ...] = ()
    kwdefaults: tuple[tuple[str, Value], ...] = ()
    owner: Ref | None = None

    @property
    def name(self) -> str:
        """The name in the source; ``<lambda>`` for one without."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(frozen=True, slots=True)
class Bound:
    """A callable with its receiver."""

    receiver: Value
    func: Value


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A value with a role: property, staticmethod, partial, cached function, command, super ..."""

    role: str
    inner: Value
    extra: tuple[Value, ...] = ()
    names: tuple[tuple[str, Value], ...] = ()


Value: TypeAlias = Const | Unknown | Ref | Tup | Lanes | Choice | Lib | Func | Bound | Wrapped

NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)

RAISED = Unknown(frozenset(("exception",)), ("exception", "raised"))
"""What an exit method is told of an exception: something, though nobody knows what."""

ABSENT = Const(None, frozenset(("absent",)))
"""Stands, after paths of other processes were joined, for a key that is not in a mapping."""


def same(a: Value | None, b: Value | None) -> bool:
    """Equal, where 1, 1.0 and True are three values."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Const) and isinstance(b, Const):
        return type(a.value) is type(b.value) and a == b
    if isinstance(a, Tup) and isinstance(b, Tup):
        return len(a.items) == len(b.items) and all(map(same, a.items, b.items))
    if isinstance(a, Lanes) and isinstance(b, Lanes):
        return len(a.parts) == len(b.parts) and all(map(same, a.parts, b.parts))
    return a == b


def taints_of(value: Value | None) -> Taints:
    """What a value depends on, as far as it is on its surface."""
    if isinstance(value, Const | Unknown):
        return value.taints
    if isinstance(value, Lanes):
        found: set[str] = {"rank"}
        for part in value.parts:
            found |= taints_of(part)
        return frozenset(found)
    if isinstance(value, Tup):
        return frozenset().union(*map(taints_of, value.items)) if value.items else EMPTY
    if isinstance(value, Choice):
        return frozenset().union(*map(taints_of, value.options))
    if isinstance(value, Lib):
        return frozenset((f"opaque:{value.path}",))
    return EMPTY


def tainted(value: Value, taints: Taints) -> Value:
    """The value, depending on some more."""
    if not taints:
        return value
    if isinstance(value, Const):
        return Const(value.value, value.taints | taints, value.key)
    if isinstance(value, Unknown):
        return Unknown(value.taints | taints, value.key)
    if isinstance(value, Lanes):
        return Lanes(tuple(None if p is None else tainted(p, taints) for p in value.parts))
    return value


def key_of(value: Value | None) -> Hashable:
    """A name for the value in the memory of branches; None when it has none."""
    if isinstance(value, Const):
        if value.key is not None:
            return value.key
        return ("is", type(value.value).__name__, repr(value.value)[:80]) if not soft(value) else None
    if isinstance(value, Lib):
        return ("lib", value.path) if "()" not in value.path else None
    return value.key if isinstance(value, Unknown) else None


def derived_key(op: str, *operands: Value) -> Hashable:
    """The name of a result, from the names of its operands; None when one has none or it grows long."""
    keys = tuple(key_of(v) for v in operands)
    if None in keys or all(isinstance(v, Const) and v.key is None for v in operands):
        return None
    return (op, *keys) if len(repr(keys)) < 400 else None


def soft(value: Value) -> bool:
    """True when the value holds for this launch only: it comes from a variable, a flag or a file."""
    return any(t.startswith(("env:", "cli:", "file")) for t in taints_of(value) if not hard_variable(t))


LAUNCHER = (
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "NODE_RANK",
    "GROUP_RANK",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_NODEID",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_JOB_NUM_NODES",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK",
    "PMI_RANK",
    "PMI_SIZE",
)
"""Variables that a launcher sets in each process, and that follow from its place in the world."""


def hard_variable(taint: str) -> bool:
    """True for variables that this run decides on purpose: the world's, Lens's and OpenTelemetry's."""
    name = taint.removeprefix("env:")
    return name in LAUNCHER or name.startswith(("NEMO_LENS_", "OTEL_")) or "_OTEL_" in name
