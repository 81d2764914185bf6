"""From the merged tree to components and pipelines."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.collector.model import Component, Misshapen, Pipeline, Reference
from lens_preflight.collector.types import KINDS, split_id
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Node, Scalar, Sequence


def components(root: Node) -> dict[str, dict[str, Component]]:
    """The components of each kind, by id."""
    table: dict[str, dict[str, Component]] = {}
    for kind in KINDS:
        section = root.get(kind)
        entries = section.entries if isinstance(section, Mapping) else {}
        table[kind] = {
            identity: Component(
                kind,
                identity,
                split_id(identity)[0],
                body if isinstance(body, Mapping) else None,
                section.key_at(identity) if isinstance(section, Mapping) else body.at,
            )
            for identity, body in entries.items()
        }
    return table


def pipelines(root: Node) -> tuple[Pipeline, ...]:
    """The pipelines, in the order of the file."""
    section = root.get("service", "pipelines")
    if not isinstance(section, Mapping):
        return ()
    return tuple(
        _pipeline(identity, body, section.key_at(identity)) for identity, body in section.entries.items()
    )


def misshapen(root: Node) -> Iterator[Misshapen]:
    """Sections, bodies and lists that are something else; what comes from a variable is left out."""
    for kind in KINDS:
        section = root.get(kind)
        yield from _not_a(Mapping, section, kind)
        for identity, body in section.entries.items() if isinstance(section, Mapping) else ():
            yield from _not_a(Mapping, body, f"{kind[:-1]} {identity}")
    service = root.get("service")
    yield from _not_a(Mapping, service, "service")
    yield from _not_a(Sequence, root.get("service", "extensions"), "service.extensions")
    section = root.get("service", "pipelines")
    yield from _not_a(Mapping, section, "service.pipelines")
    for identity, body in section.entries.items() if isinstance(section, Mapping) else ():
        yield from _not_a(Mapping, body, f"pipeline {identity}")
        for word in ("receivers", "processors", "exporters"):
            yield from _not_a(Sequence, body.get(word), f"{word} of pipeline {identity}")


def _not_a(form: type[Node], node: Node | None, what: str) -> Iterator[Misshapen]:
    fits = node is None or isinstance(node, form)
    absent = isinstance(node, Scalar) and (node.value is None or node.open)
    if node is not None and not fits and not absent:
        yield Misshapen(what, "a mapping" if form is Mapping else "a list", node.at)


def _pipeline(identity: str, body: Node, at: Location) -> Pipeline:
    has_processors = isinstance(body, Mapping) and "processors" in body.entries
    return Pipeline(
        identity,
        identity.partition("/")[0].strip(),
        tuple(references(body.get("receivers"))),
        tuple(references(body.get("processors"))),
        tuple(references(body.get("exporters"))),
        at,
        body.key_at("processors") if has_processors and isinstance(body, Mapping) else at,
        {
            word: found
            for word in ("receivers", "processors", "exporters")
            if (found := _opened(body.get(word))) is not None
        },
    )


def _opened(node: Node | None) -> Reference | None:
    """What of a list is known at start only."""
    items = node.items if isinstance(node, Sequence) else (node,)
    return next((Reference(i.text_value, i.at) for i in items if isinstance(i, Scalar) and i.open), None)


def references(node: Node | None) -> Iterator[Reference]:
    """The ids in a list; the collector takes nothing else."""
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar) and item.value is not None:
                yield Reference(item.text_value.strip(), item.at)
