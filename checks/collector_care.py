"""collector-config, third part: what a careful operator does, and what is missed when it is not done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_config_rules as rules
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.flow import Route
    from lens_preflight.collector.model import CollectorConfig, Component, Pipeline
    from lens_preflight.documents import Node

OUTAGE = 3600.0
"""Seconds that a backend may be away without loss; the usual length of a maintenance."""

STALE = 1800.0
"""Seconds after which a process that is gone should no longer be shown."""

_SECRET_KEY = re.compile(
    r"(^|[_.-])(password|passwd|secret|token|api[_-]?key|apikey|authorization|access[_-]?key|"
    r"x-honeycomb-team|wandb-api-key|private[_-]?key)$",
    re.I,
)
_CREDENTIALS = re.compile(r"://[^/@\s:]+:[^/@\s]+@")
_DURATION_KEYS = frozenset(
    {"timeout", "check_interval", "flush_timeout", "initial_interval", "max_interval", "metric_expiration"}
    | {"decision_wait", "scrape_interval", "collection_interval", "metrics_flush_interval"}
)


def care_findings(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """Everything that warns or notes."""
    fed = {pipeline.id: pipeline for route in config.routes for pipeline in route.pipelines}
    for pipeline in fed.values():
        yield from _limiter_place(config, pipeline)
        yield from _batching(config, pipeline)
    exporters = dict.fromkeys(route.end.id for route in config.routes if not route.generates)
    for identity in exporters:
        component = config.find("exporters", identity)
        if component is not None:
            yield from _exporter(config, component)
    yield from _limiter_sizes(config)
    yield from _small_messages(config)
    yield from _sampling(config)
    yield from _telemetry(config, topology)
    yield from _extensions(config)
    yield from _unused(config)
    yield from _secrets(config)
    yield from _bare_durations(config)
    if config.deployment.tag == "latest" and config.deployment.tag_at is not None:
        yield Finding(
            rules.LATEST_TAG,
            "the image has the tag latest",
            config.deployment.tag_at,
            remedy="write a version: otel/opentelemetry-collector-contrib:0.146.0",
        )


def _limiter_place(config: CollectorConfig, pipeline: Pipeline) -> Iterator[Finding]:
    kinds = [_type(config, r.id) for r in pipeline.processors]
    whole = [n for n, kind in enumerate(kinds) if kind in ("tail_sampling", "groupbytrace")]
    if "batch" in kinds and whole and kinds.index("batch") < whole[0]:
        yield Finding(
            rules.BATCH_EARLY,
            f"pipeline {pipeline.id} batches before {pipeline.processors[whole[0]].id}",
            pipeline.processors[kinds.index("batch")].at,
            remedy=f"put batch behind {pipeline.processors[whole[0]].id}",
        )
    if any(_type_of_receiver(config, r.id) for r in pipeline.receivers) and "memory_limiter" not in kinds:
        yield Finding(
            rules.LIMITER_MISSING,
            f"pipeline {pipeline.id} has no memory_limiter",
            pipeline.processors_at,
            remedy=f"put memory_limiter first in {pipeline.id}, with {{check_interval: 1s, limit_mib: 2000, "
            "spike_limit_mib: 400}",
        )
    elif "memory_limiter" in kinds and kinds[0] != "memory_limiter":
        place = kinds.index("memory_limiter")
        yield Finding(
            rules.LIMITER_LATE,
            f"memory_limiter is number {place + 1} in pipeline {pipeline.id}",
            pipeline.processors[place].at,
            remedy=f"make it the first processor of {pipeline.id}",
        )


def _type(config: CollectorConfig, identity: str) -> str:
    component = config.find("processors", identity)
    return component.type if component is not None else ""


def _type_of_receiver(config: CollectorConfig, identity: str) -> bool:
    """Whether a pipeline takes from outside; behind a connector the limiter has been passed."""
    return config.find("receivers", identity) is not None


def _batching(config: CollectorConfig, pipeline: Pipeline) -> Iterator[Finding]:
    from lens_preflight.collector.types import PULLED

    if "batch" in {_type(config, r.id) for r in pipeline.processors}:
        return
    for reference in pipeline.exporters:
        exporter = config.find("exporters", reference.id)
        if exporter is None or exporter.type in PULLED or exporter.get("sending_queue", "batch") is not None:
            continue
        yield Finding(
            rules.NO_BATCHING,
            f"pipeline {pipeline.id} sends to {exporter.id} without batches",
            pipeline.processors_at,
            remedy=f"add batch behind memory_limiter in {pipeline.id}",
        )
        return


def _exporter(config: CollectorConfig, component: Component) -> Iterator[Finding]:
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
            remedy=f"write in {component.id}: sending_queue: {{storage: file_storage/queue}}, and add the "
            "extension file_storage/queue: {directory: /var/lib/otelcol/queue}",
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
            yield from _directory(extension, component)


def _directory(extension: Component, component: Component) -> Iterator[Finding]:
    directory = extension.text("directory")
    volatile = directory is not None and (
        directory.startswith(("/tmp", "/dev/shm", "/var/tmp")) or not directory.startswith(("/", "${"))
    )
    if volatile:
        yield Finding(
            rules.QUEUE_VOLATILE,
            f"the queue of {component.id} is kept in {directory}",
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
    for route in config.routes:
        for reference in route.processors if route.end.id == component.id else ():
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
        if component.text("tls", key) == "true":
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


def _limiter_sizes(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import whole

    for component in config.of("processors").values():
        if component.type != "memory_limiter":
            continue
        for limit_key, spike_key in (
            ("limit_mib", "spike_limit_mib"),
            ("limit_percentage", "spike_limit_percentage"),
        ):
            limit, spike = whole(component, limit_key), whole(component, spike_key)
            if limit and spike and limit > spike > limit // 2:
                yield Finding(
                    rules.LIMITER_TIGHT,
                    f"{component.id} refuses above {limit - spike} of {limit}",
                    component.line_of(spike_key),
                    remedy=f"write {spike_key}: {limit // 5}",
                )


def _small_messages(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import whole

    for component in config.of("receivers").values():
        size = whole(component, "protocols", "grpc", "max_recv_msg_size_mib")
        if size is not None and 0 < size < 4:
            yield Finding(
                rules.MESSAGE_SIZE,
                f"{component.id} takes {size} MiB at once, less than the default",
                component.line_of("protocols", "grpc", "max_recv_msg_size_mib"),
                remedy="write max_recv_msg_size_mib: 16",
            )


def _sampling(config: CollectorConfig) -> Iterator[Finding]:
    for component in config.tail_sampling():
        if component.type != "tail_sampling":
            continue
        replicas = config.deployment.replicas
        if replicas is not None and replicas > 1:
            yield Finding(
                rules.TAIL_SAMPLING_REPLICAS,
                f"{component.id} runs in several replicas, which each see a part of a trace",
                component.at,
                evidence={"replicas": str(replicas)},
                remedy="put collectors before it: exporters: {loadbalancing: {routing_key: traceID, ...}}",
            )
        if not _judges_whole_traces(component):
            continue
        wait = component.text("decision_wait") or "30s"
        yield Finding(
            rules.TAIL_SAMPLING_WINDOW,
            f"{component.id} decides {wait} after the first span of a trace",
            component.line_of("decision_wait"),
            remedy="keep spans that wrap the job by name with an ottl_condition policy, or sample in the SDK",
        )
    for route in config.routes:
        if route.generates == "spanmetrics" and _sampled(config, route):
            yield Finding(
                rules.SPAN_METRICS_AFTER_SAMPLING,
                f"{route.end.id} counts what the sampler left",
                route.end.at,
                remedy=f"feed {route.end.id} from a pipeline without the sampler",
            )
            return


def _judges_whole_traces(component: Component) -> bool:
    """Whether a policy looks at what only a whole trace has: its length, its status, its spans."""
    policies = component.body.children("policies") if component.body is not None else ()
    return any(word in str(p.data()) for p in policies for word in ("latency", "status_code", "span_count"))


def _sampled(config: CollectorConfig, route: Route) -> bool:
    samplers = ("tail_sampling", "probabilistic_sampler")
    return any(_type(config, r.id) in samplers for r in route.processors)


def _telemetry(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """The collector's own metrics: on, and where a Prometheus can reach them."""
    from lens_preflight.collector.amounts import is_loopback
    from lens_preflight.documents import Mapping, Scalar

    root = config.root
    metrics = root.get("service", "telemetry", "metrics") if root is not None else None
    at = metrics.at if metrics is not None else config.at
    write = "write: readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 8888}}}}]"
    if metrics is not None and metrics.text("level") == "none":
        where = metrics.key_at("level") if isinstance(metrics, Mapping) else at
        yield Finding(
            rules.TELEMETRY_OFF, "telemetry.metrics.level is none", where, remedy="write level: normal"
        )
        return
    address = metrics.get("address") if isinstance(metrics, Mapping) else None
    if isinstance(metrics, Mapping) and address is not None and config.version >= (0, 123):
        gone = config.version >= (0, 135)
        yield Finding(
            rules.TELEMETRY_ADDRESS if gone else rules.TELEMETRY_ADDRESS_IGNORED,
            "telemetry.metrics.address is " + ("refused" if gone else "ignored"),
            metrics.key_at("address"),
            remedy=write,
        )
        return
    if topology != "gateway" or _scrapes_itself(config):
        return
    readers = metrics.children("readers") if metrics is not None else ()
    hosts = [reader.get("pull", "exporter", "prometheus", "host") for reader in readers]
    local = [h for h in hosts if isinstance(h, Scalar) and is_loopback(h.text_value)]
    if not readers or (local and len(local) == len(readers)):
        place = local[0].at if local else at
        yield Finding(
            rules.TELEMETRY_LOCAL, "the collector's own metrics stay on its machine", place, remedy=write
        )


