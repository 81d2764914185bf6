"""A document as a tree of nodes that know their file and line."""

from __future__ import annotations

import collections.abc
from typing import Any, TypeAlias

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location

Plain: TypeAlias = str | int | float | bool | None


class Malformed(Exception):
    """A text that is not the format it should be; ``at`` is the place where reading stopped."""

    def __init__(self, reason: str, at: Location) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True, eq=False)
class Node:
    """Any value of a document; ``line`` counts from 1."""

    path: str
    line: int

    @property
    def at(self) -> Location:
        """Where the value begins."""
        return Location.file(self.path, self.line)

    def get(self, *keys: str) -> Node | None:
        """The value below some keys; None when one of them is absent or is not a mapping's."""
        node: Node | None = self
        for key in keys:
            if not isinstance(node, Mapping):
                return None
            node = node.entries.get(key)
        return node

    def text(self, *keys: str) -> str | None:
        """The text of the scalar below some keys, None when there is no scalar or it is null."""
        node = self.get(*keys)
        return node.text_value if isinstance(node, Scalar) and node.value is not None else None

    def flag(self, *keys: str) -> bool | None:
        """The switch below some keys, however ``true`` or ``false`` is spelt; None for anything else."""
        text = self.text(*keys)
        return None if text is None else {"true": True, "false": False}.get(text.lower())

    def children(self, *keys: str) -> tuple[Node, ...]:
        """The items of the sequence below some keys; empty when it is none."""
        node = self.get(*keys)
        return node.items if isinstance(node, Sequence) else ()

    def data(self) -> Any:
        """The same as dictionaries, lists and plain values."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Scalar(Node):
    """A single value; ``text_value`` is how it was written, without quotes.

    ``open`` says that the text is known only when the collector starts (an environment variable).
    """

    value: Plain = None
    text_value: str = ""
    quoted: bool = False
    open: bool = False

    def data(self) -> Plain:
        """The value."""
        return self.value


@dataclass(frozen=True, eq=False)
class Sequence(Node):
    """A list."""

    items: tuple[Node, ...] = ()

    def data(self) -> list[Any]:
        """The items as plain values."""
        return [item.data() for item in self.items]


@dataclass(frozen=True, eq=False)
class Mapping(Node):
    """A mapping with text keys; ``key_lines`` are the lines of the keys themselves."""

    entries: collections.abc.Mapping[str, Node] = field(default_factory=dict)
    key_lines: collections.abc.Mapping[str, int] = field(default_factory=dict)

    def key_at(self, key: str) -> Location:
        """Where a key stands; the mapping itself when the key is absent."""
        return Location.file(self.entries[key].path if key in self.entries else self.path, self.line_of(key))

    def line_of(self, key: str) -> int:
        """The line of a key."""
        return self.key_lines.get(key, self.line)

    def data(self) -> dict[str, Any]:
        """The entries as plain values."""
        return {key: value.data() for key, value in self.entries.items()}
