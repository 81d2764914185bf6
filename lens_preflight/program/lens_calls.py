"""NeMo Lens itself: configurations, the one setup call, handles, and the log bridge.

Source: nemo-lens 0.1.0 as executed; the keyword-only call of the nightly as documented.
"""

from __future__ import annotations

import ast

from lens_preflight.core.data import replace
from lens_preflight.program import (
    calls,
    failures,
    objects,
    replacements,
    running,
    setup_arguments,
    strategies,
    strategy_registry,
    truths,
    variables,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.registry import Call, model
from lens_preflight.program.seen import SetupSeen
from lens_preflight.program.state import Cell, HandleFact, Site, State, lane_numbers, part
from lens_preflight.program.values import (
    FALSE,
    NONE,
    Bound,
    Choice,
    Const,
    Lanes,
    Lib,
    Ref,
    Unknown,
    Value,
    taints_of,
)

RANKED = (
    "config",
    "rank",
    "world_size",
    "resource_attributes",
    "span_exporter",
    "metric_reader",
    "export_strategy",
    "_allow_reinit",
)
RANKLESS = ("resource_attributes", "span_exporter", "metric_reader", "_allow_reinit")


def missing(m: Machine, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """A name that 0.1 does not have: an error there, and perhaps one in a later generation."""
    failed = failures.failure(state.fork(), frame, node, "AttributeError", f"nemo.lens.{name}")
    if m.generation.id == "0.1":
        return [failed]
    return [*normal(state, Lib(f"nemo.lens.{name}")), failed]


def rejected(this: Call) -> str:
    """Why this generation refuses the call, empty when it takes it."""
    names = set(this.args.names)
    if not this.args.open and not this.args.plain and "config" not in names:
        return "the configuration is missing"
    twice = names & set(RANKED[: len(this.args.plain)])
    if this.m.generation.takes_rank and twice:
        return f"{sorted(twice)[0]} is given twice"
    if this.m.generation.takes_rank:
        unknown = names - set(RANKED)
        if unknown:
            return f"unexpected keyword {sorted(unknown)[0]!r}"
        strategy = this.args.get(6, "export_strategy", NONE)
        if isinstance(strategy, Const) and isinstance(strategy.value, str):
            return "export_strategy takes a function; a name goes into the configuration"
        return "too many arguments" if len(this.args.plain) > len(RANKED) else ""
    if len(this.args.plain) > 1:
        return "everything after the configuration goes by keyword, and rank and world size are gone"
    unknown = names - {"config", *RANKLESS}
    return f"unexpected keyword {sorted(unknown)[0]!r}" if unknown else ""


@model("nemo.lens.setup_telemetry")
def setup(this: Call) -> list[Outcome]:
    """``setup_telemetry``: recorded with all that reached it; returns a handle."""
    config = this.arg(0, "config")
    if isinstance(config, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in objects.split_options(config, this.state):
            args = calls.Args([option, *this.args.plain[1:]], dict(this.args.names), this.args.open)
            args.names.pop("config", None)
            out.extend(setup(Call(this.m, this.path, None, args, here, this.frame, this.node)))
        return out
    resource = this.args.names.get("resource_attributes")
    if isinstance(resource, Choice | Lanes):
        out = []
        for here, option in objects.split_options(resource, this.state):
            names = {**this.args.names, "resource_attributes": option}
            args = calls.Args(list(this.args.plain), names, this.args.open)
            out.extend(setup(Call(this.m, this.path, None, args, here, this.frame, this.node)))
        return out
    m, state, frame = this.m, this.state, this.frame
    seen = look(this, config)
    m.seen.setups.append(seen)
    failed = state.fork()
    if seen.rejected:
        error = "ValueError" if seen.misnamed else "TypeError"
        return [failures.failure(failed, frame, this.node, error, "setup_telemetry()")]
    failed.hypo = True
    out = [failures.failure(failed, frame, this.node, None, "setup_telemetry()")]
    mask, name = misnamed(this, seen.strategy)
    if mask:
        here = state.fork()
        here.lanes = mask
        state.lanes &= ~mask
        m.seen.setups[-1] = replace(seen, lanes=state.lanes)
        why = f"in some processes no export strategy is registered as {name!r}"
        m.seen.setups.append(replace(seen, lanes=mask, exporting=0, maybe=0, rejected=why, misnamed=True))
        out.append(failures.failure(here, frame, this.node, "ValueError", "setup_telemetry()"))
    again = second_time(this, seen, config)
    if again is not None:
        out.append(again)
        if not state.lanes:
            return out
    fact = HandleFact(seen.site, seen.exporting & state.lanes, seen.maybe & state.lanes, state.facts.process)
    if state.limit == 1 and state.lanes & (seen.exporting | seen.maybe):
        state.lanes &= seen.exporting | seen.maybe  # a large program: the others have nothing to lose
    handle = new_handle(this, seen)
    state.facts = replace(state.facts, setups=(*state.facts.setups, seen.site))
    state.facts = state.facts.with_handle(handle.id, fact)
    return [*normal(state, handle), *out]


def misnamed(this: Call, strategy: Value) -> tuple[int, str]:
    """The lanes in which no strategy has the name that the configuration asks for, and the name."""
    if not this.m.generation.has_strategy:
        return 0, ""
    return strategy_registry.unregistered(strategy, this.state)


def new_handle(this: Call, seen: SetupSeen) -> Ref:
    """A handle whose number tells only where it was made, so that paths can be joined again."""
    place = ("handle", seen.chain, this.state.facts.process, len(seen.before))
    number = this.m.places.setdefault(place, -len(this.m.places) - 1)
    this.state.add(number, Cell("handle", extra=this.frame.remote))
    return Ref(number)


def second_time(this: Call, seen: SetupSeen, config: Value) -> Outcome | None:
    """The library's refusal of a second setup, in the lanes where telemetry is enabled."""
    if not seen.before or seen.reinit:
        return None
    mask = 0
    for lane in lane_numbers(this.state.lanes):
        if truths.truth_of(part(seen.enabled, lane), this.state) is not False:
            mask |= 1 << lane
    if not mask:
        return None
    here = this.state.fork()
    here.lanes = mask
    this.state.lanes &= ~mask
    return failures.failure(here, this.frame, this.node, "RuntimeError", "setup_telemetry()")


def look(this: Call, config: Value) -> SetupSeen:
    """All that reaches one setup call."""
    m, state, frame, node = this.m, this.state, this.frame, this.node
    ranked = m.generation.takes_rank
    enabled: Value = Unknown(taints_of(config) | {"opaque:config"})
    strategy: Value = Const("single_rank")
    strategy_from, fallback, made = "default", "", None
    trail: tuple[Site, ...] = ()
    if isinstance(config, Ref) and state.read(config.id).kind == "config":
        cell = state.read(config.id)
        enabled, strategy, made = cell.attrs["enabled"], cell.attrs["export_strategy"], cell.extra
        trail = tuple(
            Site(t.value[1], t.value[2], t.value[0]) for t in objects.trail_of(cell) if isinstance(t, Const)
        )
        strategy_from = strategies.strategy_source(cell)
        prefix = cell.attrs.get("fallback")
        fallback = str(prefix.value) if isinstance(prefix, Const) else ""
    enabled = truths.taken_for(enabled, state)
    override = this.args.get(6 if ranked else -1, "export_strategy", NONE) if ranked else NONE
    if override is not None and override != NONE:
        strategy, strategy_from = override, "code"
    elif m.generation.has_strategy:
        strategy = strategy_registry.looked_up(m, strategy, state)
        if strategy_registry.own(strategy, state):
            strategy_from = "code"
    refusal = rejected(this)
    wrong, name = misnamed(this, strategy)
    if wrong == state.lanes and not refusal:
        refusal = f"no export strategy is registered as {name!r}"
    enabled, strategy = unsure(state, enabled, strategy)
    rank = this.args.get(1, "rank", Const(0)) if ranked else None
    size = this.args.get(2, "world_size", Const(1)) if ranked else None
    given = ("rank" in this.args.names or len(this.args.plain) > 1) if ranked else False
    on, maybe = strategies.exporting(this, config, enabled, strategy, rank, size)
    reinit = this.args.get(7 if ranked else -1, "_allow_reinit", FALSE)
    resource = this.args.get(3 if ranked else -1, "resource_attributes", NONE)
    attributes, open_keys = setup_arguments.resource_items(resource, state)
    return SetupSeen(
        frame.chain(node, "setup_telemetry()"),
        state.lanes,
        state.hypo,
        enabled,
        strategy,
        strategy_from,
        rank if given or not ranked else None,
        size if given or not ranked else None,
        resource,
        variables.variable(m, "OTEL_RESOURCE_ATTRIBUTES", state),
        state.cond,
        on,
        maybe,
        state.facts.setups,
        not (isinstance(reinit, Const) and not reinit.value),
        refusal,
        state.facts.process,
        fallback,
        made if isinstance(made, Site) else None,
        trail,
        attributes,
        open_keys,
        isinstance(reinit, Const) and bool(reinit.value),
        wrong == state.lanes,
        setup_arguments.of_setup(state, config, arguments(this), frame.site(node)),
    )


def arguments(this: Call) -> dict[str, Value]:
    """What the setup call is given, by name."""
    order = RANKED if this.m.generation.takes_rank else ("config",)
    return {**dict(zip(order, this.args.plain, strict=False)), **this.args.names}


def unsure(state: State, enabled: Value, strategy: Value) -> tuple[Value, Value]:
    """The switch and the strategy, not known where the program replaces parts of Lens."""
    whether, which = replacements.of_setup(state)
    if whether:
        enabled = Unknown(taints_of(enabled) | {f"opaque:{whether}"})
    return enabled, Unknown(frozenset((f"opaque:{which}",))) if which else strategy


def handle_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of a telemetry handle."""
    changed = replacements.on_handle(m, value, name, state, frame, node)
    if changed is not None:
        return changed
    if name in ("shutdown", "tracer", "meter", "logger"):
        path = (
            "nemo.lens.TelemetryHandle.shutdown" if name == "shutdown" else f"opentelemetry.handle().{name}"
        )
        return normal(state, Bound(value, Lib(path)) if name == "shutdown" else Lib(path))
    if name == "is_exporting":
        fact = state.facts.handle(value.id)
        parts: list[Value | None] = [None] * len(m.lanes)
        for lane in lane_numbers(state.lanes):
            if fact is None or fact.maybe_on >> lane & 1:
                parts[lane] = Unknown(frozenset(("opaque:is_exporting",)), ("exporting", value.id))
            else:
                parts[lane] = Const(bool(fact.on >> lane & 1))
        known = [p for p in parts if p is not None]
        return normal(state, known[0] if known and all(p == known[0] for p in known) else Lanes(tuple(parts)))
    if name in ("force_flush", "__enter__", "__exit__") or not name.startswith("_"):
        return [failures.failure(state, frame, node, "AttributeError", f"handle.{name}")]
    return normal(state, Unknown())


@model("nemo.lens.TelemetryHandle.shutdown")
def shut_down(this: Call) -> list[Outcome]:
    """``handle.shutdown()``: all providers of the process go down."""
    state, site = this.state, this.site
    if len(this.args.plain) > (1 if this.receiver is not None else 2) or set(this.args.names) - {
        "timeout_ms"
    }:
        return [
            failures.failure(state, this.frame, this.node, "TypeError", "shutdown() with these arguments")
        ]
    this.m.seen.shutdowns.append(site)
    cell = state.read(this.receiver.id) if isinstance(this.receiver, Ref) else None
    elsewhere = cell is not None and cell.kind == "handle" and cell.extra != this.frame.remote
    for number, fact in state.facts.open_handles:
        if elsewhere:
            why = "another remote call of the actor shuts it down, and nothing promises that it is made"
            closed = replace(fact, status="maybe", why=why, closer=site)
        else:
            closed = replace(fact, status="closed", closer=site, how=this.frame.phase)
        state.facts = state.facts.with_handle(number, closed)
    replacements.doubt_shutdown(state, site)
    running.at_shutdown(this.m, state, site)
    return this.done()
