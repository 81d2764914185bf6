"""argparse: a parser as it is filled, and the arguments of this launch."""

from __future__ import annotations

from typing import Any

from lens_preflight.program import access, command_calls, opaque_calls
from lens_preflight.program.machine import Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Const,
    Func,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
)


@model("argparse.ArgumentParser", "configargparse.ArgumentParser", "jsonargparse.ArgumentParser")
def parser(this: Call) -> list[Outcome]:
    """A parser without arguments yet."""
    return this.done(this.m.new(this.state, Cell("parser", items=[])))


@model("parser.add_argument_group", "parser.add_mutually_exclusive_group")
def parser_group(this: Call) -> list[Outcome]:
    """A part of the same parser."""
    return this.done(this.receiver if this.receiver is not None else NONE)


@model("parser.add_subparsers")
def add_subparsers(this: Call) -> list[Outcome]:
    """Where the commands of a parser are added; ``dest`` will hold the name of the chosen one."""
    assert isinstance(this.receiver, Ref)
    this.state.edit(this.receiver.id).attrs["dest"] = this.args.names.get("dest", NONE)
    return this.done(this.receiver)


@model("parser.add_parser")
def add_parser(this: Call) -> list[Outcome]:
    """A command: a parser of its own."""
    assert isinstance(this.receiver, Ref)
    made = this.m.new(this.state, Cell("parser", items=[]))
    other = access.items_of(this.m, this.args.names.get("aliases", Tup(())), this.state) or []
    cell = this.state.edit(this.receiver.id)
    cell.items = [*cell.items, Wrapped("subparser", made, (this.arg(0, "name"), *other))]
    return this.done(made)


@model("parser.add_argument")
def add_argument(this: Call) -> list[Outcome]:
    """One argument."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.edit(this.receiver.id)
    cell.items = [
        *cell.items,
        Wrapped("argument", NONE, tuple(this.args.plain), tuple(this.args.names.items())),
    ]
    return this.done()


@model("parser.set_defaults")
def set_defaults(this: Call) -> list[Outcome]:
    """Defaults by name."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.edit(this.receiver.id)
    for name, value in this.args.names.items():
        if isinstance(value, Func | Bound | Wrapped):
            cell.items = [*cell.items, Wrapped("default", value, (Const(name),))]
            continue
        cell.items = [*cell.items, Wrapped("argument", NONE, (Const(f"--{name}"),), (("default", value),))]
    return this.done()


@model("parser.parse_args", "parser.parse_known_args", "parser.parse_intermixed_args")
def parse_args(this: Call) -> list[Outcome]:
    """The arguments of this launch; a wrong one ends the program."""
    assert isinstance(this.receiver, Ref)
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, "parse_args()")[1:]
    out: list[Outcome] = []
    for here, attrs in namespaces(this.m, this.receiver, this.state):
        result: Value = this.m.new(here, Cell("namespace", attrs))
        if this.path.endswith("known_args"):
            rest = Cell("list", items=[])
            rest.open = True
            result = Tup((result, this.m.new(here, rest)))
        out.extend(normal(here, result))
    return [*out, *failed]


def namespaces(m: Machine, parser_: Ref, state: State) -> list[tuple[State, dict[str, Value]]]:
    """What a parser makes of the words: once, or once for each of its commands when none is named."""
    attrs: dict[str, Value] = {}
    commands: list[Wrapped] = []
    cell = state.read(parser_.id)
    for item in cell.items if not cell.open else ():
        assert isinstance(item, Wrapped)
        if item.role == "subparser":
            commands.append(item)
            continue
        name, value = one_argument(item, m.argv)
        if name:
            attrs[name] = value
    if not commands:
        return [(state, attrs)]
    named = [c for c in commands if any(isinstance(n, Const) and n.value in m.argv for n in c.extra)]
    chosen = named[:1] or commands
    dest = cell.attrs.get("dest", NONE)
    for command in commands:
        if command not in chosen and isinstance(command.inner, Ref):
            pass_over(m, state.read(command.inner.id).items)
    found: list[tuple[State, dict[str, Value]]] = []
    for command in chosen:
        here = state.fork() if len(chosen) > 1 else state
        own = dict(attrs)
        if isinstance(dest, Const) and isinstance(dest.value, str):
            own[dest.value] = command_calls.by_option(command.extra[0], dest.value)
        assert isinstance(command.inner, Ref)
        found.extend((s, {**own, **more}) for s, more in namespaces(m, command.inner, here))
    return found


def pass_over(m: Machine, items: list[Value]) -> None:
    """Remember the functions of a command that the words do not name."""
    for item in items:
        if isinstance(item, Wrapped) and item.role == "default" and isinstance(item.inner, Func):
            m.seen.passed_over.add(item.inner.node)


def one_argument(argument: Wrapped, argv: tuple[str, ...]) -> tuple[str, Value]:
    """(name, value) of one argument under the given words of the command line."""
    if argument.role == "default":
        assert isinstance(argument.extra[0], Const)
        return str(argument.extra[0].value), argument.inner
    flags = [f.value for f in argument.extra if isinstance(f, Const) and isinstance(f.value, str)]
    options = dict(argument.names)
    long = next((f for f in flags if f.startswith("--")), flags[0] if flags else "")
    dest = options.get("dest")
    name = str(dest.value) if isinstance(dest, Const) else long.lstrip("-").replace("-", "_")
    if not long.startswith("-"):
        return name, command_calls.from_command_line(name)
    action = options.get("action")
    kind = (
        action.value if isinstance(action, Const) else (action.path if isinstance(action, Lib) else "store")
    )
    given, text = look_up(flags, argv)
    default = options.get(
        "default", FALSE if kind == "store_true" else TRUE if kind == "store_false" else NONE
    )
    label = long
    if kind in ("store_true", "store_false"):
        value: Value = Const(kind == "store_true") if given else default
    elif "BooleanOptional" in str(kind):
        off, _ = look_up([f"--no-{f.lstrip('-')}" for f in flags], argv)
        value = Const(not off) if given or off else default
    elif kind == "count":
        value = counted(flags, argv, default)
    elif not given:
        value = command_calls.typed_default(default, options.get("type"))
    else:
        value = typed(text, options.get("type"))
    return name, command_calls.by_option(value, label)


def counted(flags: list[Any], argv: tuple[str, ...], default: Value) -> Value:
    """How often a flag is given, also as ``-vv``."""
    letters = {f[1:] for f in flags if len(f) == 2}
    bundles = [w[1:] for w in argv if w[:1] == "-" and w[:2] != "--" and set(w[1:]) <= letters]
    count = sum(len(b) for b in bundles) + sum(w in flags for w in argv if w.startswith("--"))
    start = default.value if isinstance(default, Const) and isinstance(default.value, int) else 0
    return Const(start + count) if count else default


def look_up(flags: list[Any], argv: tuple[str, ...]) -> tuple[bool, str]:
    """Whether one of the flags is given, and its value."""
    for i, word in enumerate(argv):
        head, equals, tail = word.partition("=")
        if head in flags:
            return True, tail if equals else (argv[i + 1] if i + 1 < len(argv) else "")
    return False, ""


def typed(text: str, kind: Value | None) -> Value:
    """The text converted as ``type=`` says."""
    names = {"builtins.int": int, "builtins.float": float, "builtins.str": str, "builtins.bool": bool}
    if kind is None or kind == NONE:
        return Const(text)
    if isinstance(kind, Lib) and kind.path in names:
        try:
            return Const(names[kind.path](text))
        except ValueError:
            return Unknown()
    return Unknown()
