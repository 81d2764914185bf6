"""What a setup call finds: variables that the program has written, and the fields of its configuration."""

from __future__ import annotations

from lens_preflight.core.data import dataclass
from lens_preflight.program.state import Site
from lens_preflight.program.values import Value

FIELDS = {
    "sampler_enabled": "SAMPLER_ENABLED",
    "traces_enabled": "TRACES_ENABLED",
    "metrics_enabled": "METRICS_ENABLED",
    "logs_enabled": "LOGS_ENABLED",
    "span_groups": "SPAN_GROUPS",
    "exporter": "EXPORTER",
    "run_id": "RUN_ID",
    "service_name": "",
}
"""Fields of the configuration that decide what is exported, and the keys of their variables (none: not one of Lens)."""


@dataclass(frozen=True, slots=True)
class Found:
    """One variable or field as a setup call finds it, and the place that made it so."""

    name: str
    value: Value
    at: Site | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What one setup call finds.

    ``written`` are the variables that the program has changed so far (None: taken away), ``fields``
    those of FIELDS; none when the configuration is not known. ``any_name`` is where it has written a
    variable of an unknown name. ``own_exporters`` are the signals that go somewhere of the program's choice,
    ``own_provider`` is where it has set a global provider itself.
    """

    written: tuple[Found, ...] = ()
    fields: tuple[Found, ...] = ()
    any_name: Site | None = None
    own_exporters: tuple[str, ...] = ()
    own_provider: Site | None = None
