"""Ends that a process brings upon itself: signals to its own number or group, commands, and timers."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import access, calls, children, imports, opaque_calls
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import FALSE, Bound, Const, Func, Lib, Unknown, Value, Wrapped, taints_of

SIGTERM = 15
INTERRUPT = 2
ALARM = 14
HARMLESS = (17, 18, 23, 28, 13)
"""Signals that a Python process ignores by default: CHLD, CONT, URG, WINCH, PIPE."""

OWN = ("os.getpid()", "os.getpgrp()", "multiprocessing.current_process().pid", "psutil.Process().pid")
"""The number of this very process, or of its group."""

EVERYBODY = (0, -1)
"""The own group, and every process that may be signalled."""

DEADLY = frozenset(("-9", "-KILL", "-SIGKILL", "-s9", "KILL", "SIGKILL"))
"""Words of a ``kill`` that no handler survives."""

TIMER = "timer"
"""The kind of the note about a watchdog. One that is armed while things are cleaned up bounds the shutdown itself."""

TRACEBACK = Lib("faulthandler.register()")
"""The handler in C that prints where every thread is, and lets the program go on."""


def handled(this: Call, number: Value, handler: Value) -> None:
    """Remember that a signal other than SIGTERM has a handler of the program's own, or none any more."""
    default = handler == Lib("signal.SIG_DFL") or (isinstance(handler, Const) and handler.value in (0, None))
    name = number.value if isinstance(number, Const) else "*"
    attrs = this.state.edit(imports.MODULES).attrs
    attrs.update({f"signal {name}": Const(not default), f"handler {name}": handler})


def has_handler(number: object, state: State) -> bool:
    """True when a signal has a handler of the program's own."""
    if number == SIGTERM:
        installed = state.facts.sigterm
        return installed is not None and installed.handler != Lib("signal.SIG_DFL")
    modules = state.read(imports.MODULES).attrs
    return any(modules.get(f"signal {name}", FALSE) != FALSE for name in (number, "*"))


@model("signal.raise_signal", "signal.pthread_kill", "os.kill", "os.killpg")
def kill(this: Call) -> list[Outcome]:
    """A signal: what this process does not survive ends it, what goes to another does nothing here."""
    if this.path.startswith("signal."):
        return struck(this, True, this.arg(0 if this.path.endswith("raise_signal") else 1, "signalnum"))
    target = this.arg(0, "pgid" if this.path.endswith("killpg") else "pid")
    sent = this.arg(1, "signal")
    numbered = (
        isinstance(target, Bound) and isinstance(target.func, Lib) and target.func.path.endswith(".pid")
    )
    if (numbered or "child" in taints_of(target)) and not (
        isinstance(sent, Const) and sent.value in (0, *HARMLESS)
    ):
        children.ends(this, None, sent == Const(SIGTERM))
    return struck(this, own(target), sent)


def own(target: Value) -> bool | None:
    """Whether a process number is the own one: yes, no, or perhaps when it is computed from it."""
    if isinstance(target, Const):
        return target.value in EVERYBODY
    if isinstance(target, Lib):
        return target.path in OWN
    return None if of_this_process(target) else False


def of_this_process(value: Value) -> bool:
    """True for a value that was computed from the own process number."""
    return not taints_of(value).isdisjoint(f"opaque:{path}" for path in OWN)


def struck(this: Call, mine: bool | None, number: Value) -> list[Outcome]:
    """What a signal does: nothing to another process, and to this one what it does by default."""
    if mine is False or (isinstance(number, Const) and spared(number.value, this.state)):
        return this.done()
    origin = this.frame.chain(this.node, f"{this.path}()")
    if isinstance(number, Const) and number.value == INTERRUPT:
        here = this.state.fork() if mine is None else this.state
        ended = [Outcome(Flow.EXIT, here, error="KeyboardInterrupt", origin=origin)]
        return ended if mine else [*this.done(), *ended]
    if mine:
        return [Outcome(Flow.HARD, this.state, origin=origin)]
    return [*this.done(), perhaps(this.state, this.frame, this.node, f"{this.path}()")]


def spared(number: object, state: State) -> bool:
    """True for a signal that does not end this process: none, ignored, or handled by the program."""
    return number == 0 or number in HARMLESS or (number != 9 and has_handler(number, state))


def perhaps(state: State, frame: Frame, node: ast.AST, text: str) -> Outcome:
    """A hard end that may come or not."""
    here = state.fork()
    here.optional = True
    return Outcome(Flow.HARD, here, origin=frame.chain(node, text))


