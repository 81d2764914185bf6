"""Every text in OTTL that a configuration holds: of filters, transforms, samplers and routes."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.documents import Mapping, Node, Scalar, Sequence

_SPEAKING = frozenset({"filter", "transform", "tail_sampling", "routing"})
"""Types of components whose lists under these keys are OTTL."""

_KEYS = frozenset(
    {"statements", "conditions", "statement", "condition", "span", "spanevent", "metric", "datapoint"}
    | {"log_record", "resource", "trace_statements", "metric_statements", "log_statements"}
    | {"trace_conditions", "metric_conditions", "log_conditions"}
)


def ottl_texts(config: CollectorConfig) -> Iterator[tuple[Component, Scalar]]:
    """The statements and conditions with their components; what is known at start only is left out."""
    for kind in ("processors", "connectors"):
        for component in config.of(kind).values():
            if component.type in _SPEAKING:
                for scalar in _texts(component.body, inside=False):
                    if not scalar.open:
                        yield component, scalar


def _texts(node: Node | None, *, inside: bool) -> Iterator[Scalar]:
    if isinstance(node, Mapping):
        for key, value in node.entries.items():
            yield from _texts(value, inside=key in _KEYS)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, inside=inside)
    elif isinstance(node, Scalar) and inside and isinstance(node.value, str):
        yield node
