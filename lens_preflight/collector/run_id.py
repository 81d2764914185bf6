"""What becomes of ``nemo.run.id`` and its relatives between receiver and exporter."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from lens_preflight.collector.model import CollectorConfig, Component, Reference
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.go_patterns import found_in, is_whole
from lens_preflight.documents import Mapping, Node, Scalar, Sequence

RUN_ID = "nemo.run.id"
RELATED = (
    "nemo.user.id",
    "nemo.span.truncated",
    "nv.dl.rank",
    "nv.dl.world_size",
    "dl.rank",
    "dl.world_size",
)

NAMES = (RUN_ID, "nemo_run_id")
"""The run id as an attribute, and as a label of Prometheus."""

_SET = re.compile(
    r'^\s*set\(\s*(?P<to>[\w.]+)\["(?P<key>[^"]+)"\]\s*,\s*(?P<value>.*)\)\s*(?:where\b.*)?$', re.S
)
_DELETE = re.compile(
    r'\b(?P<call>delete_key|delete_matching_keys)\(\s*(?P<map>[\w.]+)\s*,\s*"(?P<key>[^"]*)"'
)
_KEEP = re.compile(
    r"\b(?P<call>keep_keys|keep_matching_keys)\(\s*(?P<map>[\w.]+)\s*,\s*(?P<keys>\[[^\]]*\]|\"[^\"]*\")"
)
_REPLACE = re.compile(r'\breplace_(?:pattern|match)\(\s*(?P<map>[\w.]+)\["(?P<key>[^"]+)"\]')
_LIMIT = re.compile(r"\blimit\(\s*(?P<map>[\w.]+)\s*,\s*\d+\s*,\s*(?P<keys>\[[^\]]*\])")
_SIGNALS = {"trace_statements": "traces", "metric_statements": "metrics", "log_statements": "logs"}


class Loss(enum.Enum):
    """What a processor does to an attribute."""

    REMOVED = "removes"
    OVERWRITTEN = "overwrites"


@dataclass(frozen=True)
class Removal:
    """One attribute (or metric) that does not get through; ``conditional`` when only sometimes."""

    component: Component
    key: str
    loss: Loss
    at: Location
    signal: str = ""
    conditional: bool = False


def removals(component: Component) -> Iterator[Removal]:
    """What a processor takes away from the resource."""
    body = component.body
    if body is None:
        return
    if component.type == "resource":
        yield from _actions(component, body.children("attributes"))
    elif component.type == "redaction" and body.flag("allow_all_keys") is not True:
        allowed = [i.text_value for i in body.children("allowed_keys") if isinstance(i, Scalar)]
        yield from _missing(component, allowed, body.at)
    elif component.type == "transform":
        for key, signal in _SIGNALS.items():
            for statement, context in _statements(body.get(key)):
                yield from _statement(component, statement, context, signal)


def misses(component: Component) -> Location | None:
    """Where a processor deletes the run id from spans and points, on which it never is."""
    if component.type == "attributes" and component.body is not None:
        for action in component.body.children("actions"):
            if action.text("key") == RUN_ID and action.text("action") == "delete":
                return action.at
    return None


def _actions(component: Component, actions: tuple[Node, ...]) -> Iterator[Removal]:
    for action in actions:
        key, pattern, word = action.text("key"), action.text("pattern"), action.text("action")
        for name in (RUN_ID, *RELATED):
            hit = key == name or (pattern is not None and _matches(pattern, name, action.at))
            if hit and word == "delete":
                yield Removal(component, name, Loss.REMOVED, action.at)
            elif key == name and word in ("update", "upsert", "hash", "extract"):
                yield Removal(component, name, Loss.OVERWRITTEN, action.at)


def _missing(component: Component, allowed: list[str], at: Location) -> Iterator[Removal]:
    for name in (RUN_ID, *RELATED):
        if name not in allowed:
            yield Removal(component, name, Loss.REMOVED, at)


def _statements(node: Node | None) -> Iterator[tuple[Scalar, str]]:
    """The statements of a transform with their context, flat or grouped."""
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Scalar):
            yield item, ""
        elif isinstance(item, Mapping):
            context = item.text("context") or ""
            for statement in item.children("statements"):
                if isinstance(statement, Scalar):
                    yield statement, context


def _statement(component: Component, node: Scalar, context: str, signal: str) -> Iterator[Removal]:
    text = node.text_value
    conditional = re.search(r"\bwhere\b", text) is not None
    found = _DELETE.search(text)
    if found and _is_resource(found["map"], context):
        for name in (RUN_ID, *RELATED):
            exact = found["call"] == "delete_key" and found["key"] == name
            if exact or (found["call"] == "delete_matching_keys" and _matches(found["key"], name, node.at)):
                yield Removal(component, name, Loss.REMOVED, node.at, signal, conditional)
    found = _REPLACE.search(text)
    if found and found["key"] == RUN_ID and _is_resource(found["map"], context):
        yield Removal(component, RUN_ID, Loss.OVERWRITTEN, node.at, signal, conditional)
    found = _LIMIT.search(text)
    if found and _is_resource(found["map"], context) and RUN_ID not in found["keys"]:
        yield Removal(component, RUN_ID, Loss.REMOVED, node.at, signal, True)
    found = _KEEP.search(text)
    if found and _is_resource(found["map"], context):
        keys = re.findall(r'"([^"]*)"', found["keys"])
        for name in (RUN_ID, *RELATED):
            kept = (
                name in keys
                if found["call"] == "keep_keys"
                else any(_matches(k, name, node.at) for k in keys)
            )
            if not kept:
                yield Removal(component, name, Loss.REMOVED, node.at, signal, conditional)
    found = _SET.match(text)
    if (
        found
        and found["key"] == RUN_ID
        and _is_resource(found["to"], context)
        and RUN_ID not in found["value"]
    ):
        yield Removal(component, RUN_ID, Loss.OVERWRITTEN, node.at, signal, conditional)


def _is_resource(path: str, context: str) -> bool:
    return path == "resource.attributes" or (path == "attributes" and context == "resource")


def _matches(pattern: str, name: str, at: Location) -> bool:
    return _settled(found_in(pattern, name), pattern, name, at)


def _settled(hit: bool | None, pattern: str, name: str, at: Location) -> bool:
    """What a pattern of the collector, which is one of Go, says of a name.

    Raises:
        Undecided: Python does not read it, or not as Go does.
    """
    if hit is None:
        raise Undecided(
            f"the pattern {pattern} is read by Go alone: whether it means {name} is not known", at
        )
    return hit


def promotes(config: CollectorConfig, exporter: Component, processors: tuple[Reference, ...]) -> bool:
    """Whether the series of a Prometheus exporter carry the run id as a label."""
    if exporter.flag("resource_to_telemetry_conversion", "enabled"):
        return True
    included = (
        exporter.body.children("resource_constant_labels", "included") if exporter.body is not None else ()
    )
    if any(isinstance(i, Scalar) and _included(i.text_value, i.at) for i in included):
        return True
    copied = False
    for reference in processors:
        component = config.find("processors", reference.id)
        copied = (copied or _copies(component)) and not _undoes(component)
    return copied


def _included(pattern: str, at: Location) -> bool:
    if pattern in NAMES or fnmatchcase(RUN_ID, pattern):
        return True
    return _settled(is_whole(pattern, RUN_ID), pattern, RUN_ID, at)


def _undoes(component: Component | None) -> bool:
    """Whether a processor takes the copied id from the data points again."""
    if component is None or component.body is None:
        return False
    if component.type == "attributes":
        return any(
            action.text("action") == "delete" and _names_it(action)
            for action in component.body.children("actions")
        )
    for statement, context in _statements(component.body.get("metric_statements")):
        found = _DELETE.search(statement.text_value)
        if found is None or _is_resource(found["map"], context):
            continue
        key, by_pattern = found["key"], found["call"] == "delete_matching_keys"
        if key in NAMES or (by_pattern and any(_matches(key, name, statement.at) for name in NAMES)):
            return True
    return False


def _names_it(action: Node) -> bool:
    """Whether an action of the attributes processor means the copied id, by its key or a pattern."""
    pattern = action.text("pattern")
    if action.text("key") in NAMES:
        return True
    return pattern is not None and any(_matches(pattern, name, action.at) for name in NAMES)


def _copies(component: Component | None) -> bool:
    """Whether a transform copies the id from the resource to the data points."""
    if component is None or component.type != "transform" or component.body is None:
        return False
    for statement, context in _statements(component.body.get("metric_statements")):
        found = _SET.match(statement.text_value)
        to_points = found is not None and (
            found["to"] == "datapoint.attributes" or (found["to"] == "attributes" and context == "datapoint")
        )
        source = found["value"] if found else ""
        if to_points and found and found["key"] in NAMES and f'resource.attributes["{RUN_ID}"]' in source:
            return True
    return False
