"""Log bridges: the library's, and those that a program builds by hand."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import access, opaque_calls
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.seen import BridgeSeen
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    NONE,
    Const,
    Ref,
    Value,
)


@model("nemo.lens.setup_logging_bridge")
def bridge(this: Call) -> list[Outcome]:
    """The log bridge of the library."""
    logger = this.args.get(0, "logger_name", Const(""))
    level = this.args.get(1, "level", Const(20))
    note_bridge(this, logger or Const(""), level or Const(20), False)
    return this.done()


def note_bridge(this: Call, logger: Value, level: Value, by_hand: bool) -> None:
    """Remember one bridge."""
    chain = this.frame.chain(this.node, "the log bridge")
    seen = BridgeSeen(chain, this.state.lanes, this.state.hypo, logger, level, by_hand)
    this.m.seen.bridges.append(seen)


@model("logging.getLogger")
def get_logger(this: Call) -> list[Outcome]:
    """A logger by name; the root without one."""
    name = this.args.get(0, "name", Const(""))
    cell = Cell("libobj", extra="logging.Logger", attrs={"name": name or Const("")})
    return this.done(this.m.new(this.state, cell))


@model("logging.Logger.addHandler")
def add_handler(this: Call) -> list[Outcome]:
    """A handler of OpenTelemetry on a logger is a bridge built by hand."""
    handler = this.arg(0, "hdlr")
    if is_handler(this, handler) and isinstance(handler, Ref) and isinstance(this.receiver, Ref):
        name = this.state.read(this.receiver.id).attrs["name"]
        this.state.edit(handler.id).attrs["bridge"] = Const(len(this.m.seen.bridges))
        note_bridge(this, name, this.state.read(handler.id).attrs["level"], True)
    return this.done()


def is_handler(this: Call, value: Value) -> bool:
    """True for a handler of OpenTelemetry."""
    return isinstance(value, Ref) and this.state.read(value.id).kind == "loghandler"


@model(
    "opentelemetry.sdk._logs.LoggingHandler", "opentelemetry.instrumentation.logging.handler.LoggingHandler"
)
def log_handler(this: Call) -> list[Outcome]:
    """OpenTelemetry's handler for the logging module."""
    level = this.args.get(0, "level", Const(0)) or Const(0)
    return this.done(this.m.new(this.state, Cell("loghandler", {"level": level})))


@model("loghandler.setLevel")
def set_level(this: Call) -> list[Outcome]:
    """The level of a handler, before or after it is put on a logger."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.edit(this.receiver.id)
    cell.attrs["level"] = this.arg(0, "level")
    number = cell.attrs.get("bridge")
    if isinstance(number, Const):
        before = this.m.seen.bridges[number.value]
        this.m.seen.bridges[number.value] = replace(before, level=cell.attrs["level"])
    return this.done()


@model("loghandler.setFormatter", "loghandler.addFilter", "loghandler.set_name")
def dress(this: Call) -> list[Outcome]:
    """What changes neither the logger nor the level."""
    return this.done()


@model("logging.basicConfig")
def basic_config(this: Call) -> list[Outcome]:
    """Handlers for the root logger."""
    handlers = this.args.names.get("handlers")
    items = access.items_of(this.m, handlers, this.state) if handlers is not None else None
    for handler in items or ():
        if is_handler(this, handler):
            level = this.args.names.get("level", Const(30))
            note_bridge(this, Const(""), level, True)
    if this.args.names.get("filename", NONE) == NONE:
        return this.done()
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    return [*this.done(), *failed[:1]]  # it opens the file
