"""What reaches a setup call beside its switch: its arguments, resource attributes, variables, fields."""

from __future__ import annotations

from lens_preflight.program import objects, variables
from lens_preflight.program.state import Cell, Site, State
from lens_preflight.program.surroundings import FIELDS, Found, Surroundings
from lens_preflight.program.values import Const, Ref, Value

RUN_ID = "nemo.run.id"

OWN_PROVIDER = "own provider"
"""The kind of the note that a path carries behind a global provider of the program's own."""

OWN_EXPORTERS = {"span_exporter": "traces", "metric_reader": "metrics"}
"""Arguments of the setup call that take the place of the exporter of a signal."""


def of_setup(state: State, config: Value, arguments: dict[str, Value], here: Site) -> Surroundings:
    """What a setup call with these keyword arguments finds."""
    environ = state.read(variables.ENVIRON)
    written = tuple(
        Found(str(name), value, variables.written_at(state, str(name)))
        for name, value in environ.items.items()
    )
    fields: tuple[Found, ...] = ()
    if isinstance(config, Ref) and state.read(config.id).kind == "config":
        fields = fields_of(state.read(config.id), here)
    given = run_id_among(arguments.get("resource_attributes"), state)
    if given is not None:
        fields = (*(f for f in fields if f.name != "run_id"), Found("run_id", given, here))
    opened = variables.opened_at(state) or (here if environ.open else None)
    own = tuple(s for name, s in OWN_EXPORTERS.items() if arguments.get(name, Const(None)) != Const(None))
    provider = next((site for kind, site in state.facts.notes if kind == OWN_PROVIDER), None)
    return Surroundings(written, fields, opened, own, provider)


def fields_of(cell: Cell, here: Site) -> tuple[Found, ...]:
    """The fields of a configuration, and where each was changed, or the configuration made."""
    made = cell.extra if isinstance(cell.extra, Site) else here
    places = {
        t.value[0]: Site(t.value[1], t.value[2], t.value[0])
        for t in objects.trail_of(cell)
        if isinstance(t, Const)
    }
    return tuple(
        Found(name, cell.attrs[name], places.get(name, made)) for name in FIELDS if name in cell.attrs
    )


def run_id_among(resource: Value | None, state: State) -> Value | None:
    """The run id among the resource attributes of the call, which win over the library's own."""
    if isinstance(resource, Ref) and state.read(resource.id).kind == "dict":
        found = state.read(resource.id).items.get(RUN_ID)
        return found if found is not None and not (isinstance(found, Const) and found.value is None) else None
    return None


def resource_items(resource: Value | None, state: State) -> tuple[tuple[tuple[str, Value], ...] | None, bool]:
    """The resource attributes of the call as they are now; None when the mapping is not known."""
    if isinstance(resource, Const) and resource.value is None:
        return (), False
    if isinstance(resource, Ref) and state.read(resource.id).kind == "dict":
        cell = state.read(resource.id)
        return tuple((str(k), v) for k, v in cell.items.items()), cell.open
    return None, True
