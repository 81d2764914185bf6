"""The Collector's configuration: what it does with a job's telemetry, told from its files alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from lens_preflight.collector.build import components, misshapen, pipelines, references
from lens_preflight.collector.expand import Expander
from lens_preflight.collector.merge import merged
from lens_preflight.collector.model import CollectorConfig, Deployment, Failure
from lens_preflight.collector.wrappers import Found, find
from lens_preflight.core.finding import Location
from lens_preflight.documents import Malformed, Node, Text, read_texts

SUFFIXES = (".yaml", ".yml", ".json", ".alloy")


def read_collector(
    paths: Sequence[str | os.PathLike[str]], stdin: Callable[[], bytes] | None = None
) -> CollectorConfig:
    """The configuration that some files make together, merged as several ``--config`` are.

    A file that opens and does not parse gives a configuration with a ``failure``.

    Raises:
        InputError: a path cannot be opened or decoded, or a folder holds nothing to read.
    """
    texts = list(read_texts(paths, SUFFIXES, stdin))
    names = tuple(text.path for text in texts)
    try:
        found = [piece for text in texts for piece in find(text)]
        return _configuration(names, texts, found)
    except Malformed as error:
        return CollectorConfig(names, failure=Failure(error.reason, error.at))


def _configuration(names: tuple[str, ...], texts: list[Text], found: list[Found]) -> CollectorConfig:
    roots = [piece.root for piece in found if piece.root is not None]
    tempo = tuple(piece.tempo for piece in found if piece.tempo is not None)
    foreign = next((piece.dialect for piece in found if piece.dialect != "otelcol"), "")
    if not roots:
        if foreign or tempo:
            return CollectorConfig(names, dialect=foreign or "tempo", tempo=tempo)
        empty = not any(text.text.strip() for text in texts)
        reason = (
            "it is empty"
            if empty
            else "it holds no collector configuration (no receivers, exporters, service at the top)"
        )
        return CollectorConfig(names, failure=Failure(reason, Location.file(names[0], 1)))
    expander = Expander()
    written = merged(roots)
    root: Node = expander.expand(written)
    return CollectorConfig(
        names,
        root,
        written,
        components=components(root),
        pipelines=pipelines(root),
        listed=tuple(references(root.get("service", "extensions"))),
        needed=tuple(expander.needed),
        problems=tuple(expander.problems),
        deployment=_deployment(found),
        tempo=tempo,
        misshapen=tuple(misshapen(root)),
    )


def _deployment(found: list[Found]) -> Deployment:
    """The first that says anything; a compose file beside the configuration counts."""
    plain = Deployment()
    return next((piece.deployment for piece in found if piece.deployment != plain), plain)
