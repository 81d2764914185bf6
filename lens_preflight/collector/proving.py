"""The texts in OTTL of a configuration that a collector is not shown to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lens_preflight.collector.grammar import reads_condition, reads_statement
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.documents import Mapping, Node, Scalar

_FILTERS = {
    "traces": {"span": "span", "spanevent": "spanevent", "resource": "resource"},
    "metrics": {"metric": "metric", "datapoint": "datapoint", "resource": "resource"},
    "logs": {"log_record": "log", "resource": "resource"},
}
_INFERRED = {
    "trace": ("resource", "scope", "span", "spanevent"),
    "metric": ("resource", "scope", "metric", "datapoint"),
    "log": ("resource", "scope", "log"),
}
"""The contexts of a signal, the innermost last; the first that has all paths is the one that is taken."""


def unread(config: CollectorConfig) -> Iterator[tuple[Component, str]]:
    """Each with its component."""
    for kind in ("processors", "connectors"):
        for component in config.of(kind).values():
            for text, good in _judged(component):
                if not good:
                    yield component, text


def _judged(component: Component) -> Iterator[tuple[str, bool]]:
    if component.type == "filter":
        for signal, contexts in _FILTERS.items():
            for key, context in contexts.items():
                for text in _texts(component, signal, key):
                    yield text, reads_condition(text, (context,))
    if component.type in ("filter", "transform"):
        for signal, known in _INFERRED.items():
            for key in (f"{signal}_conditions", f"{signal}_statements"):
                for item in component.body.children(key) if component.body is not None else ():
                    yield from _item(item, known, is_statement=key.endswith("statements"))
    if component.type == "tail_sampling":
        for block in _blocks(component.body, "ottl_condition"):
            for key in ("span", "spanevent"):
                for text in _scalars(block.children(key)):
                    yield text, reads_condition(text, (key,))
    if component.type == "routing":
        for row in component.body.children("table") if component.body is not None else ():
            yield from _row(row)


def _item(item: Node, known: Sequence[str], *, is_statement: bool) -> Iterator[tuple[str, bool]]:
    """A text of which the context is inferred, or a group that may name it."""
    inferred = [f"?{context}" for context in known]
    reads = reads_statement if is_statement else reads_condition
    if isinstance(item, Scalar):
        if not item.open:
            yield item.text_value, _has_path(item.text_value) and reads(item.text_value, inferred)
        return
    named = item.text("context")
    texts = [(text, reads) for text in _scalars(item.children("statements"))] if is_statement else []
    texts += [(text, reads_condition) for text in _scalars(item.children("conditions"))]
    if named:
        for text, read in texts:
            yield text, named in known and read(text, (named,)) and "HasAttr" not in text
        return
    together = any(all(read(text, (one,)) for text, read in texts) for one in inferred)
    for text, _ in texts:
        yield text, together and any(_has_path(other) for other, _ in texts)


def _has_path(text: str) -> bool:
    """Whether a context can be inferred: from a path with its owner."""
    owners = ("resource.", "scope.", "instrumentation_scope.", "span.", "spanevent.", "metric.", "datapoint.")
    return any(owner in text for owner in (*owners, "log."))


def _row(row: Node) -> Iterator[tuple[str, bool]]:
    context = row.text("context") or "resource"
    for key, read in (("condition", reads_condition), ("statement", reads_statement)):
        for text in _scalars([node] if (node := row.get(key)) is not None else []):
            yield text, context != "request" and read(text, (context,))


def _texts(component: Component, *keys: str) -> Iterator[str]:
    whole = component.get(*keys)
    nodes = component.body.children(*keys) if component.body is not None else ()
    yield from _scalars([whole] if isinstance(whole, Scalar) and whole.value is not None else nodes)


def _scalars(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Scalar) and not node.open:
            yield node.text_value


def _blocks(node: Node | None, wanted: str) -> Iterator[Node]:
    if isinstance(node, Mapping):
        for key, value in node.entries.items():
            if key == wanted:
                yield value
            yield from _blocks(value, wanted)
    else:
        for item in getattr(node, "items", ()) if not isinstance(node, Scalar) else ():
            yield from _blocks(item, wanted)
