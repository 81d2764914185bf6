"""Command-line libraries: argparse, click, typer, fire, hydra, absl; who calls main, and how it ends."""

from __future__ import annotations

from dataclasses import replace

from lens_preflight.program import argument_calls, calls, objects, opaque_calls
from lens_preflight.program.machine import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Unknown,
    Value,
    Wrapped,
    tainted,
    taints_of,
)


def from_command_line(name: str, value: Value | None = None) -> Value:
    """A value that the command line gives: known for this launch, or not known."""
    taints = frozenset((f"cli:{name}",))
    if isinstance(value, Lanes):
        return by_option(value, name)
    if isinstance(value, Const):
        return Const(value.value, value.taints | taints, ("cli", name))
    return Unknown(taints, ("cli", name)) if value is None or isinstance(value, Unknown) else value


def command_args(function: Value) -> calls.Args:
    """The arguments with which a command-line library calls a function."""
    if isinstance(function, Bound):
        function = function.func
    args = calls.Args(open=True)
    if isinstance(function, Func):
        spec = function.node.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        tail = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        defaults = dict(zip(tail[len(tail) - len(function.defaults) :], function.defaults, strict=False))
        defaults |= dict(function.kwdefaults)
        args.names = {n: from_command_line(n, defaults.get(n)) for n in names if n != "self"}
    return args


def exits(this: Call, outcomes: list[Outcome]) -> list[Outcome]:
    """A return becomes SystemExit: the library ends the program."""
    out: list[Outcome] = []
    for o in outcomes:
        if o.flow is Flow.NORMAL:
            origin = this.frame.chain(this.node, "the end of the command")
            out.append(Outcome(Flow.EXIT, o.state, error="SystemExit", origin=origin))
        else:
            out.append(o)
    return reduce(out)


def run(this: Call, function: Value, args: calls.Args | None = None) -> list[Outcome]:
    """Call a function with arguments from the command line."""
    chosen = args if args is not None else command_args(function)
    return calls.invoke(this.m, function, chosen, this.state, this.frame, this.node)


@model("click.command", "click.group", "click.command()", "click.group()")
def click_command(this: Call) -> list[Outcome]:
    """``@click.command`` with and without parentheses."""
    value = this.args.get(0, "f", NONE)
    if not isinstance(value, Func | Wrapped | Bound):
        return this.done(Lib(this.path if this.path.endswith("()") else f"{this.path}()"))
    if "group" in this.path:
        return this.done(new_group(this, value))
    return this.done(Wrapped("command", value))


def new_group(this: Call, function: Value) -> Value:
    """A group of commands."""
    return Wrapped("group", function, (this.m.new(this.state, Cell("list", items=[])),))


@model("typer.Typer", "cyclopts.App")
def typer_app(this: Call) -> list[Outcome]:
    """An application without commands yet."""
    return this.done(new_group(this, NONE))


@model("click.option()", "click.argument()", "click.pass_context", "click.version_option()", "click.pass_obj")
def click_option(this: Call) -> list[Outcome]:
    """Decorators that add a parameter."""
    return this.done(this.arg(0, "f"))


@model(
    "click.option",
    "click.argument",
    "click.version_option",
    "click.Path",
    "click.Choice",
    "typer.Option",
    "typer.Argument",
)
def click_parameter(this: Call) -> list[Outcome]:
    """The description of a parameter."""
    if this.path.startswith("typer."):
        value = this.args.get(0, "default", NONE)
        return this.done(value if isinstance(value, Const) and value.value is not ... else Unknown())
    return this.done(Lib(f"{this.path}()"))


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


@model("wrapped:command", "command.main", "command.__call__")
def call_command(this: Call) -> list[Outcome]:
    """A click command: it ends the program unless it is told not to."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    out = run(this, fn.inner)
    standalone = this.args.names.get("standalone_mode", TRUE)
    return out if standalone == FALSE else exits(this, out)


@model("command.callback")
def command_callback(this: Call) -> list[Outcome]:
    """The function behind a command, called directly."""
    assert isinstance(this.receiver, Wrapped)
    return run(this, this.receiver.inner, this.args)


@model("wrapped:group", "group.main", "group.__call__")
def call_group(this: Call) -> list[Outcome]:
    """A group or application: its own function, then one of its commands; then the program ends."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    assert isinstance(fn.extra[0], Ref)
    own = this.state.read(fn.extra[0].id).attrs.get("callback", fn.inner)
    started = run(this, own) if isinstance(own, Func) else normal(this.state)
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
            out.extend(run(replace(this, state=s.state.fork()), inner))
        if not commands:
            out.append(s)
    standalone = this.args.names.get("standalone_mode", TRUE)
    return reduce(out) if standalone == FALSE else exits(this, out)


