"""argparse: a parser as it is filled, and the arguments of this launch."""

from __future__ import annotations

from typing import Any

from lens_preflight.program import command_calls, opaque_calls
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    NONE,
    TRUE,
    Const,
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


@model(
    "parser.add_argument_group",
    "parser.add_mutually_exclusive_group",
    "parser.add_subparsers",
    "parser.add_parser",
)
def parser_group(this: Call) -> list[Outcome]:
    """A part of the same parser."""
    return this.done(this.receiver if this.receiver is not None else NONE)


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
        cell.items = [*cell.items, Wrapped("argument", NONE, (Const(f"--{name}"),), (("default", value),))]
    return this.done()


@model("parser.parse_args", "parser.parse_known_args", "parser.parse_intermixed_args")
def parse_args(this: Call) -> list[Outcome]:
    """The arguments of this launch; a wrong one ends the program."""
    assert isinstance(this.receiver, Ref)
    cell = this.state.read(this.receiver.id)
    namespace = Cell("namespace")
    if not cell.open:
        for argument in cell.items:
            assert isinstance(argument, Wrapped)
            name, value = one_argument(argument, this.m.argv)
            if name:
                namespace.attrs[name] = value
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, "parse_args()")[1:]
    result: Value = this.m.new(this.state, namespace)
    if this.path.endswith("known_args"):
        rest = Cell("list", items=[])
        rest.open = True
        result = Tup((result, this.m.new(this.state, rest)))
    return [*this.done(result), *failed]


def one_argument(argument: Wrapped, argv: tuple[str, ...]) -> tuple[str, Value]:
    """(name, value) of one argument under the given words of the command line."""
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
