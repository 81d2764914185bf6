"""collector-config, first part: keys, values and names that the collector does not decode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_start_rules as rules
from lens_preflight.checks.collector_parts import every_component
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.collector.keys import Refused
    from lens_preflight.collector.model import CollectorConfig, Component

_TYPE = re.compile(r"[a-zA-Z][0-9a-zA-Z_]{0,62}")


def decoding_findings(config: CollectorConfig) -> Iterator[Finding]:
    """What is refused before anything is started."""
    from lens_preflight.collector.keys import has_shape, keys_known, refused
    from lens_preflight.collector.legal import illegal

    sure = keys_known(config)
    for one in refused(config):
        if one.wanted:
            yield Finding(
                rules.WRONG_TYPE,
                f"{one.path} of {one.owner} is not {one.wanted}",
                one.at,
                remedy=f"write {one.wanted}",
            )
        elif sure or _near(one):
            yield _unknown_key(config, one)
    for wrong in illegal(config):
        yield Finding(
            rules.BAD_VALUE, f"{wrong.owner}: {wrong.what}", wrong.at, remedy=f"write {wrong.write}"
        )
    for pipeline in config.pipelines:
        if not _visible(pipeline.id.partition("/")[2]):
            yield Finding(
                rules.BAD_NAME,
                f"{pipeline.id} is no name of a pipeline",
                pipeline.at,
                remedy=f"write {pipeline.signal}/NAME, NAME of letters, digits, dashes and dots",
            )
    for component in every_component(config):
        if not has_shape(component):
            yield from _misspelt_keys(component)
        yield from _identity(component)


def unproven(config: CollectorConfig) -> tuple[str, ...]:
    """The components and words of which it is not shown that the collector decodes them."""
    from lens_preflight.collector.conditions import ottl_texts
    from lens_preflight.collector.distributed import is_shipped
    from lens_preflight.collector.keys import has_shape, keys_known, later, refused
    from lens_preflight.collector.legal_processors import doubts
    from lens_preflight.collector.proving import unread
    from lens_preflight.collector.vocabulary import strange_words
    from lens_preflight.documents import Scalar

    found = [
        f"{component.kind[:-1]} {component.id}"
        for component in every_component(config)
        if not is_shipped(component.kind, component.type)
        or (component.body is not None and component.body.data() and not has_shape(component))
    ]
    for component in every_component(config):
        found += [f"{key} of {component.id}" for key in later(component)]
    if not keys_known(config):
        found += [f"{one.path} of {one.owner}" for one in refused(config)]
    for component, text in ottl_texts(config):
        found += [f"{word} in {component.id}" for word in strange_words(text.text_value)]
    found += [f"{text} in {component.id}" for component, text in unread(config)]
    for component in config.of("processors").values():
        if component.type == "attributes":
            found += [f"{doubt} in {component.id}" for doubt in doubts(component)]
    resource = config.root.get("service", "telemetry", "resource") if config.root is not None else None
    if any(not isinstance(value, Scalar) for value in getattr(resource, "entries", {}).values()):
        found.append("service.telemetry.resource")
    found += [f"pipeline {pipeline.id}" for pipeline in config.pipelines if pipeline.signal == "profiles"]
    return tuple(dict.fromkeys(found))


def _near(one: Refused) -> str:
    from difflib import get_close_matches

    near = get_close_matches(one.path.rpartition(".")[2], one.known, 1, 0.86)
    return near[0] if near else ""


def _unknown_key(config: CollectorConfig, one: Refused) -> Finding:
    near = _near(one)
    return Finding(
        rules.UNKNOWN_KEY,
        f"{one.owner} has a key {one.path}",
        one.at,
        evidence={"judged for": f"0.{config.version[1]}"},
        remedy=f"write {near}" if near else f"take {one.path} out of {one.owner}",
    )


def _misspelt_keys(component: Component) -> Iterator[Finding]:
    """Keys close to a known one, in a component of which only queue and retry are known."""
    from lens_preflight.collector.types import QUEUE_KEYS, RETRY_KEYS

    if component.kind != "exporters":
        return
    for path, words in (
        (("sending_queue",), QUEUE_KEYS),
        (("retry_on_failure",), RETRY_KEYS),
        ((), ("sending_queue", "retry_on_failure")),
    ):
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


def _visible(name: str) -> bool:
    return all(c.isprintable() and not c.isspace() and c not in "+<=>^`|~$" for c in name.strip())


def _identity(component: Component) -> Iterator[Finding]:
    """``type[/name]``: a name is of visible characters, without symbols, and not empty."""
    from lens_preflight.collector.distributed import is_shipped

    type_, slash, name = component.id.partition("/")
    if _TYPE.fullmatch(type_.strip()) is None or (slash and not name.strip()) or not _visible(name):
        yield Finding(
            rules.BAD_NAME,
            f"{component.id} is no name of a component",
            component.at,
            remedy=f"write {component.type or 'otlp'}/NAME, NAME of letters, digits, dashes and dots",
        )
    elif not is_shipped(component.kind, component.type):
        yield Finding(
            rules.UNKNOWN_TYPE,
            f"no distribution known here has {component.kind[:-1]} {component.type}",
            component.at,
            remedy="correct the name, or make sure that your build of the collector has it",
        )
