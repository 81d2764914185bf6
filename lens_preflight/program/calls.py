"""Calls: of functions of the tree, of what is known of libraries, and of what is not known."""

from __future__ import annotations

import ast

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.program import (
    access,
    classes,
    expressions,
    failures,
    instances,
    libraries,
    objects,
    opaque_calls,
    parameters,
    running,
    statements,
    wrappers,
)
from lens_preflight.program.machine import MAX_DEPTH, Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.scopes import body_of, dotted, names_of
from lens_preflight.program.state import Cell, Facts, State
from lens_preflight.program.values import (
    NONE,
    Bound,
    Choice,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
    taints_of,
)

MAX_RECURSION = 2
READERS = ("get", "items", "keys", "values", "strip", "lower", "upper", "split", "startswith", "endswith")
"""Methods of data and text that only read; what they return depends on what the data depends on."""


@dataclass
class Args:
    """The arguments of one call; ``open`` when more may come from an unknown ``*`` or ``**``."""

    plain: list[Value] = field(default_factory=list)
    names: dict[str, Value] = field(default_factory=dict)
    open: bool = False

    def get(self, index: int, name: str, default: Value | None = None) -> Value | None:
        """An argument by position or name."""
        if name in self.names:
            return self.names[name]
        if 0 <= index < len(self.plain):
            return self.plain[index]
        return Unknown() if self.open and default is None else default


def arguments(m: Machine, node: ast.Call, values: list[Value], state: State) -> Args:
    """The arguments of a call node from the values of its parts."""
    args = Args()
    rest = iter(values)
    for a in node.args:
        value = next(rest)
        if isinstance(a, ast.Starred):
            items = access.items_of(m, value, state)
            args.open = args.open or items is None
            args.plain.extend(items or ())
        else:
            args.plain.append(value)
    for k in node.keywords:
        value = next(rest)
        if k.arg is not None:
            args.names[k.arg] = value
            continue
        cell = state.read(value.id) if isinstance(value, Ref) else None
        if cell is not None and cell.kind == "dict":
            args.names.update({str(key): v for key, v in cell.items.items()})
            args.open = args.open or cell.open
        else:
            args.open = True
    return args


