"""The TLS stage: one handshake as the client makes it, and what others tell when it fails."""

from __future__ import annotations

import contextlib
import ssl
from time import monotonic
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.probe.model import Stage, State
from lens_preflight.probe.trail import UNUSABLE_TRUST, TlsSeen
from lens_preflight.probe.trust import WRONG_HOST, Trust, lacks_key_usage
from lens_preflight.probe.wire import TlsWire

if TYPE_CHECKING:
    from lens_preflight.probe.stages import Stages

AGAIN = 3.0
"""Seconds that a second handshake may take."""

HANDSHAKE, CERTIFICATE_REQUEST = 22, 13


class Handshakes:
    """Shakes hands with the endpoint of some stages."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._trail = stages.trail

    def look(self) -> TlsSeen:
        """The handshake of the client; when its certificates are refused, two more to see why."""
        started = monotonic()
        trust = self._stages.trust
        seen = self._patient(trust)
        if seen.verify_code:
            seen = self._explain(seen, trust)
        text = f"{seen.version}, ALPN {seen.alpn or 'none'}" if seen.ok else _words(seen)
        wrong_alpn = seen.ok and trust.alpn == ("h2",) and seen.alpn != "h2"
        state = State.FAILED if not seen.ok or wrong_alpn else State.OK
        seen = replace(seen, ok=state is State.OK)
        self._trail.record(Stage.TLS, state, text, monotonic() - started)
        return seen

    def _patient(self, trust: Trust) -> TlsSeen:
        """One handshake; a silent port is also asked in plaintext before it is waited for to the end."""
        trail = self._trail
        until, silence = self._stages.until, self._stages.silence
        seen = self._try(trust, until(silence))
        if seen.ended == "silence" and not until().passed:
            trail.other = self._stages.other_side(until(silence))
            if trail.other is None:
                seen = self._try(trust, until())
        return seen

    def _explain(self, seen: TlsSeen, trust: Trust) -> TlsSeen:
        exporter = self._trail.exporter
        deadline = Deadline.after(AGAIN)
        if trust.strict:
            lenient = self._try(replace(trust, strict=False), deadline)
            seen = replace(seen, lenient=lenient.ok)
            self._trail.roots_without_key_usage = lenient.ok and lacks_key_usage(trust.roots)
        shadowed = isinstance(exporter.verify, str) and exporter.ca not in (None, exporter.verify)
        if exporter.transport == "http" and shadowed:
            configured = self._try(replace(trust, roots=exporter.ca or ""), deadline)
            seen = replace(seen, configured=configured.ok)
        if seen.verify_code in WRONG_HOST:
            named = self._try(replace(trust, names=False), deadline)
            seen = replace(seen, names=named.names)
        return seen

    def asks_certificate(self, deadline: Deadline) -> bool:
        """Whether the server asks for a client certificate, which only TLS 1.2 does in the open."""
        trail = self._trail
        context = replace(self._stages.trust, verify=False, cert=None, key=None).context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        sock = self._stages.dial(deadline)
        if sock is None or trail.destination is None:
            return False
        with contextlib.closing(sock):
            wire = TlsWire(sock, context, trail.destination.host)
            with contextlib.suppress(OSError):
                wire.handshake(deadline)
            return asks_certificate(wire.raw)

    def _try(self, trust: Trust, deadline: Deadline) -> TlsSeen:
        trail = self._trail
        assert trail.destination is not None
        try:
            context = trust.context()
        except (OSError, ValueError):
            return TlsSeen(False, reason=UNUSABLE_TRUST)
        sock = self._stages.dial(deadline)
        if sock is None:
            return TlsSeen(False, ended="silence" if deadline.passed else "eof")
        with contextlib.closing(sock):
            wire = TlsWire(sock, context, trail.destination.host)
            try:
                wire.handshake(deadline)
            except ssl.SSLCertVerificationError as error:
                return TlsSeen(False, verify_code=error.verify_code, first=wire.raw[:64])
            except ssl.SSLError as error:
                asked = asks_certificate(wire.raw)
                return TlsSeen(False, reason=error.reason or "", first=wire.raw[:64], asks_certificate=asked)
            except OSError:
                asked = asks_certificate(wire.raw)
                return TlsSeen(False, first=wire.raw[:64], ended=wire.ended, asks_certificate=asked)
            return TlsSeen(True, wire.alpn, wire.version, names=_names(wire.certificate))


def asks_certificate(raw: bytes) -> bool:
    """True when the server asks for a client certificate in the part of a handshake that is readable."""
    messages = b""
    while len(raw) >= 5 and raw[0] == HANDSHAKE:
        length = int.from_bytes(raw[3:5], "big")
        messages += raw[5 : 5 + length]
        raw = raw[5 + length :]
    while len(messages) >= 4:
        if messages[0] == CERTIFICATE_REQUEST:
            return True
        messages = messages[4 + int.from_bytes(messages[1:4], "big") :]
    return False


def _names(certificate: dict[str, object]) -> tuple[str, ...]:
    listed = certificate.get("subjectAltName")
    return tuple(str(pair[1]) for pair in listed) if isinstance(listed, tuple) else ()


def _words(seen: TlsSeen) -> str:
    if seen.verify_code:
        return f"the certificate is refused (X509 error {seen.verify_code})"
    if seen.reason:
        return f"no handshake ({seen.reason})"
    ended = {"silence": "the peer is silent", "eof": "the peer closes", "reset": "the peer resets"}
    return f"no handshake ({ended.get(seen.ended, 'nothing came back')})"