def _scrapes_itself(config: CollectorConfig) -> bool:
    for component in config.of("receivers").values():
        if (
            component.type == "prometheus"
            and component.body is not None
            and ":8888" in str(component.body.data())
        ):
            return True
    return False


def _extensions(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import bind_host, is_everywhere

    listed = {reference.id for reference in config.listed}
    health = [c for c in config.of("extensions").values() if c.type in ("health_check", "healthcheckv2")]
    if not health:
        yield Finding(
            rules.NO_HEALTH_CHECK,
            "no extension health_check",
            config.at,
            remedy="add: extensions: {health_check: {endpoint: 0.0.0.0:13133}}, and list it",
        )
    for component in health:
        if component.id not in listed:
            yield Finding(
                rules.HEALTH_NOT_LISTED,
                f"{component.id} is not in service.extensions",
                component.at,
                remedy=f"add {component.id} to service.extensions",
            )
    for component in config.of("extensions").values():
        endpoint = component.text("endpoint")
        open_page = endpoint is not None and is_everywhere(bind_host(endpoint))
        if component.type in ("zpages", "pprof") and component.id in listed and open_page:
            yield Finding(
                rules.DEBUG_OPEN,
                f"{component.id} is open to the network",
                component.line_of("endpoint"),
                remedy="bind it to localhost",
            )


def _unused(config: CollectorConfig) -> Iterator[Finding]:
    used = {r.id for p in config.pipelines for r in (*p.receivers, *p.processors, *p.exporters)}
    used |= {reference.id for reference in config.listed}
    for kind, components in config.components.items():
        for component in components.values():
            if component.id not in used and kind != "connectors" and component.type != "health_check":
                yield Finding(
                    rules.UNUSED_COMPONENT,
                    f"{kind[:-1]} {component.id} is used nowhere",
                    component.at,
                    remedy=f"use it in a pipeline, list it in service.extensions, or remove {component.id}",
                )


def _secrets(config: CollectorConfig) -> Iterator[Finding]:
    """Keys that hold a secret in the open; the value is never shown."""
    for key, node in _texts(config.root, ""):
        text = getattr(node, "text_value", "")
        if getattr(node, "value", None) is None or "${" in text or not text:
            continue
        inside = bool(_CREDENTIALS.search(text))
        if inside or (_SECRET_KEY.search(key) and not getattr(node, "open", False)):
            what = "an address with a password" if inside else key
            name = re.sub(r"[^A-Z0-9]+", "_", key.upper()).strip("_")
            yield Finding(
                rules.INLINE_SECRET,
                f"{what} is written out",
                node.at,
                remedy=f"write: {key}: ${{env:{name}}}",
            )


def _texts(node: Node | None, key: str) -> Iterator[tuple[str, Node]]:
    """Every scalar with the key above it."""
    from lens_preflight.documents import Mapping, Scalar, Sequence

    if isinstance(node, Mapping):
        for inner, value in node.entries.items():
            yield from _texts(value, inner)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, key)
    elif isinstance(node, Scalar):
        yield key, node


def _bare_durations(config: CollectorConfig) -> Iterator[Finding]:
    for kind in ("processors", "exporters"):
        for component in config.of(kind).values():
            for key, node in _texts(component.body, ""):
                value = getattr(node, "value", None)
                if key in _DURATION_KEYS and type(value) is int and value > 0:
                    yield Finding(
                        rules.DURATION_WITHOUT_UNIT,
                        f"{key} of {component.id} is {value} nanoseconds",
                        node.at,
                        remedy=f"write {key}: {value}s",
                    )
