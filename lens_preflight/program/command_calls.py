"""Command-line libraries: argparse, click, typer, fire, hydra, absl; who calls main, and how it ends."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import argument_calls, calls, group_calls, objects, opaque_calls
from lens_preflight.program.outcomes import Flow, Outcome, reduce
from lens_preflight.program.registry import Call, model
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
    given = args if args is not None else command_args(function)
    return calls.invoke(this.m, function, given, this.state, this.frame, this.node)


@model("click.command", "click.group", "click.command()", "click.group()")
def click_command(this: Call) -> list[Outcome]:
    """``@click.command`` with and without parentheses."""
    value = this.args.get(0, "f", NONE)
    if not isinstance(value, Func | Wrapped | Bound):
        return this.done(Lib(this.path if this.path.endswith("()") else f"{this.path}()"))
    if "group" in this.path:
        return this.done(group_calls.new_group(this, value))
    return this.done(Wrapped("command", value))


@model("typer.Typer", "cyclopts.App")
def typer_app(this: Call) -> list[Outcome]:
    """An application without commands yet."""
    return this.done(group_calls.new_group(this, NONE))


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
