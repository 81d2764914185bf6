"""Keys and values that the collector refuses when it decodes a configuration: no schema, no start."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.collector.amounts import seconds
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.schema import KNOWN_FOR, SHAPES
from lens_preflight.collector.types import KEYS, KINDS, split_id
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Node, Scalar, Sequence

OLDEST = (0, 130)
"""Below it too many keys were called otherwise to say that one is not known."""

_LISTS = ("receivers", "processors", "exporters")
_TOLD = frozenset({"blocking", "batcher", "address"})
"""Keys that were removed, for which there are rules of their own."""


@dataclass(frozen=True)
class Refused:
    """One key that is not known (``wanted`` is empty), or whose value is of another type."""

    owner: str
    path: str
    at: Location
    wanted: str = ""
    known: tuple[str, ...] = ()
    """The keys that there are instead."""


def refused(config: CollectorConfig) -> Iterator[Refused]:
    """What the collector does not decode, in the components whose keys are known, used or not."""
    root = config.written
    for kind in KINDS:
        section = root.get(kind) if root is not None else None
        for identity, body in section.entries.items() if isinstance(section, Mapping) else ():
            shape = f"{kind}/{split_id(identity)[0]}"
            if shape in SHAPES:
                yield from _mapping(body, shape, identity, ())
    service = root.get("service") if root is not None else None
    if service is not None:
        yield from _mapping(service, "service", "service", ())
        pipelines = service.get("pipelines")
        for identity, body in pipelines.entries.items() if isinstance(pipelines, Mapping) else ():
            for key in body.entries if isinstance(body, Mapping) else ():
                if key not in _LISTS and isinstance(body, Mapping):
                    yield Refused(f"pipeline {identity}", key, body.key_at(key), known=_LISTS)


def keys_known(config: CollectorConfig) -> bool:
    """Whether the version that is judged for has the keys that are listed here."""
    return OLDEST <= config.version <= KNOWN_FOR


def later(component: Component) -> tuple[str, ...]:
    """Keys that only versions behind the one whose keys are listed have."""
    shape = SHAPES.get(f"{component.kind}/{component.type}")
    more = KEYS.get((component.kind, component.type), ())
    written = component.body.entries if isinstance(component.body, Mapping) and shape is not None else {}
    return tuple(key for key in written if key in more and key not in (shape or {}))


def has_shape(component: Component) -> bool:
    """Whether all keys of a component are known."""
    return f"{component.kind}/{component.type}" in SHAPES


def _mapping(node: Node, shape: str, owner: str, path: tuple[str, ...]) -> Iterator[Refused]:
    if not isinstance(node, Mapping):
        return
    keys = SHAPES[shape]
    kind, _, type_ = shape.partition("/")
    more = KEYS.get((kind, type_), ())
    for key, value in node.entries.items():
        here = (*path, key)
        if key in keys:
            yield from _value(value, keys[key], owner, here)
        elif key not in more and key not in _TOLD:
            yield Refused(owner, ".".join(here), node.key_at(key), known=tuple(keys))


def _value(node: Node, wanted: str, owner: str, path: tuple[str, ...]) -> Iterator[Refused]:
    if isinstance(node, Scalar) and (node.value is None or "$" in node.text_value):
        return  # null is the default; what a variable gives is typed by the collector
    kind, _, shape = wanted.partition("@")
    if shape and not kind:
        if isinstance(node, Mapping):
            yield from _mapping(node, shape, owner, path)
        else:
            yield Refused(owner, ".".join(path), node.at, "a mapping")
    elif kind in ("list", "texts"):
        yield from _list(node, kind, shape, owner, path)
    elif kind == "labels":
        if not isinstance(node, Mapping):
            yield Refused(owner, ".".join(path), node.at, "a mapping")
        else:
            for key, value in node.entries.items():
                yield from _value(value, "text", owner, (*path, key))
    elif kind in _FORMS and not _fits(node, kind, path[-1]):
        yield Refused(owner, ".".join(path), node.at, _FORMS[kind])


def _list(node: Node, kind: str, shape: str, owner: str, path: tuple[str, ...]) -> Iterator[Refused]:
    if isinstance(node, Mapping):
        yield Refused(owner, ".".join(path), node.at, "a list")
    for item in node.items if isinstance(node, Sequence) else ():
        if shape:
            yield from _value(item, f"@{shape}", owner, path)
        elif kind == "texts":
            yield from _value(item, "text", owner, path)


_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_TIMES = frozenset(
    {"timeout", "check_interval", "flush_timeout", "initial_interval", "max_interval", "max_elapsed_time"}
    | {"metric_expiration"}
)
"""Durations for which there is a rule of their own, as far as they are not bare numbers."""

_FORMS = {
    "text": "a text (in quotes)",
    "switch": "true or false",
    "whole": "a number",
    "count": "a number that is not negative",
    "number": "a number",
    "time": "a duration such as 5s",
}


def _fits(node: Node, kind: str, key: str) -> bool:
    if not isinstance(node, Scalar):
        return False
    value = node.value
    if kind == "text":
        return isinstance(value, str)
    if kind == "switch":
        return isinstance(value, bool)
    if kind == "time":
        if isinstance(value, str):
            told = key in _TIMES and seconds(value) is None
            return told or _DURATION.fullmatch(value) is not None
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and (kind != "count" or (isinstance(value, (int, float)) and value >= 0))
