"""Lens configurations: read from the environment, built by hand, copied and changed."""

from __future__ import annotations

from lens_preflight.lens.config import boolean
from lens_preflight.program import (
    calls,
    config_classes,
    objects,
    opaque_calls,
    variables,
)
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.state import Cell, State, part
from lens_preflight.program.values import (
    NONE,
    TRUE,
    Choice,
    Const,
    Lanes,
    Lib,
    Ref,
    Tup,
    Unknown,
    Value,
    taints_of,
)

FIELDS: dict[str, tuple[str, object]] = {
    "enabled": ("ENABLED", False),
    "export_strategy": ("EXPORT_STRATEGY", "single_rank"),
    "export_rank": ("EXPORT_RANK", -1),
    "export_sample_rate": ("EXPORT_SAMPLE_RATE", 1.0),
    "sampler_enabled": ("SAMPLER_ENABLED", False),
    "traces_enabled": ("TRACES_ENABLED", True),
    "metrics_enabled": ("METRICS_ENABLED", True),
    "logs_enabled": ("LOGS_ENABLED", False),
    "span_groups": ("SPAN_GROUPS", "default"),
    "exporter": ("EXPORTER", "otlp"),
    "run_id": ("RUN_ID", ""),
    "user": ("USER_ID", ""),
}
"""Fields of the configuration: the key behind the prefix, and the default."""


def convert(value: Value, default: object, state: State) -> Value:
    """The value of a field from the text of its variable."""
    if isinstance(value, Lanes):
        return Lanes(tuple(None if p is None else convert(p, default, state) for p in value.parts))
    if not isinstance(value, Const):
        return Unknown(taints_of(value))
    text = str(value.value or "").strip()
    if not text:
        return Const(default, value.taints)
    try:
        if isinstance(default, bool):
            return Const(boolean(text), value.taints)
        kind = {int: int, float: float}.get(type(default), str)
        return Const(kind(text), value.taints)
    except ValueError:
        return Unknown(value.taints)


def first_set(own: Value, fallback: Value) -> Value:
    """The variable of the prefix, else that of the fallback, lane by lane."""
    if isinstance(own, Lanes) or isinstance(fallback, Lanes):
        size = max(len(v.parts) for v in (own, fallback) if isinstance(v, Lanes))
        return Lanes(tuple(first_set(part(own, i), part(fallback, i)) for i in range(size)))
    if isinstance(own, Const) and not str(own.value or "").strip():
        if isinstance(fallback, Const):
            return Const(fallback.value, fallback.taints)
        return fallback
    return own


@model("nemo.lens.NemoLensConfig.from_env")
def from_env(this: Call) -> list[Outcome]:
    """The configuration that the environment gives at this moment."""
    prefix = this.args.get(0, "prefix", Const("NEMO_LENS"))
    fallback = this.args.get(1, "fallback_prefix", NONE)
    cell = Cell("config", extra=this.site)
    if not isinstance(prefix, Const) or not isinstance(fallback, Const):
        for name in FIELDS:
            cell.attrs[name] = Unknown(frozenset(("opaque:prefix",)))
    else:
        for name, (key, default) in FIELDS.items():
            own = variables.variable(this.m, f"{prefix.value}_{key}", this.state)
            second: Value = NONE
            if fallback.value:
                second = variables.variable(this.m, f"{fallback.value}_{key}", this.state)
            cell.attrs[name] = convert(first_set(own, second), default, this.state)
        covered = prefix.value == "NEMO_LENS" or fallback.value == "NEMO_LENS"
        cell.attrs["fallback"] = Const("" if covered else str(prefix.value))
        written = variables.written_at(this.state, variables.SWITCH)
        if written is not None:
            cell.attrs["trail"] = Tup((Const((variables.SWITCH, written.path, written.line)),))
    return config_classes.complete(this, cell)


@model("nemo.lens.NemoLensConfig")
def construct(this: Call) -> list[Outcome]:
    """A configuration built by hand; the environment has no say in it."""
    cell = Cell("config", extra=this.site)
    names = ["enabled", "service_name", *[n for n in FIELDS if n != "enabled"]]
    for i, name in enumerate(names):
        default = FIELDS[name][1] if name in FIELDS else "nemo"
        value = this.args.get(i, name, config_classes.default(this, name, Const(default)))
        cell.attrs[name] = value if value is not None else Const(default)
    cell.attrs["built"] = TRUE
    cell.attrs["given strategy"] = Const("export_strategy" in this.args.names)
    if this.args.open:
        cell.attrs["enabled"] = Unknown(frozenset(("opaque:arguments",)))
    return config_classes.complete(this, cell)


@model("dataclasses.replace", "copy.copy", "copy.deepcopy", "copy.replace")
def copied(this: Call) -> list[Outcome]:
    """A changed copy of an object."""
    target = this.arg(0, "obj")
    if isinstance(target, Choice | Lanes):
        out: list[Outcome] = []
        for here, option in objects.split_options(target, this.state):
            more = calls.Args([option, *this.args.plain[1:]], this.args.names, this.args.open)
            out.extend(copied(Call(this.m, this.path, None, more, here, this.frame, this.node)))
        return out
    if not isinstance(target, Ref):
        if this.path != "copy.deepcopy" or not isinstance(target, Lib | Unknown):
            return this.done(target)
        failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")
        return [*this.done(target), *failed[:1]]
    cell = this.state.read(target.id).copy()
    if cell.kind == "config" and this.args.names:
        names = tuple(Const((n, this.frame.path, getattr(this.node, "lineno", 1))) for n in this.args.names)
        cell.attrs["trail"] = Tup((*objects.trail_of(cell), *names))
        this.m.seen.late.append(("copy", this.site))
    cell.attrs.update(this.args.names)
    if cell.kind == "config" and this.path.endswith("replace"):
        return config_classes.finished(this, this.m.new(this.state, cell))
    return this.done(this.m.new(this.state, cell))
