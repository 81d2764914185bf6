"""Header blocks of HTTP/2: enough to write a request and to read any reply (RFC 7541)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

Header = tuple[str, str]

_STATIC_TEXT = """
:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200
:status 204|:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset
accept-encoding gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow
authorization|cache-control|content-disposition|content-encoding|content-language|content-length
content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match
if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards
proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie
strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate
"""

STATIC: tuple[Header, ...] = tuple(
    (name, value)
    for name, _, value in (e.partition(" ") for e in _STATIC_TEXT.strip().replace("\n", "|").split("|"))
)

_LENGTHS = bytes.fromhex(
    "0d171c1c1c1c1c1c1c181e1c1c1e1c1c1c1c1c1c1c1c1e1c1c1c1c1c1c1c1c1c060a0a0c0d06080b0a0a080b08060606"
    "0505050606060606060607080f060c0a0d06070707070707070707070707070707070707070707070807080d130d0e06"
    "0f05060506050606060507070606060506070605050607070707070f0b0e0d1c14161414161616171617171717171817"
    "181816171817171717151617161717181615141616171715171616181516171715151615171617171416161617161617"
    "1a1a1413161716191a1a1a1b1b1a181913151a1b1b1a1b1815151a1a1c1b1b1b14181415161515171616191918181a17"
    "1a1b1a1a1b1b1b1b1b1c1b1b1b1b1b1a1e"
)
"""Bits of the code of each byte, the end mark last; the codes themselves are canonical."""


def _codes() -> dict[tuple[int, int], int]:
    table: dict[tuple[int, int], int] = {}
    code = length = 0
    for symbol in sorted(range(len(_LENGTHS)), key=lambda s: (_LENGTHS[s], s)):
        code <<= _LENGTHS[symbol] - length
        length = _LENGTHS[symbol]
        table[length, code] = symbol
        code += 1
    return table


_CODES = _codes()


def huffman(data: bytes) -> str:
    """Decode a Huffman-coded string; bits left over at the end are padding."""
    out = bytearray()
    code = length = 0
    for byte in data:
        for shift in range(7, -1, -1):
            code, length = code << 1 | byte >> shift & 1, length + 1
            symbol = _CODES.get((length, code))
            if symbol is not None:
                if symbol > 255:
                    raise ValueError("end mark inside a string")
                out.append(symbol)
                code = length = 0
    return out.decode("latin-1")


def encode(headers: Iterable[Header]) -> bytes:
    """A header block in which every name and value is spelled out."""
    out = bytearray()
    for name, value in headers:
        out.append(0)
        for text in (name, value):
            raw = text.encode("latin-1", "replace")
            out += _integer(len(raw), 7) + raw
    return bytes(out)


def _integer(value: int, bits: int) -> bytes:
    top = (1 << bits) - 1
    if value < top:
        return bytes([value])
    out, value = bytearray([top]), value - top
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


TABLE = 4096
"""Bytes of the dynamic table: nobody was allowed more."""


class Decoder:
    """Reads the header blocks of one connection, in order."""

    def __init__(self) -> None:
        self._dynamic: deque[Header] = deque()
        self._size = TABLE
        self._used = 0
        self._data = b""
        self._at = 0

    def decode(self, data: bytes) -> list[Header]:
        """The headers of one block.

        Raises:
            ValueError: the block is not well formed.
        """
        self._data, self._at = data, 0
        headers: list[Header] = []
        try:
            while self._at < len(data):
                header = self._field(data[self._at])
                if header is not None:
                    headers.append(header)
        except IndexError as error:
            raise ValueError("a header block that is cut short or points nowhere") from error
        return headers

    def _field(self, first: int) -> Header | None:
        if first & 0x80:
            return self._entry(self._number(7))
        if first & 0xC0 == 0x40:
            header = self._literal(6)
            self._dynamic.appendleft(header)
            self._used += _weight(header)
            self._shrink()
            return header
        if first & 0xE0 == 0x20:
            self._size = self._number(5)
            if self._size > TABLE:
                raise ValueError("a dynamic table larger than was allowed")
            self._shrink()
            return None
        return self._literal(4)

    def _literal(self, bits: int) -> Header:
        index = self._number(bits)
        name = self._entry(index)[0] if index else self._text()
        return name, self._text()

    def _entry(self, index: int) -> Header:
        if index <= 0:
            raise IndexError
        return STATIC[index - 1] if index <= len(STATIC) else self._dynamic[index - 1 - len(STATIC)]

    def _number(self, bits: int) -> int:
        top = (1 << bits) - 1
        value = self._data[self._at] & top
        self._at += 1
        shift = 0
        while value >= top and shift <= 28:
            byte = self._data[self._at]
            self._at += 1
            value += (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        if shift > 28:
            raise ValueError("a number without end")
        return value

    def _text(self) -> str:
        coded = self._data[self._at] & 0x80
        length = self._number(7)
        raw = self._data[self._at : self._at + length]
        if len(raw) < length:
            raise IndexError
        self._at += length
        return huffman(raw) if coded else raw.decode("latin-1")

    def _shrink(self) -> None:
        while self._used > self._size:
            self._used -= _weight(self._dynamic.pop())


def _weight(header: Header) -> int:
    """What an entry of the dynamic table counts."""
    return len(header[0]) + len(header[1]) + 32
