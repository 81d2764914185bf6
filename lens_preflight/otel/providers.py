"""What plug-in variables of the OpenTelemetry API do to a process that imports or sets it up.

Source: opentelemetry-api and -sdk 1.45.2, executed. A name that no installed package provides raises,
some of them already on ``import nemo.lens``.
"""

from __future__ import annotations

from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.otel.delivery import Delivery
from lens_preflight.suggest import nearest

PROPAGATORS = "OTEL_PROPAGATORS"
BUILT_IN_PROPAGATORS = ("tracecontext", "baggage")
PUBLISHED_PROPAGATORS = ("b3", "b3multi", "jaeger", "xray", "ottrace")
"""Of packages that can be installed; a site may have more."""
METER_PROVIDER = "OTEL_PYTHON_METER_PROVIDER"
METER_PROVIDERS = ("default_meter_provider", "sdk_meter_provider")
TRACER_PROVIDER = "OTEL_PYTHON_TRACER_PROVIDER"
EXEMPLAR_FILTER = "OTEL_METRICS_EXEMPLAR_FILTER"
EXEMPLAR_FILTERS = ("trace_based", "always_on", "always_off")


def import_api(env: Environment) -> None:
    """What ``import nemo.lens`` reads.

    Raises:
        LibraryFailure: a propagator that the API does not bring along and that may not be installed.
        Undecided: the variable is not known before start.
    """
    lacking = []
    for word in (env.text(PROPAGATORS) or "none").split(","):
        name = word.strip()
        if name.lower() == "none":
            break
        if name not in BUILT_IN_PROPAGATORS:
            lacking.append(name)
    if lacking:
        name = next(filter(_slip, lacking), lacking[0])
        message = f"no package of OpenTelemetry itself provides the propagator {name!r}"
        raise LibraryFailure(
            Harm.RAISES,
            "ValueError",
            variable=PROPAGATORS,
            message=message,
            when="import",
            plugin=not _slip(name),
        )


def _slip(name: str) -> bool:
    """Whether no package can be meant: an empty name, or a built-in one that is misspelt."""
    return not name or (
        name not in PUBLISHED_PROPAGATORS and bool(nearest(name.lower(), BUILT_IN_PROPAGATORS, 0.8))
    )


def provider_plugin(env: Environment, name: str, known: tuple[str, ...]) -> None:
    """The load of a global provider that a variable names, when the API is asked for one too early.

    Raises:
        LibraryFailure: StopIteration, because no package provides it.
        Undecided: the variable is not known before start.
    """
    text = env.text(name)
    if text is not None and text not in known:
        message = f"no package of OpenTelemetry itself provides {text!r}"
        raise LibraryFailure(
            Harm.RAISES,
            "StopIteration",
            variable=name,
            message=message,
            when="setup_telemetry",
            plugin=True,
        )


def meter_plugin(env: Environment) -> None:
    """What the first batch processor or log provider does before metrics are set up."""
    provider_plugin(env, METER_PROVIDER, METER_PROVIDERS)


def metrics_refused(env: Environment) -> Delivery:
    """What becomes of metrics when traces are set up before them.

    The first batch span processor asks for a meter and so puts the named provider in place; the one
    with the exporter comes later and is refused: "Overriding of current MeterProvider is not allowed".
    """
    if env.text(METER_PROVIDER) not in METER_PROVIDERS:
        return Delivery()
    why = "the provider that it names is in place before the one that exports, which is then refused"
    return Delivery("refused", METER_PROVIDER, why)


def tracer_plugin(env: Environment) -> None:
    """What the handle does when traces are off, so that no tracer provider was set."""
    provider_plugin(env, TRACER_PROVIDER, ("default_tracer_provider", "sdk_tracer_provider"))


def exemplar_filter(env: Environment) -> None:
    """What a meter provider does; exact words only.

    Raises:
        LibraryFailure: ValueError for any other text, the empty one included.
        Undecided: the variable is not known before start.
    """
    text = env.text(EXEMPLAR_FILTER)
    if text is not None and text not in EXEMPLAR_FILTERS:
        message = f"{text!r} is none of {', '.join(EXEMPLAR_FILTERS)}"
        raise LibraryFailure(
            Harm.RAISES, "ValueError", variable=EXEMPLAR_FILTER, message=message, when="setup_telemetry"
        )
