"""Pools of processes: each task runs in a child, and a child that is left over takes the next task."""

from __future__ import annotations

from lens_preflight.program import access, calls, children, imports, opaque_calls
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.process_calls import child
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import NONE, Bound, Const, Func, Lib, Tup, Unknown, Value, Wrapped

METHODS = (
    *("map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async", "apply", "apply_async"),
)
WORKERS = "pool workers"
"""Where the state remembers how many processes the last pool has, and how many tasks each may take."""

FIRST = "pool initializer"
"""Where it remembers what each process of the last pool runs first."""


@model("concurrent.futures.ProcessPoolExecutor", *(pool.removesuffix("()") for pool in children.POOLS))
def pool(this: Call) -> list[Outcome]:
    """A pool: its size, and whether a process takes one task only."""
    executor = this.path.endswith("Executor")
    size = this.args.get(0, "max_workers" if executor else "processes")
    once = this.args.get(-1 if executor else 3, "max_tasks_per_child" if executor else "maxtasksperchild")
    workers: Value = Unknown()
    if isinstance(once, Const) and once.value == 1:
        workers = NONE
    elif isinstance(size, Const) and isinstance(size.value, int):
        workers = Const(size.value)
    first = this.args.get(2 if executor else 1, "initializer", NONE) or NONE
    initial = this.args.get(3 if executor else 2, "initargs", Tup(())) or Tup(())
    this.state.edit(imports.MODULES).attrs.update({WORKERS: workers, FIRST: Tup((first, initial))})
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    return [*this.done(Lib(f"{this.path}()")), *failed]


@model(
    "concurrent.futures.ProcessPoolExecutor().submit",
    "concurrent.futures.ProcessPoolExecutor().map",
    *(f"{pool}.{method}" for pool in children.POOLS for method in METHODS),
)
def pool_submit(this: Call) -> list[Outcome]:
    """A function in a pool of processes."""
    fn = this.arg(0, "fn")
    asynchronous = this.path.endswith("_async")
    if isinstance(fn, Func | Bound | Wrapped):
        method = next((how for how in ("spawn", "forkserver") if f"{how}()" in this.path), "fork")
        times = 2 if taken_again(this) else 1
        found = child(this, fn, calls.Args([], open=True), method, times, first_of(this))
        if "Executor" not in this.path:
            children.of_pool(this, found, not asynchronous)
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    result: Value = Unknown()
    if asynchronous:
        result = this.m.new(this.state, Cell("libobj", extra=children.RESULT))
    return [*this.done(result), *failed]


def first_of(this: Call) -> tuple[Value, calls.Args] | None:
    """The initializer of the last pool with its arguments; None when it has none."""
    kept = this.state.read(imports.MODULES).attrs.get(FIRST)
    if not isinstance(kept, Tup) or not isinstance(kept.items[0], Func | Bound | Wrapped):
        return None
    items = access.items_of(this.m, kept.items[1], this.state)
    return kept.items[0], calls.Args(items or [], open=items is None)


def taken_again(this: Call) -> bool:
    """True when one process gets more than one of the tasks of this call.

    With more processes than tasks nobody can say; as a rule each gets one.
    """
    workers = this.state.read(imports.MODULES).attrs.get(WORKERS)
    items = access.items_of(this.m, this.arg(1, "iterable"), this.state)
    if "map" not in this.path.rpartition(".")[2] or workers == NONE:
        return False
    if items is None:
        return True
    return len(items) > (workers.value if isinstance(workers, Const) else len(items))
