"""Clients of the places where telemetry is searched for: five questions, each with one reading."""

from lens_preflight.backends.backend import Backend
from lens_preflight.backends.opening import is_collector, open_backend, open_telemetry
from lens_preflight.backends.promql import PromqlBackend
from lens_preflight.backends.readback import ReadBack, read_back
from lens_preflight.backends.telemetry import Telemetry, Trouble, troubles
from lens_preflight.backends.words import Marker, Reading, Scope, Step, Word

__all__ = [
    "Backend",
    "Marker",
    "PromqlBackend",
    "ReadBack",
    "Reading",
    "Scope",
    "Step",
    "Telemetry",
    "Trouble",
    "Word",
    "is_collector",
    "open_backend",
    "open_telemetry",
    "read_back",
    "troubles",
]
