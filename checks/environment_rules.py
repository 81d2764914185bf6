"""The rules of the check ``environment``, and which remark of the models belongs to which."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

UNKNOWN = Rule(
    "environment/unknown-variable",
    "a misspelt name: nothing reads it, and the variable that was meant is not set",
    Severity.BLOCKER,
    help="Names are compared letter by letter, and an unknown one is ignored without a word: the job runs "
    "with the default. Within two slips of the keyboard, one word or the case of a known name it is taken "
    "for a mistake. Rename it as the remedy says.",
)
UNREAD = Rule(
    "environment/unread",
    "a variable that nothing reads, although it looks like a setting",
    Severity.CAUTION,
    help="It carries a prefix of NeMo Lens or means what another variable does, and no library of the job "
    "asks for it. `NEMO_LENS_SERVICE_NAME`, for one, does not exist: the service name is "
    "`OTEL_SERVICE_NAME`.",
)
STRAY = Rule(
    "environment/stray",
    "a variable that nothing in this process reads",
    Severity.NOTE,
    help="A helper of the script, a variable of another framework or of the OpenTelemetry specification "
    "that NeMo Lens has no use for (`OTEL_TRACES_EXPORTER`). Harmless, and without effect.",
)
OTHER_GENERATION = Rule(
    "environment/other-generation",
    "a variable that another generation of NeMo Lens reads, and this one does not",
    Severity.CAUTION,
    help="Without ranks in the library, `EXPORT_STRATEGY`, `EXPORT_RANK`, `EXPORT_SAMPLE_RATE` and "
    "`SAMPLER_ENABLED` are ignored without a word: an environment that made one rank export makes every "
    "process export after the upgrade. Decide in the program: `cfg.enabled = cfg.enabled and rank == ...`.",
)
FATAL = Rule(
    "environment/fatal",
    "the text kills the job at start",
    Severity.BLOCKER,
    help="Nothing in NeMo Lens catches it, and hardly any framework does: an exception leaves `from_env` or "
    "`setup_telemetry`, or grpc's core aborts the interpreter (SIGABRT) over half a client certificate. A "
    "wrong boolean of Lens raises even while telemetry is off.",
)
PLUGIN = Rule(
    "environment/plug-in",
    "a plug-in must be installed where the job runs, or the process dies",
    Severity.CAUTION,
    help="OpenTelemetry looks the name up among the installed packages and raises when there is none, for "
    "`OTEL_PROPAGATORS` already on `import nemo.lens`. NeMo Lens sets its own propagators anyway.",
)
NEVER_RETURNS = Rule(
    "environment/hangs",
    "the first export never returns",
    Severity.BLOCKER,
    help="With a timeout of `nan` or `inf` the gRPC exporter blocks for ever, with a healthy collector as "
    "well; a flush at exit waits for it. Give seconds, such as 3.",
)
LOST = Rule(
    "environment/nothing-arrives",
    "with these settings no export can arrive, however healthy the collector is",
    Severity.BLOCKER,
    help="The start succeeds, and each batch fails: a URL that requests refuses, a target that is no host "
    "name, the path of another signal, a timeout of 0, metadata that gRPC refuses. One "
    "line in the log of each process is all.",
)
LATER = Rule(
    "environment/once-enabled",
    "wrong, and harmless only as long as telemetry is off",
    Severity.CAUTION,
    help="The setting matters in a process that exports, and telemetry is not enabled here. Whoever switches "
    "it on runs into it.",
)
INVERTED = Rule(
    "environment/inverted",
    "the setting does the opposite of what it says",
    Severity.BLOCKER,
    help="`OTEL_EXPORTER_OTLP_INSECURE` is true for the exact word `true` alone (any case, not trimmed): `1` "
    "and `yes` mean encrypted, and so does an empty text, even for an `http://` endpoint. And the general "
    "HTTP endpoint gets `/v1/<signal>` appended: with a path that ends so, it is requested twice.",
)
MISREAD = Rule(
    "environment/misread",
    "the setting is read as something else than it says",
    Severity.CAUTION,
    help="Any protocol but `http/protobuf` and `http/json` is gRPC; without `http://` in front a gRPC target "
    "is encrypted; timeouts are in seconds; a header that is not `name=value` in URL encoding is dropped; a "
    "text that is no number is replaced by the default.",
)
IGNORED = Rule(
    "environment/ignored",
    "a part of the setting is not used",
    Severity.NOTE,
    help="Nothing is wrong with the rest: the path of a gRPC endpoint is dropped, HTTP does not read "
    "`INSECURE`, logs are gRPC whatever the protocol.",
)
FILE = Rule(
    "environment/file",
    "a file that a variable names is missing or holds no certificate",
    Severity.CAUTION,
    Owner.HOST,
    help="gRPC falls back to the default roots after one error in the log, HTTP fails every export. Looked "
    "at only on a node, where the job would open it.",
)
DISABLED = Rule(
    "environment/sdk-disabled",
    "OTEL_SDK_DISABLED switches every export off, and the handle still says that it exports",
    Severity.BLOCKER,
    help="Exporters, threads and readers are built, `handle.is_exporting` is true, and tracers and meters do "
    "nothing. To switch telemetry off use `NEMO_LENS_ENABLED=0`.",
)
BARE = Rule(
    "environment/attributes-lost",
    "a limit of 0 takes the attributes from all that is sent",
    Severity.BLOCKER,
    help="The SDK keeps as many attributes as the limit says, and counts what it drops where nobody looks. With "
    "none left a span has no iteration, no loss, and no `nemo.span.truncated` by which spans that shutdown cut "
    "off could be kept out. To have no limit leave the variable unset or empty.",
)
NOTHING_SENT = Rule(
    "environment/nothing-sent",
    "telemetry is switched on, and nothing goes to a collector",
    Severity.CAUTION,
    help="With `<PREFIX>_EXPORTER=console` spans and metrics are printed into the log of the job, and with all "
    "signals switched off none are made. Right for a look at what would be sent; no run is found again by "
    "`nemo.run.id` that way.",
)
NOT_KNOWN = Rule(
    "environment/not-known",
    "a text that is known only when the job starts",
    Severity.NOTE,
    help="It comes from the shell that submits the job, from Slurm or from a command. Its effect was not "
    "judged.",
)
OFF = Rule(
    "environment/off",
    "telemetry is not enabled by the environment",
    Severity.NOTE,
    help="`NEMO_LENS_ENABLED` is off by default. Right for a rollback, and for a program that decides.",
)

RULES = (
    UNKNOWN,
    UNREAD,
    STRAY,
    OTHER_GENERATION,
    FATAL,
    PLUGIN,
    NEVER_RETURNS,
    LOST,
    LATER,
    INVERTED,
    MISREAD,
    IGNORED,
    FILE,
    DISABLED,
    BARE,
    NOTHING_SENT,
    NOT_KNOWN,
    OFF,
)

_CODES = {
    INVERTED: ("insecure-word", "path-doubled"),
    BARE: ("attributes-lost",),
    FILE: ("ca-missing", "ca-not-pem"),
    IGNORED: (
        "insecure-ignored",
        "json-protocol",
        "logs-protocol",
        "logs-on-http-port",
        "path-dropped",
        "header-swallowed",
        "timeout-zero",
    ),
    MISREAD: (
        "protocol-unknown",
        "tls-implied",
        "insecure-false",
        "timeout-long",
        "timeout-not-a-number",
        "compression-unknown",
        "batch-not-a-number",
        "metric-word",
        "header-dropped",
        "header-quotes",
        "header-type",
        "ca-hidden",
        "ca-overridden",
        "client-pair-unused",
        "grpc-on-http-port",
        "http-on-grpc-port",
        "port-missing",
        "path-missing",
        "proxy-socks",
    ),
}
BY_CODE = {code: rule for rule, codes in _CODES.items() for code in codes}
"""The rule for each code of a remark."""
