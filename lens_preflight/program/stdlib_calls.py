"""The standard library around functions, paths, modules and context managers."""

from __future__ import annotations

import json
import os.path
from pathlib import PurePosixPath

from lens_preflight.core.data import replace
from lens_preflight.program import (
    access,
    calls,
    classes,
    failures,
    fields,
    holding,
    module_calls,
    natives,
    objects,
    opaque_calls,
    statements,
)
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import MODELS, Call, model
from lens_preflight.program.state import Cell
from lens_preflight.program.values import (
    NONE,
    TRUE,
    Bound,
    Const,
    Func,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    Wrapped,
    key_of,
    taints_of,
)

for _name in ("join", "dirname", "basename", "normpath", "splitext", "split", "isabs"):
    MODELS[f"os.path.{_name}"] = module_calls.pure(getattr(os.path, _name))
for _name in ("abspath", "realpath", "expanduser", "expandvars"):
    MODELS[f"os.path.{_name}"] = module_calls.pure(os.path.normpath)
for _name in ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
    MODELS[_name] = module_calls.pure(PurePosixPath)
MODELS["os.fspath"] = module_calls.pure(str)


@model(
    "json.load",
    "json.loads",
    "tomllib.load",
    "tomllib.loads",
    "tomli.load",
    "tomli.loads",
    "toml.load",
    "toml.loads",
    "yaml.safe_load",
    "yaml.load",
    "yaml.full_load",
    "omegaconf.OmegaConf.load",
    "configparser.ConfigParser().get",
    "configparser.ConfigParser().getboolean",
    "configparser.ConfigParser().getint",
)
def parsed(this: Call) -> list[Outcome]:
    """Data from a file; from a known text, the data itself when it is JSON."""
    first = this.arg(0, "s")
    if this.path == "json.loads" and isinstance(first, Const | Lanes):
        return natives.apply(this.m, json.loads, [first], this.state, this.path, this.frame, this.node)
    taints = frozenset().union(*(natives.deep_taints(a, this.state) for a in this.args.plain))
    taints = frozenset(t for t in taints if not t.startswith("opaque:")) or frozenset(("file",))
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")[:1]
    return [*this.done(Unknown(taints)), *failed]


@model("importlib.reload")
def reload_module(this: Call) -> list[Outcome]:
    """The top level of a module of the tree, once more."""
    target = this.arg(0, "module")
    if not isinstance(target, Ref) or this.state.read(target.id).kind != "module":
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    name = this.state.read(target.id).attrs.get("__name__")
    found = this.m.closure.find(str(name.value)) if isinstance(name, Const) else None
    if found is None or found.path is None or this.state.read(target.id).open:
        return this.done(target)
    source = this.m.closure.source(found.path)
    stack = this.frame.chain(this.node, "reload")
    inner = replace(
        this.frame, path=found.path, cell=target.id, globals=target.id, scope=(), func=None, stack=stack
    )
    out = statements.block(this.m, source.tree.body, this.state, inner)
    return [o._replace(value=target) if o.flow is Flow.NORMAL else o for o in out]


@model("functools.partial", "functools.partialmethod")
def partial(this: Call) -> list[Outcome]:
    """Arguments given in advance."""
    if not this.args.plain:
        return this.done(Unknown())
    first, rest = this.args.plain[0], tuple(this.args.plain[1:])
    return this.done(Wrapped("partial", first, rest, tuple(this.args.names.items())))


@model("functools.wraps", "functools.update_wrapper")
def wraps(this: Call) -> list[Outcome]:
    """Keeps the wrapper as it is."""
    return this.done(Lib("functools.wraps()") if this.path.endswith("wraps") else this.arg(0, "wrapper"))


@model("functools.wraps()", "functools.lru_cache()")
def decorator_of(this: Call) -> list[Outcome]:
    """The second call of a decorator with arguments."""
    value = this.arg(0, "f")
    if "cache" in this.path:
        return this.done(make_cached(this, value))
    return this.done(value)


@model("functools.lru_cache", "functools.cache")
def cache(this: Call) -> list[Outcome]:
    """A memory of results; with or without arguments of its own."""
    if this.args.plain and not isinstance(this.args.plain[0], Const):
        return this.done(make_cached(this, this.args.plain[0]))
    size = this.args.get(0, "maxsize", Const(128))
    if isinstance(size, Const) and size.value == 0:
        return this.done(Lib("functools.wraps()"))  # remembers nothing
    return this.done(Lib("functools.lru_cache()"))


@model("wrapped.cache_clear")
def cache_clear(this: Call) -> list[Outcome]:
    """Forget every result of a cached function."""
    fn = this.receiver
    if isinstance(fn, Wrapped) and fn.role == "cached" and isinstance(fn.extra[0], Ref):
        this.state.edit(fn.extra[0].id).items = {}
    return this.done()


def make_cached(this: Call, function: Value) -> Value:
    """A cached function and its memory."""
    return Wrapped("cached", function, (this.m.new(this.state, Cell("memory", items={})),))


