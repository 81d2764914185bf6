"""The environment variables of OpenTelemetry: those that reach a NeMo Lens process, and the others.

Sources: ``opentelemetry.environment_variables`` and ``opentelemetry.sdk.environment_variables`` of
1.45.2, and what ``providers.py`` of nemo-lens never asks for.
"""

from __future__ import annotations

from lens_preflight.otel import processors, providers, resource, sampler
from lens_preflight.otel.grpc_exporter import RETRYABLE

EXPORTER_KEYS = (
    "ENDPOINT",
    "PROTOCOL",
    "HEADERS",
    "TIMEOUT",
    "COMPRESSION",
    "INSECURE",
    "CERTIFICATE",
    "CLIENT_KEY",
    "CLIENT_CERTIFICATE",
)

_EXPORTER = tuple(
    f"OTEL_EXPORTER_OTLP_{signal}{key}"
    for signal in ("", "TRACES_", "METRICS_", "LOGS_")
    for key in EXPORTER_KEYS
)
_PLUGINS = tuple(
    f"OTEL_PYTHON_EXPORTER_OTLP_{transport}_{signal}CREDENTIAL_PROVIDER"
    for transport in ("GRPC", "HTTP")
    for signal in ("", "TRACES_", "METRICS_", "LOGS_")
)
_BATCH = tuple(
    f"OTEL_{kind}_{key}"
    for kind in ("BSP", "BLRP")
    for key in ("SCHEDULE_DELAY", "EXPORT_TIMEOUT", "MAX_QUEUE_SIZE", "MAX_EXPORT_BATCH_SIZE")
)

READ = frozenset(
    (
        *_EXPORTER,
        *_PLUGINS,
        *_BATCH,
        *processors.SPAN_LIMITS,
        *processors.LOG_LIMITS,
        processors.INTERVAL,
        processors.METRIC_TIMEOUT,
        processors.TEMPORALITY,
        processors.HISTOGRAM,
        providers.PROPAGATORS,
        providers.METER_PROVIDER,
        providers.TRACER_PROVIDER,
        providers.EXEMPLAR_FILTER,
        sampler.NAME,
        sampler.ARGUMENT,
        resource.NAME,
        resource.SERVICE_NAME,
        RETRYABLE,
        "OTEL_SDK_DISABLED",
        "OTEL_PYTHON_CONTEXT",
        "OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED",
        "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS",
    )
)
"""Variables that something in a NeMo Lens process reads."""

WITHOUT_EFFECT = {
    "OTEL_TRACES_EXPORTER": "NeMo Lens builds its exporters itself; NEMO_LENS_EXPORTER and "
    "NEMO_LENS_TRACES_ENABLED choose",
    "OTEL_METRICS_EXPORTER": "NeMo Lens builds its exporters itself; NEMO_LENS_EXPORTER and "
    "NEMO_LENS_METRICS_ENABLED choose",
    "OTEL_LOGS_EXPORTER": "NeMo Lens builds its exporters itself; NEMO_LENS_LOGS_ENABLED chooses",
    "OTEL_CONFIG_FILE": "NeMo Lens reads no configuration file of OpenTelemetry",
    "OTEL_EXPERIMENTAL_CONFIG_FILE": "NeMo Lens reads no configuration file of OpenTelemetry",
    "OTEL_LOG_LEVEL": "the Python SDK does not read it",
    "OTEL_PYTHON_ID_GENERATOR": "NeMo Lens does not ask for it",
    "OTEL_PYTHON_LOGGER_PROVIDER": "NeMo Lens sets its own",
    "OTEL_PYTHON_TRACER_CONFIGURATOR": "NeMo Lens does not ask for it",
    "OTEL_PYTHON_METER_CONFIGURATOR": "NeMo Lens does not ask for it",
    "OTEL_PYTHON_LOGGER_CONFIGURATOR": "NeMo Lens does not ask for it",
    "OTEL_EXPORTER_PROMETHEUS_HOST": "NeMo Lens has no Prometheus exporter",
    "OTEL_EXPORTER_PROMETHEUS_PORT": "NeMo Lens has no Prometheus exporter",
}
"""Variables of the specification that nothing in a NeMo Lens process reads, and what does instead."""

ELSEWHERE = (
    "OTEL_PYTHON_",
    "OTEL_INSTRUMENTATION_",
    "OTEL_SEMCONV_",
    "OTEL_EXPORTER_JAEGER_",
    "OTEL_EXPORTER_ZIPKIN_",
    "OTEL_EXPORTER_PROMETHEUS_",
    "OTEL_GO_",
    "OTEL_JAVA",
    "OTEL_DOTNET_",
    "OTEL_NODE_",
    "OTEL_PHP_",
    "OTEL_EBPF_",
    "OTEL_EXPERIMENTAL_",
    "OTEL_K8S_",
)
"""Beginnings of names that other programs of OpenTelemetry own; nothing is said about them."""
