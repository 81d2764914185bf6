"""Methods of lists, dicts, sets and the environment."""

from __future__ import annotations

from lens_preflight.program import access, failures, mentions, natives, variables
from lens_preflight.program.outcomes import Flow, Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, lane_numbers, part
from lens_preflight.program.values import ABSENT, NONE, Const, Lanes, Ref, Tup, Unknown, Value, taints_of


def cell_of(this: Call) -> Cell:
    """The receiver's cell, to be changed."""
    assert isinstance(this.receiver, Ref)
    return this.state.edit(this.receiver.id)


@model("list.append", "set.add", "list.appendleft")
def append(this: Call) -> list[Outcome]:
    """One item more."""
    cell = cell_of(this)
    cell.items = [*cell.items, this.arg(0, "x")]
    return this.done()


@model("list.extend", "set.update")
def extend(this: Call) -> list[Outcome]:
    """Some items more."""
    cell = cell_of(this)
    items = access.items_of(this.m, this.arg(0, "xs"), this.state)
    if items is None:
        cell.open = True
    else:
        cell.items = [*cell.items, *items]
    return this.done()


@model("list.insert")
def insert(this: Call) -> list[Outcome]:
    """An item at a place."""
    cell = cell_of(this)
    at = this.arg(0, "i")
    items = list(cell.items)
    items.insert(at.value if isinstance(at, Const) else 0, this.arg(1, "x"))
    cell.items = items
    return this.done()


@model("list.pop", "list.popleft")
def pop(this: Call) -> list[Outcome]:
    """The last item, or the first."""
    cell = cell_of(this)
    if cell.open or not cell.items or this.args.plain:
        cell.open = True
        return access.unknown_item(this.m, frozenset(), this.state, this.frame, this.node)
    index = 0 if this.path.endswith("left") else -1
    value: Value = cell.items[index]
    cell.items = cell.items[1:] if index == 0 else cell.items[:-1]
    return this.done(value)


@model("list.clear", "set.clear", "dict.clear")
def clear(this: Call) -> list[Outcome]:
    """Empty."""
    cell = cell_of(this)
    cell.items = {} if cell.kind == "dict" else []
    return this.done()


@model("list.remove", "list.sort", "list.reverse", "set.discard", "set.remove")
def shuffle(this: Call) -> list[Outcome]:
    """Changes of order or content that are not followed."""
    cell_of(this).open = True
    return this.done()


@model("list.copy", "dict.copy", "set.copy")
def copied(this: Call) -> list[Outcome]:
    """A shallow copy."""
    return this.done(this.m.new(this.state, cell_of(this).copy()))


@model("list.index", "list.count", "set.issubset", "set.union", "set.intersection", "set.difference")
def computed(this: Call) -> list[Outcome]:
    """Pure methods, applied when all is known."""
    name = this.path.rpartition(".")[2]
    assert this.receiver is not None
    values = [this.receiver, *this.args.plain]
    return natives.apply(
        this.m, lambda x, *a: getattr(x, name)(*a), values, this.state, name, this.frame, this.node
    )


@model("dict.get", "dict.setdefault", "dict.pop")
def get(this: Call) -> list[Outcome]:
    """An item or a default."""
    cell = cell_of(this)
    key, default = this.arg(0, "k"), this.args.get(1, "d", NONE)
    assert default is not None
    if isinstance(key, Lanes) and this.path.endswith("get"):
        return this.done(get_by_lane(this, cell, key, default))
    known = natives.key_object(key, this.state)
    if known is None:
        return this.done(Unknown(taints_of(key)))
    missing = natives.is_absent(cell.items.get(known, ABSENT))
    value: Value = natives.without_absent(cell.items.get(known, default), default)
    if this.path.endswith("pop"):
        cell.items.pop(known, None)
        mentions.note_key(this.m, key, this.state, this.frame, this.node)
        if missing and len(this.args.plain) < 2:
            return access.unknown_item(this.m, frozenset(), this.state, this.frame, this.node)
    if this.path.endswith("setdefault"):
        cell.items[known] = value
    return this.done(Unknown() if missing and cell.open else value)


def get_by_lane(this: Call, cell: Cell, keys: Lanes, default: Value) -> Value:
    """``dict.get`` with a key that differs between the processes."""
    parts: list[Value | None] = [None] * len(keys.parts)
    for lane in lane_numbers(this.state.lanes):
        key, other = part(keys, lane), part(default, lane)
        try:
            found = cell.items.get(key.value) if isinstance(key, Const) else None
        except TypeError:
            found = None
        if not isinstance(key, Const) or (found is None and cell.open):
            parts[lane] = Unknown(taints_of(key))
        else:
            parts[lane] = natives.without_absent(part(found, lane), other) if found is not None else other
    return Lanes(tuple(parts))


@model("dict.update")
def update(this: Call) -> list[Outcome]:
    """Items of another mapping, and keywords."""
    cell = cell_of(this)
    for value in this.args.plain:
        access.update_dict(this.m, cell, value, this.state)
        if isinstance(value, Ref):
            for key in this.state.read(value.id).items or ():
                mentions.note_key(this.m, Const(key), this.state, this.frame, this.node)
    cell.items.update(this.args.names)
    return this.done()


