"""The statements of a transform: which editor touches which map, under which condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl import Condition, Facts, Path
from lens_preflight.collector.ottl_parser import parse
from lens_preflight.collector.values import Truth
from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Scalar
from lens_preflight.documents import Sequence as Items

SIGNALS = {"trace_statements": "traces", "metric_statements": "metrics", "log_statements": "logs"}

RESOURCE = "resource.attributes"
POINT = "datapoint.attributes"

_HEAD = re.compile(r"\s*(?P<editor>\w+)\(")
_WHERE = re.compile(r"\s*(?:where\b(?P<condition>.*))?$", re.S)
_PATH = re.compile(r'(?P<path>[a-z_]+(?:\.[a-z_]+)*)\s*(?:\[\s*"(?P<key>(?:[^"\\]|\\.)*)"\s*\])?$')
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"$', re.S)
_TEXTS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NAMED = re.compile(r"^\s*[a-z_]+\s*=(?!=)")
_OWNERS = {
    "resource": "resource.attributes",
    "datapoint": "datapoint.attributes",
    "span": "span.attributes",
    "log": "log.attributes",
}


@dataclass(frozen=True)
class Target:
    """A field that an editor is given: ``path`` as it is written in full, and the key of a map."""

    path: str
    key: str = ""


@dataclass(frozen=True)
class Statement:
    """One call of an editor; ``editor`` is empty when the text is beyond our reading."""

    signal: str
    context: str
    text: str
    at: Location
    editor: str = ""
    arguments: tuple[str, ...] = ()
    condition: Condition | None = field(default=None, hash=False)

    @property
    def target(self) -> Target | None:
        """The field that the first argument names."""
        return self.field(0)

    def field(self, position: int) -> Target | None:
        """The field that an argument names, None when it is none or has several keys."""
        match = _PATH.match(self.arguments[position].strip()) if position < len(self.arguments) else None
        if match is None:
            return None
        path = match["path"]
        if path == "attributes":
            path = _OWNERS.get(self.context, path)
        elif path == "name":
            path = f"{self.context or 'span'}.name"
        return Target(path, unquoted(match["key"] or ""))

    def string(self, position: int) -> str | None:
        """The text that an argument is, None when it is something else or known at start only."""
        match = _TEXT.match(self.arguments[position].strip()) if position < len(self.arguments) else None
        return unquoted(match[1]) if match is not None and "${" not in match[1] else None

    def strings(self, position: int) -> tuple[str, ...]:
        """Every text in an argument, that of a list for one."""
        found = _TEXTS.findall(self.arguments[position]) if position < len(self.arguments) else ()
        return tuple(unquoted(text) for text in found)

    def number(self, position: int) -> int | None:
        """The whole number that an argument is."""
        text = self.arguments[position].strip() if position < len(self.arguments) else ""
        return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None

    def runs(self, facts: Facts) -> Truth:
        """Whether it is carried out for an item."""
        return Truth.YES if self.condition is None else self.condition.judged(facts)

    def speaks_of(self, path: str) -> bool:
        """Whether an argument mentions a map or a field."""
        words = {path} | ({"attributes"} if _OWNERS.get(self.context) == path else set())
        texts = self.arguments if self.editor else (self.text,)
        return any(
            re.search(rf"(?<![\w.]){re.escape(word)}\b", _bare(text)) for text in texts for word in words
        )


def statements(component: Component, signal: str) -> Iterator[Statement]:
    """The statements of a transform for a signal, flat or grouped, in their order."""
    key = next(key for key, own in SIGNALS.items() if own == signal)
    node = component.get(key)
    for item in node.items if isinstance(node, Items) else ():
        if isinstance(item, Scalar):
            yield read_statement(item, "", signal, ())
        elif isinstance(item, Mapping):
            asked = tuple(c for c in item.children("conditions") if isinstance(c, Scalar))
            for statement in item.children("statements"):
                if isinstance(statement, Scalar):
                    yield read_statement(statement, item.text("context") or "", signal, asked)


def read_statement(node: Scalar, context: str, signal: str, asked: Sequence[Scalar]) -> Statement:
    """One statement; what is not understood of its condition is a condition of which nobody knows."""
    text = node.text_value
    head = _HEAD.match(text)
    end = _closing(text, head.end()) if head is not None else -1
    where = _WHERE.match(text, end + 1) if end >= 0 else None
    if head is None or where is None:
        return Statement(signal, context, text, node.at)
    parts = [_condition(where["condition"], context)] if where["condition"] is not None else []
    if asked:
        parts.append(Condition("or", tuple(_condition(c.text_value, context) for c in asked)))
    condition = Condition("and", tuple(parts)) if parts else None
    arguments = tuple(_NAMED.sub("", argument) for argument in _split(text[head.end() : end]))
    return Statement(signal, context, text, node.at, head["editor"], arguments, condition)


def unquoted(text: str) -> str:
    """What a text in quotes means: the escapes of Go."""
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), text)


def in_context(condition: Condition, context: str) -> Condition:
    """In the context of the resource, ``attributes`` are those of the resource."""
    if context != "resource":
        return condition

    def moved(term: object) -> object:
        return Path("resource", term.key) if isinstance(term, Path) and term.root == "attributes" else term

    parts = tuple(in_context(part, context) for part in condition.parts)
    return Condition(condition.op, parts, moved(condition.left), moved(condition.right))  # type: ignore[arg-type]


def _condition(text: str, context: str) -> Condition:
    try:
        return in_context(parse(text), context)
    except ValueError:
        return Condition("is", (), Path("", ""))


def _bare(text: str) -> str:
    return _TEXTS.sub('""', text)


def _closing(text: str, start: int) -> int:
    """The bracket that closes the one before ``start``; -1 when none does."""
    depth, position = 0, start
    while position < len(text):
        char = text[position]
        if char == '"':
            match = _TEXTS.match(text, position)
            if match is None:
                return -1
            position = match.end()
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                return position
            depth -= 1
        position += 1
    return -1


def _split(text: str) -> Iterator[str]:
    """The arguments between commas that are in no bracket and in no text."""
    depth, began, position = 0, 0, 0
    while position < len(text):
        char = text[position]
        if char == '"':
            match = _TEXTS.match(text, position)
            position = match.end() if match is not None else len(text)
            continue
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[began:position]
            began = position + 1
        position += 1
    if text[began:].strip():
        yield text[began:]
