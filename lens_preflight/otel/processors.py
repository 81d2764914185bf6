"""Queues, batches and intervals of the SDK, and the limits of a span.

Sources: opentelemetry-sdk 1.45.2 and ``providers.py`` of nemo-lens, executed.
"""

from __future__ import annotations

import sys
import threading

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.otel.remark import Remark, Volume

INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL"
DEFAULT_INTERVAL = 10_000
"""Milliseconds; the choice of nemo-lens, where the SDK would take 60 000."""

METRIC_TIMEOUT = "OTEL_METRIC_EXPORT_TIMEOUT"
"""Milliseconds."""


@dataclass(frozen=True)
class Batch:
    """A batch processor: sizes in spans or records, ``delay`` in milliseconds.

    ``timeout`` (milliseconds) is parsed and used for nothing. ``remarks``: texts that are no
    number, for which the default is taken with an error in the log.
    """

    queue: int
    delay: int
    size: int
    timeout: int
    remarks: tuple[Remark, ...] = ()


def batch(env: Environment, kind: str = "BSP") -> Batch:
    """The batch processor of spans (``BSP``) or of log records (``BLRP``).

    Raises:
        LibraryFailure: the processor raises over sizes that do not fit together or are too large.
        Undecided: a variable is not known before start.
    """
    delay = 1000 if kind == "BLRP" else 5000
    defaults = {
        "MAX_QUEUE_SIZE": 2048,
        "SCHEDULE_DELAY": delay,
        "MAX_EXPORT_BATCH_SIZE": 512,
        "EXPORT_TIMEOUT": 30000,
    }
    values: dict[str, int] = {}
    remarks: list[Remark] = []
    for key, default in defaults.items():
        name = f"OTEL_{kind}_{key}"
        text = env.text(name)
        number = default if text is None else _integer(text)
        if number is None:
            effect = f"{text!r} is no whole number, so {default} is used"
            remarks.append(Remark("batch-not-a-number", name, Volume.WARNS, effect))
        values[key] = default if number is None else number
    queue, wait, size, timeout = values.values()
    found = Batch(queue, wait, size, timeout, tuple(remarks))
    _check(env, kind, found)
    return found


def _check(env: Environment, kind: str, found: Batch) -> None:
    """The processor's own checks, in its order; the variable to blame is one that is set."""

    def fail(key: str, message: str, exception: str = "ValueError") -> LibraryFailure:
        name = f"OTEL_{kind}_{key}"
        return LibraryFailure(Harm.RAISES, exception, variable=name, message=message, when="setup_telemetry")

    if found.queue <= 0:
        raise fail("MAX_QUEUE_SIZE", "the queue must hold at least one")
    if found.delay <= 0:
        raise fail("SCHEDULE_DELAY", "the delay must be positive")
    if found.size <= 0:
        raise fail("MAX_EXPORT_BATCH_SIZE", "a batch must hold at least one")
    if found.size > found.queue:
        message = f"a batch of {found.size} does not fit into a queue of {found.queue}"
        set_ = env.text(f"OTEL_{kind}_MAX_QUEUE_SIZE") is not None
        raise fail("MAX_QUEUE_SIZE" if set_ else "MAX_EXPORT_BATCH_SIZE", message)
    if found.delay > sys.float_info.max:
        raise fail("SCHEDULE_DELAY", "the delay is too large for a float", "OverflowError")
    if found.queue > sys.maxsize:
        raise fail("MAX_QUEUE_SIZE", "the queue is too large for a deque", "OverflowError")


TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
HISTOGRAM = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"
HISTOGRAMS = ("explicit_bucket_histogram", "base2_exponential_bucket_histogram")