@model("wrapped:cached")
def call_cached(this: Call) -> list[Outcome]:
    """The remembered result, else the call, remembered when it returns."""
    fn = this.receiver
    assert isinstance(fn, Wrapped) and isinstance(fn.extra[0], Ref)
    memory = fn.extra[0].id
    keys = [key_of(v) if not isinstance(v, Ref) else ("ref", v.id) for v in this.args.plain]
    keys += [(n, key_of(v)) for n, v in sorted(this.args.names.items())]
    known = None not in keys
    key = tuple(keys)
    found = this.state.read(memory).items.get(key)
    if found is not None:
        return this.done(found)
    out = calls.invoke(this.m, fn.inner, this.args, this.state, this.frame, this.node)
    if known:
        for o in out:
            if o.flow is Flow.NORMAL:
                o.state.edit(memory).items[key] = o.value
    return out


@model("contextvars.ContextVar")
def context_variable(this: Call) -> list[Outcome]:
    """A variable of the context, followed as one of the process."""
    default = this.args.names.get("default")
    cell = Cell("contextvar", {} if default is None else {"held": default})
    return this.done(this.m.new(this.state, cell))


@model("contextvar.set")
def set_context(this: Call) -> list[Outcome]:
    """Hold a value."""
    assert isinstance(this.receiver, Ref)
    this.state.edit(this.receiver.id).attrs["held"] = this.arg(0, "value")
    return this.done(Unknown())


@model("contextvar.get")
def get_context_value(this: Call) -> list[Outcome]:
    """The value held, a default, or a LookupError."""
    assert isinstance(this.receiver, Ref)
    held = this.state.read(this.receiver.id).attrs.get("held", this.args.get(0, "default"))
    if held is None:
        return [failures.failure(this.state, this.frame, this.node, "LookupError")]
    return this.done(held)


@model("functools.cached_property")
def cached_property(this: Call) -> list[Outcome]:
    """A property that is computed once."""
    return this.done(Wrapped("cached_property", this.arg(0, "f")))


@model("dataclasses.dataclass", "dataclasses.dataclass()")
def dataclass(this: Call) -> list[Outcome]:
    """The fields of the class become parameters of its constructor."""
    value = this.args.get(0, "cls", NONE)
    if not isinstance(value, Ref):
        options = tuple(this.args.names.items())
        return this.done(Wrapped("partial", Lib("dataclasses.dataclass"), (), options))
    order, _ = classes.mro(this.m, value, this.state)
    names: list[Value] = []
    for cls in reversed(order):
        fields = this.state.read(cls.id).attrs.get("__fields__")
        names.extend(f for f in (fields.items if isinstance(fields, Tup) else ()) if f not in names)
    attrs = this.state.edit(value.id).attrs
    attrs["__dataclass__"] = Tup(tuple(names))
    if this.args.names.get("frozen") == TRUE:
        attrs[holding.FROZEN] = TRUE
    if this.args.names.get("slots") == TRUE:
        attrs["__slots__"] = attrs.get("__fields__", Tup(()))
    return this.done(value)


@model("dataclasses.field")
def field(this: Call) -> list[Outcome]:
    """A field: its default, or what makes one each time that an object is made without the argument."""
    return this.done(fields.field(this.args.names))


@model("collections.defaultdict")
def defaultdict(this: Call) -> list[Outcome]:
    """A dict that makes what is missing."""
    factory = this.args.get(0, "default_factory", NONE)
    cell = Cell("dict", items={}, extra=factory if factory is not NONE else None)
    return this.done(this.m.new(this.state, cell))


@model("collections.OrderedDict", "collections.deque", "types.SimpleNamespace")
def collections_(this: Call) -> list[Outcome]:
    """Other containers."""
    if this.path.endswith("SimpleNamespace"):
        return this.done(this.m.new(this.state, Cell("namespace", dict(this.args.names))))
    if this.path.endswith("deque"):
        items = access.items_of(this.m, this.arg(0, "xs", Tup(())), this.state)
        cell = Cell("list", items=items or [])
        cell.open = items is None
        return this.done(this.m.new(this.state, cell))
    return MODELS_DICT(this)


def MODELS_DICT(this: Call) -> list[Outcome]:  # noqa: N802
    """``dict(...)`` under another name."""
    from lens_preflight.program import builtin_calls

    return builtin_calls.make_dict(this)


@model("operator.attrgetter", "operator.methodcaller", "operator.itemgetter")
def getter(this: Call) -> list[Outcome]:
    """A callable made of a name."""
    return this.done(Wrapped(this.path.rpartition(".")[2], this.arg(0, "name"), tuple(this.args.plain[1:])))


@model("wrapped:attrgetter", "wrapped:methodcaller")
def call_getter(this: Call) -> list[Outcome]:
    """Get the attribute; call it when it is a method caller."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    if not isinstance(fn.inner, Const):
        return this.done(Unknown())
    out: list[Outcome] = []
    for o in objects.get_attribute(
        this.m, this.arg(0, "o"), str(fn.inner.value), this.state, this.frame, this.node
    ):
        if o.flow is Flow.NORMAL and fn.role == "methodcaller":
            args = calls.Args(list(fn.extra))
            out.extend(calls.invoke(this.m, o.value, args, o.state, this.frame, this.node))
        else:
            out.append(o)
    return out


@model("inspect.iscoroutinefunction", "inspect.isgeneratorfunction", "asyncio.iscoroutinefunction")
def is_coroutine(this: Call) -> list[Outcome]:
    """Seen from the definition."""
    import ast

    fn = this.arg(0, "f")
    fn = fn.func if isinstance(fn, Bound) else fn
    if isinstance(fn, Func) and "coroutine" in this.path:
        return this.done(Const(isinstance(fn.node, ast.AsyncFunctionDef)))
    return this.done(Unknown(taints_of(fn)))
