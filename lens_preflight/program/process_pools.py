"""Pools of processes: each task runs in a child."""

from __future__ import annotations

from lens_preflight.program import calls, opaque_calls
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.process_calls import child
from lens_preflight.program.registry import Call, model
from lens_preflight.program.values import Bound, Func, Unknown, Wrapped


@model(
    "concurrent.futures.ProcessPoolExecutor().submit",
    "concurrent.futures.ProcessPoolExecutor().map",
    "multiprocessing.Pool().map",
    "multiprocessing.Pool().apply_async",
    "multiprocessing.Pool().apply",
    "multiprocessing.fork().Pool().map",
    "multiprocessing.spawn().Pool().map",
    "multiprocessing.Pool().starmap",
    "multiprocessing.Pool().imap_unordered",
)
def pool_submit(this: Call) -> list[Outcome]:
    """A function in a pool of processes."""
    fn = this.arg(0, "fn")
    if isinstance(fn, Func | Bound | Wrapped):
        method = "spawn" if "spawn()" in this.path else "fork"
        child(this, fn, calls.Args([], open=True), method)
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    return [*this.done(Unknown()), *failed]
