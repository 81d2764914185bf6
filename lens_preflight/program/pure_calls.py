"""Pure functions, applied for real to what is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from lens_preflight.program import access, calls, failures, natives, opaque_calls, texts, truths
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.registry import Call
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    EMPTY,
    FALSE,
    TRUE,
    Const,
    Lanes,
    Lib,
    Tup,
    Unknown,
    Value,
    tainted,
    taints_of,
)

PURE: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "any": any,
    "all": all,
    "range": range,
    "sorted": sorted,
    "tuple": tuple,
    "list": list,
    "set": set,
    "frozenset": frozenset,
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
    "divmod": divmod,
    "round": round,
    "repr": repr,
    "ord": ord,
    "chr": chr,
    "bytes": bytes,
    "slice": slice,
    "hex": hex,
    "bin": bin,
    "complex": complex,
}


NUMBERS = ("int", "float", "len", "abs", "sum", "round", "ord", "range")


def pure(this: Call, name: str) -> list[Outcome]:
    """A pure builtin; on something unknown the result is unknown, and it may fail."""
    m, state, args = this.m, this.state, this.args.plain
    if name in ("list", "tuple", "reversed") and len(args) == 1:
        items = access.items_of(m, args[0], state)
        if items is not None and not isinstance(args[0], Lanes):
            items = items[::-1] if name == "reversed" else items
            value: Value = Tup(tuple(items))
            if name == "list":
                value = m.new(state, Cell("list", items=items))
            return this.done(value)
    if name in ("zip", "enumerate") and args:
        columns = [access.items_of(m, a, state) for a in args[: 1 if name == "enumerate" else None]]
        if all(c is not None for c in columns):
            known = [c for c in columns if c is not None]
            rows = enumerate(known[0]) if name == "enumerate" else zip(*known, strict=False)
            pairs: list[Value] = [
                Tup((Const(row[0]), row[1])) if name == "enumerate" else Tup(tuple(row)) for row in rows
            ]
            return this.done(m.new(state, Cell("list", items=pairs)))
    out = natives.apply(m, PURE[name], args, state, name, this.frame, this.node)
    unsure = any(isinstance(a, Unknown) or (isinstance(a, Lib) and "()" in a.path) for a in args)
    result: list[Outcome] = []
    for o in out:
        if name in NUMBERS and isinstance(o.value, Unknown):
            more = truths.doubts(args[0], state) if name == "len" and args else EMPTY
            o = o._replace(value=tainted(o.value, more | {"number"}))
        result.append(o)
    if unsure and name not in ("str", "repr", "len", "range", "list", "enumerate", "zip"):
        result.extend(opaque_calls.opaque_failures(m, state, this.frame, this.node, f"{name}()")[:1])
    return result


def ordered(this: Call, name: str) -> list[Outcome]:
    """``min``, ``max`` and ``sorted`` of known items by a key function of the tree."""
    key = this.args.names.get("key", Lib("builtins.str"))
    items = access.items_of(this.m, this.arg(0, "items"), this.state)
    if items is None or not 0 < len(items) <= 256 or len(this.args.plain) != 1:
        return this.done(Unknown(taints_of(this.arg(0, "items"))))
    keys: list[Value] = []
    state = this.state
    for item in items:
        out = calls.invoke(this.m, key, calls.Args([item]), state, this.frame, this.node)
        if len(out) != 1 or out[0].flow is not Flow.NORMAL:
            return this.done(Unknown(taints_of(this.arg(0, "items"))))
        keys.append(out[0].value)
        state = out[0].state
    try:
        known = [natives.known(this.m, k, state) for k in keys]
        order = sorted(range(len(items)), key=lambda i: known[i], reverse=name == "max")
    except (natives.NotKnown, TypeError):
        return normal(state, Unknown(frozenset().union(*map(taints_of, keys))))
    if name != "sorted":
        return normal(state, items[order[0]])
    backwards = this.args.names.get("reverse", FALSE)
    chosen = [items[i] for i in (reversed(order) if backwards == TRUE else order)]
    return normal(state, this.m.new(state, Cell("list", items=chosen)))


def plain_method(this: Call) -> list[Outcome]:
    """A method of a known text, number, tuple or path."""
    name = this.path.removeprefix("plain.")
    assert this.receiver is not None
    if touches_files(this.receiver, name):
        failed = opaque_calls.opaque_failures(
            this.m, this.state, this.frame, this.node, f"pathlib.Path.{name}()"
        )[:1]
        return [*this.done(Unknown(taints_of(this.receiver) | {"file"})), *failed]
    if name == "format" and isinstance(this.receiver, Const) and not this.args.open:
        missing = texts.missing_field(this.receiver.value, len(this.args.plain), set(this.args.names))
        if missing:
            return [failures.failure(this.state, this.frame, this.node, missing)]
    if this.args.names or this.args.open:
        return this.done(Unknown(taints_of(this.receiver)))
    return natives.apply(
        this.m, path_method(name), [this.receiver, *this.args.plain], this.state, name, this.frame, this.node
    )


FILE_METHODS = frozenset(
    (
        *(
            "read_text",
            "read_bytes",
            "write_text",
            "write_bytes",
            "open",
            "mkdir",
            "rmdir",
            "unlink",
            "touch",
        ),
        *("rename", "replace", "stat", "lstat", "chmod", "lchmod", "iterdir", "symlink_to", "hardlink_to"),
        *("readlink", "samefile", "owner", "group", "copy", "copy_into", "move", "move_into", "walk"),
        *("glob", "rglob"),
    )
)
"""Methods of a path that touch the file system and may raise."""


def touches_files(receiver: Value, name: str) -> bool:
    """True for a method of a path that may fail with the file system."""
    values = receiver.parts if isinstance(receiver, Lanes) else (receiver,)
    paths = any(isinstance(v, Const) and isinstance(v.value, PurePath) for v in values)
    return paths and name in FILE_METHODS


def path_method(name: str) -> Callable[..., Any]:
    """The method by name; of a path only what does not touch the file system."""

    def run(target: Any, *args: Any) -> Any:
        if isinstance(target, PurePath):
            if name in ("resolve", "absolute", "expanduser"):
                import os.path

                return PurePath(os.path.normpath(target))
            if not hasattr(target, name):
                raise natives.NotKnown(frozenset(("file",)))
        if (
            name in ("format", "join", "replace", "ljust", "rjust", "center", "zfill")
            and len(str(args)) > 2000
        ):
            raise natives.NotKnown
        if name in ("ljust", "rjust", "center", "zfill") and args and args[0] > 2000:
            raise natives.NotKnown
        return getattr(target, name)(*args)

    return run
