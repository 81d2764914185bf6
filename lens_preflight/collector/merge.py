"""Several files become one configuration as confmap does it: maps merge, everything else is replaced."""

from __future__ import annotations

from collections.abc import Sequence

from lens_preflight.documents import Mapping, Node


def merged(roots: Sequence[Node]) -> Node:
    """The trees, later ones over earlier ones; a null in a later one wipes what was there (measured)."""
    result = roots[0]
    for root in roots[1:]:
        result = _over(result, root)
    return result


def _over(below: Node, above: Node) -> Node:
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    entries = dict(below.entries)
    lines = dict(below.key_lines)
    for key, value in above.entries.items():
        entries[key] = _over(entries[key], value) if key in entries else value
        if not (isinstance(value, Mapping) and key in below.entries):
            lines[key] = above.line_of(key)
    return Mapping(below.path, below.line, entries, lines)
