"""collector-config, third part: what a careful operator does, and what is missed when it is not done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_care_rules as rules
from lens_preflight.checks.collector_exporters import exporter_findings
from lens_preflight.checks.collector_running import running_findings
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.flow import Route
    from lens_preflight.collector.model import CollectorConfig, Component, Pipeline


def care_findings(config: CollectorConfig, topology: str | None) -> Iterator[Finding]:
    """Everything that warns or notes."""
    fed = {pipeline.id: pipeline for route in config.routes for pipeline in route.pipelines}
    for pipeline in fed.values():
        yield from _limiter_place(config, pipeline)
        yield from _batching(config, pipeline)
    yield from _exporters(config)
    yield from _limiter_sizes(config)
    yield from _small_messages(config)
    yield from _sampling(config)
    yield from running_findings(config, topology)
    if config.deployment.tag == "latest" and config.deployment.tag_at is not None:
        yield Finding(
            rules.LATEST_TAG,
            "the image has the tag latest",
            config.deployment.tag_at,
            remedy="write a version: otel/opentelemetry-collector-contrib:0.146.0",
        )


def _exporters(config: CollectorConfig) -> Iterator[Finding]:
    """Each exporter once; what several share, such as a directory, is told once."""
    said: set[str] = set()
    for identity in dict.fromkeys(route.end.id for route in config.routes if not route.generates):
        component = config.find("exporters", identity)
        for finding in exporter_findings(config, component) if component is not None else ():
            if finding.fingerprint not in said:
                said.add(finding.fingerprint)
                yield finding


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