def invoke(m: Machine, fn: Value, args: Args, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Call a value."""
    m.step()
    if isinstance(fn, Choice) or (isinstance(fn, Lanes) and not objects.all_plain(fn)):
        out: list[Outcome] = []
        for here, option in objects.split_options(fn, state):
            out.extend(invoke(m, option, args, here, frame, node))
        return out
    if isinstance(fn, Func):
        return call_function(m, fn, args, state, frame, node)
    if isinstance(fn, Bound):
        return call_bound(m, fn, args, state, frame, node)
    if isinstance(fn, Lib):
        return libraries.call(m, fn, None, args, state, frame, node)
    if isinstance(fn, Wrapped):
        return call_wrapped(m, fn, args, state, frame, node)
    if isinstance(fn, Ref):
        return call_object(m, fn, args, state, frame, node)
    if isinstance(fn, Const):
        return [failures.failure(state, frame, node, "TypeError")]
    name = dotted(getattr(node, "func", node)) or "a call"
    taints = taints_of(fn)
    if (
        taints
        and "." in name
        and name.rpartition(".")[2] in READERS
        and not any(t.startswith("opaque:") for t in taints)
    ):
        failed = opaque_calls.opaque_failures(m, state, frame, node, f"{name}()")[:1]
        return [*normal(state, Unknown(taints)), *failed]
    return opaque_calls.opaque(m, name, args, state, frame, node, taints)


def call_bound(m: Machine, fn: Bound, args: Args, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Call a method."""
    if isinstance(fn.func, Func):
        with_self = Args([fn.receiver, *args.plain], args.names, args.open)
        return call_function(m, fn.func, with_self, state, frame, node, fn.receiver)
    if isinstance(fn.func, Lib):
        return libraries.call(m, fn.func, fn.receiver, args, state, frame, node)
    with_self = Args([fn.receiver, *args.plain], args.names, args.open)
    return invoke(m, fn.func, with_self, state, frame, node)


def call_object(m: Machine, fn: Ref, args: Args, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """Call a class, or an instance with ``__call__``."""
    cell = state.read(fn.id)
    if cell.kind == "class":
        meta, _ = classes.find_in_class(m, fn, "__metaclass__", state)
        maker, owner = (
            classes.find_in_class(m, meta, "__call__", state) if isinstance(meta, Ref) else (None, None)
        )
        if isinstance(maker, Func):
            return invoke(m, Bound(fn, classes.owned(maker, owner)), args, state, frame, node)
        return instances.instantiate(m, fn, args, state, frame, node)
    if cell.kind == "instance" and isinstance(cell.cls, Ref):
        found, owner = classes.find_in_class(m, cell.cls, "__call__", state)
        if found is not None:
            return invoke(m, Bound(fn, classes.owned(found, owner)), args, state, frame, node)
        if not classes.mro(m, cell.cls, state)[1]:
            return libraries.call_instance(m, fn, args, state, frame, node)
    if cell.kind == "libobj":
        return libraries.call(m, Lib(f"{cell.extra}.__call__"), fn, args, state, frame, node)
    return opaque_calls.opaque(m, dotted(getattr(node, "func", node)) or cell.kind, args, state, frame, node)


def initialize(
    m: Machine, cls: Ref, this: Ref, args: Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Fill a new instance: by its ``__init__``, or the fields of a dataclass."""
    found, owner = classes.find_in_class(m, cls, "__init__", state)
    if isinstance(found, Func):
        call = Bound(this, classes.owned(found, owner))
        return [
            o._replace(value=this) if o.flow is Flow.NORMAL else o
            for o in invoke(m, call, args, state, frame, node)
        ]
    fields, _ = classes.find_in_class(m, cls, "__dataclass__", state)
    if isinstance(fields, Tup):
        return instances.fill_fields(m, cls, this, fields, args, state, frame, node)
    return normal(state, this)


def call_wrapped(
    m: Machine, fn: Wrapped, args: Args, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """Call something with a role."""
    if fn.role == "partial":
        more = Args([*fn.extra, *args.plain], {**dict(fn.names), **args.names}, args.open)
        return invoke(m, fn.inner, more, state, frame, node)
    if fn.role == "perhaps":
        return wrappers.call(m, fn, args, state, frame, node)
    if fn.role in ("property", "staticmethod", "classmethod", "cached_property", "plain"):
        return invoke(m, fn.inner, args, state, frame, node)
    return libraries.call_wrapped(m, fn, args, state, frame, node)


def call_function(
    m: Machine,
    fn: Func,
    args: Args,
    state: State,
    frame: Frame,
    node: ast.AST,
    receiver: Value | None = None,
) -> list[Outcome]:
    """Run a function of the tree: at once, or later for generators and coroutines."""
    if not m.plan.follows(fn.node):
        return opaque_calls.opaque(m, fn.name, args, state, frame, node)
    recursive = sum(n is fn.node for n in frame.active)
    if len(frame.stack) > MAX_DEPTH or recursive >= MAX_RECURSION:
        return opaque_calls.opaque(m, fn.name, args, state, frame, node)
    before = (fn.node, state.facts)
    if before in m.inert:
        return opaque_calls.opaque(m, fn.name, args, state, frame, node)
    bound = parameters.bind_parameters(m, fn, args, state)
    if bound is None:
        return [failures.failure(state, frame, node, "TypeError", f"{fn.name}() with these arguments")]
    cell = m.new(state, Cell("frame", bound))
    called_from = frame.chain(node, f"{fn.name}()")
    running.works(m, fn.name, called_from[0], state, frame, own=True)
    inner = replace(
        frame,
        path=fn.path,
        cell=cell.id,
        globals=fn.globals,
        scope=fn.scope,
        func=fn,
        receiver=receiver,
        found=fn.owner,
        stack=called_from,
        active=(*frame.active, fn.node),
    )
    names = names_of(fn.node)
    if names.generator:
        from lens_preflight.program import generators

        return normal(state, generators.make(m, inner, state))
    if isinstance(fn.node, ast.AsyncFunctionDef):
        return normal(state, m.new(state, Cell("coroutine", extra=inner)))
    out = run_body(m, fn, state, inner)
    returns = any(o.flow is Flow.NORMAL for o in out)
    if (
        returns
        and not m.plan.small
        and not m.plan.short(fn.node)
        and all(leaves_alone(o, before[1]) for o in out)
    ):
        m.inert.add(before)
    return out


def leaves_alone(o: Outcome, facts: Facts) -> bool:
    """True when a way out of a call changed nothing about telemetry and returns nothing of interest."""
    plain = o.flow is not Flow.NORMAL or of_no_interest(o.value)
    return plain and o.flow is not Flow.HARD and o.state.facts == facts


def of_no_interest(value: Value) -> bool:
    """True for a value that can hold neither a handle nor a function of the tree."""
    if isinstance(value, Tup):
        return all(of_no_interest(item) for item in value.items)
    if isinstance(value, Choice):
        return all(of_no_interest(option) for option in value.options)
    return isinstance(value, Const | Unknown | Lib)


def run_body(m: Machine, fn: Func, state: State, inner: Frame) -> list[Outcome]:
    """The body of a function in its frame, and what the call makes of its ways out."""
    if isinstance(fn.node, ast.Lambda):
        return expressions.evaluate(m, fn.node.body, state, inner)
    keep = parameters.keeps_frame(fn.node)
    out: list[Outcome] = []
    for o in reduce(statements.block(m, body_of(fn.node), state, inner)):
        if not keep:
            o.state.heap.pop(inner.cell, None)
        if o.flow in (Flow.RETURN, Flow.NORMAL):
            out.append(Outcome(Flow.NORMAL, o.state, o.value if o.flow is Flow.RETURN else NONE))
        else:
            out.append(o)
    return reduce(out)


def apply_decorator(
    m: Machine, decorator: Value, inner: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """What a decorator makes of a function or class."""
    if isinstance(decorator, Unknown):
        return normal(state, inner)
    if isinstance(decorator, Ref) and state.read(decorator.id).kind in ("instance", "generator"):
        special = libraries.decorate_with_instance(m, decorator, inner, state)
        if special is not None:
            return normal(state, special)
    out = invoke(m, decorator, Args([inner]), state, frame, node)
    if isinstance(decorator, Lib) and isinstance(inner, Func | Wrapped):
        return [behind(decorator, inner, o) if o.flow is Flow.NORMAL else o for o in out]
    return out


def behind(decorator: Lib, inner: Value, made: Outcome) -> Outcome:
    """A function behind a decorator of a library that is not known: called as a rule, or only where it chooses."""
    from lens_preflight.program import rank_gates

    unknown = isinstance(made.value, Lib | Unknown)
    if unknown or (isinstance(made.value, Wrapped) and made.value.role == "perhaps"):
        if rank_gates.may_choose(decorator.path):
            return made._replace(value=Wrapped("chosen", inner, (decorator,)))
        return made._replace(value=wrappers.around(inner, decorator.path))
    return made
