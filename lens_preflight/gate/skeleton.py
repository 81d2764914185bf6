"""A report without what differs from node to node, to recognise the next one without parsing it.

Reports of many nodes are equal but for ``run`` and ``evidence``. The writer indents in one way only,
so that each of both is a block of lines that ends at the first line indented like its beginning. Of
the evidence the endpoint and the way in which it was sent count: a pass in another one is another pass.
"""

from __future__ import annotations

from typing import NamedTuple

from lens_preflight.core.data import dataclass, field

_RUN = b'\n  "run": {'
_EVIDENCE = b'"evidence": {\n'
_ENDPOINT = b'"endpoint": '
_WAY = b'"way '


class Part(NamedTuple):
    """A constant part: the line end that closes the block before it, its text, and in that block the
    lines that count and the beginnings of those that must not be there.
    """

    close: bytes
    text: bytes
    lines: tuple[bytes, ...]
    absent: tuple[bytes, ...]


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
        for close, text, lines, absent in self.rest:
            block, place = place, find(close, place)
            if place < 0 or not equal(text, place):
                return None
            if end < 0:
                end = place
            else:
                for line in lines:
                    if find(line, block, place) < 0:
                        return None
                for line in absent:
                    if find(line, block, place) >= 0:
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
        counting = _lines(data, block, place)
        after = data.find(_EVIDENCE, place)
        if after < 0:
            rest.append(Part(close, data[place:], *counting))
            return Skeleton(first, tuple(rest), tuple(blocks))
        after += len(_EVIDENCE) - 1  # the line end belongs to the block
        rest.append(Part(close, data[place:after], *counting))
        indent = data[data.rfind(b"\n", 0, after) + 1 : after].partition(b'"')[0]
        if indent.strip():
            return None
        close, place = b"\n" + indent + b"}", after


def _lines(data: bytes, begin: int, end: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The lines of a block that name the endpoint or a way, from the key to the line end, and the keys
    of those that it has not.
    """
    found: list[bytes] = []
    absent = []
    for key in (_ENDPOINT, _WAY):
        at = data.find(key, begin, end)
        if at < 0:
            absent.append(key)
        while at >= 0:
            until = data.find(b"\n", at, end)
            until = until if until >= 0 else end
            found.append(data[at:until].rstrip(b","))
            at = data.find(key, until, end)
    return tuple(found), tuple(absent)
