"""A report without what differs from node to node, to recognise the next one without parsing it.

Reports of many nodes are equal but for ``run`` and ``evidence``. The writer indents in one way only,
so that each of both is a block of lines that ends at the first line indented like its beginning. Of
the evidence the endpoint counts: a pass at another one is another pass.
"""

from __future__ import annotations

from dataclasses import dataclass

_RUN = b'\n  "run": {'
_EVIDENCE = b'"evidence": {\n'
_ENDPOINT = b'"endpoint": '


@dataclass(frozen=True)
class Part:
    """A constant part: the line end that closes the block before it, its text, and in that block the
    line that counts (or the beginning of one that must not be there).
    """

    close: bytes
    text: bytes
    line: bytes
    there: bool


@dataclass(frozen=True)
class Skeleton:
    """The constant parts of a report: the first, then those behind each block."""

    first: bytes
    rest: tuple[Part, ...]

    def run_of(self, data: bytes) -> bytes | None:
        """The text of ``run`` of a report that is equal in all else; None for any other text."""
        if not data.startswith(self.first):
            return None
        place = begin = len(self.first)
        end = -1
        for part in self.rest:
            block, place = place, data.find(part.close, place)
            if place < 0 or not data.startswith(part.text, place):
                return None
            if end < 0:
                end = place
            elif (data.find(part.line, block, place) >= 0) is not part.there:
                return None
            place += len(part.text)
        return data[begin - 1 : end + 4] if place == len(data) else None


def skeleton(data: bytes) -> Skeleton | None:
    """The skeleton of a report; None when it is not laid out as the writer does."""
    start = data.find(_RUN)
    if start < 0 or data.startswith(b"\n  }", start + len(_RUN)):
        return None
    place = start + len(_RUN)
    first = data[:place]
    rest: list[Part] = []
    close = b"\n  }"
    while True:
        block, place = place, data.find(close, place)
        if place < 0:
            return None
        line = _line(data, block, place)
        after = data.find(_EVIDENCE, place)
        if after < 0:
            rest.append(Part(close, data[place:], line or _ENDPOINT, bool(line)))
            return Skeleton(first, tuple(rest))
        after += len(_EVIDENCE) - 1  # the line end belongs to the block
        rest.append(Part(close, data[place:after], line or _ENDPOINT, bool(line)))
        indent = data[data.rfind(b"\n", 0, after) + 1 : after].partition(b'"')[0]
        if indent.strip():
            return None
        close, place = b"\n" + indent + b"}", after


def _line(data: bytes, begin: int, end: int) -> bytes:
    """The line of a block that names the endpoint, from its key to its line end; empty when none does."""
    at = data.find(_ENDPOINT, begin, end)
    if at < 0:
        return b""
    until = data.find(b"\n", at, end)
    return data[at : until if until >= 0 else end].rstrip(b",")
