"""Whether the series of a Prometheus exporter carry the run id as a label."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from lens_preflight.collector.model import CollectorConfig, Component, Reference
from lens_preflight.collector.patterns import finds, settled
from lens_preflight.collector.resource_edits import doubt
from lens_preflight.collector.run_id import RUN_ID, runs_for_job
from lens_preflight.collector.statements import POINT, RESOURCE, Statement, statements
from lens_preflight.collector.types import leaves_resource
from lens_preflight.collector.values import Truth
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.go_patterns import is_whole
from lens_preflight.documents import Node, Scalar

NAMES = (RUN_ID, "nemo_run_id")
"""The run id as an attribute, and as a label of Prometheus."""

_CONVERSION = "resource_to_telemetry_conversion"


def promotes(config: CollectorConfig, exporter: Component, processors: Iterable[Reference]) -> bool:
    """Whether the run id of the resource, or a copy of it, becomes a label of every series.

    Raises:
        Undecided: a switch is known when the collector starts, or a statement is not understood.
    """
    if exporter.flag(_CONVERSION, "enabled"):
        return True
    if _constant(exporter) or _copied(config, processors):
        return True
    _refuse_open(exporter)
    return False


def _refuse_open(exporter: Component) -> None:
    for keys in ((_CONVERSION,), (_CONVERSION, "enabled"), ("resource_constant_labels",)):
        node = exporter.get(*keys)
        if isinstance(node, Scalar) and node.open:
            raise Undecided(
                f"whether {exporter.id} makes labels of the resource comes from a variable: {node.text_value}",
                node.at,
            )


def _constant(exporter: Component) -> bool:
    body = exporter.body
    if body is None:
        return False

    def named(key: str) -> bool:
        found = body.children("resource_constant_labels", key) if body is not None else ()
        return any(isinstance(i, Scalar) and _included(i.text_value, i.at) for i in found)

    return named("included") and not named("excluded")


def _included(pattern: str, at: Location) -> bool:
    if pattern in NAMES or fnmatchcase(RUN_ID, pattern):
        return True
    return settled(is_whole(pattern, RUN_ID), pattern, RUN_ID, at)


def _copied(config: CollectorConfig, processors: Iterable[Reference]) -> bool:
    """Whether the data points have a copy of the id where the processors end."""
    copied = False
    for reference in processors:
        component = config.find("processors", reference.id)
        if component is None:
            continue
        if component.type == "transform":
            for statement in statements(component, "metrics"):
                copied = _after(statement, copied)
        elif component.type == "attributes":
            copied = copied and not any(_takes(a) for a in _actions(component))
        elif component.type == "groupbyattrs":
            copied = copied and not _grouped(component)
        elif copied and _unclear(component):
            raise Undecided(
                f"whether {component.id} leaves the copied run id on the data points is not known",
                component.at,
            )
    return copied


def _grouped(component: Component) -> bool:
    """Whether the copy is moved from the data points to the resource."""
    keys = component.body.children("keys") if component.body is not None else ()
    return any(isinstance(key, Scalar) and key.text_value in NAMES for key in keys)


def _unclear(component: Component) -> bool:
    if component.type == "metricstransform":
        return component.body is not None and "label" in str(component.body.data())
    return component.type != "resource" and not leaves_resource(component.type)


def _actions(component: Component) -> tuple[Node, ...]:
    return component.body.children("actions") if component.body is not None else ()


def _takes(action: Node) -> bool:
    """Whether an action of the attributes processor takes or changes the copied id."""
    word = (action.text("action") or "").lower()
    pattern = action.text("pattern")
    if action.text("key") in NAMES:
        return word in ("delete", "hash", "update", "upsert")
    by_pattern = pattern is not None and action.text("key") is None and word in ("delete", "hash")
    return by_pattern and any(finds(pattern or "", name, action.at) for name in NAMES)


def _after(statement: Statement, copied: bool) -> bool:
    """Whether the data points have the copy behind a statement."""
    done = _done(statement, copied)
    if done is None or done is copied:
        return copied
    runs = runs_for_job(statement)
    if runs is Truth.UNKNOWN:
        raise doubt(statement)
    return done if runs is Truth.YES else copied


def _done(statement: Statement, copied: bool) -> bool | None:
    """Whether there is a copy when it has run; None when it leaves the data points alone."""
    target = statement.target
    editor = statement.editor
    if editor == "aggregate_on_attributes":
        if len(statement.arguments) < 2:
            return None
        return copied and any(name in statement.strings(1) for name in NAMES)
    if editor == "aggregate_on_attribute_value":
        return copied and statement.string(1) not in NAMES
    if target is None or target.path not in (POINT, "datapoint"):
        if copied and statement.speaks_of(POINT) and (target is None or not editor):
            raise doubt(statement)
        return None
    return _on_key(statement, target.key) if target.key else _on_map(statement, copied)


def _on_key(statement: Statement, key: str) -> bool | None:
    if key not in NAMES:
        return None
    source = statement.field(1)
    if statement.editor == "set" and source is not None:
        return (source.path, source.key) == (RESOURCE, RUN_ID)
    if statement.editor == "set" and statement.arguments[1:2] and RUN_ID in statement.arguments[1]:
        raise doubt(statement)
    return False


def _on_map(statement: Statement, copied: bool) -> bool | None:
    editor, source = statement.editor, statement.field(1)
    whole = source is not None and source.path == RESOURCE and not source.key
    if editor == "set":
        return whole
    if editor == "merge_maps":
        word = statement.string(2)
        if whole and word in ("insert", "upsert"):
            return True
        if word in ("insert", "update") or not copied:
            return None
        raise doubt(statement)
    if not copied:
        return None
    if editor == "delete_key":
        return statement.string(1) not in NAMES
    if editor == "keep_keys":
        return any(name in statement.strings(1) for name in NAMES)
    if editor in ("delete_matching_keys", "keep_matching_keys"):
        pattern = statement.string(1)
        if pattern is None:
            raise doubt(statement)
        hit = any(finds(pattern, name, statement.at) for name in NAMES)
        return hit if editor == "keep_matching_keys" else not hit
    raise doubt(statement)