def chosen(this: Call, fn: Wrapped, s: Outcome) -> list[Value]:
    """The commands that the arguments may mean; the one whose name is given, else all."""
    assert isinstance(fn.extra[0], Ref)
    commands: list[Value] = list(s.state.read(fn.extra[0].id).items)
    words = {a.replace("-", "_") for a in this.m.argv}
    named = [c for c in commands if command_name(c) in words]
    return named[:1] or commands


def command_name(command: Value) -> str:
    """The name of a command's function."""
    inner = command.inner if isinstance(command, Wrapped) else command
    return inner.name if isinstance(inner, Func) else ""


@model("typer.run", "absl.app.run", "tyro.cli", "defopt.run")
def run_and_exit(this: Call) -> list[Outcome]:
    """Run a function and end the program."""
    function = this.arg(0, "main")
    if not isinstance(function, Func | Bound | Wrapped):
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    if this.path in ("tyro.cli", "defopt.run"):
        return run(this, function)
    args = calls.Args([Unknown()]) if this.path.startswith("absl") else None
    return exits(this, run(this, function, args))


@model("fire.Fire")
def fire(this: Call) -> list[Outcome]:
    """Run a function, or any method of a class; returns."""
    target = this.args.get(0, "component", NONE)
    if isinstance(target, Func | Bound):
        return run(this, target)
    if isinstance(target, Ref) and this.state.read(target.id).kind == "dict":
        out: list[Outcome] = []
        for value in this.state.read(target.id).items.values():
            out.extend(run(replace(this, state=this.state.fork()), value))
        return reduce(out) or this.done()
    if isinstance(target, Ref) and this.state.read(target.id).kind == "class":
        return fire_class(this, target)
    this.m.seen.opaque.append(("fire chooses what to call", this.site))
    return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)


def fire_class(this: Call, cls: Ref) -> list[Outcome]:
    """An instance, then the method that the arguments name, else each public one."""
    out: list[Outcome] = []
    for o in calls.invoke(this.m, cls, calls.Args(open=True), this.state, this.frame, this.node):
        if o.flow is not Flow.NORMAL or not isinstance(o.value, Ref):
            out.append(o)
            continue
        names = [n for n, v in o.state.read(cls.id).attrs.items() if isinstance(v, Func) and n[0] != "_"]
        words = {a.replace("-", "_") for a in this.m.argv}
        for name in [n for n in names if n in words] or names:
            here = o.state.fork()
            for a in objects.get_attribute(this.m, o.value, name, here, this.frame, this.node):
                out.extend(run(replace(this, state=a.state), a.value) if a.flow is Flow.NORMAL else [a])
    return reduce(out)


@model("hydra.main")
def hydra_main(this: Call) -> list[Outcome]:
    """``@hydra.main(...)``."""
    return this.done(Lib("hydra.main()"))


@model("hydra.main()")
def hydra_decorate(this: Call) -> list[Outcome]:
    """The decorated function takes its configuration from files and the command line."""
    return this.done(Wrapped("hydra", this.arg(0, "f")))


@model("wrapped:hydra")
def call_hydra(this: Call) -> list[Outcome]:
    """An exception in the job becomes an exit; a normal end returns."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    config = Unknown(frozenset(("file:hydra", "cli:hydra")))
    out: list[Outcome] = []
    for o in run(this, fn.inner, calls.Args([config])):
        if o.flow is Flow.RAISE:
            out.append(Outcome(Flow.EXIT, o.state, error="SystemExit after an error", origin=o.origin))
        else:
            out.append(o)
    return reduce(out)


def by_option(value: Value, label: str) -> Value:
    """A value that the command line may change; in each process its own."""
    taints = frozenset((f"cli:{label}",))
    if isinstance(value, Lanes):
        return Lanes(tuple(p and by_option(p, label) for p in value.parts))
    if isinstance(value, Const):
        extra = frozenset(t for t in value.taints if t.startswith(("rank", "env:")))
        return Const(value.value, taints | extra, ("cli", label))
    extra = frozenset(t for t in taints_of(value) if t.startswith(("rank", "env:", "file")))
    return Unknown(taints | extra, ("cli", label))


def typed_default(value: Value, kind: Value | None) -> Value:
    """A default; text is converted as if it had been typed."""
    if isinstance(value, Lanes):
        return Lanes(tuple(p and typed_default(p, kind) for p in value.parts))
    if isinstance(value, Const) and isinstance(value.value, str):
        return tainted(argument_calls.typed(value.value, kind), value.taints)
    return value
