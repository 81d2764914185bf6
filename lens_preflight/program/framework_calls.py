"""Training frameworks and actors: Lightning, transformers, ray."""

from __future__ import annotations

from lens_preflight.core.data import replace
from lens_preflight.program import access, calls, classes, objects, opaque_calls, process_calls
from lens_preflight.program.outcomes import Flow, Outcome, normal, reduce
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State
from lens_preflight.program.tables import HOOKS
from lens_preflight.program.values import NONE, Bound, Const, Func, Lib, Ref, Unknown, Value, Wrapped


@model("lightning.Trainer", "transformers.Trainer", "trl.SFTTrainer")
def trainer(this: Call) -> list[Outcome]:
    """A trainer keeps its callbacks and its model."""
    callbacks = this.args.names.get("callbacks", NONE)
    items = access.items_of(this.m, callbacks, this.state)
    if items is None and isinstance(callbacks, Ref) and this.state.read(callbacks.id).kind == "instance":
        items = [callbacks]
    path = this.path if this.path.startswith("lightning.") else "transformers.Trainer"
    kept = this.m.new(this.state, Cell("list", items=list(items or [])))
    return this.done(this.m.new(this.state, Cell("libobj", {"callbacks": kept}, extra=path)))


@model("transformers.Trainer.add_callback")
def add_callback(this: Call) -> list[Outcome]:
    """One more callback."""
    assert isinstance(this.receiver, Ref)
    kept = this.state.read(this.receiver.id).attrs.get("callbacks")
    value = this.arg(0, "callback")
    if isinstance(value, Ref) and this.state.read(value.id).kind == "class":
        return opaque_calls.opaque(this.m, this.path, this.args, this.state, this.frame, this.node)
    if isinstance(kept, Ref):
        cell = this.state.edit(kept.id)
        cell.items = [*cell.items, value]
    return this.done()


@model(
    "lightning.Trainer.fit",
    "transformers.Trainer.train",
    "lightning.Trainer.validate",
    "lightning.Trainer.test",
)
def fit(this: Call) -> list[Outcome]:
    """Hooks before, the loop, hooks after success, hooks on an exception."""
    assert isinstance(this.receiver, Ref)
    before, after, failed = HOOKS[this.path.partition(".")[0]]
    kept = this.state.read(this.receiver.id).attrs.get("callbacks")
    subjects = list(access.items_of(this.m, kept, this.state) or []) if kept is not None else []
    subjects.extend(v for v in this.args.plain if isinstance(v, Ref))
    subjects = [s for s in subjects if isinstance(s, Ref) and this.state.read(s.id).kind == "instance"]
    out: list[Outcome] = []
    loop: list[Outcome] = []
    for o in hooks(this, before, subjects, this.state):
        if o.flow is Flow.NORMAL:
            plain = calls.Args()
            loop.extend(opaque_calls.opaque(this.m, this.path, plain, o.state, this.frame, this.node))
        else:
            loop.append(o)
    for o in reduce(loop):
        if o.flow is Flow.NORMAL:
            out.extend(hooks(this, after, subjects, o.state))
        elif o.flow in (Flow.RAISE, Flow.EXIT):
            for h in hooks(this, failed, subjects, o.state):
                out.append(o.at(h.state) if h.flow is Flow.NORMAL else h)
        else:
            out.append(o)
    return reduce(out)


def hooks(this: Call, names: tuple[str, ...], subjects: list[Value], state: State) -> list[Outcome]:
    """Call the hooks that the callbacks have, in order."""
    live = [state]
    out: list[Outcome] = []
    for name in names:
        for subject in subjects:
            assert isinstance(subject, Ref)
            cls = state.read(subject.id).cls
            if not isinstance(cls, Ref):
                continue
            found, owner = classes.find_in_class(this.m, cls, name, state)
            if not isinstance(found, Func):
                continue
            bound = Bound(subject, classes.owned(found, owner))
            spec = found.node.args
            count = len(spec.posonlyargs) + len(spec.args) - 1
            given: list[Value] = [Lib("lightning.Trainer()"), *[Unknown()] * count]
            args = calls.Args(given[:count], open=True)
            following = []
            for here in live:
                for o in calls.invoke(this.m, bound, args, here, this.frame, this.node):
                    (following.append(o.state) if o.flow is Flow.NORMAL else out.append(o))
            live = following
    return reduce([*out, *(Outcome(Flow.NORMAL, s) for s in live)])


