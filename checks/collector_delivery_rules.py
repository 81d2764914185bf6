"""Rules of collector-config for what refuses or loses this job's telemetry, or hides its run id."""

from __future__ import annotations

from lens_preflight.checks.collector_rule import rule
from lens_preflight.core.words import Severity

SIGNAL_NOT_RECEIVED = rule(
    "signal-not-received",
    Severity.BLOCKER,
    ("No pipeline takes a signal that the job exports"),
    ("The SDK gets UNIMPLEMENTED over gRPC or 404 over HTTP and drops the data."),
)
SIGNAL_TO_NOWHERE = rule(
    "signal-to-nowhere",
    Severity.BLOCKER,
    "A signal is accepted and thrown away",
    ("It ends in debug or nop only: the job is told that all is well, and no panel ever shows it."),
)
SAMPLED_AWAY = rule(
    "sampled-away",
    Severity.BLOCKER,
    "A sampler keeps no trace",
    (
        "With sampling_percentage 0, which is the default, or without a policy that keeps traces of the job, "
        "nothing is left of what it sends."
    ),
)
SIGNAL_DROPPED = rule(
    "signal-dropped",
    Severity.BLOCKER,
    "A filter drops everything that a job sends of a signal",
    (
        "Its conditions are asked about the spans and records that every job makes; what fulfils one is "
        "dropped."
    ),
)
SPAN_DROPPED = rule(
    "span-dropped",
    Severity.CAUTION,
    "A filter drops the span of a training step",
    ("Durations of steps cannot be seen in traces, and nothing can be computed from them."),
)
PROTOCOL_NOT_RECEIVED = rule(
    "protocol-not-received",
    Severity.BLOCKER,
    ("The receiver does not speak the protocol of the job"),
    ("The exporter of the job gets connection refused, or an answer that is no OTLP."),
)
NOT_THE_RECEIVER = rule(
    "not-the-receiver",
    Severity.BLOCKER,
    "What the job dials on its node is not what the receiver listens for",
    (
        "The port, the encryption or the path differs, and nothing stands between a job and a collector on "
        "its own node: the exporter gets connection refused, a TLS error or 404."
    ),
)
RECEIVER_DIFFERS = rule(
    "receiver-differs",
    Severity.NOTE,
    "What the job dials differs from what the receiver listens for",
    (
        "Right when a balancer or a service stands between and translates the port, ends TLS or rewrites "
        "the path; wrong when the job reaches this collector directly."
    ),
)
NO_CREDENTIALS = rule(
    "no-credentials",
    Severity.BLOCKER,
    "The receiver authenticates, and the job shows nothing",
    (
        "The receiver has an authenticator, and the exporter of the job sends no header: every request is "
        "answered with UNAUTHENTICATED or 401, and the data are dropped."
    ),
)
BIND_LOCALHOST = rule(
    "bind-localhost",
    Severity.BLOCKER,
    "The receiver listens on this machine only",
    (
        "The default is localhost since 0.104. A gateway that other nodes must reach has to listen on "
        "0.0.0.0 or on its own address."
    ),
)
BIND_LOCALHOST_UNSAID = rule(
    "bind-localhost-unsaid",
    Severity.CAUTION,
    ("The receiver listens on this machine only"),
    (
        "Right for a collector on every node, wrong for a gateway. Say which one it is: --topology gateway "
        "or node-agent."
    ),
)
BIND_PARTLY_LOCAL = rule(
    "bind-partly-local",
    Severity.CAUTION,
    ("One protocol of the receiver listens on this machine only"),
    ("Jobs on other nodes that use this protocol are refused."),
)
BIND_OPEN = rule(
    "bind-open",
    Severity.NOTE,
    "The receiver is open to everybody who can reach it",
    ("0.0.0.0 without TLS and authentication on a shared cluster lets any job write under any name."),
)
RUN_ID_NOT_A_LABEL = rule(
    "run-id-not-a-label",
    Severity.BLOCKER,
    ("Series in Prometheus do not carry the run id"),
    (
        "nemo.run.id is a resource attribute; by default it lands on target_info only, and no panel can "
        "filter by it. Switch resource_to_telemetry_conversion on, or name it in resource_constant_labels."
    ),
)
RUN_ID_CONSTANT = rule(
    "run-id-constant",
    Severity.BLOCKER,
    "A constant label has the name of the run id",
    (
        "Every series gets the same run id; where the resource is promoted too, the label stands twice and "
        "the exporter drops the metric."
    ),
)
FEEDS_ITSELF = rule(
    "feeds-itself",
    Severity.BLOCKER,
    "An exporter sends to the collector that it belongs to",
    ("What arrives is sent to the collector again, without end, and is kept nowhere by it."),
)
RUN_ID_BY_JOIN = rule(
    "run-id-by-join",
    Severity.NOTE,
    ("The run id is on target_info only, and the panels join it"),
    ("Legitimate: each query carries the join. Promoting the attribute is simpler."),
)
RUN_ID_REMOVED = rule(
    "run-id-removed",
    Severity.BLOCKER,
    "A processor removes or overwrites nemo.run.id",
    ("Behind it no run can be found any more."),
)
RUN_ID_UNWANTED = rule(
    "run-id-unwanted",
    Severity.CAUTION,
    ("A processor tries to delete nemo.run.id where it is not"),
    (
        "The attributes processor works on spans and points; the run id is on the resource and stays. It "
        "goes as soon as somebody copies it to where this processor looks."
    ),
)
RELATED_REMOVED = rule(
    "related-removed",
    Severity.CAUTION,
    ("A processor removes an attribute of NeMo Lens"),
    ("Rank, world size, user or the mark of truncated spans are gone behind it."),
)
METRIC_DROPPED = rule(
    "metric-dropped", Severity.BLOCKER, "A filter drops a training metric", ("The panels for it stay empty.")
)
RESOURCE_OVERRIDDEN = rule(
    "resource-overridden",
    Severity.CAUTION,
    ("resourcedetection overwrites the resource of the job"),
    (
        "override is true by default: host, instance and what the environment of the collector says replace "
        "what the job sent."
    ),
)
DOUBLED_PATH = rule(
    "doubled-path",
    Severity.CAUTION,
    "The path of an endpoint is appended twice",
    (
        "otlphttp appends /v1/traces itself; with the path in endpoint the request goes to "
        "/v1/traces/v1/traces. Use traces_endpoint, or leave the path out."
    ),
)
DOUBLED_PATH_ONLY_SINK = rule(
    "doubled-path-only-sink",
    Severity.BLOCKER,
    ("The path of the only endpoint of a signal is appended twice"),
    ("otlphttp appends /v1/traces itself: every request gets 404, and the signal has no other place to go."),
)
BODY_LIMIT = rule(
    "body-limit",
    Severity.BLOCKER,
    "A receiver takes less at once than a single span needs",
    (
        "max_request_body_size of the HTTP receiver is counted in bytes; a larger request is answered with 400, "
        "and the exporter drops it. Take the key out: the default is 20 MiB."
    ),
)
BODY_SIZE = rule(
    "body-size",
    Severity.CAUTION,
    "A receiver may take less at once than an export of the job has",
    (
        "max_request_body_size of the HTTP receiver is counted in bytes; a larger request is answered with 400, "
        "and the exporter drops it. Exports have up to 512 spans. Write 4194304 or more."
    ),
)

RULES = (
    SIGNAL_NOT_RECEIVED,
    SIGNAL_TO_NOWHERE,
    SAMPLED_AWAY,
    SIGNAL_DROPPED,
    SPAN_DROPPED,
    PROTOCOL_NOT_RECEIVED,
    NOT_THE_RECEIVER,
    RECEIVER_DIFFERS,
    NO_CREDENTIALS,
    BIND_LOCALHOST,
    BIND_LOCALHOST_UNSAID,
    BIND_PARTLY_LOCAL,
    BIND_OPEN,
    BODY_LIMIT,
    BODY_SIZE,
    RUN_ID_NOT_A_LABEL,
    RUN_ID_CONSTANT,
    FEEDS_ITSELF,
    RUN_ID_BY_JOIN,
    RUN_ID_REMOVED,
    RUN_ID_UNWANTED,
    RELATED_REMOVED,
    METRIC_DROPPED,
    RESOURCE_OVERRIDDEN,
    DOUBLED_PATH,
    DOUBLED_PATH_ONLY_SINK,
)
