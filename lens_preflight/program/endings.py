"""The end of a process: what runs on each way out, and the record of it."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import calls, replacements, running
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.registry import Call
from lens_preflight.program.seen import End
from lens_preflight.program.state import Hook, State


def end_all(this: Call, outcomes: list[Outcome], name: str) -> None:
    """Run the hooks of each way out, last registered first, and record the end.

    A hook that ends the process itself keeps the earlier ones from running.
    """
    for o in reduce(outcomes):
        live = [o]
        cut: list[Outcome] = []
        for hook in at_the_end(o, name):
            if hook.kind != "excepthook":
                running.at_exit(o.state)
            done = [(e, r) for e in live for r in run_hook(this, hook, e.state)]
            cut.extend(r for _, r in done if r.flow is Flow.HARD)
            live = [e._replace(state=r.state) for e, r in done if r.flow is not Flow.HARD]
        for end in (*live, *cut):
            state = end.state
            this.m.seen.ends.append(
                End(
                    end.flow,
                    state.lanes,
                    state.hypo,
                    state.facts,
                    end.origin,
                    end.error,
                    state.cond,
                    name,
                    state.last,
                    state.optional,
                )
            )


def at_the_end(o: Outcome, name: str) -> tuple[Hook, ...]:
    """What runs on one way out: the hook for exceptions, then the exit hooks, last registered first."""
    if o.flow is Flow.HARD:
        return ()
    unhandled = replacements.of_exceptions(o.state) if o.flow is Flow.RAISE and name == "main" else None
    return (*((unhandled,) if unhandled is not None else ()), *reversed(o.state.facts.hooks))


def run_hook(this: Call, hook: Hook, state: State) -> list[Outcome]:
    """One exit hook; what it raises is printed and forgotten, a hard end is one."""
    frame = replace(this.frame, path=hook.site.path, phase="atexit", cleanup=True, stack=(hook.site,))
    node = ast.Pass(lineno=hook.site.line, col_offset=0)
    args = calls.Args(list(hook.args), dict(hook.names))
    before = {number for number, _ in state.facts.open_handles}
    out: list[Outcome] = []
    for o in calls.invoke(this.m, hook.func, args, state, frame, node):
        if o.flow is Flow.YIELD:
            continue
        if hook.kind == "finalizer" and before and not o.state.facts.open_handles:
            o.state.facts = o.state.facts.noted("finalizer", hook.site)
        out.append(o if o.flow is Flow.HARD else Outcome(Flow.NORMAL, o.state))
    return reduce(out)