@model("os.getpgid", "os.getsid", "os.getpgrp")
def group(this: Call) -> list[Outcome]:
    """The group of this process, or of another one."""
    if this.path == "os.getpgrp" or own(this.arg(0, "pid")) is True:
        return this.done(Lib("os.getpgrp()"))
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")[:1]
    return [*this.done(Unknown(frozenset(("number", "child")))), *failed]


@model("psutil.Process")
def process_object(this: Call) -> list[Outcome]:
    """This process, or another one."""
    if not this.args.plain or own(this.args.plain[0]) is True:
        return this.done(Lib("psutil.Process()"))
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")[:1]
    return [*this.done(Unknown(frozenset(("child",)))), *failed]


@model("psutil.Process().kill", "psutil.Process().terminate", "psutil.Process().send_signal")
def kill_object(this: Call) -> list[Outcome]:
    """A signal to this process by its object."""
    last = this.path.rpartition(".")[2]
    number = this.arg(0, "sig") if last == "send_signal" else Const(9 if last == "kill" else SIGTERM)
    return struck(this, True, number)


@model("faulthandler.dump_traceback_later")
def watchdog(this: Call) -> list[Outcome]:
    """With ``exit=True`` the process is gone when the time is over."""
    leaves = this.args.get(3, "exit", FALSE)
    if leaves != FALSE and not this.frame.cleanup:
        this.state.facts = this.state.facts.noted(TIMER, this.site)
    return this.done()


@model("signal.alarm", "signal.setitimer")
def alarm(this: Call) -> list[Outcome]:
    """SIGALRM after a time ends a process that does not handle it; 0 takes the timer off."""
    seconds = this.arg(0 if this.path.endswith("alarm") else 1, "seconds")
    if isinstance(seconds, Const) and not seconds.value:
        return disarm(this)
    deadly = this.site if not has_handler(ALARM, this.state) else ended_by(this, ALARM)
    if deadly is not None and not this.frame.cleanup:
        this.state.facts = this.state.facts.noted(TIMER, deadly)
    return this.done()


def ended_by(this: Call, number: int) -> Site | None:
    """Where the handler of a signal ends the process hard with telemetry up; None when it does not."""
    from lens_preflight.program import beside, running

    handler = this.state.read(imports.MODULES).attrs.get(f"handler {number}")
    if not isinstance(handler, Func | Bound | Wrapped):
        return None
    frame = replace(this.frame, phase="handler", cleanup=True)
    with beside.unseen(this.m):
        args = calls.Args([Const(number), Unknown()])
        ways = calls.invoke(this.m, handler, args, this.state.fork(), frame, this.node)
    hard = (o for o in ways if o.flow is Flow.HARD and not running.closed(o.state.facts))
    return next((o.origin[0] for o in hard if o.origin), None)


@model("faulthandler.cancel_dump_traceback_later")
def disarm(this: Call) -> list[Outcome]:
    """The timer is off."""
    notes = frozenset(n for n in this.state.facts.notes if n[0] != TIMER)
    this.state.facts = replace(this.state.facts, notes=notes)
    return this.done()


def timed(m: Machine, state: State) -> list[Outcome]:
    """The end by a timer, while something runs that takes time; told once for each set of facts."""
    notes = sorted(n for n in state.facts.notes if n[0].startswith(TIMER))
    if not notes or not state.facts.open_handles:
        return []
    armed = notes[0][1]
    key = (TIMER, armed, state.facts.open_handles[0][0], state.lanes, state.hypo)
    if key in m.sampled:
        return []
    m.sampled.add(key)
    here = state.fork()
    here.optional = True
    return [Outcome(Flow.HARD, here, origin=(armed,))]


@model(
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "os.system",
    "os.spawnv",
)
def subprocess_(this: Call) -> list[Outcome]:
    """Another program: what it does is not seen here."""
    this.m.seen.opaque.append(("it starts another program", this.site))
    killed = command(this)
    if killed is not None:
        return killed
    return opaque_calls.opaque(this.m, this.path, calls.Args(), this.state, this.frame, this.node)


def command(this: Call) -> list[Outcome] | None:
    """The end of this process by a ``kill`` of its own number as a command; None for any other command."""
    first = this.arg(0, "args")
    items = access.items_of(this.m, first, this.state)
    parts = items if items is not None and not isinstance(first, Const) else [first]
    node = this.node.args[0] if isinstance(this.node, ast.Call) and this.node.args else this.node
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    words = " ".join(texts).split()
    if not any(w.rpartition("/")[2] == "kill" for w in words) or "-0" in words:
        return None
    if not any(of_this_process(p) or (isinstance(p, Lib) and own(p)) for p in parts):
        return None
    if DEADLY.isdisjoint(words) and has_handler(SIGTERM, this.state):
        return None
    return [Outcome(Flow.HARD, this.state, origin=this.frame.chain(this.node, f"{this.path}()"))]
