"""The rules of collector-config: what each means, why it matters and what to do.

A table in code; longer than 300 lines because each entry is a page of documentation.
"""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

ID = "collector-config"


def _rule(name: str, severity: Severity, summary: str, help: str) -> Rule:
    return Rule(f"{ID}/{name}", summary, severity, Owner.PLATFORM, help)


UNREADABLE = _rule(
    "unreadable",
    Severity.BLOCKER,
    "The configuration cannot be read",
    (
        "The collector refuses it and does not start. Duplicate keys count: PyYAML takes the last one in "
        "silence, the collector stops."
    ),
)
UNKNOWN_SECTION = _rule(
    "unknown-section",
    Severity.BLOCKER,
    "A section at the top does not exist",
    (
        "Only receivers, processors, exporters, connectors, extensions and service are known; the collector "
        "decodes strictly and does not start."
    ),
)
UNKNOWN_KEY = _rule(
    "unknown-key",
    Severity.BLOCKER,
    "A key is misspelt",
    ("The collector decodes strictly: a key it does not know stops it at the start (has invalid keys)."),
)
WRONG_SHAPE = _rule(
    "wrong-shape",
    Severity.BLOCKER,
    ("A value is of another form than the collector decodes"),
    ("A list where a mapping should be, or a text where a list should be: the collector does not start."),
)
NAMED_TWICE = _rule(
    "named-twice",
    Severity.BLOCKER,
    "A processor stands twice in a pipeline",
    ("The collector does not start: references processor multiple times."),
)
UNDEFINED_REFERENCE = _rule(
    "undefined-reference",
    Severity.BLOCKER,
    ("A component is named that is not configured"),
    (
        "The collector does not start. For a queue's storage or an authenticator even validate is silent, "
        "and the start fails."
    ),
)
EXTENSION_NOT_STARTED = _rule(
    "extension-not-started",
    Severity.BLOCKER,
    ("An extension is used and not listed"),
    ("Only extensions in service.extensions are started; what relies on this one fails at the start."),
)
NO_PIPELINES = _rule(
    "no-pipelines",
    Severity.BLOCKER,
    "There is no pipeline",
    ("Without service.pipelines the collector does not start."),
)
UNKNOWN_SIGNAL = _rule(
    "unknown-signal",
    Severity.BLOCKER,
    "A pipeline is of no known signal",
    ("A pipeline is called traces, metrics, logs or profiles, optionally with /name. trace is none of them."),
)
EMPTY_PIPELINE = _rule(
    "empty-pipeline",
    Severity.BLOCKER,
    "A pipeline lacks receivers or exporters",
    ("Both are obligatory; the collector does not start."),
)
WRONG_SIGNAL = _rule(
    "wrong-signal",
    Severity.BLOCKER,
    ("A component does not exist for the signal of its pipeline"),
    ("The collector does not start: the type has no implementation for that signal."),
)
ONE_SIDED_CONNECTOR = _rule(
    "one-sided-connector",
    Severity.BLOCKER,
    "A connector is only one half in use",
    (
        "A connector must be exporter in one pipeline and receiver in another; otherwise the collector does "
        "not start."
    ),
)
RECEIVER_WITHOUT_PROTOCOL = _rule(
    "receiver-without-protocol",
    Severity.BLOCKER,
    ("The OTLP receiver has no protocol"),
    ("It needs grpc or http under protocols; null is enough for the default."),
)
UNUSED_COMPONENT = _rule(
    "unused-component",
    Severity.NOTE,
    "A component is configured and not used",
    ("It does nothing, and nobody is told: validate is silent about it."),
)
ENDPOINT_MISSING = _rule(
    "endpoint-missing",
    Severity.BLOCKER,
    "An exporter has no address",
    ("The collector does not start without one; an empty variable counts as none."),
)
ENDPOINT_FORM = _rule(
    "endpoint-form",
    Severity.BLOCKER,
    "The address of an exporter is of the wrong form",
    (
        "gRPC wants host:port and does not start without the port; HTTP wants a URL, and without its scheme "
        "every request fails."
    ),
)
BAD_DURATION = _rule(
    "bad-duration",
    Severity.BLOCKER,
    "A text is no duration",
    ("The collector reads durations as Go does: 5s, 1m30s, 500ms. With anything else it does not start."),
)
BAD_CONDITION = _rule(
    "bad-condition",
    Severity.BLOCKER,
    "A condition does not parse",
    (
        "The collector reads all conditions at the start, those of unused processors too, and stops at the "
        "first that is no OTTL."
    ),
)
LIMITER_MISSING = _rule(
    "limiter-missing",
    Severity.CAUTION,
    "A pipeline has no memory_limiter",
    (
        "Under a burst the collector is killed by the kernel and all it held is lost; with a limiter it "
        "refuses, and the SDK retries."
    ),
)
LIMITER_LATE = _rule(
    "limiter-late",
    Severity.CAUTION,
    "memory_limiter is not the first processor",
    (
        "Behind batch it refuses data that the sender believes delivered. It must be first; validate is "
        "silent about the order."
    ),
)
LIMITER_INVALID = _rule(
    "limiter-invalid",
    Severity.BLOCKER,
    "memory_limiter has no usable limit",
    (
        "Without limit_mib or limit_percentage, with a check_interval of zero or a spike as large as the "
        "limit the collector does not start."
    ),
)
LIMITER_TIGHT = _rule(
    "limiter-tight",
    Severity.CAUTION,
    ("The spike of memory_limiter takes most of the limit"),
    ("The soft limit is the limit minus the spike; refusal starts there. A fifth of the limit is usual."),
)
NO_BATCHING = _rule(
    "no-batching",
    Severity.CAUTION,
    "A pipeline sends without batches",
    (
        "Each request of an SDK becomes one of the exporter. Add the batch processor behind the limiter, or "
        "sending_queue.batch to the exporter."
    ),
)
BATCH_EARLY = _rule(
    "batch-early",
    Severity.CAUTION,
    "batch stands before tail sampling",
    ("Sampling takes batches apart again; behind it they are what is sent."),
)
BATCH_INVALID = _rule(
    "batch-invalid",
    Severity.BLOCKER,
    "The sizes of a batch contradict each other",
    ("send_batch_max_size must not be below send_batch_size; the collector does not start."),
)
DURATION_WITHOUT_UNIT = _rule(
    "duration-without-unit",
    Severity.CAUTION,
    "A duration has no unit",
    ("A bare number is read as nanoseconds: timeout: 5 is five of them. validate is silent."),
)
QUEUE_OFF = _rule(
    "queue-off",
    Severity.CAUTION,
    "An exporter has no queue",
    ("Without sending_queue one slow backend blocks the pipeline and with it all others."),
)
QUEUE_IN_MEMORY = _rule(
    "queue-in-memory",
    Severity.CAUTION,
    ("The queue of an exporter is lost on a restart"),
    (
        "A campaign outlives restarts of its collector. Point sending_queue.storage to a file_storage "
        "extension."
    ),
)
QUEUE_STORAGE = _rule(
    "queue-storage",
    Severity.CAUTION,
    ("The persistent queue of an exporter has no storage"),
    ("The extension that sending_queue.storage names does not exist."),
)
QUEUE_VOLATILE = _rule(
    "queue-volatile",
    Severity.CAUTION,
    "The queue is kept where it does not survive",
    (
        "/tmp is emptied, and a relative path depends on where the collector was started. Use a directory "
        "such as /var/lib/otelcol/queue."
    ),
)
QUEUE_INVALID = _rule(
    "queue-invalid",
    Severity.BLOCKER,
    "The sizes of a queue contradict each other",
    ("queue_size must be above zero and not below batch.min_size; the collector does not start."),
)
RETRY_OFF = _rule(
    "retry-off", Severity.CAUTION, "An exporter does not retry", ("The first error loses the batch.")
)
RETRY_SHORT = _rule(
    "retry-short",
    Severity.CAUTION,
    "An exporter gives up soon",
    (
        "max_elapsed_time bounds the outage that a backend may have without loss; the default is five "
        "minutes. 0 means for ever, which a persistent queue can hold."
    ),
)
RETRY_INVALID = _rule(
    "retry-invalid",
    Severity.BLOCKER,
    "max_elapsed_time is below max_interval",
    (
        "The collector refuses it. max_interval is 30s by default, so that setting only max_elapsed_time: "
        "10s is enough."
    ),
)
SIGNAL_NOT_RECEIVED = _rule(
    "signal-not-received",
    Severity.BLOCKER,
    ("No pipeline takes a signal that the job exports"),
    ("The SDK gets UNIMPLEMENTED over gRPC or 404 over HTTP and drops the data."),
)
SIGNAL_TO_NOWHERE = _rule(
    "signal-to-nowhere",
    Severity.BLOCKER,
    "A signal is accepted and thrown away",
    ("It ends in debug or nop only: the job is told that all is well, and no panel ever shows it."),
)
SAMPLED_AWAY = _rule(
    "sampled-away",
    Severity.BLOCKER,
    "A sampler keeps no trace",
    ("With sampling_percentage 0 nothing is left of what the job sends."),
)
PROTOCOL_NOT_RECEIVED = _rule(
    "protocol-not-received",
    Severity.BLOCKER,
    ("The receiver does not speak the protocol of the job"),
    ("The exporter of the job gets connection refused, or an answer that is no OTLP."),
)
BIND_LOCALHOST = _rule(
    "bind-localhost",
    Severity.BLOCKER,
    "The receiver listens on this machine only",
    (
        "The default is localhost since 0.104. A gateway that other nodes must reach has to listen on "
        "0.0.0.0 or on its own address."
    ),
)
BIND_LOCALHOST_UNSAID = _rule(
    "bind-localhost-unsaid",
    Severity.CAUTION,
    ("The receiver listens on this machine only"),
    (
        "Right for a collector on every node, wrong for a gateway. Say which one it is: --topology gateway "
        "or node-agent."
    ),
)
BIND_PARTLY_LOCAL = _rule(
    "bind-partly-local",
    Severity.CAUTION,
    ("One protocol of the receiver listens on this machine only"),
    ("Jobs on other nodes that use this protocol are refused."),
)
BIND_OPEN = _rule(
    "bind-open",
    Severity.NOTE,
    "The receiver is open to everybody who can reach it",
    ("0.0.0.0 without TLS and authentication on a shared cluster lets any job write under any name."),
)
MESSAGE_SIZE = _rule(
    "message-size",
    Severity.CAUTION,
    ("Requests may exceed what the receiver on the other side takes"),
    (
        "The limit of gRPC is 4 MiB by default; what is larger is dropped for good, and only the sender's "
        "log says so. Set send_batch_max_size, or max_recv_msg_size_mib on the receiver."
    ),
)
RUN_ID_NOT_A_LABEL = _rule(
    "run-id-not-a-label",
    Severity.BLOCKER,
    ("Series in Prometheus do not carry the run id"),
    (
        "nemo.run.id is a resource attribute; by default it lands on target_info only, and no panel can "
        "filter by it. Switch resource_to_telemetry_conversion on, or name it in resource_constant_labels."
    ),
)
RUN_ID_BY_JOIN = _rule(
    "run-id-by-join",
    Severity.NOTE,
    ("The run id is on target_info only, and the panels join it"),
    ("Legitimate: each query carries the join. Promoting the attribute is simpler."),
)
STALE_SERIES = _rule(
    "stale-series",
    Severity.CAUTION,
    "The exporter shows dead runs as alive",
    ("Within metric_expiration the last value of a process that is gone is served again and again."),
)
TAIL_SAMPLING_WINDOW = _rule(
    "tail-sampling-window",
    Severity.CAUTION,
    ("Tail sampling decides long before a training trace is whole"),
    (
        "A trace that lives as long as the job is decided after decision_wait (30 s by default) by what was "
        "there then."
    ),
)
TAIL_SAMPLING_REPLICAS = _rule(
    "tail-sampling-replicas",
    Severity.BLOCKER,
    ("Tail sampling in several replicas without a tier before it"),
    (
        "The spans of one trace reach different replicas, and each decides on its part: traces are torn. Put "
        "a loadbalancing exporter with routing_key traceID before it."
    ),
)
SPAN_METRICS_AFTER_SAMPLING = _rule(
    "span-metrics-after-sampling",
    Severity.CAUTION,
    ("Span metrics are computed from a sample"),
    ("The connector stands behind a sampler: counts are wrong by its ratio. Feed it before the sampler."),
)
TELEMETRY_OFF = _rule(
    "telemetry-off",
    Severity.CAUTION,
    "The collector does not measure itself",
    ("With level none nobody can see queues and failed sends; the checklist asks to alert on them."),
)
TELEMETRY_LEVEL = _rule(
    "telemetry-level",
    Severity.BLOCKER,
    ("The level of the collector's own metrics is unknown"),
    ("The levels are none, basic, normal and detailed; with another one the collector does not start."),
)
TELEMETRY_LOCAL = _rule(
    "telemetry-local",
    Severity.CAUTION,
    ("The collector's own metrics are served to this machine only"),
    ("The default is localhost:8888 since 0.111: Prometheus on another host cannot scrape it."),
)
TELEMETRY_ADDRESS = _rule(
    "telemetry-address",
    Severity.BLOCKER,
    "telemetry.metrics.address was removed",
    ("The collector refuses the key; use readers with a pull exporter."),
)
TELEMETRY_ADDRESS_IGNORED = _rule(
    "telemetry-address-ignored",
    Severity.CAUTION,
    ("telemetry.metrics.address is ignored"),
    ("From 0.123 on the key has no effect; use readers with a pull exporter."),
)
NO_HEALTH_CHECK = _rule(
    "no-health-check",
    Severity.NOTE,
    "There is no health check",
    ("The extension health_check lets a load balancer or Kubernetes see that the collector is up."),
)
HEALTH_NOT_LISTED = _rule(
    "health-not-listed",
    Severity.CAUTION,
    ("health_check is configured and not started"),
    ("It is not in service.extensions and answers nobody."),
)
DEBUG_OPEN = _rule(
    "debug-open",
    Severity.CAUTION,
    "A debugging page is open to the network",
    ("zpages and pprof show the data that passes; bind them to localhost."),
)
SHELL_DEFAULT = _rule(
    "shell-default",
    Severity.BLOCKER,
    "A variable has the shell's form of a default",
    ("${NAME:-x} makes the collector look for a scheme called NAME and stop. It must be ${env:NAME:-x}."),
)
BAD_VARIABLE = _rule(
    "bad-variable",
    Severity.BLOCKER,
    "A variable cannot be resolved",
    ("The collector stops at a scheme or name that it does not know."),
)
BARE_VARIABLE = _rule(
    "bare-variable",
    Severity.CAUTION,
    "$NAME is not replaced",
    ("Without braces it stays as it is: the text $NAME itself is sent. Write ${env:NAME}."),
)
INLINE_SECRET = _rule(
    "inline-secret",
    Severity.CAUTION,
    "A secret stands in the file",
    (
        "Whoever may read the configuration has it. Write ${env:NAME} and set it where the collector is "
        "started."
    ),
)
TLS_OFF = _rule(
    "tls-off",
    Severity.CAUTION,
    "An exporter sends over the network without verified TLS",
    ("Headers with tokens travel in clear text, or to whoever answers."),
)
REMOVED_COMPONENT = _rule(
    "removed-component",
    Severity.BLOCKER,
    ("A component was removed from the collector"),
    ("The collector of this version does not know the type and does not start."),
)
REMOVED_KEY = _rule(
    "removed-key",
    Severity.BLOCKER,
    "A key was removed from the collector",
    ("The collector of this version refuses it and does not start."),
)
IGNORED_KEY = _rule(
    "ignored-key",
    Severity.CAUTION,
    "A key is deprecated and loses its effect",
    (
        "From 0.144 on the exporter warns about mapping::mode, later versions ignore it: field names change "
        "on an upgrade."
    ),
)
LATEST_TAG = _rule(
    "latest-tag",
    Severity.CAUTION,
    "The version of the collector is not fixed",
    ("With latest an upgrade happens at any restart, and with it renamed components and defaults."),
)
RUN_ID_REMOVED = _rule(
    "run-id-removed",
    Severity.BLOCKER,
    "A processor removes or overwrites nemo.run.id",
    ("Behind it no run can be found any more."),
)
RUN_ID_UNWANTED = _rule(
    "run-id-unwanted",
    Severity.CAUTION,
    ("A processor tries to delete nemo.run.id where it is not"),
    (
        "The attributes processor works on spans and points; the run id is on the resource and stays. It "
        "goes as soon as somebody copies it to where this processor looks."
    ),
)
RELATED_REMOVED = _rule(
    "related-removed",
    Severity.CAUTION,
    ("A processor removes an attribute of NeMo Lens"),
    ("Rank, world size, user or the mark of truncated spans are gone behind it."),
)
METRIC_DROPPED = _rule(
    "metric-dropped", Severity.BLOCKER, "A filter drops a training metric", ("The panels for it stay empty.")
)
RESOURCE_OVERRIDDEN = _rule(
    "resource-overridden",
    Severity.CAUTION,
    ("resourcedetection overwrites the resource of the job"),
    (
        "override is true by default: host, instance and what the environment of the collector says replace "
        "what the job sent."
    ),
)
DOUBLED_PATH = _rule(
    "doubled-path",
    Severity.CAUTION,
    "The path of an endpoint is appended twice",
    (
        "otlphttp appends /v1/traces itself; with the path in endpoint the request goes to "
        "/v1/traces/v1/traces. Use traces_endpoint, or leave the path out."
    ),
)
DOUBLED_PATH_ONLY_SINK = _rule(
    "doubled-path-only-sink",
    Severity.BLOCKER,
    ("The path of the only endpoint of a signal is appended twice"),
    ("otlphttp appends /v1/traces itself: every request gets 404, and the signal has no other place to go."),
)

