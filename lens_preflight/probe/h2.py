"""One HTTP/2 conversation by hand: to see what a gRPC client does not tell (RFC 9113)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.numbers import whole
from lens_preflight.probe import hpack
from lens_preflight.probe.peer import is_http2
from lens_preflight.probe.wire import Heard, Wire

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION = 0, 1, 3, 4, 7, 9
ACK, END_STREAM, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32

SETTLE = 0.3
"""Seconds to wait, after the first SETTINGS frame, for the acknowledgement or for GOAWAY."""


@dataclass(frozen=True)
class Frame:
    """One frame."""

    kind: int
    flags: int
    stream: int
    payload: bytes


@dataclass
class Reply:
    """What came back on the request's stream.

    ``reset`` and ``goaway`` are HTTP/2 error numbers, None when there was no such frame.
    """

    headers: dict[str, str] = field(default_factory=dict)
    trailers: dict[str, str] = field(default_factory=dict)
    data: bytes = b""
    reset: int | None = None
    goaway: int | None = None
    ended: bool = False

    @property
    def status(self) -> int | None:
        """The HTTP status, None when no headers came."""
        return whole(self.headers.get(":status"))

    @property
    def grpc_status(self) -> int | None:
        """The status code of the gRPC server, None when the reply carries none."""
        return whole(self.trailers.get("grpc-status") or self.headers.get("grpc-status"))


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """The bytes of one frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def frames(data: bytes) -> Iterator[Frame]:
    """The whole frames in some bytes."""
    while len(data) >= 9:
        length = int.from_bytes(data[:3], "big")
        if len(data) < 9 + length:
            return
        stream = int.from_bytes(data[5:9], "big") & 0x7FFFFFFF
        yield Frame(data[3], data[4], stream, data[9 : 9 + length])
        data = data[9 + length :]


def greet(wire: Wire, deadline: Deadline) -> Heard:
    """Send the connection preface and read what the peer opens with.

    Reading goes on for a moment after the first SETTINGS frame, since some peers send GOAWAY next.
    """
    wire.send(PREFACE + frame(SETTINGS, 0, 0))
    heard = wire.hear(deadline, lambda data: len(data) >= 9)
    if heard.end == "enough" and is_http2(heard.data):
        first = heard.data
        more = wire.hear(deadline.within(SETTLE), lambda data: _settled(first + data))
        heard.data += more.data
        heard.alert = more.alert
    return heard


def _settled(data: bytes) -> bool:
    return any(f.kind == GOAWAY or (f.kind == SETTINGS and f.flags & ACK) for f in frames(data))


def goaway(data: bytes) -> int | None:
    """The error number of a GOAWAY frame in some bytes, None when there is none."""
    for one in frames(data):
        if one.kind == GOAWAY and len(one.payload) >= 8:
            return int.from_bytes(one.payload[4:8], "big")
    return None


def export(wire: Wire, request: Iterable[hpack.Header], already: bytes, deadline: Deadline) -> Reply:
    """Send an empty gRPC message on stream 1 of a greeted connection and read the reply.

    ``already`` are the bytes that the greeting brought.
    """
    block = hpack.encode(request)
    wire.send(
        frame(SETTINGS, ACK, 0)
        + frame(HEADERS, END_HEADERS, 1, block)
        + frame(DATA, END_STREAM, 1, b"\0" * 5)
    )
    heard = wire.hear(deadline, lambda data: read(already + data).ended)
    return read(already + heard.data)


def read(data: bytes) -> Reply:
    """The reply on stream 1, as far as it is there."""
    reply = Reply()
    decoder = hpack.Decoder()
    block = b""
    for one in frames(data):
        if one.kind == GOAWAY and len(one.payload) >= 8:
            reply.goaway = int.from_bytes(one.payload[4:8], "big")
            reply.ended = True
        if one.kind in (HEADERS, CONTINUATION):
            block += _unpadded(one)
            if one.flags & END_HEADERS:
                _take(reply, decoder, block, one.stream)
                block = b""
        if one.stream != 1:
            continue
        if one.kind == DATA:
            reply.data += _unpadded(one)
        if one.kind == RST_STREAM and len(one.payload) >= 4:
            reply.reset = int.from_bytes(one.payload[:4], "big")
            reply.ended = True
        if one.kind in (DATA, HEADERS) and one.flags & END_STREAM:
            reply.ended = True
    return reply


def _take(reply: Reply, decoder: hpack.Decoder, block: bytes, stream: int) -> None:
    try:
        pairs = dict(decoder.decode(block))
    except ValueError:
        return
    if stream == 1:
        if reply.headers:
            reply.trailers = pairs
        else:
            reply.headers = pairs


def _unpadded(one: Frame) -> bytes:
    payload, pad = one.payload, 0
    if one.kind in (DATA, HEADERS) and one.flags & PADDED and payload:
        pad, payload = payload[0], payload[1:]
    if one.kind == HEADERS and one.flags & PRIORITY:
        payload = payload[5:]
    return payload[: len(payload) - pad] if pad <= len(payload) else b""
