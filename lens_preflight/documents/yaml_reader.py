"""YAML as the programs written in Go read it: strict on duplicate keys, 1.2 booleans, limits on aliases.

The rules are those of ``gopkg.in/yaml.v3``, which the Collector, Prometheus and Kubernetes use.
"""

from __future__ import annotations

import re
from typing import Any

from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import huge
from lens_preflight.documents.depth import refuse_depth
from lens_preflight.documents.tree import Malformed, Mapping, Node, Plain, Scalar, Sequence

_WORDS: dict[str, Plain] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    ".inf": float("inf"),
    "-.inf": float("-inf"),
    ".nan": float("nan"),
}
LONGEST = 4000
"""Digits of a number; a longer one stays a text."""

_INT = re.compile(r"[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)$")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")


def read_yaml(text: str, path: str, first_line: int = 1) -> tuple[Node, ...]:
    """The documents of a YAML text; an empty document is a null.

    ``first_line`` is the line of ``path`` in which the text begins.

    Raises:
        Malformed: not YAML, a duplicate key, an anchor that contains itself, excessive aliasing.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    refuse_depth(text, path, first_line, strings=False)  # those in quotes too, which only makes it stricter
    try:
        roots = list(yaml.compose_all(text, Loader=loader))
        return tuple(_Builder(path, first_line).document(root) for root in roots if root is not None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + first_line if mark is not None else None
        raise Malformed(error.problem or "not YAML", Location.file(path, line)) from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0] if str(error) else "not YAML"
        raise Malformed(reason, Location.file(path)) from None
    except RecursionError:
        raise Malformed("nested too deeply", Location.file(path)) from None
    except ValueError:  # a lone surrogate, which no file but a text in another document can hold
        raise Malformed("it holds a sign that is no text", Location.file(path, first_line)) from None


def resolve(text: str) -> Plain:
    """The value of an unquoted scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > LONGEST:
        return text
    if _INT.match(text):
        return _integer(text.replace("_", ""), text)
    if _FLOAT.match(text):
        return float(text)
    return text


def _integer(text: str, written: str) -> int | str:
    """The number; ``0x_``, and one that is too large for a reader, stay the text that they are."""
    digits = text.lstrip("+-")
    sign = -1 if text.startswith("-") else 1
    octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    try:
        number = sign * int(digits, 8 if octal else 0)
    except ValueError:
        return written
    return written if huge(number) else number


class _Builder:
    """Turns the node graph of the YAML library into a tree of ours, each anchor once."""

    def __init__(self, path: str, first_line: int) -> None:
        self.path = path
        self.offset = first_line
        self.done: dict[int, tuple[Node, int]] = {}
        self.open: set[int] = set()

    def document(self, root: Any) -> Node:
        node, size = self.build(root)
        _refuse_bomb(len(self.done), size, node.at)
        return node

    def build(self, raw: Any) -> tuple[Node, int]:
        """The node and its size after all aliases are written out."""
        key = id(raw)
        if key in self.done:
            return self.done[key]
        line = raw.start_mark.line + self.offset
        if key in self.open:
            raise Malformed("an anchor contains itself", Location.file(self.path, line))
        self.open.add(key)
        kind = type(raw).__name__
        if kind == "ScalarNode":
            built = self.scalar(raw, line), 1
        elif kind == "SequenceNode":
            built = self.sequence(raw, line)
        else:
            built = self.mapping(raw, line)
        self.open.discard(key)
        self.done[key] = built
        return built

    def scalar(self, raw: Any, line: int) -> Node:
        quoted = bool(raw.style)  # the C loader says '' for a plain scalar
        value = raw.value if quoted else resolve(raw.value)
        if raw.style in ("|", ">"):
            line += 1
        return Scalar(self.path, line, value, raw.value, quoted)

    def sequence(self, raw: Any, line: int) -> tuple[Node, int]:
        parts = [self.build(item) for item in raw.value]
        return Sequence(self.path, line, tuple(n for n, _ in parts)), 1 + sum(s for _, s in parts)

    def mapping(self, raw: Any, line: int) -> tuple[Node, int]:
        entries: dict[str, Node] = {}
        lines: dict[str, int] = {}
        merged: list[Mapping] = []
        total = 1
        for raw_key, raw_value in raw.value:
            key_line = raw_key.start_mark.line + self.offset
            if not isinstance(raw_key.value, str):
                raise Malformed("a key must be a single value", Location.file(self.path, key_line))
            value, size = self.build(raw_value)
            total += 1 + size
            if raw_key.value == "<<" and not raw_key.style:
                merged += _merge_sources(value)
                continue
            if raw_key.value in entries:
                first = lines[raw_key.value]
                reason = f'mapping key "{raw_key.value}" is already defined at line {first}'
                raise Malformed(reason, Location.file(self.path, key_line))
            entries[raw_key.value] = value
            lines[raw_key.value] = key_line
        for source in merged:
            for key, value in source.entries.items():
                entries.setdefault(key, value)
                lines.setdefault(key, source.line_of(key))
        return Mapping(self.path, line, entries, lines), total


def _merge_sources(value: Node) -> list[Mapping]:
    """The mappings that a ``<<`` takes its keys from."""
    nodes = value.items if isinstance(value, Sequence) else (value,)
    found = [node for node in nodes if isinstance(node, Mapping)]
    if len(found) != len(nodes):
        raise Malformed("map merge requires map or sequence of maps as the value", value.at)
    return found


def _refuse_bomb(real: int, expanded: int, at: Location) -> None:
    """The limit of yaml.v3: aliases may be nearly all of a small document, a tenth of a large one."""
    aliased = expanded - real
    if aliased <= 100 or expanded <= 1000:
        return
    low, high = 400_000, 4_000_000
    share = min(1.0, max(0.0, (expanded - low) / (high - low)))
    if aliased / expanded > 0.99 - 0.89 * share:
        raise Malformed("document contains excessive aliasing", at)