@model("ray.remote", "ray.remote()")
def remote(this: Call) -> list[Outcome]:
    """``@ray.remote`` on a function or class."""
    value = this.args.get(0, "f", NONE)
    if isinstance(value, Func | Wrapped):
        return this.done(Wrapped("remote", value))
    if isinstance(value, Ref):
        return this.done(value)
    return this.done(Lib("ray.remote()"))


@model("wrapped:remote-call")
def remote_call(this: Call) -> list[Outcome]:
    """A task: the function runs in a worker process."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    process_calls.child(this, fn.inner, this.args, "ray")
    return this.done(Lib("ray.ObjectRef()"))


@model("wrapped:remote-options")
def remote_options(this: Call) -> list[Outcome]:
    """``.options(...)``: the same function."""
    assert isinstance(this.receiver, Wrapped)
    return this.done(Wrapped("remote", this.receiver.inner))


@model("wrapped:remote-new")
def actor(this: Call) -> list[Outcome]:
    """An actor: its constructor runs in a process of its own."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    out: list[Outcome] = []
    for o in in_actor(this, fn.inner, this.args, this.site.line):
        if o.flow is Flow.NORMAL and isinstance(o.value, Ref):
            out.append(o._replace(value=Wrapped("actor", o.value, (Const(this.site.line),))))
        else:
            out.append(o._replace(flow=Flow.NORMAL, value=Unknown()) if o.flow is not Flow.HARD else o)
    return reduce(out)


@model("wrapped:actor-call")
def actor_call(this: Call) -> list[Outcome]:
    """A method of an actor; its exception shows where the result is asked."""
    fn = this.receiver
    assert isinstance(fn, Wrapped)
    name, number = fn.extra
    assert isinstance(name, Const) and isinstance(number, Const)
    out: list[Outcome] = []
    for a in objects.get_attribute(this.m, fn.inner, str(name.value), this.state, this.frame, this.node):
        if a.flow is not Flow.NORMAL:
            out.append(a)
            continue
        for o in in_actor(replace(this, state=a.state), a.value, this.args, number.value):
            ended = o.flow in (Flow.NORMAL, Flow.RAISE, Flow.EXIT)
            out.extend(normal(o.state, Lib("ray.ObjectRef()")) if ended else [o])
    return reduce(out)


def in_actor(this: Call, function: Value, args: calls.Args, number: int) -> list[Outcome]:
    """Call in the process of an actor: its setups and hooks are not the driver's."""
    state = this.state
    before = state.facts
    state.facts = replace(before, process=f"ray:{number}", setups=(), hooks=(), sigterm=None)
    call_number = this.m.next_id
    this.m.next_id += 1
    frame = replace(this.frame, remote=call_number)
    out = calls.invoke(this.m, function, args, state, frame, this.node)
    for o in out:
        o.state.facts = replace(
            o.state.facts,
            process=before.process,
            setups=before.setups,
            hooks=before.hooks,
            sigterm=before.sigterm,
        )
    return out


@model("ray.train.torch.TorchTrainer", "ray.train.TorchTrainer", "accelerate.notebook_launcher")
def ray_trainer(this: Call) -> list[Outcome]:
    """A trainer whose loop runs in worker processes."""
    loop = this.arg(0, "train_loop_per_worker")
    if this.path.startswith("accelerate"):
        process_calls.child(this, loop, calls.Args(open=True), "fork")
        return [*this.done(), *opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node)]
    cell = Cell("libobj", {"loop": loop}, extra="ray.train.TorchTrainer")
    return this.done(this.m.new(this.state, cell))


@model("ray.train.TorchTrainer.fit")
def ray_fit(this: Call) -> list[Outcome]:
    """Run the loop in the workers."""
    assert isinstance(this.receiver, Ref)
    loop = this.state.read(this.receiver.id).attrs["loop"]
    process_calls.child(this, loop, calls.Args(open=True), "ray")
    return [
        *this.done(Unknown()),
        *opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()"),
    ]
