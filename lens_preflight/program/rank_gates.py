"""Decorators of libraries that call the function in some processes of the world only."""

from __future__ import annotations

from lens_preflight.program import calls, libraries, opaque_calls, truths
from lens_preflight.program.known_values import RANK_GATES
from lens_preflight.program.outcomes import Outcome, normal, reduce
from lens_preflight.program.registry import MODELS, Call, model
from lens_preflight.program.values import NONE, Const, Lib, Wrapped

WORDS = frozenset(
    ("rank", "rank0", "zero", "main", "master", "primary", "leader", "chief", "only", "process")
)
"""Words in the name of a decorator that may choose between processes."""


def may_choose(path: str) -> bool:
    """True when a decorator of a library sounds as if not every process called the function."""
    last = path.replace("()", "").rpartition(".")[2]
    return not WORDS.isdisjoint(last.lower().split("_"))


def gate(this: Call) -> list[Outcome]:
    """The decorator: the function, behind its gate."""
    return this.done(Wrapped("gated", this.arg(0, "fn"), (Const(RANK_GATES[this.path]),)))


for _path in RANK_GATES:
    MODELS[_path] = gate


@model("wrapped:gated")
def call_gated(this: Call) -> list[Outcome]:
    """The function in the process that the gate lets through; None in all others."""
    fn = this.receiver
    assert isinstance(fn, Wrapped) and isinstance(fn.extra[0], Const)
    mine = libraries.place(this.m, str(fn.extra[0].value))
    out: list[Outcome] = []
    for here, truth in truths.split(this.m, mine, this.state, this.frame):
        if truth:
            out.extend(calls.invoke(this.m, fn.inner, this.args, here, this.frame, this.node))
        else:
            out.extend(normal(here, NONE))
    return reduce(out)


@model("wrapped:chosen")
def call_chosen(this: Call) -> list[Outcome]:
    """A function behind a decorator that may choose: it is called, or not."""
    fn = this.receiver
    assert isinstance(fn, Wrapped) and isinstance(fn.extra[0], Lib)
    args = calls.Args([fn.inner, *this.args.plain], this.args.names, this.args.open)
    return opaque_calls.opaque(this.m, fn.extra[0].path, args, this.state, this.frame, this.node)
