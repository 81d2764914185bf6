"""Headers of either exporter that are not sent as written."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.otel.headers import Headers
from lens_preflight.otel.remark import Remark, Volume


def header_remarks(headers: Headers, name: str) -> Iterator[Remark]:
    """What the parser drops or keeps against the writer's intention; no value is told."""
    for position in headers.dropped:
        effect = f"item {position} is dropped: it is not name=value in URL encoding"
        if headers.after_comma:
            effect = f"item {position} is dropped and the one before it cut short: write a comma as %2C"
        yield Remark("header-dropped", name, Volume.WARNS, effect)
    for key, value in headers.items:
        if len(value) > 1 and value[0] == value[-1] == "'":
            effect = f"the single quotes are sent as part of {key!r}"
            yield Remark("header-quotes", name, Volume.SILENT, effect)
