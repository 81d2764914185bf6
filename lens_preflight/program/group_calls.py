"""Groups of commands: click and typer."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import command_calls
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Const,
    Func,
    Ref,
    Value,
    Wrapped,
)


def new_group(this: Call, function: Value) -> Value:
    """A group of commands."""
    return Wrapped("group", function, (this.m.new(this.state, Cell("list", items=[])),))


@model("group.command", "group.callback", "group.group", "group.default")
def registrar(this: Call) -> list[Outcome]:
    """``@app.command()``."""
    value = this.args.get(0, "f", NONE)
    kind = this.path.rpartition(".")[2]
    assert this.receiver is not None
    made = Wrapped("registrar", this.receiver, (Const(kind),))
    if isinstance(value, Func | Wrapped):
        return register(this, made, value)
    return this.done(made)


@model("wrapped:registrar")
def call_registrar(this: Call) -> list[Outcome]:
    """The decorator that ``app.command()`` returned."""
    assert isinstance(this.receiver, Wrapped)
    return register(this, this.receiver, this.arg(0, "f"))


def register(this: Call, made: Wrapped, value: Value) -> list[Outcome]:
    """Add a command to its group; the name stays bound to the function."""
    group = made.inner
    kind = made.extra[0]
    assert isinstance(group, Wrapped) and isinstance(kind, Const)
    if kind.value in ("command", "default", "group") and isinstance(group.extra[0], Ref):
        cell = this.state.edit(group.extra[0].id)
        entry = new_group(this, value) if kind.value == "group" else value
        cell.items = [*cell.items, entry]
        return this.done(entry if kind.value == "group" else value)
    if kind.value == "callback" and isinstance(group.extra[0], Ref):
        this.state.edit(group.extra[0].id).attrs["callback"] = value
    return this.done(value)


@model("group.add_command", "group.add_typer")
def add_command(this: Call) -> list[Outcome]:
    """A command made elsewhere."""
    assert isinstance(this.receiver, Wrapped) and isinstance(this.receiver.extra[0], Ref)
    cell = this.state.edit(this.receiver.extra[0].id)
    cell.items = [*cell.items, this.arg(0, "cmd")]
    return this.done()


@model("wrapped:group", "group.main", "group.__call__")
def call_group(this: Call) -> list[Outcome]:
    """A group or application: its own function, then one of its commands; then the program ends."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    assert isinstance(fn.extra[0], Ref)
    own = this.state.read(fn.extra[0].id).attrs.get("callback", fn.inner)
    started = command_calls.run(this, own) if isinstance(own, Func) else normal(this.state)
    out: list[Outcome] = []
    for s in started:
        if s.flow is not Flow.NORMAL:
            out.append(s)
            continue
        commands = chosen(this, fn, s)
        for command in commands:
            inner = command.inner if isinstance(command, Wrapped) and command.role == "command" else command
            if isinstance(command, Wrapped) and command.role == "group":
                out.extend(call_group(replace(this, receiver=command, state=s.state.fork())))
                continue
            out.extend(command_calls.run(replace(this, state=s.state.fork()), inner))
        if not commands:
            out.append(s)
    standalone = this.args.names.get("standalone_mode", TRUE)
    return reduce(out) if standalone == FALSE else command_calls.exits(this, out)


def chosen(this: Call, fn: Wrapped, s: Outcome) -> list[Value]:
    """The commands that the arguments may mean; the one whose name is given, else all."""
    assert isinstance(fn.extra[0], Ref)
    commands: list[Value] = list(s.state.read(fn.extra[0].id).items)
    words = {a.replace("-", "_") for a in this.m.argv}
    named = [c for c in commands if command_name(c) in words][:1]
    for command in commands if named else ():
        inner = command.inner if isinstance(command, Wrapped) else command
        if command not in named and isinstance(inner, Func):
            this.m.seen.passed_over.add(inner.node)
    return named or commands


def command_name(command: Value) -> str:
    """The name of a command's function."""
    inner = command.inner if isinstance(command, Wrapped) else command
    return inner.name if isinstance(inner, Func) else ""
