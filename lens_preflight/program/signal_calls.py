"""Signals and exit hooks: what is called when the process is told to end, or ends."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import opaque_calls, self_ends
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Hook, Installed
from lens_preflight.program.values import (
    FALSE,
    Const,
    Lib,
    Unknown,
    Value,
)

SIGTERM = 15


DEFAULT = Lib("signal.SIG_DFL")
NEVER_CAUGHT = (9, 19)


def refusals(this: Call, number: Value, text: str) -> list[Outcome]:
    """How installing a handler fails: off the main thread, or for a number that is not known to be good."""
    good = isinstance(number, Const) and number.value in range(1, 65) and number.value not in NEVER_CAUGHT
    if good and not this.frame.thread:
        return []
    return opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, text)[:1]


@model("signal.signal", "signal.sigaction")
def install(this: Call) -> list[Outcome]:
    """A handler for SIGTERM; other signals are not followed. Fails off the main thread."""
    number, handler = this.arg(0, "signum"), this.arg(1, "handler")
    failed = refusals(this, number, "signal.signal()")
    if isinstance(number, Const) and number.value != SIGTERM:
        self_ends.handled(this, number, handler)
        return [*this.done(DEFAULT), *failed]
    before = this.state.facts.sigterm
    if isinstance(handler, Const) and handler.value in (0, None):
        handler = DEFAULT
    if isinstance(handler, Const) and handler.value == 1:
        handler = Lib("signal.SIG_IGN")
    installed = Installed(handler, this.site)
    if isinstance(number, Const):
        this.state.facts = replace(this.state.facts, sigterm=installed)
        this.m.seen.installs.append((installed, this.state.hypo, this.state.lanes))
    else:
        self_ends.handled(this, number, handler)
    return [*this.done(known_to_python(before)), *failed]


@model("signal.getsignal")
def getsignal(this: Call) -> list[Outcome]:
    """The handler of now, as far as Python knows."""
    return this.done(known_to_python(this.state.facts.sigterm))


def known_to_python(installed: Installed | None) -> Value:
    """What ``signal`` tells of a handler; of one in C it knows nothing."""
    if installed is None:
        return DEFAULT
    if installed.handler == self_ends.TRACEBACK:
        return installed.args[0] if installed.args else DEFAULT
    return installed.handler


@model("faulthandler.register")
def traceback(this: Call) -> list[Outcome]:
    """A signal that prints where the program is, in C: a handler in Python does not run, unless it is chained."""
    number, chain = this.arg(0, "signum"), this.args.get(3, "chain", FALSE)
    if not isinstance(number, Const) or number.value != SIGTERM:
        self_ends.handled(this, number, Const(True))
    elif isinstance(chain, Const) and not chain.value:
        before = this.state.facts.sigterm
        kept = (known_to_python(before),) if before is not None else ()
        installed = Installed(self_ends.TRACEBACK, this.site, args=kept)
        this.state.facts = replace(this.state.facts, sigterm=installed)
        this.m.seen.installs.append((installed, this.state.hypo, this.state.lanes))
    return this.done()


@model("faulthandler.unregister")
def no_traceback(this: Call) -> list[Outcome]:
    """What Python knows of is in force again."""
    number, before = this.arg(0, "signum"), this.state.facts.sigterm
    ours = before is not None and before.handler == self_ends.TRACEBACK
    if before is not None and ours and isinstance(number, Const) and number.value == SIGTERM:
        back = Installed(known_to_python(before), before.site) if before.args else None
        this.state.facts = replace(this.state.facts, sigterm=back)
    return this.done(Unknown())


@model(
    "asyncio.get_running_loop().add_signal_handler",
    "asyncio.get_event_loop().add_signal_handler",
    "asyncio.new_event_loop().add_signal_handler",
)
def loop_handler(this: Call) -> list[Outcome]:
    """A callback of the event loop."""
    number = this.arg(0, "sig")
    if not isinstance(number, Const) or number.value != SIGTERM:
        self_ends.handled(this, number, this.arg(1, "callback"))
    else:
        rest = tuple(this.args.plain[2:])
        installed = Installed(this.arg(1, "callback"), this.site, True, rest)
        this.state.facts = replace(this.state.facts, sigterm=installed)
        this.m.seen.installs.append((installed, this.state.hypo, this.state.lanes))
    return [
        *this.done(),
        *refusals(this, number, "add_signal_handler()"),
    ]


@model("atexit.register")
def register(this: Call) -> list[Outcome]:
    """A hook for the end of the process; also as a decorator."""
    function = this.arg(0, "func")
    hook = Hook(function, tuple(this.args.plain[1:]), tuple(this.args.names.items()), this.site)
    earlier = tuple(h for h in this.state.facts.hooks if h.site != hook.site or h.func == function)
    this.state.facts = replace(this.state.facts, hooks=(*earlier, hook)[-8:])
    this.m.seen.hooks.append(this.site)
    return this.done(function)


@model("weakref.finalize")
def finalizer(this: Call) -> list[Outcome]:
    """Runs when its object goes, at the latest at the end of the process."""
    function = this.arg(1, "func")
    hook = Hook(function, tuple(this.args.plain[2:]), tuple(this.args.names.items()), this.site, "finalizer")
    this.state.facts = replace(this.state.facts, hooks=(*this.state.facts.hooks, hook))
    return this.done(Unknown())


@model("atexit._clear")
def clear(this: Call) -> list[Outcome]:
    """Takes off all of them, also what finalizers wait for."""
    this.state.facts = replace(this.state.facts, hooks=())
    return this.done()


@model("atexit.unregister")
def unregister(this: Call) -> list[Outcome]:
    """Takes off hooks that are equal."""
    function = this.arg(0, "func")
    kept = tuple(h for h in this.state.facts.hooks if h.func != function)
    this.state.facts = replace(this.state.facts, hooks=kept)
    return this.done()
