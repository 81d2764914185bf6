"""What is outside the tree: attributes and calls of libraries, by their dotted paths."""

from __future__ import annotations

import ast

from lens_preflight.lens import surface
from lens_preflight.program import (
    calls,
    classes,
    failures,
    imports,
    mentions,
    objects,
    opaque_calls,
    pure_calls,
    replacements,
    running,
    safe_calls,
    variables,
)
from lens_preflight.program.known_values import (
    CONSTANTS,
    NEEDS_GROUP,
    RANK_FIELDS,
    RANK_GATES,
    RANK_SOURCES,
    SEMCONV,
)
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.registry import MODELS, Call
from lens_preflight.program.state import Cell, State
from lens_preflight.program.tables import (
    ALIASES,
    FILE_READERS,
    HARD_EXITS,
    KEEPING_DECORATORS,
    KEEPING_MODULES,
    LENS,
)
from lens_preflight.program.values import (
    EMPTY,
    Bound,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Unknown,
    Value,
    Wrapped,
)

SYSPATH = 3

MODULE_NAMES = ("__path__", "__spec__", "__doc__", "__loader__", "__dict__", "__cached__")
"""What the interpreter itself gives every module or package."""


def canonical(path: str) -> str:
    """One spelling for things that libraries offer under several names."""
    for alias, name in ALIASES.items():
        if path.startswith(alias):
            return name + path[len(alias) :]
    if path.startswith(f"{LENS}.") and path.count(".") > 2:
        words = path.split(".")
        if words[2] in ("handle", "config", "logging_bridge", "strategies"):
            return ".".join([*words[:2], *words[3:]])
    return path


