"""Builtins and containers: applied for real to what is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lens_preflight.program import (
    access,
    attribute_calls,
    builtin_methods,
    calls,
    failures,
    imports,
    instances,
    lazy_maps,
    opaque_calls,
    pure_calls,
    special_methods,
    truths,
)
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    FALSE,
    TRUE,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
    taints_of,
)


def builtin(this: Call) -> list[Outcome] | None:
    """A builtin function; None when it is not one of those here."""
    name = this.path.removeprefix("builtins.")
    handler = SPECIAL.get(name)
    if handler is not None:
        return handler(this)
    own = builtin_methods.own(this, name)
    if own is not None:
        return own
    if name in ("min", "max", "sorted") and set(this.args.names) <= {"key", "reverse"} and this.args.names:
        return pure_calls.ordered(this, name)
    if name in lazy_maps.EAGER and lazy_maps.is_lazy(this.args):
        return lazy_maps.consumed(this)
    if name in pure_calls.PURE and not this.args.names and not this.args.open:
        return pure_calls.pure(this, name)
    value = (
        getattr(__builtins__, name, None) if not isinstance(__builtins__, dict) else __builtins__.get(name)
    )
    if isinstance(value, type) and issubclass(value, BaseException):
        return this.done(this.m.new(this.state, Cell("libobj", extra=this.path)))
    return None


def boolean(this: Call) -> list[Outcome]:
    """``bool(x)``: the truth of it, lane by lane."""
    if not this.args.plain:
        return this.done(FALSE)
    out: list[Outcome] = []
    for o in special_methods.truth(this.m, this.args.plain[0], this.state, this.frame, this.node):
        if o.flow is Flow.NORMAL:
            once = truths.negated(this.m, o.value, o.state)
            o = o._replace(value=truths.negated(this.m, once, o.state))
        out.append(o)
    return out


def make_dict(this: Call) -> list[Outcome]:
    """``dict(...)``."""
    cell = Cell("dict", items={})
    for value in this.args.plain[:1]:
        pairs = access.items_of(this.m, value, this.state)
        if isinstance(value, Ref) and this.state.read(value.id).kind == "environ" and not this.args.names:
            return this.done(this.m.new(this.state, this.state.read(value.id).copy()))
        if isinstance(value, Ref) and this.state.read(value.id).kind == "dict":
            access.update_dict(this.m, cell, value, this.state)
        elif pairs is not None and all(isinstance(p, Tup) and len(p.items) == 2 for p in pairs):
            for pair in pairs:
                assert isinstance(pair, Tup)
                access.put_item(cell, pair.items[0], pair.items[1], this.state)
        else:
            cell.open = True
    cell.items.update(this.args.names)
    cell.open = cell.open or this.args.open
    return this.done(this.m.new(this.state, cell))


def next_(this: Call) -> list[Outcome]:
    """``next`` on a generator of the tree."""
    from lens_preflight.program import generators

    target = this.arg(0, "it")
    if isinstance(target, Ref) and this.state.read(target.id).kind == "generator":
        default = this.args.get(1, "default")
        out = generators.start(this.m, target, this.state, this.frame, this.node)
        if default is None:
            return out
        return [Outcome(Flow.NORMAL, o.state, default) if o.error == generators.STOP else o for o in out]
    own = special_methods.called(this.m, target, ("__next__",), [], this.state, this.frame, this.node)
    if own is not None:
        return own
    return opaque_calls.opaque(
        this.m, "next", calls.Args(), this.state, this.frame, this.node, taints_of(target)
    )


def super_(this: Call) -> list[Outcome]:
    """``super()`` with and without arguments."""
    receiver = this.frame.receiver
    after: Value | None = this.frame.found
    if len(this.args.plain) == 2:
        after, receiver = this.args.plain
    if receiver is None or after is None:
        return this.done(Unknown())
    return this.done(Wrapped("super", receiver, (after,)))


def role(name: str) -> Callable[[Call], list[Outcome]]:
    """A builtin that gives a function a role."""

    def give(this: Call) -> list[Outcome]:
        return this.done(Wrapped(name, this.arg(0, "f")))

    return give


def leave(this: Call) -> list[Outcome]:
    """``exit()`` and ``sys.exit()``."""
    origin = this.frame.chain(this.node, f"{this.path.removeprefix('builtins.')}()")
    return [Outcome(Flow.EXIT, this.state, error="SystemExit", origin=origin)]


def execute(this: Call) -> list[Outcome]:
    """``exec`` and ``eval``: of a known text, parsed and run; of anything else, opaque."""
    source = this.text(0, "source")
    if source is not None:
        from lens_preflight.program import statements

        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return [failures.failure(this.state, this.frame, this.node, "SyntaxError")]
        for node in ast.walk(tree):
            if isinstance(node, ast.expr | ast.stmt):
                node.lineno = getattr(this.node, "lineno", 1)
        return statements.block(this.m, tree.body, this.state, this.frame)
    return opaque_calls.opaque(this.m, "exec", this.args, this.state, this.frame, this.node)


def globals_(this: Call) -> list[Outcome]:
    """``globals()``: names can be written behind the back of assignments."""
    return this.done(this.m.new(this.state, Cell("attributes", extra=Ref(this.frame.globals))))


SPECIAL: dict[str, Callable[[Call], list[Outcome]]] = {
    "bool": boolean,
    "getattr": attribute_calls.get_attr,
    "hasattr": attribute_calls.has_attr,
    "setattr": attribute_calls.set_attr,
    "isinstance": attribute_calls.is_instance,
    "callable": attribute_calls.callable_,
    "dict": make_dict,
    "next": next_,
    "super": super_,
    "property": role("property"),
    "staticmethod": role("staticmethod"),
    "classmethod": role("classmethod"),
    "exit": leave,
    "quit": leave,
    "exec": execute,
    "map": lazy_maps.map_,
    "globals": globals_,
    "vars": attribute_calls.vars_,
    "type": attribute_calls.type_,
}


@model("builtins.object.__new__")
def new_instance(this: Call) -> list[Outcome]:
    """``super().__new__(cls)``: an instance, not filled yet."""
    cls = this.arg(0, "cls")
    if isinstance(cls, Ref) and this.state.read(cls.id).kind == "class":
        return this.done(this.m.new(this.state, Cell("instance", cls=cls)))
    return this.done(Unknown())


@model("builtins.type.__call__")
def make_instance(this: Call) -> list[Outcome]:
    """``super().__call__(...)`` in a metaclass: the instance that the class makes."""
    assert isinstance(this.receiver, Ref)
    return instances.instantiate(this.m, this.receiver, this.args, this.state, this.frame, this.node)


@model("sys.exit")
def sys_exit(this: Call) -> list[Outcome]:
    """``sys.exit`` raises SystemExit."""
    return leave(this)


def group_started(this: Call) -> bool:
    """True when the tree started the process group, or a framework that does may have."""
    if "process group" in this.state.read(imports.MODULES).attrs:
        return True
    makers = (b"init_process_group", b"lightning", b"accelerate", b"transformers", b"deepspeed", b"megatron")
    return any(maker in data for data in this.m.closure.bytes.values() for maker in makers)


def group_missing(this: Call) -> bool:
    """True when the tree starts the process group, but not before this call."""
    started = this.state.read(imports.MODULES).attrs.get("process group")
    if started is not None:
        return False
    sources = this.m.closure.bytes.values()
    return any(b"init_process_group" in data for data in sources)


@model("torch.distributed.init_process_group")
def init_group(this: Call) -> list[Outcome]:
    """From here on the process group answers."""
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
    this.state.edit(imports.MODULES).attrs["process group"] = TRUE
    return [*this.done(), *failed]


@model("torch.distributed.is_initialized")
def is_initialized(this: Call) -> list[Outcome]:
    """True once the tree has started the group; unknown when libraries may have."""
    if "process group" in this.state.read(imports.MODULES).attrs:
        return this.done(Unknown(frozenset(("opaque:torch.distributed.is_initialized",)), ("group", "up")))
    return this.done(Unknown(frozenset(("opaque:torch.distributed.is_initialized",)), ("group", "early")))