RULES = (
    UNREADABLE,
    UNKNOWN_SECTION,
    UNKNOWN_KEY,
    WRONG_SHAPE,
    NAMED_TWICE,
    UNDEFINED_REFERENCE,
    EXTENSION_NOT_STARTED,
    NO_PIPELINES,
    UNKNOWN_SIGNAL,
    EMPTY_PIPELINE,
    WRONG_SIGNAL,
    ONE_SIDED_CONNECTOR,
    RECEIVER_WITHOUT_PROTOCOL,
    UNUSED_COMPONENT,
    ENDPOINT_MISSING,
    ENDPOINT_FORM,
    BAD_DURATION,
    BAD_CONDITION,
    LIMITER_MISSING,
    LIMITER_LATE,
    LIMITER_INVALID,
    LIMITER_TIGHT,
    NO_BATCHING,
    BATCH_EARLY,
    BATCH_INVALID,
    DURATION_WITHOUT_UNIT,
    QUEUE_OFF,
    QUEUE_IN_MEMORY,
    QUEUE_STORAGE,
    QUEUE_VOLATILE,
    QUEUE_INVALID,
    RETRY_OFF,
    RETRY_SHORT,
    RETRY_INVALID,
    SIGNAL_NOT_RECEIVED,
    SIGNAL_TO_NOWHERE,
    SAMPLED_AWAY,
    PROTOCOL_NOT_RECEIVED,
    BIND_LOCALHOST,
    BIND_LOCALHOST_UNSAID,
    BIND_PARTLY_LOCAL,
    BIND_OPEN,
    MESSAGE_SIZE,
    RUN_ID_NOT_A_LABEL,
    RUN_ID_BY_JOIN,
    STALE_SERIES,
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
    SHELL_DEFAULT,
    BAD_VARIABLE,
    BARE_VARIABLE,
    INLINE_SECRET,
    TLS_OFF,
    REMOVED_COMPONENT,
    REMOVED_KEY,
    IGNORED_KEY,
    LATEST_TAG,
    RUN_ID_REMOVED,
    RUN_ID_UNWANTED,
    RELATED_REMOVED,
    METRIC_DROPPED,
    RESOURCE_OVERRIDDEN,
    DOUBLED_PATH,
    DOUBLED_PATH_ONLY_SINK,
)