def attribute(m: Machine, value: Lib, name: str, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """An attribute of a library or of something that it returned."""
    from lens_preflight.program import lens_calls

    changed = replacements.read(m, value, name, state, frame, node)
    if changed is not None:
        return normal(state, changed)
    path = canonical(f"{value.path}.{name}")
    if value.path == LENS and not surface.known(name):
        return lens_calls.missing(m, name, state, frame, node)
    if path == "os.environ":
        return normal(state, Ref(variables.ENVIRON))
    if path == "os.environb":
        return normal(state, m.new(state, Cell("environb")))
    if path == "sys.path":
        return normal(state, Ref(SYSPATH))
    if path == "sys.argv":
        taint = frozenset(("cli:sys.argv",))
        program = state.read(imports.MODULES).attrs.get("main file", Const("main"))
        items = [program, *(Const(a, taint) for a in m.argv)]
        return normal(state, m.new(state, Cell("list", items=items)))
    if path == "logging.root":
        root = Cell("libobj", extra="logging.Logger", attrs={"name": Const("root")})
        return normal(state, m.new(state, root))
    if path in CONSTANTS:
        return normal(state, Const(CONSTANTS[path]))
    if path.startswith(f"{LENS}.semconv."):
        return normal(state, semconv(m, name))
    if path in RANK_SOURCES and path.startswith("mpi4py.") and name in ("rank", "size"):
        return normal(state, place(m, RANK_SOURCES[path]))
    if name == "rank" and value.path in RANK_GATES:
        return normal(state, place(m, "RANK"))
    fields = RANK_FIELDS.get(path.partition(".")[0], {})
    if "()" in value.path and name in fields:
        return normal(state, place(m, fields[name]))
    return normal(state, Lib(path))


def semconv(m: Machine, name: str) -> Value:
    """A constant of ``nemo.lens.semconv``."""
    known = SEMCONV.get(name)
    return Const(known) if known is not None else Unknown(frozenset((f"opaque:semconv.{name}",)))


def place(m: Machine, rule: str) -> Value:
    """A number or a truth about the place in the world: ``RANK``, ``RANK==0`` ..."""
    left, equals, right = rule.partition("==")
    parts: list[Value] = []
    for values in m.launchers:
        number: object = int(values[left])
        if equals:
            other = int(values["WORLD_SIZE"]) - 1 if right.startswith("WORLD_SIZE") else int(right)
            number = number == other
        parts.append(Const(number, frozenset(("rank",))))
    return m.per_lane(parts)


def module_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of a module of the tree; a cold module is run when it is first asked."""
    cell = state.read(value.id)
    if name in cell.attrs:
        found = cell.attrs[name]
        if type(found).__name__ == "Choice":
            out: list[Outcome] = []
            for here, option in objects.split_options(found, state):
                here.edit(value.id).attrs[name] = option
                out.extend(normal(here, option))
            return out
        return normal(state, found)
    if cell.open or cell.extra == "running":
        return normal(state, Unknown(frozenset((f"opaque:{name}",))))
    own = cell.attrs.get("__name__")
    if isinstance(own, Const) and m.closure.find(f"{own.value}.{name}") is not None:
        loaded = state.read(imports.MODULES).attrs.get(f"{own.value}.{name}")
        if loaded is not None:
            return normal(state, loaded)
    if isinstance(own, Const) and state.read(value.id).attrs.get("__getattr__") is not None:
        getter = state.read(value.id).attrs["__getattr__"]
        return calls.invoke(m, getter, calls.Args([Const(name)]), state, frame, node)
    if name in MODULE_NAMES:
        return normal(state, Unknown(frozenset((f"opaque:{name}",))))
    return [failures.failure(state, frame, node, "AttributeError")]


def object_attribute(
    m: Machine, value: Ref, name: str, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """An attribute of an object whose class is a library's."""
    from lens_preflight.program import lens_calls

    cell = state.read(value.id)
    if cell.kind == "handle":
        return lens_calls.handle_attribute(m, value, name, state, frame, node)
    if cell.kind == "config":
        return normal(state, Unknown(frozenset((f"opaque:config.{name}",))))
    if cell.kind == "namespace":
        return normal(state, Unknown(frozenset((f"cli:{name}",)), ("cli", name)))
    if cell.kind == "libobj":
        path = str(cell.extra)
        fields = RANK_FIELDS.get(path.partition(".")[0], {})
        if name in fields:
            return normal(state, place(m, fields[name]))
        return normal(state, Bound(value, Lib(f"{path}.{name}")))
    if cell.kind == "thread" and name in ("daemon", "name"):
        return normal(state, Unknown())
    if cell.kind == "process" and name in ("exitcode", "pid"):
        return normal(state, Unknown(frozenset(("number", "child"))))
    return normal(state, Bound(value, Lib(f"{cell.kind}.{name}")))


def call(
    m: Machine,
    fn: Lib,
    receiver: Value | None,
    args: calls.Args,
    state: State,
    frame: Frame,
    node: ast.AST,
) -> list[Outcome]:
    """Call a library: as its model says, as its name says, or as something unknown."""
    from lens_preflight.program import builtin_calls

    path = canonical(fn.path)
    this = Call(m, path, receiver, args, state, frame, node)
    if path in MODELS:
        return MODELS[path](this)
    if path.startswith("plain."):
        return pure_calls.plain_method(this)
    if path in RANK_SOURCES:
        if path in NEEDS_GROUP and builtin_calls.group_missing(this):
            return [
                failures.failure(state, frame, node, "ValueError", f"{path}() before init_process_group()")
            ]
        if path in NEEDS_GROUP and frame.guarded and not builtin_calls.group_started(this):
            unsure = Unknown(frozenset(("rank", f"opaque:{path}")))  # a library may have started it, or not
            return [
                *this.done(unsure),
                failures.failure(state.fork(), frame, node, "ValueError", f"{path}()"),
            ]
        return this.done(place(m, RANK_SOURCES[path]))
    if path in HARD_EXITS:
        return [Outcome(Flow.HARD, state, origin=frame.chain(node, f"{path}()"))]
    if keeps(path, args):
        return this.done(args.plain[0])
    if path.startswith("builtins."):
        found = builtin_calls.builtin(this)
        if found is not None:
            return found
    if safe_calls.is_safe(this):
        return safe(this)
    if safe_calls.is_plain(path):
        failed = opaque_calls.opaque_failures(m, state, frame, node, f"{path}()")[:1]
        return [*safe(this), *failed]
    return unknown(this)


def keeps(path: str, args: calls.Args) -> bool:
    """True for a decorator of a library that returns the function as it is."""
    if len(args.plain) != 1 or args.names or not isinstance(args.plain[0], Func | Wrapped):
        return False
    return path.removesuffix("()") in KEEPING_DECORATORS or path.startswith(KEEPING_MODULES)


def result_of(path: str, extra: frozenset[str] = EMPTY) -> Value:
    """What a library call returns: something of the library, by the path of the call."""
    return Lib(f"{path}()") if not extra else Unknown(extra | {f"opaque:{path}"})


def safe(this: Call) -> list[Outcome]:
    """A call that does not raise and changes nothing here."""
    extra: frozenset[str] = EMPTY
    for value in (*this.args.plain, *this.args.names.values()):
        if isinstance(value, Lanes):
            extra = extra | {"rank"}
    mentions.note_span_attributes(this)
    running.passed(this)
    return this.done(result_of(this.path, extra))


def unknown(this: Call) -> list[Outcome]:
    """A call of a library that is not known: as opaque as calls get, but with a name."""
    mentions.note_span_attributes(this)
    out = opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    if this.path.startswith(FILE_READERS):
        return [
            o._replace(value=Unknown(frozenset((f"file:{this.path}",)))) if o.flow is Flow.NORMAL else o
            for o in out
        ]
    varied = any(isinstance(v, Lanes) for v in (*this.args.plain, *this.args.names.values()))
    if varied or any(isinstance(o.value, Wrapped) for o in out):
        return out
    return [o._replace(value=Lib(f"{this.path}()")) if o.flow is Flow.NORMAL else o for o in out]


def call_instance(
    m: Machine, fn: Ref, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Call an instance whose ``__call__`` is a library's (a torch module): its ``forward`` may run."""
    return opaque_calls.opaque(m, "a call", args, state, frame, node)


def call_wrapped(
    m: Machine, fn: Wrapped, args: calls.Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Call something that a decorator or a framework made."""
    model = MODELS.get(f"wrapped:{fn.role}")
    if model is None:
        return opaque_calls.opaque(m, fn.role, args, state, frame, node)
    return model(Call(m, f"wrapped:{fn.role}", fn, args, state, frame, node))


def decorate_with_instance(m: Machine, decorator: Ref, inner: Value, state: State) -> Value | None:
    """A ContextDecorator used as a decorator: the manager around the function."""
    if state.read(decorator.id).kind == "generator":
        return Wrapped("context", inner, (decorator,))
    cls = state.read(decorator.id).cls
    if isinstance(cls, Ref):
        order, _ = classes.mro(m, cls, state)
        for here in order:
            for base in state.read(here.id).extra or ():
                if isinstance(base, Lib) and base.path.endswith("ContextDecorator"):
                    return Wrapped("context", inner, (decorator,))
    return None
