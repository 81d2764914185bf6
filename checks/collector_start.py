"""collector-config, first part: what keeps a Collector from starting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_start_rules as rules
from lens_preflight.checks.collector_decoding import decoding_findings
from lens_preflight.checks.collector_parts import every_component, part_findings
from lens_preflight.core.finding import Finding, Location

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig, Component, Pipeline, Reference
    from lens_preflight.collector.ports import Port

SIGNALS = ("traces", "metrics", "logs", "profiles")


def start_findings(config: CollectorConfig) -> Iterator[Finding]:
    """Everything that the collector refuses at the start."""
    yield from _variables(config)
    yield from _sections(config)
    yield from _shapes(config)
    yield from _pipelines(config)
    yield from _connectors(config)
    yield from _extensions(config)
    yield from _conditions(config)
    yield from decoding_findings(config)
    yield from part_findings(config)
    yield from _ports(config)


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


def _shapes(config: CollectorConfig) -> Iterator[Finding]:
    for wrong in config.misshapen:
        yield Finding(
            rules.WRONG_SHAPE,
            f"{wrong.what} is not {wrong.wanted}",
            wrong.at,
            remedy=f"write {'[...]' if wrong.wanted == 'a list' else 'key: value'}",
        )


def _conditions(config: CollectorConfig) -> Iterator[Finding]:
    """OTTL whose brackets or quotes do not close, or with texts in single quotes; other texts may be right."""
    from lens_preflight.collector.conditions import ottl_texts

    for component, text in ottl_texts(config):
        if _open_ended(text.text_value):
            yield Finding(
                rules.BAD_CONDITION,
                f"a condition of {component.id} does not close: {text.text_value}",
                text.at,
                remedy='write: attributes["key"] == "value"',
            )


def _open_ended(text: str) -> bool:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return '"' in bare or "'" in bare or any(bare.count(a) != bare.count(b) for a, b in ("()", "[]"))


def _pipelines(config: CollectorConfig) -> Iterator[Finding]:
    if not config.pipelines:
        yield Finding(
            rules.NO_PIPELINES,
            "service.pipelines holds no pipeline",
            config.at,
            remedy="add: service: {pipelines: {traces: {receivers: [otlp], exporters: [...]}}}",
        )
    shapeless = {wrong.what for wrong in config.misshapen}
    for pipeline in config.pipelines:
        yield from _named_twice(pipeline)
        if pipeline.signal not in SIGNALS:
            yield Finding(
                rules.UNKNOWN_SIGNAL,
                f"pipeline {pipeline.id} is of no signal",
                pipeline.at,
                remedy=f"call it one of: {', '.join(SIGNALS[:3])}, with /name behind it",
            )
        for word, references in (("receivers", pipeline.receivers), ("exporters", pipeline.exporters)):
            written = f"{word} of pipeline {pipeline.id}" in shapeless or pipeline.is_open(word)
            if not references and not written:
                yield Finding(
                    rules.EMPTY_PIPELINE,
                    f"pipeline {pipeline.id} has no {word}",
                    pipeline.at,
                    remedy=f"add {word} to {pipeline.id}",
                )
        yield from _references(config, pipeline)


def _named_twice(pipeline: Pipeline) -> Iterator[Finding]:
    """A processor may stand in a pipeline once; receivers and exporters as often as one likes."""
    seen: set[str] = set()
    for reference in pipeline.processors:
        if reference.id in seen:
            yield Finding(
                rules.NAMED_TWICE,
                f"{reference.id} stands twice in pipeline {pipeline.id}",
                reference.at,
                remedy=f"name it once, or configure a second one: {reference.id}/2",
            )
        seen.add(reference.id)


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
        elif storage and _is_no_storage(config, identity):
            yield Finding(
                rules.NOT_A_STORAGE,
                f"extension {identity} is used as a storage and is none",
                at,
                remedy="add: extensions: {file_storage/queue: {directory: /var/lib/otelcol/queue}}, and name it",
            )
        elif identity not in listed:
            yield Finding(
                rules.EXTENSION_NOT_STARTED,
                f"extension {identity} is used and not in service.extensions",
                at,
                remedy=f"add {identity} to service.extensions",
            )


def _is_no_storage(config: CollectorConfig, identity: str) -> bool:
    from lens_preflight.collector.distributed import is_shipped

    extension = config.find("extensions", identity)
    return (
        extension is not None and "storage" not in extension.type and is_shipped("extensions", extension.type)
    )


def _ports(config: CollectorConfig) -> Iterator[Finding]:
    """Two that listen on one port: the second one does not get it, and the collector stops."""
    from lens_preflight.collector.ports import ports

    seen: dict[int, list[Port]] = {}
    for port in ports(config):
        others = seen.setdefault(port.number, [])
        other = next((one for one in others if port.clashes(one)), None)
        if other is not None:
            yield Finding(
                rules.PORT_TWICE,
                f"{other.owner} and {port.owner} listen on the same port",
                port.at,
                evidence={"port": str(port.number)},
                remedy=f"give {port.owner} another port",
            )
        others.append(port)


def _used_extensions(config: CollectorConfig) -> Iterator[tuple[str, Location, bool]]:
    """Extensions that queues, authenticators and encodings rely on."""
    for component in every_component(config):
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
