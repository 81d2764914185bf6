"""What a failed client leaves open: the port is asked again, in other ways, to tell causes apart."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lens_preflight.core.deadline import Deadline
from lens_preflight.probe import h2, otlp
from lens_preflight.probe.client import Answer, Pending, request
from lens_preflight.probe.handshake import Handshakes
from lens_preflight.probe.net import close_all, connect_all, resolve
from lens_preflight.probe.peer import Speech, http1, speech
from lens_preflight.probe.tunnel import authority, hello
from lens_preflight.probe.wire import PlainWire

if TYPE_CHECKING:
    from lens_preflight.probe.stages import Stages

SECONDS = 2.0
"""What all second looks of one probe may take."""

AT_ONCE = 0.3
"""Seconds in which a peer that resets every connection has done so."""


class SecondLook:
    """Completes the trail of some stages after the real client has failed."""

    def __init__(
        self,
        stages: Stages,
        answer: Answer,
        deadline: Deadline,
        send: Callable[[dict[str, Any], bool], Pending],
    ) -> None:
        self._stages = stages
        self._trail = stages.trail
        self._answer = answer
        self._deadline = deadline.within(SECONDS)
        self._send = send

    def look(self) -> None:
        """Ask only what is still open."""
        trail = self._trail
        if not trail.reached or (trail.failed is not None and trail.failed.stage.value == "proxy"):
            return
        if trail.tls is None or trail.tls.ok:
            self._talk()
        if self._mute():
            trail.reset_at_once = trail.speech is not Speech.NOTHING and self._resets()
            if not trail.other_asked:
                trail.other = self._stages.other_side(self._deadline)
        elif self._answer.status == 400 and not trail.exporter.tls:
            trail.other = self._stages.other_side(self._deadline)
        if self._answer.status is not None and trail.proxy is not None and not trail.tunnelled:
            trail.direct = self._direct()
        if trail.exporter.transport == "grpc" and trail.speech is Speech.OTHER:
            self._ask_http1()
        if trail.tls is not None and trail.tls.ok and trail.speech in (Speech.CLOSED, Speech.RESET):
            trail.asks_certificate = Handshakes(self._stages).asks_certificate(self._deadline)
        if trail.exporter.transport == "grpc" and trail.speech is Speech.HTTP2 and trail.goaway is None:
            self._export_by_hand()

    def _talk(self) -> None:
        """The words of the peer, when the stages did not wait for them."""
        trail = self._trail
        if trail.speech is None and self._answer.status is None:
            self._stages.protocol(self._deadline)

    def _mute(self) -> bool:
        trail = self._trail
        if trail.tls is not None and not trail.tls.ok:
            return not trail.tls.first and not trail.tls.verify_code
        return trail.speech in (Speech.NOTHING, Speech.CLOSED, Speech.RESET)

    def _resets(self) -> bool:
        """Whether the peer resets a connection on which nothing is said."""
        sock = self._stages.dial(self._deadline)
        if sock is None:
            return False
        with contextlib.closing(sock):
            heard = PlainWire(sock).hear(self._deadline.within(AT_ONCE), lambda data: bool(data))
            return heard.end == "reset"

    def _ask_http1(self) -> None:
        """Whether a peer that answers the gRPC greeting with something odd speaks HTTP/1."""
        sock = self._stages.dial(self._deadline)
        if sock is None:
            return
        with contextlib.closing(sock):
            wire = self._stages.wire(sock, self._deadline, self._stages.trust)
            if wire is not None:
                wire.send(hello(self._trail))
                heard = wire.hear(self._deadline, lambda data: b"\r\n" in data)
                if speech(heard) is Speech.HTTP1:
                    self._trail.speech = Speech.HTTP1
                    self._stages.note(heard, 0.0)

    def _direct(self) -> bool:
        """Whether the endpoint answers HTTP without the proxy."""
        destination = self._trail.destination
        assert destination is not None
        found = resolve(destination.host, destination.port, self._deadline)
        attempts = connect_all(found.addresses, self._deadline.within(1.0))
        sock = next((a.sock for a in attempts if a.sock is not None), None)
        if sock is None:
            return False
        wire = PlainWire(sock)
        wire.send(f"GET / HTTP/1.1\r\nHost: {destination.host}\r\nConnection: close\r\n\r\n".encode())
        heard = wire.hear(self._deadline, lambda data: b"\r\n" in data)
        close_all(attempts)
        return http1(heard.data + b"\r\n") is not None

    def _export_by_hand(self) -> None:
        """The export once more in our own HTTP/2, since grpcio hides what came back."""
        trail = self._trail
        if self._answer.silent or self._answer.code == "DEADLINE_EXCEEDED":
            return
        sock = self._stages.dial(self._deadline)
        if sock is None:
            return
        with contextlib.closing(sock):
            wire = self._stages.wire(sock, self._deadline, self._stages.trust)
            if wire is None:
                return
            heard = h2.greet(wire, self._deadline)
            trail.reply = h2.export(wire, self._headers(), heard.data, self._deadline)
        if (
            trail.reply.grpc_status == 0
            and trail.destination is not None
            and not trail.destination.is_address
        ):
            trail.native = self._native()

    def _headers(self) -> list[tuple[str, str]]:
        trail = self._trail
        assert trail.destination is not None
        own = [
            (":method", "POST"),
            (":scheme", "https" if trail.exporter.tls else "http"),
            (":path", otlp.method(trail.exporter.signal)),
            (":authority", authority(trail)),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "lens-preflight"),
        ]
        reserved = {name for name, _ in own}
        given = [(n, v) for n, v in trail.exporter.headers if n not in reserved and not n.startswith("grpc-")]
        return own + given

    def _native(self) -> bool:
        """Whether the real client gets further with the system's resolver than with c-ares."""
        answer = self._send(request(self._trail.exporter, SECONDS), True).wait(self._deadline.remaining())
        return answer is not None and answer.code == "OK"