@model("dict.items", "dict.keys", "dict.values")
def views(this: Call) -> list[Outcome]:
    """Views, as lists."""
    cell = cell_of(this)
    name = this.path.rpartition(".")[2]
    keys = [natives.lifted(this.m, k, this.state) for k in cell.items]
    values = list(cell.items.values())
    pairs: list[Value] = [Tup((k, v)) for k, v in zip(keys, values, strict=True)]
    items = {"items": pairs, "keys": keys, "values": values}[name]
    made = Cell("list", items=items)
    made.open = cell.open
    return this.done(this.m.new(this.state, made))


def environment(this: Call) -> Ref:
    """The environment, or the copy of it, whose method is called."""
    return this.receiver if isinstance(this.receiver, Ref) else Ref(variables.ENVIRON)


@model("environ.get", "os.getenv")
def environ_get(this: Call) -> list[Outcome]:
    """A variable or a default."""
    name = this.arg(0, "key")
    default = this.args.get(1, "default", NONE)
    assert default is not None
    if not isinstance(name, Const):
        return this.done(Unknown(taints_of(name) | {"env:?"}))
    found = variables.variable(this.m, str(name.value), this.state, environment(this).id)
    return this.done(or_default(found, default, str(name.value)))


def or_default(found: Value, default: Value, name: str) -> Value:
    """The default where the variable is not set, marked as depending on it."""
    if isinstance(found, Lanes) and default is not NONE:
        parts = enumerate(found.parts)
        return Lanes(tuple(p and or_default(p, part(default, i), name) for i, p in parts))
    if isinstance(found, Const) and found.value is None and default is not NONE:
        if isinstance(default, Const):
            return Const(default.value, found.taints | default.taints, ("env", name, repr(default.value)))
        return default
    return found


@model("environ.setdefault")
def environ_setdefault(this: Call) -> list[Outcome]:
    """Set it unless it is set."""
    name = this.text(0, "key")
    if name is None:  # what is set stays as it is
        return this.done(Unknown())
    found = variables.variable(this.m, name, this.state, environment(this).id)
    if isinstance(found, Const) and found.value is None:
        value = this.arg(1, "value")
        return [
            o if o.flow is not Flow.NORMAL else Outcome(Flow.NORMAL, o.state, value)
            for o in variables.set_environ(
                this.m, environment(this), Const(name), value, this.state, this.frame, this.node
            )
        ]
    return this.done(found)


def unnamed(this: Call) -> None:
    """A change of a variable whose name is not known."""
    name = this.args.get(0, "key", NONE)
    assert name is not None
    if not variables.is_other(name):
        variables.any_name(this.m, this.state, environment(this).id, this.site)


@model("environ.popitem")
def environ_popitem(this: Call) -> list[Outcome]:
    """Any of them is gone."""
    variables.any_name(this.m, this.state, environment(this).id, this.site)
    return this.done(Unknown())


@model("environ.clear")
def environ_clear(this: Call) -> list[Outcome]:
    """All of them are gone."""
    variables.cleared(this.m, environment(this), this.state, this.frame, this.node)
    return this.done()


@model("environ.update")
def environ_update(this: Call) -> list[Outcome]:
    """Several at once."""
    for value in this.args.plain:
        variables.merged(this.m, environment(this), value, this.state, this.frame, this.node)
    for name, text in this.args.names.items():
        variables.set_environ(this.m, environment(this), Const(name), text, this.state, this.frame, this.node)
    return this.done()


@model("environ.pop", "os.unsetenv")
def environ_pop(this: Call) -> list[Outcome]:
    """Unset it."""
    name = this.text(0, "key")
    if name is None:
        unnamed(this)
        return this.done(Unknown())
    found = variables.variable(this.m, name, this.state, environment(this).id)
    default = this.args.get(1, "default")
    unset = isinstance(found, Const) and found.value is None
    failed: list[Outcome] = []
    if unset and default is None and this.path == "environ.pop":
        failed = [failures.failure(this.state.fork(), this.frame, this.node, "KeyError")]
    variables.set_environ(this.m, environment(this), Const(name), NONE, this.state, this.frame, this.node)
    return [*this.done(found if default is None else or_default(found, default, name)), *failed]


@model("os.putenv")
def putenv(this: Call) -> list[Outcome]:
    """Seen by children only."""
    return this.done()


@model("environ.copy")
def environ_copy(this: Call) -> list[Outcome]:
    """A copy, mostly for a child; writes to it change nothing here."""
    assert isinstance(this.receiver, Ref)
    return this.done(this.m.new(this.state, this.state.read(this.receiver.id).copy()))


@model("environ.items", "environ.keys", "environ.values")
def environ_views(this: Call) -> list[Outcome]:
    """Names, values or pairs: those of interest, and one that stands for the others."""
    pairs = variables.listed(this.m, this.state, environment(this).id)
    kind = this.path.rpartition(".")[2]
    items: list[Value] = [Tup(p) if kind == "items" else p[kind == "values"] for p in pairs]
    return this.done(this.m.new(this.state, Cell("list", items=items)))


@model("syspath.insert", "syspath.append", "syspath.extend")
def path_change(this: Call) -> list[Outcome]:
    """``sys.path`` with another root."""
    first = this.path.endswith("insert")
    value = this.arg(1 if first else 0, "x")
    values = access.items_of(this.m, value, this.state) if this.path.endswith("extend") else [value]
    for one in values or ():
        if isinstance(one, Const):
            this.m.closure.add_root(str(one.value), first)
    return this.done()
