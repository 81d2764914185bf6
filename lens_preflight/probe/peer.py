"""What kind of server the first bytes of a conversation come from."""

from __future__ import annotations

import enum
import re

from lens_preflight.core.data import dataclass
from lens_preflight.probe.wire import Heard


class Speech(enum.Enum):
    """The protocol that a peer was heard to speak."""

    NOTHING = "nothing"
    """Connected, and silent until the time was up."""
    CLOSED = "closed"
    """The peer ended the connection without a byte."""
    RESET = "reset"
    """The peer reset the connection without a byte."""
    TLS = "TLS"
    HTTP1 = "HTTP/1"
    HTTP2 = "HTTP/2"
    SSH = "SSH"
    OTHER = "another protocol"


def speech(heard: Heard) -> Speech:
    """What the bytes say; only what no other protocol begins with counts."""
    data = heard.data
    if not data:
        return {"eof": Speech.CLOSED, "reset": Speech.RESET}.get(heard.end, Speech.NOTHING)
    if data.startswith(b"HTTP/1"):
        return Speech.HTTP1
    if b"HTTP/1".startswith(data):
        return Speech.HTTP1
    if data.startswith(b"SSH-"):
        return Speech.SSH
    if is_tls(data):
        return Speech.TLS
    return Speech.HTTP2 if is_http2(data) else Speech.OTHER


def is_tls(data: bytes) -> bool:
    """True for the beginning of a TLS alert or handshake record."""
    return data[:1] in (b"\x15", b"\x16") and data[1:2] in (b"\x03", b"")


def is_http2(data: bytes) -> bool:
    """True when the first frame is one that opens an HTTP/2 connection: SETTINGS or GOAWAY on stream 0."""
    if len(data) < 9:
        return False
    length, kind, stream = int.from_bytes(data[:3], "big"), data[3], int.from_bytes(data[5:9], "big")
    return stream == 0 and ((kind == 4 and length % 6 == 0) or (kind == 7 and length >= 8))


@dataclass(frozen=True)
class Http1Reply:
    """The head of an HTTP/1 reply; ``complete`` when the empty line at its end was seen."""

    status: int
    headers: dict[str, str]
    complete: bool


def http1(data: bytes) -> Http1Reply | None:
    """The reply head in some bytes, None when they do not begin with a whole status line."""
    head, blank, _ = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = re.fullmatch(r"HTTP/1\.[01] ([1-5][0-9][0-9])(?: .*)?", lines[0])
    if status is None:
        return None
    pairs = (line.partition(":") for line in lines[1:] if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Http1Reply(int(status[1]), headers, bool(blank))


def banner(data: bytes) -> str:
    """The first printable line of a peer, short enough to show."""
    text = re.split(r"[\r\n]", data.decode("latin-1"), maxsplit=1)[0]
    return re.sub(r"[^ -~]", ".", text)[:60]
