"""A report without what differs from node to node, to recognise the next one without parsing it.

Reports of many nodes are equal but for ``run`` and ``evidence``. The writer indents in one way only,
so that each of both is a block of lines that ends at the first line indented like its beginning. Of
the evidence the endpoint counts: a pass at another one is another pass.
"""

from __future__ import annotations

from typing import NamedTuple

from lens_preflight.core.data import dataclass, field

_RUN = b'\n  "run": {'
_EVIDENCE = b'"evidence": {\n'
_ENDPOINT = b'"endpoint": '


class Part(NamedTuple):
    """A constant part: the line end that closes the block before it, its text, and in that block the
    line that counts (or the beginning of one that must not be there).
    """

    close: bytes
    text: bytes
    line: bytes
    there: bool


@dataclass(frozen=True)
class Skeleton:
    """The constant parts of a report: the first, then those behind each block; and its blocks."""

    first: bytes
    rest: tuple[Part, ...]
    blocks: tuple[bytes, ...] = field(default=(), repr=False)

    def run_of(self, data: bytes) -> bytes | None:
        """The text of ``run`` of a report that is equal in all else; None for any other text."""
        if not data.startswith(self.first):
            return None
        place = begin = len(self.first)
        end = -1
        find, equal = data.find, data.startswith  # this loop runs for each of ten thousand reports
        for close, text, line, there in self.rest:
            block, place = place, find(close, place)
            if place < 0 or not equal(text, place):
                return None
            if end < 0:
                end = place
            elif (find(line, block, place) >= 0) is not there:
                return None
            place += len(text)
        return data[begin - 1 : end + 4] if place == len(data) else None

    def tightened(self, data: bytes) -> Skeleton:
        """The skeleton in which evidence that another report has too, word for word, is constant.

        ``data`` is one that ``run_of`` recognises. Few blocks are left: most evidence is the same on
        all nodes.
        """
        place = len(self.first)
        rest: list[Part] = []
        for part, before in zip(self.rest, self.blocks, strict=True):
            begin, place = place, data.find(part.close, place)
            if rest and data[begin:place] == before:
                last = rest.pop()
                rest.append(last._replace(text=last.text + before + part.text))
            else:
                rest.append(part)
            place += len(part.text)
        return Skeleton(self.first, tuple(rest))


def skeleton(data: bytes) -> Skeleton | None:
    """The skeleton of a report; None when it is not laid out as the writer does."""
    start = data.find(_RUN)
    if start < 0 or data.startswith(b"\n  }", start + len(_RUN)):
        return None
    place = start + len(_RUN)
    first = data[:place]
    rest: list[Part] = []
    blocks: list[bytes] = []
    close = b"\n  }"
    while True:
        block, place = place, data.find(close, place)
        if place < 0:
            return None
        blocks.append(data[block:place])
        line = _line(data, block, place)
        after = data.find(_EVIDENCE, place)
        if after < 0:
            rest.append(Part(close, data[place:], line or _ENDPOINT, bool(line)))
            return Skeleton(first, tuple(rest), tuple(blocks))
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
