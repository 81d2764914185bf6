"""Rules of collector-config for what keeps a Collector from starting."""

from __future__ import annotations

from lens_preflight.checks.collector_rule import rule
from lens_preflight.core.words import Severity

UNREADABLE = rule(
    "unreadable",
    Severity.BLOCKER,
    "The configuration cannot be read",
    (
        "The collector refuses it and does not start. Duplicate keys count: PyYAML takes the last one in "
        "silence, the collector stops."
    ),
)
UNKNOWN_SECTION = rule(
    "unknown-section",
    Severity.BLOCKER,
    "A section at the top does not exist",
    (
        "Only receivers, processors, exporters, connectors, extensions and service are known; the collector "
        "decodes strictly and does not start."
    ),
)
UNKNOWN_KEY = rule(
    "unknown-key",
    Severity.BLOCKER,
    "A key is not known",
    ("The collector decodes strictly: a key it does not know stops it at the start (has invalid keys)."),
)
WRONG_SHAPE = rule(
    "wrong-shape",
    Severity.BLOCKER,
    ("A value is of another form than the collector decodes"),
    ("A list where a mapping should be, or a text where a list should be: the collector does not start."),
)
WRONG_TYPE = rule(
    "wrong-type",
    Severity.BLOCKER,
    "A value is of another type than the collector decodes",
    (
        "A number where a text should be, or 'true' in quotes where a switch should be, stops the collector "
        "at the start (expected type). yes and on are texts."
    ),
)
BAD_VALUE = rule(
    "bad-value",
    Severity.BLOCKER,
    "A component refuses a value",
    (
        "The type is right and the value is not: a word that is none of those known, a number beyond its "
        "bounds, or two settings that exclude each other. The collector does not start."
    ),
)
BAD_NAME = rule(
    "bad-name",
    Severity.BLOCKER,
    "A component has a name that is none",
    ("type or type/name; a name must not be empty and holds no blanks or symbols."),
)
UNKNOWN_TYPE = rule(
    "unknown-type",
    Severity.CAUTION,
    "A type of component is not known here",
    (
        "A collector that does not have the type does not start. Right for a build of your own, wrong for a "
        "misspelt name."
    ),
)
LISTEN_FORM = rule(
    "listen-form",
    Severity.BLOCKER,
    "A receiver has an address that cannot be listened on",
    (
        "It wants host:port without http://; validate is silent, and the start fails. An empty address is a "
        "port of chance."
    ),
)
PORT_TWICE = rule(
    "port-twice",
    Severity.BLOCKER,
    "Two parts of the collector listen on one port",
    ("address already in use: the second one fails and the collector stops; validate is silent."),
)
NOT_A_STORAGE = rule(
    "not-a-storage",
    Severity.BLOCKER,
    "The storage of a queue is an extension that stores nothing",
    ("Only storage extensions keep queues; validate is silent, and the start fails."),
)
NAMED_TWICE = rule(
    "named-twice",
    Severity.BLOCKER,
    "A processor stands twice in a pipeline",
    ("The collector does not start: references processor multiple times."),
)
UNDEFINED_REFERENCE = rule(
    "undefined-reference",
    Severity.BLOCKER,
    ("A component is named that is not configured"),
    (
        "The collector does not start. For a queue's storage or an authenticator even validate is silent, "
        "and the start fails."
    ),
)
EXTENSION_NOT_STARTED = rule(
    "extension-not-started",
    Severity.BLOCKER,
    ("An extension is used and not listed"),
    ("Only extensions in service.extensions are started; what relies on this one fails at the start."),
)
NO_PIPELINES = rule(
    "no-pipelines",
    Severity.BLOCKER,
    "There is no pipeline",
    ("Without service.pipelines the collector does not start."),
)
UNKNOWN_SIGNAL = rule(
    "unknown-signal",
    Severity.BLOCKER,
    "A pipeline is of no known signal",
    ("A pipeline is called traces, metrics, logs or profiles, optionally with /name. trace is none of them."),
)
EMPTY_PIPELINE = rule(
    "empty-pipeline",
    Severity.BLOCKER,
    "A pipeline lacks receivers or exporters",
    ("Both are obligatory; the collector does not start."),
)
WRONG_SIGNAL = rule(
    "wrong-signal",
    Severity.BLOCKER,
    ("A component does not exist for the signal of its pipeline"),
    ("The collector does not start: the type has no implementation for that signal."),
)
ONE_SIDED_CONNECTOR = rule(
    "one-sided-connector",
    Severity.BLOCKER,
    "A connector is only one half in use",
    (
        "A connector must be exporter in one pipeline and receiver in another; otherwise the collector does "
        "not start."
    ),
)
RECEIVER_WITHOUT_PROTOCOL = rule(
    "receiver-without-protocol",
    Severity.BLOCKER,
    ("The OTLP receiver has no protocol"),
    ("It needs grpc or http under protocols; null is enough for the default."),
)
ENDPOINT_MISSING = rule(
    "endpoint-missing",
    Severity.BLOCKER,
    "An exporter has no address",
    ("The collector does not start without one; an empty variable counts as none."),
)
ENDPOINT_FORM = rule(
    "endpoint-form",
    Severity.BLOCKER,
    "The address of an exporter is of the wrong form",
    (
        "gRPC wants host:port and does not start without the port; HTTP wants a URL, and without its scheme "
        "every request fails."
    ),
)
BAD_DURATION = rule(
    "bad-duration",
    Severity.BLOCKER,
    "A text is no duration",
    ("The collector reads durations as Go does: 5s, 1m30s, 500ms. With anything else it does not start."),
)
BAD_CONDITION = rule(
    "bad-condition",
    Severity.BLOCKER,
    "A condition does not parse",
    (
        "The collector reads all conditions at the start, those of unused processors too, and stops at the "
        "first that is no OTTL."
    ),
)
LIMITER_INVALID = rule(
    "limiter-invalid",
    Severity.BLOCKER,
    "memory_limiter has no usable limit",
    (
        "Without limit_mib or limit_percentage, with a check_interval of zero or a spike as large as the "
        "limit the collector does not start."
    ),
)
LIMITER_STARVES = rule(
    "limiter-starves",
    Severity.BLOCKER,
    "memory_limiter refuses everything",
    (
        "The limit minus the spike is less than what the collector itself needs: it starts, and every "
        "request is answered with UNAVAILABLE."
    ),
)
BATCH_INVALID = rule(
    "batch-invalid",
    Severity.BLOCKER,
    "The sizes of a batch contradict each other",
    ("send_batch_max_size must not be below send_batch_size; the collector does not start."),
)
QUEUE_INVALID = rule(
    "queue-invalid",
    Severity.BLOCKER,
    "The sizes of a queue contradict each other",
    ("queue_size must be above zero and not below batch.min_size; the collector does not start."),
)
RETRY_INVALID = rule(
    "retry-invalid",
    Severity.BLOCKER,
    "max_elapsed_time is below max_interval",
    (
        "The collector refuses it. max_interval is 30s by default, so that setting only max_elapsed_time: "
        "10s is enough."
    ),
)
SHELL_DEFAULT = rule(
    "shell-default",
    Severity.BLOCKER,
    "A variable has the shell's form of a default",
    ("${NAME:-x} makes the collector look for a scheme called NAME and stop. It must be ${env:NAME:-x}."),
)
BAD_VARIABLE = rule(
    "bad-variable",
    Severity.BLOCKER,
    "A variable cannot be resolved",
    ("The collector stops at a scheme or name that it does not know."),
)
BARE_VARIABLE = rule(
    "bare-variable",
    Severity.CAUTION,
    "$NAME is not replaced",
    ("Without braces it stays as it is: the text $NAME itself is sent. Write ${env:NAME}."),
)
REMOVED_COMPONENT = rule(
    "removed-component",
    Severity.BLOCKER,
    ("A component was removed from the collector"),
    ("The collector of this version does not know the type and does not start."),
)
REMOVED_KEY = rule(
    "removed-key",
    Severity.BLOCKER,
    "A key was removed from the collector",
    ("The collector of this version refuses it and does not start."),
)

RULES = (
    UNREADABLE,
    UNKNOWN_SECTION,
    UNKNOWN_KEY,
    WRONG_SHAPE,
    WRONG_TYPE,
    BAD_VALUE,
    BAD_NAME,
    UNKNOWN_TYPE,
    LISTEN_FORM,
    PORT_TWICE,
    NOT_A_STORAGE,
    NAMED_TWICE,
    UNDEFINED_REFERENCE,
    EXTENSION_NOT_STARTED,
    NO_PIPELINES,
    UNKNOWN_SIGNAL,
    EMPTY_PIPELINE,
    WRONG_SIGNAL,
    ONE_SIDED_CONNECTOR,
    RECEIVER_WITHOUT_PROTOCOL,
    ENDPOINT_MISSING,
    ENDPOINT_FORM,
    BAD_DURATION,
    BAD_CONDITION,
    LIMITER_INVALID,
    LIMITER_STARVES,
    BATCH_INVALID,
    QUEUE_INVALID,
    RETRY_INVALID,
    SHELL_DEFAULT,
    BAD_VARIABLE,
    BARE_VARIABLE,
    REMOVED_COMPONENT,
    REMOVED_KEY,
)
