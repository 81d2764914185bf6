"""itertools: the items of what is known, in their order; of anything else nothing is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from lens_preflight.program import access, calls, libraries, mentions, natives, opaque_calls, truths
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import MODELS, Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import NONE, Bound, Const, Lib, Ref, Tup, Unknown, Value, taints_of

FUNCTIONS: dict[str, Callable[..., Iterable[Any]]] = {"chain": itertools.chain, "product": itertools.product}
"""Those whose result follows from the items of their arguments alone."""


def known_items(this: Call, value: Value) -> list[Value] | None:
    """The items of a short iterable."""
    items = access.items_of(this.m, value, this.state)
    return items if items is not None and len(items) <= natives.MAX_ITEMS else None


def listed(this: Call, items: Iterable[Any]) -> list[Outcome]:
    """The items as a list, as far as there are not too many."""
    first = list(itertools.islice(items, natives.MAX_ITEMS + 1))
    if len(first) > natives.MAX_ITEMS:
        return unknown(this)
    values = [Tup(tuple(i)) if isinstance(i, tuple) else i for i in first]
    return this.done(this.m.new(this.state, Cell("list", items=values)))


def unknown(this: Call) -> list[Outcome]:
    """Nobody knows the items; a handle that is among what is given may be one of them, or not."""
    if any(holds_closer(this, value) for value in this.args.plain):
        taints = frozenset().union(*map(taints_of, this.args.plain))
        why = f"{this.path}() is given what shuts down, and which of it comes out is not followed"
        opaque_calls.undecided(this.state, this.site, why)
        return this.done(Unknown(taints | {f"opaque:{this.path}"}))
    return libraries.safe(this)


def holds_closer(this: Call, value: Value, depth: int = 0) -> bool:
    """True for a handle, its shutdown, an object that shuts down, and for what contains one."""
    if isinstance(value, Bound):
        return isinstance(value.func, Lib) and value.func.path.endswith(".shutdown")
    if isinstance(value, Ref):
        cell = this.state.read(value.id)
        if cell.kind == "instance":
            return mentions.mentions_shutdown(this.m, value, this.state)
        inside = natives.values_in(cell) if cell.kind in ("list", "dict", "set") and depth < 3 else ()
        return cell.kind == "handle" or any(holds_closer(this, item, depth + 1) for item in inside)
    return isinstance(value, Tup) and any(holds_closer(this, item, depth + 1) for item in value.items)


def combined(function: Callable[..., Iterable[Any]]) -> Callable[[Call], list[Outcome]]:
    """A function applied to the items of its arguments."""

    def run(this: Call) -> list[Outcome]:
        columns = columns_of(this, this.args.plain)
        whole = columns is not None and not this.args.open and not this.args.names
        return listed(this, function(*columns)) if whole and columns is not None else unknown(this)

    return run


def columns_of(this: Call, values: Iterable[Value]) -> list[list[Value]] | None:
    """The items of each of some iterables, None when those of one are not known."""
    columns = [known_items(this, value) for value in values]
    known = [items for items in columns if items is not None]
    return known if len(known) == len(columns) else None


for _name, _function in FUNCTIONS.items():
    MODELS[f"itertools.{_name}"] = combined(_function)


@model("itertools.chain.from_iterable")
def flattened(this: Call) -> list[Outcome]:
    """The items of the items."""
    outer = known_items(this, this.arg(0, "iterable"))
    inner = columns_of(this, outer) if outer is not None else None
    return unknown(this) if inner is None else listed(this, itertools.chain(*inner))


@model("itertools.islice")
def part(this: Call) -> list[Outcome]:
    """Some of the items, by their places."""
    items = known_items(this, this.arg(0, "iterable"))
    places = [v.value for v in this.args.plain[1:] if isinstance(v, Const)]
    if items is None or len(places) != len(this.args.plain) - 1 or not places:
        return unknown(this)
    try:
        return listed(this, itertools.islice(items, *places))
    except (TypeError, ValueError):
        return unknown(this)


@model("itertools.zip_longest")
def zipped(this: Call) -> list[Outcome]:
    """Rows as long as the longest column."""
    columns = columns_of(this, this.args.plain)
    if columns is None or this.args.open:
        return unknown(this)
    return listed(this, itertools.zip_longest(*columns, fillvalue=this.args.names.get("fillvalue", NONE)))


@model(
    *(
        f"itertools.{n}"
        for n in ("takewhile", "dropwhile", "filterfalse", "starmap", "cycle", "compress", "tee")
    )
)
def selected(this: Call) -> list[Outcome]:
    """Chosen by functions, or without an end."""
    return unknown(this)


@model("builtins.filter")
def filtered(this: Call) -> list[Outcome]:
    """The items that a function, or their own truth, keeps."""
    function = this.arg(0, "f")
    items = known_items(this, this.arg(1, "items"))
    if items is None or len(items) > 64 or len(this.args.plain) != 2:
        return unknown(this)
    kept: list[Value] = []
    for item in items:
        answer = (item, this.state) if function == NONE else one_answer(this, function, item)
        truth = truths.truth_of(*answer) if answer is not None else None
        if truth is None or answer is None:
            return unknown(this)
        kept += [item] if truth else []
    return listed(this, kept)


def one_answer(this: Call, function: Value, item: Value) -> tuple[Value, State] | None:
    """What a function says to an item, when there is one way through it."""
    args = calls.Args([item])
    out = calls.invoke(this.m, function, args, this.state.fork(), this.frame, this.node)
    return (out[0].value, out[0].state) if len(out) == 1 and out[0].flow is Flow.NORMAL else None
