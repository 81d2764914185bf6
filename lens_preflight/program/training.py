"""What an opaque call means while telemetry is up, and after it is down; and SIGTERM during one."""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import calls, running, self_ends
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.seen import SignalSeen
from lens_preflight.program.state import Installed, Site, State
from lens_preflight.program.tables import AFTERWARDS, BLOCKING, COLLECTIVES, TELEMETRY_WORDS, TRAINING
from lens_preflight.program.values import Bound, Const, Func, Lib, Unknown, Value


def last_word(name: str) -> str:
    """The last part of a dotted name, in lower case."""
    return name.replace("()", "").rpartition(".")[2].lower()


def trains(name: str) -> bool:
    """True for the name of a call that does the training."""
    word = last_word(name)
    return word in TRAINING or word.startswith(("train_", "pretrain")) or word.endswith("_train")


def opaque_call(m: Machine, name: str, site: Site, state: State, frame: Frame) -> None:
    """Note what an opaque call says about the life of telemetry."""
    running.works(m, name, site, state, frame)
    facts = state.facts
    mine = [f for _, f in facts.handles if f.process == facts.process]
    if not facts.setups and any(word in name.lower() for word in TELEMETRY_WORDS):
        m.seen.opaque.append((f"{name}() is outside the tree", site))
    if frame.phase == "handler":
        word = last_word(name)
        if any(f.status != "closed" for f in mine) and word in BLOCKING:
            state.facts = facts.noted("blocks", site)
        return
    if frame.phase != "run" or not mine or (frame.cleanup and not trains(name)):
        return
    if any(f.status != "closed" for f in mine):
        m.sampled.add(("open", name))
        return
    if trains(name) or (("open", name) in m.sampled and last_word(name) not in COLLECTIVES):
        state.facts = facts.noted("premature", site)
    elif not last_word(name).startswith(AFTERWARDS) and last_word(name) not in COLLECTIVES:
        state.facts = facts.noted("after", site)


def signal_during(m: Machine, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """SIGTERM at this call: what the handler does, and the ways out that it takes."""
    facts = state.facts
    if frame.phase == "run" and not frame.cleanup and facts.signalled is not None and facts.open_handles:
        again = not frame.thread and facts.struck == frame.chain(node, f"{name}()")  # the loop goes on
        if trains(name) or again:
            m.seen.swallowed.append((facts.signalled, frame.site(node, f"{name}()"), state.lanes))
        return []
    if frame.phase != "run" or frame.cleanup or facts.signalled is not None or not facts.open_handles:
        return []
    chain = frame.chain(node, f"{name}()")
    if not m.plan.small and (not trains(name) or state.hypo):
        return []
    key: object = (chain[0], facts.sigterm, state.lanes, state.hypo, tuple(s.line for s in chain[1:]))
    if not m.plan.small:
        key = (chain[0], facts.sigterm.site if facts.sigterm is not None else None)
    if key in m.sampled:
        return []
    m.sampled.add(key)
    installed = facts.sigterm

    def saw(became: str, at: Site | None = None) -> None:
        where = installed.site if installed is not None else None
        m.seen.signals.append(
            SignalSeen(chain, state.lanes, state.hypo, became, at or where, where, trains(name))
        )

    if installed is None:
        saw("none")
        return []
    if isinstance(installed.handler, Lib) and installed.handler.path in ("signal.SIG_DFL", "signal.SIG_IGN"):
        saw("default" if installed.handler.path.endswith("DFL") else "ignored")
        return []
    if installed.handler == self_ends.TRACEBACK:
        taken = installed.args and not isinstance(installed.args[0], Lib)
        saw("default" if taken else "ignored")
        return []
    return deliver(m, installed, state.fork(), frame, node, saw, chain)


def end_of(handler: object, default: Site) -> Site:
    """The last statement of a handler."""
    function = handler.func if isinstance(handler, Bound) else handler
    if isinstance(function, Func) and not isinstance(function.node, ast.Lambda):
        return Site(function.path, function.node.body[-1].lineno, function.name)
    return default


def deliver(
    m: Machine,
    installed: Installed,
    state: State,
    frame: Frame,
    node: ast.AST,
    saw: object,
    struck: tuple[Site, ...],
) -> list[Outcome]:
    """Run the handler; those of its ways out that unwind the program go on from here."""
    assert callable(saw)
    inner = replace(frame, phase="handler", cleanup=True, stack=frame.chain(node, "SIGTERM"))
    state.facts = replace(state.facts, signalled=installed.site, struck=struck)
    args: list[Value] = list(installed.args) if installed.loop else [Const(15), Unknown()]
    handler = installed.handler
    if isinstance(handler, Unknown):
        if installed.loop:
            origin = frame.chain(node, "SIGTERM")
            return [Outcome(Flow.EXIT, state, error="CancelledError", origin=origin)]
        saw("unknown")
        return []
    out: list[Outcome] = []
    for o in calls.invoke(m, handler, calls.Args(args), state, inner, node):
        closed = not o.state.facts.open_handles
        blocked = next((s for kind, s in o.state.facts.notes if kind == "blocks"), None)
        if blocked is not None:
            saw("blocks", blocked)
        elif o.flow is Flow.HARD:
            saw("closes" if closed else "hard", o.origin[0] if o.origin else None)
        elif closed:
            saw("closes")
        elif o.flow is Flow.NORMAL:
            saw("returns", end_of(handler, installed.site))
        elif o.flow in (Flow.RAISE, Flow.EXIT):
            saw("exits")
            out.append(o)
    return out
