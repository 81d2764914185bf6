"""Component types of the Collector as data: aliases, removals, signals, what each is for.

Sources: change logs of opentelemetry-collector and -contrib up to v0.159; names run with
``validate`` of a 0.135 build.
"""

from __future__ import annotations

from typing import TypeAlias

Version: TypeAlias = tuple[int, int]

REFERENCE: Version = (0, 146)
"""The version that is judged for when no image tag says another: the one that NeMo Lens pins."""

ALIASES = {
    "otlp_grpc": "otlp",
    "otlp_http": "otlphttp",
    "span_metrics": "spanmetrics",
    "prometheus_remote_write": "prometheusremotewrite",
    "resource_detection": "resourcedetection",
    "k8s_attributes": "k8sattributes",
}
"""New spellings of some types (0.144 on), by the one that rules are written for."""

KINDS = ("receivers", "processors", "exporters", "connectors", "extensions")
TOP_LEVEL = (*KINDS, "service")

REMOVED: dict[tuple[str, str], tuple[Version, str]] = {
    ("exporters", "logging"): ((0, 111), "debug"),
    ("exporters", "jaeger"): ((0, 86), "otlp"),
    ("exporters", "jaeger_thrift"): ((0, 86), "otlp"),
    ("exporters", "opencensus"): ((0, 141), "otlp"),
    ("receivers", "opencensus"): ((0, 141), "otlp"),
    ("extensions", "memory_ballast"): ((0, 109), "the GOMEMLIMIT variable"),
    ("processors", "spanmetrics"): ((0, 96), "the spanmetrics connector"),
    ("processors", "servicegraph"): ((0, 103), "the servicegraph connector"),
}
"""Component to the version that no longer has it, and its successor."""

NOWHERE = frozenset({"debug", "logging", "nop"})
"""Exporters that accept everything and keep nothing."""

PASSING = frozenset({"forward", "routing", "failover", "roundrobin"})
"""Connectors that hand telemetry on as it is; every other one makes something else of it."""

_HARMLESS = frozenset(
    [
        "batch",
        "memorylimiter",
        "filter",
        "tailsampling",
        "probabilisticsampler",
        "attributes",
        "span",
        "resourcedetection",
        "k8sattributes",
        "groupbytrace",
        "groupbyattrs",
        "cumulativetodelta",
        "deltatocumulative",
        "deltatorate",
        "interval",
        "spanmetrics",
        "metricstransform",
        "metricsgeneration",
        "experimentalmetricsgeneration",
        "metricstarttime",
        "geoip",
        "logdedup",
        "remotetap",
        "unroll",
        "dnslookup",
        "servicegraph",
    ]
)


def leaves_resource(type_: str) -> bool:
    """Whether a processor leaves the attributes of the resource alone, but for what it adds."""
    return type_.replace("_", "") in _HARMLESS


OTLP_RECEIVERS = frozenset({"otlp", "otelarrow"})
PULLED = frozenset({"prometheus", "file", "debug", "nop", "logging"})
"""Exporters for which a batch and a queue mean nothing."""

ONLY: dict[tuple[str, str], tuple[str, ...]] = {
    ("exporters", "prometheus"): ("metrics",),
    ("exporters", "prometheusremotewrite"): ("metrics",),
    ("exporters", "zipkin"): ("traces",),
    ("exporters", "loki"): ("logs",),
    ("exporters", "jaeger_storage_exporter"): ("traces",),
    ("receivers", "jaeger"): ("traces",),
    ("receivers", "zipkin"): ("traces",),
    ("receivers", "prometheus"): ("metrics",),
    ("receivers", "hostmetrics"): ("metrics",),
    ("receivers", "filelog"): ("logs",),
    ("processors", "tail_sampling"): ("traces",),
    ("processors", "groupbytrace"): ("traces",),
    ("processors", "cumulativetodelta"): ("metrics",),
    ("processors", "metricstransform"): ("metrics",),
}
"""Types that exist for some signals only; in another pipeline the collector does not start."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


KEYS: dict[tuple[str, str], tuple[str, ...]] = {
    ("processors", "memory_limiter"): _words(
        "check_interval limit_mib spike_limit_mib limit_percentage spike_limit_percentage "
        "min_gc_interval_when_soft_limited min_gc_interval_when_hard_limited"
    ),
    ("processors", "batch"): _words(
        "timeout send_batch_size send_batch_max_size metadata_keys metadata_cardinality_limit"
    ),
    ("exporters", "otlp"): _words(
        "endpoint tls compression headers timeout sending_queue retry_on_failure balancer_name keepalive "
        "read_buffer_size write_buffer_size wait_for_ready auth authority middlewares"
    ),
    ("exporters", "otlphttp"): _words(
        "endpoint traces_endpoint metrics_endpoint logs_endpoint profiles_endpoint tls compression "
        "compression_params headers timeout sending_queue retry_on_failure encoding auth read_buffer_size "
        "write_buffer_size max_idle_conns max_idle_conns_per_host max_conns_per_host idle_conn_timeout "
        "disable_keep_alives http2_read_idle_timeout http2_ping_timeout cookies proxy_url middlewares "
        "force_attempt_http2"
    ),
    ("exporters", "prometheus"): _words(
        "endpoint namespace const_labels send_timestamps metric_expiration resource_to_telemetry_conversion "
        "resource_constant_labels enable_open_metrics add_metric_suffixes translation_strategy tls auth cors "
        "max_request_body_size include_metadata transport compression_algorithms read_timeout "
        "read_header_timeout write_timeout idle_timeout keep_alives_enabled response_headers "
        "without_scope_info middlewares network"
    ),
}
"""All keys of components that this tool knows by heart; used to recognise misspelt ones."""

QUEUE_KEYS = _words(
    "enabled num_consumers queue_size storage wait_for_result block_on_overflow sizer batch metadata"
)
RETRY_KEYS = _words("enabled initial_interval randomization_factor multiplier max_interval max_elapsed_time")


def split_id(component: str) -> tuple[str, str]:
    """The canonical type and the name of ``type[/name]``."""
    kind, _, name = component.partition("/")
    return ALIASES.get(kind.strip(), kind.strip()), name.strip()
