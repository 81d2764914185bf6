"""Small questions about values that a component may refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from lens_preflight.collector.amounts import number, seconds
from lens_preflight.collector.model import Component
from lens_preflight.core.finding import Location
from lens_preflight.documents import Node, Scalar

Found: TypeAlias = Iterator[tuple[str, Location, str]]
"""What is wrong, where, and what to write."""


def written(node: Node | None) -> str | None:
    """A value that is known now."""
    known = isinstance(node, Scalar) and not node.open and node.value is not None
    return node.text_value if known and isinstance(node, Scalar) else None


def one_of(component: Component, keys: tuple[str, ...], words: Iterable[str]) -> Found:
    text = written(component.get(*keys))
    if text is not None and text not in words:
        yield (
            f"{'.'.join(keys)} is {text}",
            component.line_of(*keys),
            "one of: " + ", ".join(filter(None, words)),
        )


def least(component: Component, keys: tuple[str, ...], least: float) -> Found:
    value = number(component, *keys)
    if value is not None and value < least:
        yield f"{'.'.join(keys)} is {value:g}", component.line_of(*keys), f"{least:g} or more"


def scalars(component: Component, *keys: str) -> list[Scalar]:
    found = component.body.children(*keys) if component.body is not None else ()
    return [node for node in found if isinstance(node, Scalar)]


def positive(component: Component, key: str, *, zero: bool) -> Found:
    text = written(component.get(key))
    span = seconds(text.removeprefix("-")) if text is not None else None
    if text is not None and span is not None and ((text.startswith("-") and span) or (not zero and not span)):
        yield f"{key} is {text}", component.line_of(key), "a duration such as 15s"
