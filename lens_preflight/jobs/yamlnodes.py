"""Reading of composed YAML, where every node knows its line."""

from __future__ import annotations

from typing import Any

from lens_preflight.core.numbers import whole


def get(node: Any, *keys: str) -> Any:
    """The node below a path of keys; None when it is not there. The last of equal keys counts."""
    for key in keys:
        found = None
        for k, v in pairs(node):
            if k == key:
                found = v
        if found is None:
            return None
        node = found
    return node


def pairs(node: Any) -> list[tuple[str, Any]]:
    """The entries of a mapping node; none for another node."""
    if getattr(node, "id", "") != "mapping":
        return []
    return [(k.value, v) for k, v in node.value if getattr(k, "id", "") == "scalar"]


def items(node: Any) -> list[Any]:
    """The entries of a sequence node; none for another node."""
    return list(node.value) if getattr(node, "id", "") == "sequence" else []


def scalar(node: Any) -> str | None:
    """The text of a scalar node; None for another node or null."""
    if getattr(node, "id", "") != "scalar" or node.tag.endswith(":null"):
        return None
    return str(node.value)


def number(node: Any) -> int | None:
    """The number of a scalar node, None when it is none."""
    return whole(scalar(node))


def flag(node: Any) -> bool:
    """Whether a scalar node switches something on, in any spelling that Kubernetes takes."""
    return (scalar(node) or "").lower() in ("true", "yes", "on", "y")


def line_of(node: Any) -> int:
    """The line of a node, from 1."""
    return int(node.start_mark.line) + 1
