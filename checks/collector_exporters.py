"""collector-config, fifth part: queues, retries, sizes and encryption of the exporters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_care_rules as rules
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component


OUTAGE = 3600.0
"""Seconds that a backend may be away without loss; the usual length of a maintenance."""


FRESH = 60.0
"""Seconds between two exports of an SDK: what expires sooner is gone in between."""

STALE = 1800.0
"""Seconds after which a process that is gone should no longer be shown."""


def exporter_findings(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    """What is said of one exporter that telemetry of the job reaches."""
    from lens_preflight.collector.amounts import seconds
    from lens_preflight.collector.types import PULLED

    if component.type == "prometheus":
        expiration = seconds(component.text("metric_expiration"))
        if expiration is not None and expiration > STALE:
            yield Finding(
                rules.STALE_SERIES,
                f"{component.id} shows a dead run for {component.text('metric_expiration')} more",
                component.line_of("metric_expiration"),
                remedy="write metric_expiration: 5m",
            )
        elif expiration is not None and 0 < expiration < FRESH:
            yield Finding(
                rules.SHORT_SERIES,
                f"{component.id} forgets a series {component.text('metric_expiration')} after it came",
                component.line_of("metric_expiration"),
                remedy="write metric_expiration: 5m",
            )
    if component.type == "elasticsearch" and component.text("mapping", "mode") not in (None, "otel"):
        yield Finding(
            rules.IGNORED_KEY,
            f"mapping.mode of {component.id} will be ignored",
            component.line_of("mapping", "mode"),
            remedy="set the scope attribute elastic.mapping.mode instead",
        )
    if component.type not in PULLED:
        yield from _queue(config, component)
        yield from _retry(component)
        yield from _message_size(config, component)
    yield from _tls(component)


def _queue(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_off

    if component.type == "prometheusremotewrite" and component.get("wal") is not None:
        return
    storage = component.text("sending_queue", "storage")
    if is_off(component, "sending_queue", "enabled"):
        yield Finding(
            rules.QUEUE_OFF,
            f"{component.id} has no queue",
            component.line_of("sending_queue", "enabled"),
            remedy=f"write in {component.id}: sending_queue: {{enabled: true, storage: file_storage/queue}}",
        )
    elif storage is None:
        yield Finding(
            rules.QUEUE_IN_MEMORY,
            f"the queue of {component.id} is in memory only",
            component.line_of("sending_queue"),
            remedy=f"write in {component.id}: " + _persistent(component),
        )
    elif "${" not in storage:
        extension = config.find("extensions", storage)
        if extension is None:
            yield Finding(
                rules.QUEUE_STORAGE,
                f"the queue of {component.id} has no storage {storage}",
                component.line_of("sending_queue", "storage"),
                remedy=f"add: extensions: {{{storage}: {{directory: /var/lib/otelcol/queue}}}}, and list it",
            )
        else:
            yield from _directory(extension)


def _persistent(component: Component) -> str:
    """What makes the queue survive a restart; remote write keeps a log of its own."""
    if component.type == "prometheusremotewrite":
        return "wal: {directory: /var/lib/otelcol/wal}"
    storage = "sending_queue: {storage: file_storage/queue}, and add the extension file_storage/queue: "
    return storage + "{directory: /var/lib/otelcol/queue}"


def _directory(extension: Component) -> Iterator[Finding]:
    directory = extension.text("directory")
    volatile = directory is not None and (
        directory.startswith(("/tmp", "/dev/shm", "/var/tmp")) or not directory.startswith(("/", "${"))
    )
    if volatile:
        yield Finding(
            rules.QUEUE_VOLATILE,
            f"{extension.id} keeps queues in {directory}",
            extension.line_of("directory"),
            remedy="write directory: /var/lib/otelcol/queue",
        )


def _retry(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_off, is_open, seconds

    if is_off(component, "retry_on_failure", "enabled"):
        yield Finding(
            rules.RETRY_OFF,
            f"{component.id} does not retry",
            component.line_of("retry_on_failure", "enabled"),
            remedy=f"write in {component.id}: retry_on_failure: {{enabled: true, max_elapsed_time: 0}}",
        )
        return
    written = component.text("retry_on_failure", "max_elapsed_time")
    elapsed = 300.0 if written is None else seconds(written)
    if elapsed and elapsed < OUTAGE and not is_open(component, "retry_on_failure", "max_elapsed_time"):
        how = written or "5m (the default)"
        yield Finding(
            rules.RETRY_SHORT,
            f"{component.id} gives up after {how}",
            component.line_of("retry_on_failure", "max_elapsed_time"),
            remedy=f"write in {component.id}: retry_on_failure: {{max_elapsed_time: 0}}",
        )


def _message_size(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    """Batches written out as large, without a bound, over gRPC."""
    from lens_preflight.collector.amounts import whole

    if component.type != "otlp":
        return
    for route in config.routes_by_end.get(component.id, ()):
        for reference in route.processors:
            batch = config.find("processors", reference.id)
            if batch is None or batch.type != "batch":
                continue
            size, most = whole(batch, "send_batch_size"), whole(batch, "send_batch_max_size")
            if size is not None and size >= 8192 and not most:
                yield Finding(
                    rules.MESSAGE_SIZE,
                    f"{component.id} may send more than 4 MiB at once",
                    batch.line_of("send_batch_size"),
                    remedy=f"write in {batch.id}: send_batch_size: 512, send_batch_max_size: 1024",
                )
                return


def _tls(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_loopback
    from lens_preflight.collector.sinks import address, host_of

    host = host_of(address(component))
    if not host or "${" in host or is_loopback(host) or component.type == "prometheus":
        return
    for key in ("insecure", "insecure_skip_verify"):
        if component.flag("tls", key):
            yield Finding(
                rules.TLS_OFF,
                f"{component.id} has tls.{key}: true",
                component.line_of("tls", key),
                remedy=f"write in {component.id}: tls: {{ca_file: /etc/otelcol/tls/ca.pem}}",
            )
            return
    if component.type == "otlphttp" and address(component).startswith("http://"):
        yield Finding(
            rules.TLS_OFF,
            f"{component.id} sends to an http:// address",
            component.line_of("endpoint"),
            remedy="write https://, with tls: {ca_file: ...} for a private authority",
        )
