"""The stages on the network: resolve, connect, proxy, TLS, protocol; each fills in the trail."""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
from time import monotonic
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.otel.dial import is_localhost
from lens_preflight.probe import h2
from lens_preflight.probe.address import Destination
from lens_preflight.probe.model import Stage, State
from lens_preflight.probe.net import (
    Address,
    Resolved,
    close_all,
    connect_all,
    describe,
    is_neighbour_missing,
    resolve,
    with_both_loopbacks,
)
from lens_preflight.probe.peer import Speech, banner, is_tls, speech
from lens_preflight.probe.trail import Trail
from lens_preflight.probe.tunnel import hello, open_tunnel
from lens_preflight.probe.wire import Heard, PlainWire, TlsWire, UntilSet, Wire

if TYPE_CHECKING:
    from lens_preflight.probe.trust import Trust

SILENCE = 2.0
"""Seconds of silence, at most, after which a port is also asked in the other way."""

HEAD_START = 1.0
"""Seconds that the client has for a reply over HTTP before the port is greeted beside it, at most."""


class Stages:
    """Walks from the name to the first words of the peer.

    ``settled`` is set when the real client has its answer: silent addresses are then left alone;
    ``pleased`` when it is a success: nothing is waited for any more.
    ``trust`` says how certificates are judged.
    """

    def __init__(
        self, trail: Trail, trust: Trust, settled: threading.Event, pleased: threading.Event
    ) -> None:
        self.trail = trail
        self.trust = trust
        self.settled = settled
        self._pleased = pleased
        self._spare: socket.socket | None = None

    def walk(self) -> None:
        """All stages, up to the first that fails."""
        trail = self.trail
        dialled = trail.proxy or trail.destination
        assert dialled is not None
        if dialled.kind == "other":
            trail.record(Stage.RESOLVE, State.SKIPPED, "this kind of name cannot be looked into")
            return
        addresses = self._resolve(dialled)
        if not addresses or not self._connect(dialled, addresses):
            return
        if trail.proxy is not None and not self._tunnel():
            return
        if not trail.exporter.tls or self._tls():
            self._protocol()

    # -- resolve and connect

    def _resolve(self, dialled: Destination) -> tuple[Address, ...]:
        trail = self.trail
        if dialled.kind == "unix":
            trail.record(Stage.RESOLVE, State.SKIPPED, "a unix socket has no name to resolve")
            return (Address(socket.AF_UNIX, dialled.path),)
        pairs = dialled.literals or ((dialled.host, dialled.port),)
        found = [resolve(host, port, trail.budget) for host, port in pairs]
        addresses = tuple(dict.fromkeys(a for r in found for a in r.addresses))
        if trail.exporter.transport == "grpc" and is_localhost(dialled.host):
            addresses = with_both_loopbacks(addresses, dialled.port)
        seconds = sum(r.seconds for r in found)
        trail.resolved = Resolved(addresses, "" if addresses else found[0].error, seconds)
        stage = Stage.PROXY if trail.proxy is not None else Stage.RESOLVE
        if not addresses:
            what = "the resolver did not answer" if found[0].error == "timeout" else "the name has no address"
            trail.record(stage, State.FAILED, what, seconds, error=found[0].error)
        elif stage is Stage.RESOLVE:
            count = len(addresses)
            text = "an address is given" if dialled.is_address else f"{count} address{'es' * (count > 1)}"
            listed = " ".join(str(a) for a in addresses[:8])
            trail.record(stage, State.OK, text, seconds, addresses=listed)
        return addresses

    def _connect(self, dialled: Destination, addresses: tuple[Address, ...]) -> bool:
        trail = self.trail
        started = monotonic()
        trail.attempts = connect_all(addresses, trail.budget, settled=self.settled)
        good = [a for a in trail.attempts if not a.error]
        close_all(good[1:])
        trail.neighbour_missing = any(a.error and is_neighbour_missing(a.address) for a in trail.attempts)
        stage = Stage.CONNECT if trail.proxy is None else Stage.PROXY
        evidence = {str(a.address): f"{a.text} in {a.seconds * 1000:.0f} ms" for a in trail.attempts[:8]}
        seconds = monotonic() - started
        if not good:
            text = describe(trail.attempts[0].error)
            trail.record(stage, State.FAILED, text, seconds, **evidence)
            return False
        if stage is Stage.CONNECT:
            text = "connected"
            if len(good) < len(trail.attempts):
                text = f"{len(good)} of {len(trail.attempts)} addresses connected"
            trail.record(stage, State.OK, text, seconds, **evidence)
        return True

    def dial(self, deadline: Deadline) -> socket.socket | None:
        """A connection to the address that answered, through the proxy's tunnel if there is one.

        The one of the connect stage is used up first.
        """
        spare, self._spare = self._spare, None
        if spare is not None:
            return spare
        first = next(a for a in self.trail.attempts if not a.error)
        sock, first.sock = first.sock, None
        if sock is None:
            sock = connect_all([first.address], deadline)[0].sock
        if sock is not None and self.trail.tunnelled and not open_tunnel(self.trail, sock, deadline):
            sock.close()
            return None
        return sock

    def close(self) -> None:
        """Close what is still open."""
        close_all(self.trail.attempts)
        if self._spare is not None:
            self._spare.close()

    # -- proxy

    def _tunnel(self) -> bool:
        """Ask the proxy for a way through; a request in plaintext is simply handed to it."""
        trail = self.trail
        if not trail.tunnelled:
            trail.record(Stage.PROXY, State.OK, "the proxy accepts connections")
            return True
        started = monotonic()
        self._spare = self.dial(trail.budget)
        good = self._spare is not None
        text = "the proxy opens a tunnel" if good else self._refusal()
        trail.record(Stage.PROXY, State.OK if good else State.FAILED, text, monotonic() - started)
        return good

    def _refusal(self) -> str:
        if self.trail.proxy_status is not None:
            return f"the proxy answers {self.trail.proxy_status} to CONNECT"
        return "the proxy does not answer CONNECT"

    # -- TLS

    def _tls(self) -> bool:
        from lens_preflight.probe.handshake import Handshakes

        seen = Handshakes(self).look()
        self.trail.tls = seen
        return seen.ok

    # -- protocol

    def _protocol(self) -> None:
        trail = self.trail
        if trail.exporter.transport == "http" and self.settled.wait(min(HEAD_START, trail.seconds / 6)):
            return  # the client's own reply shows what the peer speaks
        self.protocol(self.until(self.silence))
        if trail.speech is Speech.NOTHING and not self.until().passed:
            trail.other = self.other_side(self.until(self.silence))
            if trail.other is None:
                self.protocol(self.until())

    @property
    def silence(self) -> float:
        """Seconds of silence after which the port is also asked in the other way."""
        return min(SILENCE, self.trail.seconds / 4)

    def until(self, seconds: float = math.inf) -> Deadline:
        """The budget, at most ``seconds`` from now, and over as soon as the real client is pleased."""
        return UntilSet(self.trail.budget.within(seconds).at, self._pleased)

    def protocol(self, deadline: Deadline) -> None:
        """Listen to what the peer says to a greeting in the exporter's protocol."""
        trail = self.trail
        started = monotonic()
        heard = self.converse(deadline, self.trust)
        if heard is None:
            return
        trail.heard, trail.speech = heard, speech(heard)
        trail.alert = heard.alert
        if trail.speech is Speech.HTTP2:
            trail.goaway = h2.goaway(heard.data)
        self.note(heard, monotonic() - started)

    def note(self, heard: Heard, seconds: float) -> None:
        """Record the protocol stage, in place of what was recorded before."""
        trail = self.trail
        trail.records = [r for r in trail.records if r.stage is not Stage.PROTOCOL]
        wanted = Speech.HTTP2 if trail.exporter.transport == "grpc" else Speech.HTTP1
        said = trail.speech
        assert said is not None
        text = {
            Speech.NOTHING: "not one byte came back",
            Speech.CLOSED: "the peer closed the connection without a word",
            Speech.RESET: "the peer reset the connection",
        }.get(said, f"the peer speaks {said.value}")
        good = said is wanted and trail.goaway is None
        if said is Speech.HTTP1 and b"\r\n\r\n" not in heard.data:
            good, text = False, "the reply head did not arrive in time"
        if trail.goaway is not None:
            text = f"the peer sends GOAWAY with error {trail.goaway}"
        evidence = {} if good or not heard.data else {"first bytes": banner(heard.data)}
        trail.record(Stage.PROTOCOL, State.OK if good else State.FAILED, text, seconds, **evidence)

    def converse(self, deadline: Deadline, trust: Trust | None) -> Heard | None:
        """Say hello in the exporter's protocol on a new connection; None: it could not be opened.

        ``trust`` None: in plaintext, whatever the exporter does.
        """
        sock = self.dial(deadline)
        if sock is None:
            return None
        with contextlib.closing(sock):
            wire = self.wire(sock, deadline, trust)
            if wire is None:
                return None
            if self.trail.exporter.transport == "grpc":
                return h2.greet(wire, deadline)
            wire.send(hello(self.trail))
            return wire.hear(deadline, lambda data: b"\r\n\r\n" in data)

    def wire(self, sock: socket.socket, deadline: Deadline, trust: Trust | None) -> Wire | None:
        """The conversation over a connection: encrypted when the exporter encrypts."""
        if trust is None or not self.trail.exporter.tls:
            return PlainWire(sock)
        assert self.trail.destination is not None
        try:
            wire = TlsWire(sock, trust.context(), self.trail.destination.host)
            wire.handshake(deadline)
        except (OSError, ValueError, ssl.SSLError):
            return None
        return wire

    def other_side(self, deadline: Deadline) -> Speech | None:
        """What the port speaks when it is asked the other way (TLS, or plaintext); None: nothing."""
        self.trail.other_asked = True
        if not self.trail.exporter.tls:
            return Speech.TLS if self._speaks_tls(deadline) else None
        heard = self.converse(deadline, None)
        said = None if heard is None else speech(heard)
        return None if said in (Speech.NOTHING, Speech.CLOSED, Speech.RESET) else said

    def _speaks_tls(self, deadline: Deadline) -> bool:
        sock = self.dial(deadline)
        assert self.trail.destination is not None
        if sock is None:
            return False
        with contextlib.closing(sock):
            context = replace(self.trust, verify=False, cert=None, key=None).context()
            wire = TlsWire(sock, context, self.trail.destination.host)
            try:
                wire.handshake(deadline)
            except (OSError, ssl.SSLError):
                return is_tls(wire.raw) and len(wire.raw) >= 5
            return True
