"""A connection byte by byte, plain or encrypted, with a deadline on every wait."""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
from typing import Protocol

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.deadline import Deadline

CHUNK = 16 << 10

MAX_READ = 64 << 10
"""Bytes taken from a peer at most, in one conversation."""


SLICE = 0.25
"""Seconds after which a wait looks whether it is still wanted."""


@dataclass(frozen=True)
class UntilSet(Deadline):
    """A deadline that is over as soon as an event is set."""

    event: threading.Event = field(default_factory=threading.Event)

    def remaining(self, cap: float = math.inf) -> float:
        """Seconds left, 0 once the event is set."""
        return 0.0 if self.event.is_set() else super().remaining(cap)

    @property
    def passed(self) -> bool:
        """True when no time is left."""
        return self.remaining() <= 0

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and ``seconds`` from now, with the same event."""
        return UntilSet(super().within(seconds).at, self.event)


@dataclass
class Heard:
    """What came back: the first bytes, and how it ended.

    ``end``: eof, reset, silence (the time was up), limit (too much), or enough (the reader had what
    it wanted). ``alert`` is OpenSSL's name for a TLS alert that arrived encrypted.
    """

    data: bytes = b""
    end: str = "silence"
    alert: str = ""


class Enough(Protocol):
    """Tells from all bytes so far whether reading can stop."""

    def __call__(self, data: bytes) -> bool:
        """True when no more is needed."""


class Wire(Protocol):
    """A connection that can be written to and read from."""

    def send(self, data: bytes) -> None:
        """Write, as far as the peer takes it; errors show when reading."""

    def hear(self, deadline: Deadline, enough: Enough) -> Heard:
        """Read until the reader has enough, the peer ends, or the time is up."""


@dataclass
class PlainWire:
    """A TCP or unix connection."""

    sock: socket.socket
    _broken: bool = False

    def send(self, data: bytes) -> None:
        """Write without blocking for ever; what the peer refuses shows when reading."""
        self.sock.settimeout(2.0)
        try:
            self.sock.sendall(data)
        except OSError:
            self._broken = True

    def hear(self, deadline: Deadline, enough: Enough) -> Heard:
        """Read until the reader has enough, the peer ends, or the time is up."""
        heard = Heard()
        while not enough(heard.data):
            piece, heard.end = receive(self.sock, deadline)
            if not piece:
                if heard.end == "eof" and self._broken:
                    heard.end = "reset"  # writing has used up the error
                return heard
            heard.data += piece
            if len(heard.data) >= MAX_READ:
                heard.end = "limit"
                return heard
        heard.end = "enough"
        return heard


def receive(sock: socket.socket, deadline: Deadline) -> tuple[bytes, str]:
    """The next bytes, or none and why: eof, reset, silence."""
    while (left := deadline.remaining(SLICE)) > 0:
        sock.settimeout(left)
        try:
            piece = sock.recv(CHUNK)
        except TimeoutError:
            continue
        except OSError:
            return b"", "reset"
        return piece, "more" if piece else "eof"
    return b"", "silence"


@dataclass
class TlsWire:
    """A TLS client over a connection; ``raw`` keeps the first bytes of the server as they came.

    Nothing is verified beyond what ``context`` demands.
    """

    sock: socket.socket
    context: ssl.SSLContext
    host: str
    raw: bytes = b""
    ended: str = ""
    _in: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)
    _out: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)

    def __post_init__(self) -> None:
        self._tls = self.context.wrap_bio(self._in, self._out, server_hostname=self.host or None)

    def handshake(self, deadline: Deadline) -> None:
        """Shake hands.

        Raises:
            ssl.SSLError: the peer or OpenSSL refuses; ``raw`` holds what the peer sent.
            ConnectionError, TimeoutError: the peer ended, or was silent.
        """
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                self._fill(deadline)
            except ssl.SSLError:
                self._flush()
                raise
            else:
                self._flush()
                return

    def _flush(self) -> None:
        data = self._out.read()
        if data:
            self.sock.settimeout(2.0)
            with contextlib.suppress(OSError):
                self.sock.sendall(data)

    def _fill(self, deadline: Deadline) -> None:
        piece, self.ended = receive(self.sock, deadline)
        if not piece:
            error = {"eof": ConnectionAbortedError, "reset": ConnectionResetError}.get(
                self.ended, TimeoutError
            )
            raise error(self.ended)
        if len(self.raw) < CHUNK:
            self.raw += piece
        self._in.write(piece)

    @property
    def alpn(self) -> str | None:
        """The protocol that the server chose."""
        return self._tls.selected_alpn_protocol()

    @property
    def version(self) -> str:
        """The TLS version agreed on."""
        return self._tls.version() or ""

    @property
    def certificate(self) -> dict[str, object]:
        """The server's certificate as far as it was verified."""
        return dict(self._tls.getpeercert() or {})

    def send(self, data: bytes) -> None:
        """Write; what the peer refuses shows when reading."""
        with contextlib.suppress(ssl.SSLError):
            self._tls.write(data)
        self._flush()

    def hear(self, deadline: Deadline, enough: Enough) -> Heard:
        """Read until the reader has enough, the peer ends, or the time is up."""
        heard = Heard()
        while not enough(heard.data):
            try:
                piece = self._tls.read(CHUNK)
            except ssl.SSLWantReadError:
                self._flush()
                try:
                    self._fill(deadline)
                except OSError:
                    heard.end = self.ended
                    return heard
                continue
            except ssl.SSLError as error:
                heard.end, heard.alert = "eof", error.reason or ""
                return heard
            if not piece:
                heard.end = "eof"
                return heard
            heard.data += piece
            if len(heard.data) >= MAX_READ:
                heard.end = "limit"
                return heard
        heard.end = "enough"
        return heard
