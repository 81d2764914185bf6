"""Global providers of OpenTelemetry: the first one that is set stays, and a later one is refused with a log line.

Source: opentelemetry-api 1.45.2 executed (``Overriding of current TracerProvider is not allowed``).
"""

from __future__ import annotations

from lens_preflight.program import libraries, setup_arguments
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model


@model("opentelemetry.trace.set_tracer_provider", "opentelemetry.metrics.set_meter_provider")
def set_provider(this: Call) -> list[Outcome]:
    """A provider of the program's own; behind a setup it is the one that is refused."""
    if not this.state.facts.setups:
        this.state.facts = this.state.facts.noted(setup_arguments.OWN_PROVIDER, this.site)
    return libraries.safe(this)
