"""A report without what differs from node to node, to recognise the next one without parsing it.

Reports of many nodes are equal but for ``run`` and ``evidence``. The writer indents in one way only,
so that each of both is a block of lines that ends at the first line indented like its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

_RUN = b'\n  "run": {'
_EVIDENCE = b'"evidence": {\n'


@dataclass(frozen=True)
class Skeleton:
    """The constant parts of a report: the first, then each with the line end that closes the block before."""

    first: bytes
    rest: tuple[tuple[bytes, bytes], ...]

    def run_of(self, data: bytes) -> bytes | None:
        """The text of ``run`` of a report that is equal in all else; None for any other text."""
        if not data.startswith(self.first):
            return None
        place = begin = len(self.first)
        end = -1
        for close, part in self.rest:
            place = data.find(close, place)
            if place < 0 or not data.startswith(part, place):
                return None
            if end < 0:
                end = place
            place += len(part)
        return data[begin - 1 : end + 4] if place == len(data) else None


def skeleton(data: bytes) -> Skeleton | None:
    """The skeleton of a report; None when it is not laid out as the writer does."""
    start = data.find(_RUN)
    if start < 0 or data.startswith(b"\n  }", start + len(_RUN)):
        return None
    begin = start + len(_RUN)
    first = data[:begin]
    rest: list[tuple[bytes, bytes]] = []
    close = b"\n  }"
    place = begin
    while True:
        place = data.find(close, place)
        if place < 0:
            return None
        after = data.find(_EVIDENCE, place)
        if after < 0:
            rest.append((close, data[place:]))
            return Skeleton(first, tuple(rest))
        after += len(_EVIDENCE) - 1  # the line end belongs to the block
        rest.append((close, data[place:after]))
        line = data.rfind(b"\n", 0, after)
        indent = data[line + 1 : after].partition(b'"')[0]
        if indent.strip():
            return None
        close, place = b"\n" + indent + b"}", after