def metric_remarks(env: Environment) -> tuple[Remark, ...]:
    """Words about metrics that are replaced by the default with a warning.

    Raises:
        Undecided: a variable is not known before start.
    """
    found: list[Remark] = []

    def replaced(name: str, default: str) -> None:
        effect = f"{env.text(name)!r} is not known, so {default} is used"
        found.append(Remark("metric-word", name, Volume.WARNS, effect))

    temporality = env.text(TEMPORALITY)
    known = ("CUMULATIVE", "DELTA", "LOWMEMORY")
    if temporality is not None and temporality.upper().strip() not in known:
        replaced(TEMPORALITY, "cumulative")
    histogram = env.text(HISTOGRAM)
    if histogram is not None and histogram not in HISTOGRAMS:
        replaced(HISTOGRAM, HISTOGRAMS[0])
    try:
        float(env.text(METRIC_TIMEOUT) or "0")
    except ValueError:
        replaced(METRIC_TIMEOUT, "30000")
    return tuple(found)


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def metric_interval(env: Environment) -> int:
    """Milliseconds between two exports of metrics.

    Raises:
        LibraryFailure: nemo-lens raises over what ``int()`` does not take, the SDK over less than 1.
        Undecided: the variable is not known before start.
    """
    text = env.text(INTERVAL)
    value = DEFAULT_INTERVAL if text is None else _integer(text)
    if value is None or value <= 0:
        message = f"{text!r} is no positive whole number of milliseconds"
        raise LibraryFailure(
            Harm.RAISES, "ValueError", variable=INTERVAL, message=message, when="setup_telemetry"
        )
    return min(value, int(threading.TIMEOUT_MAX * 1000))  # no thread can wait longer


SPAN_LIMITS = (
    "OTEL_SPAN_EVENT_COUNT_LIMIT",
    "OTEL_SPAN_LINK_COUNT_LIMIT",
    "OTEL_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
)
LOG_LIMITS = (
    "OTEL_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT",
    "OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT",
)
"""In the order in which the providers read them."""


def span_limits(env: Environment) -> None:
    """Go through the limits of a span, as a tracer provider does.

    Raises:
        LibraryFailure: a text that is neither a whole number of at least 0 nor blank.
        Undecided: a variable is not known before start.
    """
    _limits(env, SPAN_LIMITS)


def log_limits(env: Environment) -> None:
    """Go through the limits of a log record; raises as ``span_limits`` does."""
    _limits(env, LOG_LIMITS)


def _limits(env: Environment, names: tuple[str, ...]) -> None:
    for name in names:
        text = (env.text(name) or "").strip()
        value = _integer(text) if text else 0
        if value is None or value < 0:
            message = f"{text!r} is no whole number of at least 0"
            raise LibraryFailure(
                Harm.RAISES, "ValueError", variable=name, message=message, when="setup_telemetry"
            )


def attribute_remarks(env: Environment, kind: str = "SPAN") -> tuple[Remark, ...]:
    """Limits that leave nothing of the attributes of a span, or of a log record (``LOGRECORD``).

    A blank text for the kind means no limit, and hides the general variable.

    Raises:
        Undecided: a variable is not known before start.
    """
    what = "span" if kind == "SPAN" else "log record"
    lost = {
        "ATTRIBUTE_COUNT_LIMIT": f"every attribute of a {what} is dropped",
        "ATTRIBUTE_VALUE_LENGTH_LIMIT": f"every text in the attributes of a {what} becomes empty",
    }
    found = []
    for key, effect in lost.items():
        names = (f"OTEL_{kind}_{key}", f"OTEL_{key}")
        name = next((n for n in names if env.text(n) is not None), "")
        if name and _integer((env.text(name) or "").strip()) == 0:
            more = ", nemo.span.truncated included" if kind == "SPAN" and "COUNT" in key else ""
            found.append(Remark("attributes-lost", name, Volume.SILENT, f"with a limit of 0 {effect}{more}"))
    return tuple(found)


def sdk_disabled(env: Environment) -> bool:
    """True when ``OTEL_SDK_DISABLED`` turns every tracer and meter into one that does nothing.

    Only the word ``true`` (trimmed, any case) does; exporters and threads are built all the same.
    """
    return (env.text("OTEL_SDK_DISABLED") or "").lower().strip() == "true"
