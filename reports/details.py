"""What ``-v`` and ``-vv`` add at the end of the console report: assumptions, inputs, launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.layout import paint, wrap
from lens_preflight.reports.plain import plain
from lens_preflight.reports.text import one_line, shorten
from lens_preflight.reports.writer import Style

_LONGEST = 2000


def details(record: RunRecord, style: Style) -> Iterator[str]:
    """Sections with a heading each; none below verbosity 1."""
    if style.verbosity > 0:
        taken = (f"{a.what} = {a.value}: {a.why}" for a in record.assumptions)
        yield from _section("Taken for granted", taken, style)
    if style.verbosity > 1:
        read = (f"{path}  sha256 {digest}" for path, digest in record.inputs)
        yield from _section("Read", read, style)
        yield from _section("Judged", _pairs("", plain(record.subject)), style)
        yield from _section("Run", _pairs("", plain(record.run)), style)


def _section(title: str, texts: Iterator[str], style: Style) -> Iterator[str]:
    started = False
    for text in texts:
        if not started:
            started = True
            yield ""
            yield paint(title, "head", style.color)
        shown = shorten(text, _LONGEST) if style.verbosity < 2 else text
        yield from wrap(one_line(shown), style.width, first="  ", rest="    ")


def _pairs(path: str, value: Any) -> Iterator[str]:
    """The leaves of plain data as ``path = text`` lines; empty ones are left out."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{path}.{key}" if path else str(key), inner)
    elif isinstance(value, list) and any(isinstance(inner, (Mapping, list)) for inner in value):
        for number, inner in enumerate(value):
            yield from _pairs(f"{path}[{number}]", inner)
    elif isinstance(value, list):
        if value:
            yield f"{path} = {' '.join(map(str, value))}"
    elif value not in (None, ""):
        yield f"{path} = {value}"
