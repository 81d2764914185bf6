"""Rules of collector-config for what a careful operator does: limits, queues, retries, its own metrics."""

from __future__ import annotations

from lens_preflight.checks.collector_rule import rule
from lens_preflight.core.words import Severity

UNUSED_COMPONENT = rule(
    "unused-component",
    Severity.NOTE,
    "A component is configured and not used",
    ("It does nothing, and nobody is told: validate is silent about it."),
)
LIMITER_MISSING = rule(
    "limiter-missing",
    Severity.CAUTION,
    "A pipeline has no memory_limiter",
    (
        "Under a burst the collector is killed by the kernel and all it held is lost; with a limiter it "
        "refuses, and the SDK retries."
    ),
)
LIMITER_LATE = rule(
    "limiter-late",
    Severity.CAUTION,
    "memory_limiter is not the first processor",
    (
        "Behind batch it refuses data that the sender believes delivered. It must be first; validate is "
        "silent about the order."
    ),
)
LIMITER_TIGHT = rule(
    "limiter-tight",
    Severity.CAUTION,
    ("The spike of memory_limiter takes most of the limit"),
    ("The soft limit is the limit minus the spike; refusal starts there. A fifth of the limit is usual."),
)
NO_BATCHING = rule(
    "no-batching",
    Severity.CAUTION,
    "A pipeline sends without batches",
    (
        "Each request of an SDK becomes one of the exporter. Add the batch processor behind the limiter, or "
        "sending_queue.batch to the exporter."
    ),
)
BATCH_EARLY = rule(
    "batch-early",
    Severity.CAUTION,
    "batch stands before tail sampling",
    ("Sampling takes batches apart again; behind it they are what is sent."),
)
DURATION_WITHOUT_UNIT = rule(
    "duration-without-unit",
    Severity.CAUTION,
    "A duration has no unit",
    ("A bare number is read as nanoseconds: timeout: 5 is five of them. validate is silent."),
)
QUEUE_OFF = rule(
    "queue-off",
    Severity.CAUTION,
    "An exporter has no queue",
    ("Without sending_queue one slow backend blocks the pipeline and with it all others."),
)
QUEUE_IN_MEMORY = rule(
    "queue-in-memory",
    Severity.CAUTION,
    ("The queue of an exporter is lost on a restart"),
    (
        "A campaign outlives restarts of its collector. Point sending_queue.storage to a file_storage "
        "extension."
    ),
)
QUEUE_STORAGE = rule(
    "queue-storage",
    Severity.CAUTION,
    ("The persistent queue of an exporter has no storage"),
    ("The extension that sending_queue.storage names does not exist."),
)
QUEUE_VOLATILE = rule(
    "queue-volatile",
    Severity.CAUTION,
    "The queue is kept where it does not survive",
    (
        "/tmp is emptied, and a relative path depends on where the collector was started. Use a directory "
        "such as /var/lib/otelcol/queue."
    ),
)
RETRY_OFF = rule(
    "retry-off", Severity.CAUTION, "An exporter does not retry", ("The first error loses the batch.")
)
RETRY_SHORT = rule(
    "retry-short",
    Severity.CAUTION,
    "An exporter gives up soon",
    (
        "max_elapsed_time bounds the outage that a backend may have without loss; the default is five "
        "minutes. 0 means for ever, which a persistent queue can hold."
    ),
)
MESSAGE_SIZE = rule(
    "message-size",
    Severity.CAUTION,
    ("Requests may exceed what the receiver on the other side takes"),
    (
        "The limit of gRPC is 4 MiB by default; what is larger is dropped for good, and only the sender's "
        "log says so. Set send_batch_max_size, or max_recv_msg_size_mib on the receiver."
    ),
)
STALE_SERIES = rule(
    "stale-series",
    Severity.CAUTION,
    "The exporter shows dead runs as alive",
    ("Within metric_expiration the last value of a process that is gone is served again and again."),
)
SHORT_SERIES = rule(
    "short-series",
    Severity.CAUTION,
    "The exporter forgets series between two exports",
    (
        "An SDK exports metrics every minute by default. With a metric_expiration below that the series is "
        "gone most of the time, and panels have gaps."
    ),
)
TAIL_SAMPLING_WINDOW = rule(
    "tail-sampling-window",
    Severity.CAUTION,
    ("Tail sampling decides long before a training trace is whole"),
    (
        "A trace that lives as long as the job is decided after decision_wait (30 s by default) by what was "
        "there then."
    ),
)
TAIL_SAMPLING_REPLICAS = rule(
    "tail-sampling-replicas",
    Severity.BLOCKER,
    ("Tail sampling in several replicas without a tier before it"),
    (
        "The spans of one trace reach different replicas, and each decides on its part: traces are torn. Put "
        "a loadbalancing exporter with routing_key traceID before it."
    ),
)
SPAN_METRICS_AFTER_SAMPLING = rule(
    "span-metrics-after-sampling",
    Severity.CAUTION,
    ("Span metrics are computed from a sample"),
    ("The connector stands behind a sampler: counts are wrong by its ratio. Feed it before the sampler."),
)
TELEMETRY_OFF = rule(
    "telemetry-off",
    Severity.CAUTION,
    "The collector does not measure itself",
    ("With level none nobody can see queues and failed sends; the checklist asks to alert on them."),
)
TELEMETRY_LEVEL = rule(
    "telemetry-level",
    Severity.BLOCKER,
    ("The level of the collector's own metrics is unknown"),
    ("The levels are none, basic, normal and detailed; with another one the collector does not start."),
)
TELEMETRY_LOCAL = rule(
    "telemetry-local",
    Severity.CAUTION,
    ("The collector's own metrics are served to this machine only"),
    ("The default is localhost:8888 since 0.111: Prometheus on another host cannot scrape it."),
)
TELEMETRY_ADDRESS = rule(
    "telemetry-address",
    Severity.BLOCKER,
    "telemetry.metrics.address was removed",
    ("The collector refuses the key; use readers with a pull exporter."),
)
TELEMETRY_ADDRESS_IGNORED = rule(
    "telemetry-address-ignored",
    Severity.CAUTION,
    ("telemetry.metrics.address is ignored"),
    ("From 0.123 on the key has no effect; use readers with a pull exporter."),
)
NO_HEALTH_CHECK = rule(
    "no-health-check",
    Severity.NOTE,
    "There is no health check",
    ("The extension health_check lets a load balancer or Kubernetes see that the collector is up."),
)
HEALTH_NOT_LISTED = rule(
    "health-not-listed",
    Severity.CAUTION,
    ("health_check is configured and not started"),
    ("It is not in service.extensions and answers nobody."),
)
DEBUG_OPEN = rule(
    "debug-open",
    Severity.CAUTION,
    "A debugging page is open to the network",
    ("zpages and pprof show the data that passes; bind them to localhost."),
)
INLINE_SECRET = rule(
    "inline-secret",
    Severity.CAUTION,
    "A secret stands in the file",
    (
        "Whoever may read the configuration has it. Write ${env:NAME} and set it where the collector is "
        "started."
    ),
)
TLS_OFF = rule(
    "tls-off",
    Severity.CAUTION,
    "An exporter sends over the network without verified TLS",
    ("Headers with tokens travel in clear text, or to whoever answers."),
)
IGNORED_KEY = rule(
    "ignored-key",
    Severity.CAUTION,
    "A key is deprecated and loses its effect",
    (
        "From 0.144 on the exporter warns about mapping::mode, later versions ignore it: field names change "
        "on an upgrade."
    ),
)
LATEST_TAG = rule(
    "latest-tag",
    Severity.CAUTION,
    "The version of the collector is not fixed",
    ("With latest an upgrade happens at any restart, and with it renamed components and defaults."),
)

RULES = (
    UNUSED_COMPONENT,
    LIMITER_MISSING,
    LIMITER_LATE,
    LIMITER_TIGHT,
    NO_BATCHING,
    BATCH_EARLY,
    DURATION_WITHOUT_UNIT,
    QUEUE_OFF,
    QUEUE_IN_MEMORY,
    QUEUE_STORAGE,
    QUEUE_VOLATILE,
    RETRY_OFF,
    RETRY_SHORT,
    MESSAGE_SIZE,
    STALE_SERIES,
    SHORT_SERIES,
    TAIL_SAMPLING_WINDOW,
    TAIL_SAMPLING_REPLICAS,
    SPAN_METRICS_AFTER_SAMPLING,
    TELEMETRY_OFF,
    TELEMETRY_LEVEL,
    TELEMETRY_LOCAL,
    TELEMETRY_ADDRESS,
    TELEMETRY_ADDRESS_IGNORED,
    NO_HEALTH_CHECK,
    HEALTH_NOT_LISTED,
    DEBUG_OPEN,
    INLINE_SECRET,
    TLS_OFF,
    IGNORED_KEY,
    LATEST_TAG,
)
