"""collector-config, first part: what keeps a Collector from starting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_config_rules as rules
from lens_preflight.core.finding import Finding, Location, Rule

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component, Pipeline, Reference

SIGNALS = ("traces", "metrics", "logs", "profiles")


def start_findings(config: CollectorConfig) -> Iterator[Finding]:
    """Everything that the collector refuses at the start."""
    yield from _variables(config)
    yield from _sections(config)
    yield from _pipelines(config)
    yield from _connectors(config)
    yield from _extensions(config)
    for component in _all(config):
        yield from _removed(config, component)
        yield from _keys(component)
    for component in config.of("processors").values():
        if component.type == "memory_limiter":
            yield from _limiter(component)
        elif component.type == "batch":
            yield from _batch(component)
    for component in config.of("exporters").values():
        yield from _queue_and_retry(component)
    for component in config.of("receivers").values():
        if component.type == "otlp" and (component.get("protocols") is None or not _protocols(component)):
            yield Finding(
                rules.RECEIVER_WITHOUT_PROTOCOL,
                f"{component.id} has no protocol",
                component.at,
                remedy="write: protocols: {grpc: {endpoint: 0.0.0.0:4317}, http: {endpoint: 0.0.0.0:4318}}",
            )


def _all(config: CollectorConfig) -> Iterator[Component]:
    for components in config.components.values():
        yield from components.values()


def _protocols(component: Component) -> bool:
    node = component.get("protocols")
    return bool(getattr(node, "entries", {}))


def _variables(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.expand import Trouble

    for problem in config.problems:
        if problem.trouble is Trouble.SHELL_DEFAULT:
            yield Finding(
                rules.SHELL_DEFAULT,
                f"{problem.text} is the shell's form and stops the collector",
                problem.at,
                remedy=f"write: ${{env:{problem.name}:-...}}",
            )
        elif problem.trouble is Trouble.BARE:
            yield Finding(
                rules.BARE_VARIABLE,
                f"{problem.text} is not replaced and stays as text",
                problem.at,
                remedy=f"write: ${{env:{problem.name}}} (or $${problem.name} if the text is meant)",
            )
        else:
            yield Finding(
                rules.BAD_VARIABLE,
                f"{problem.text} cannot be resolved: {problem.trouble.value}",
                problem.at,
                remedy="write: ${env:NAME}, NAME of letters, digits and underscores",
            )


def _sections(config: CollectorConfig) -> Iterator[Finding]:
    from lens_preflight.collector.types import TOP_LEVEL
    from lens_preflight.documents import Mapping

    root = config.root
    for key in root.entries if isinstance(root, Mapping) else ():
        if key not in TOP_LEVEL and isinstance(root, Mapping):
            yield Finding(
                rules.UNKNOWN_SECTION,
                f"there is no section {key}",
                root.key_at(key),
                remedy=f"use one of: {', '.join(TOP_LEVEL)}",
            )


def _pipelines(config: CollectorConfig) -> Iterator[Finding]:
    if not config.pipelines:
        yield Finding(
            rules.NO_PIPELINES,
            "service.pipelines holds no pipeline",
            config.at,
            remedy="add: service: {pipelines: {traces: {receivers: [otlp], exporters: [...]}}}",
        )
    for pipeline in config.pipelines:
        if pipeline.signal not in SIGNALS:
            yield Finding(
                rules.UNKNOWN_SIGNAL,
                f"pipeline {pipeline.id} is of no signal",
                pipeline.at,
                remedy=f"call it one of: {', '.join(SIGNALS[:3])}, with /name behind it",
            )
        for word, references in (("receivers", pipeline.receivers), ("exporters", pipeline.exporters)):
            if not references:
                yield Finding(
                    rules.EMPTY_PIPELINE,
                    f"pipeline {pipeline.id} has no {word}",
                    pipeline.at,
                    remedy=f"add {word} to {pipeline.id}",
                )
        yield from _references(config, pipeline)


def _references(config: CollectorConfig, pipeline: Pipeline) -> Iterator[Finding]:
    for kind, references in (
        ("receivers", pipeline.receivers),
        ("processors", pipeline.processors),
        ("exporters", pipeline.exporters),
    ):
        for reference in references:
            if reference.id.startswith("${"):
                continue
            component = config.find(kind, reference.id)
            if component is None and kind != "processors":
                component = config.find("connectors", reference.id)
            if component is None:
                yield _undefined(config, kind, reference)
            else:
                yield from _wrong_signal(component, pipeline, reference)


def _undefined(config: CollectorConfig, kind: str, reference: Reference) -> Finding:
    from difflib import get_close_matches

    near = get_close_matches(reference.id, list(config.of(kind)), 1)
    remedy = f"write {near[0]}, or configure {reference.id} under {kind}" if near else ""
    return Finding(
        rules.UNDEFINED_REFERENCE,
        f"{reference.id} is not configured under {kind}",
        reference.at,
        remedy=remedy or f"configure {reference.id} under {kind}, or take it out of the pipeline",
    )


def _wrong_signal(component: Component, pipeline: Pipeline, reference: Reference) -> Iterator[Finding]:
    from lens_preflight.collector.types import ONLY

    signals = ONLY.get((component.kind, component.type))
    if signals is not None and pipeline.signal in SIGNALS and pipeline.signal not in signals:
        yield Finding(
            rules.WRONG_SIGNAL,
            f"{reference.id} does not exist for {pipeline.signal}",
            reference.at,
            remedy=f"take it out of {pipeline.id}; it is for {', '.join(signals)}",
        )


def _connectors(config: CollectorConfig) -> Iterator[Finding]:
    receiving = {r.id for p in config.pipelines for r in p.receivers}
    exporting = {r.id for p in config.pipelines for r in p.exporters}
    for identity, component in config.of("connectors").items():
        if (identity in receiving) is not (identity in exporting):
            missing = "exporter" if identity in receiving else "receiver"
            yield Finding(
                rules.ONE_SIDED_CONNECTOR,
                f"connector {identity} is {missing} of no pipeline",
                component.at,
                remedy=f"name it under {missing}s of a pipeline",
            )


def _extensions(config: CollectorConfig) -> Iterator[Finding]:
    listed = {reference.id for reference in config.listed}
    for reference in config.listed:
        if config.find("extensions", reference.id) is None and not reference.id.startswith("${"):
            yield Finding(
                rules.UNDEFINED_REFERENCE,
                f"extension {reference.id} is not configured",
                reference.at,
                remedy=f"configure it: extensions: {{{reference.id}: {{}}}}",
            )
    for identity, at, storage in _used_extensions(config):
        if config.find("extensions", identity) is None:
            yield Finding(
                rules.UNDEFINED_REFERENCE,
                f"extension {identity} is not configured",
                at,
                remedy=f"add: extensions: {{{identity}: {{directory: /var/lib/otelcol/queue}}}}"
                if storage
                else f"configure it: extensions: {{{identity}: {{...}}}}",
            )
        elif identity not in listed:
            yield Finding(
                rules.EXTENSION_NOT_STARTED,
                f"extension {identity} is used and not in service.extensions",
                at,
                remedy=f"add {identity} to service.extensions",
            )


def _used_extensions(config: CollectorConfig) -> Iterator[tuple[str, Location, bool]]:
    """Extensions that queues, authenticators and encodings rely on."""
    for component in _all(config):
        for keys in (
            ("sending_queue", "storage"),
            ("storage",),
            ("auth", "authenticator"),
            ("protocols", "grpc", "auth", "authenticator"),
            ("protocols", "http", "auth", "authenticator"),
            ("encoding_extension",),
        ):
            identity = component.text(*keys)
            if identity and "${" not in identity and (keys != ("storage",) or "/" in identity):
                yield identity, component.line_of(*keys), keys[-1] == "storage"


def _removed(config: CollectorConfig, component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.types import REMOVED

    gone = REMOVED.get((component.kind, component.type))
    if gone is not None and config.version >= gone[0]:
        yield Finding(
            rules.REMOVED_COMPONENT,
            f"{component.kind[:-1]} {component.id} no longer exists",
            component.at,
            evidence={"removed in": f"0.{gone[0][1]}", "judged for": f"0.{config.version[1]}"},
            remedy=f"use {gone[1]}",
        )
    for keys, since, instead in (
        (("sending_queue", "blocking"), (0, 129), "block_on_overflow"),
        (("batcher",), (0, 130), "sending_queue.batch"),
    ):
        if component.kind == "exporters" and component.get(*keys) is not None and config.version >= since:
            yield Finding(
                rules.REMOVED_KEY,
                f"{'.'.join(keys)} of {component.id} no longer exists",
                component.line_of(*keys),
                evidence={"removed in": f"0.{since[1]}", "judged for": f"0.{config.version[1]}"},
                remedy=f"use {instead}",
            )


def _keys(component: Component) -> Iterator[Finding]:
    """Keys that are close to a known one; a key that is merely unknown to this tool is left alone."""
    from lens_preflight.collector.types import KEYS, QUEUE_KEYS, RETRY_KEYS

    known = KEYS.get((component.kind, component.type))
    places: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((), known)] if known else []
    if component.kind == "exporters":
        places += [(("sending_queue",), QUEUE_KEYS), (("retry_on_failure",), RETRY_KEYS)]
        if known is None:
            places.append(((), ("sending_queue", "retry_on_failure")))
    for path, words in places:
        node = component.get(*path) if path else component.body
        for key in getattr(node, "entries", {}):
            near = _misspelt(key, words)
            if near:
                yield Finding(
                    rules.UNKNOWN_KEY,
                    f"{component.id} has a key {key}",
                    component.line_of(*path, key),
                    remedy=f"write {near}",
                )


def _misspelt(key: str, words: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    if key in words or key in ("blocking", "batcher") or any(key in w.split("_") for w in words):
        return ""
    near = get_close_matches(key, words, 1, 0.86)
    return near[0] if near else ""


def _limiter(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_open, seconds, whole

    limit, share = whole(component, "limit_mib"), whole(component, "limit_percentage")
    spike = whole(component, "spike_limit_mib")
    interval = seconds(component.text("check_interval"))
    unknown = any(is_open(component, key) for key in ("limit_mib", "limit_percentage", "check_interval"))
    fault = ""
    if not unknown and not limit and not share:
        fault = "has no limit"
    elif not unknown and not interval:
        fault = "has no check_interval"
    elif limit and spike is not None and spike >= limit:
        fault = "has a spike as large as its limit"
    if fault:
        yield Finding(
            rules.LIMITER_INVALID,
            f"{component.id} {fault}",
            component.at,
            remedy="write: {check_interval: 1s, limit_mib: 2000, spike_limit_mib: 400}",
        )


def _batch(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import whole

    size = whole(component, "send_batch_size")
    most = whole(component, "send_batch_max_size")
    if most and most < (size if size is not None else 8192):
        yield Finding(
            rules.BATCH_INVALID,
            f"{component.id}: send_batch_max_size is below send_batch_size",
            component.line_of("send_batch_max_size"),
            evidence={"send_batch_size": str(size or 8192), "send_batch_max_size": str(most)},
            remedy="raise send_batch_max_size, or lower send_batch_size to it",
        )


def _queue_and_retry(component: Component) -> Iterator[Finding]:
    from lens_preflight.collector.amounts import is_off, seconds, whole

    if not is_off(component, "sending_queue", "enabled"):
        size = whole(component, "sending_queue", "queue_size")
        least = whole(component, "sending_queue", "batch", "min_size")
        items = component.text("sending_queue", "sizer") == "items"
        if size == 0 or (size is not None and least is not None and items and least > size):
            yield _invalid(
                rules.QUEUE_INVALID, component, ("sending_queue", "queue_size"), "queue_size: 1000"
            )
    elapsed = seconds(component.text("retry_on_failure", "max_elapsed_time"))
    interval = seconds(component.text("retry_on_failure", "max_interval"))
    interval = 30.0 if interval is None else interval
    if elapsed and elapsed < interval and not is_off(component, "retry_on_failure", "enabled"):
        keys = ("retry_on_failure", "max_elapsed_time")
        yield _invalid(rules.RETRY_INVALID, component, keys, "max_elapsed_time: 0")


def _invalid(rule: Rule, component: Component, keys: tuple[str, ...], write: str) -> Finding:
    value = component.text(*keys) or ""
    return Finding(
        rule,
        f"{component.id}: {'.'.join(keys)} is refused",
        component.line_of(*keys),
        evidence={keys[-1]: value},
        remedy=f"write {write}",
    )
