"""Causes of a TLS handshake that fails, and of connections that end without a word."""

from __future__ import annotations

from lens_preflight.probe.peer import Speech, is_tls
from lens_preflight.probe.replies import Judged
from lens_preflight.probe.trail import UNUSABLE_TRUST, TlsSeen, Trail
from lens_preflight.probe.trust import EXPIRED, KEY_USAGE, UNTRUSTED, WRONG_HOST


def client_certificate(trail: Trail) -> Judged:
    """The server wants a client certificate, or another one."""
    given = trail.exporter.client_cert is not None
    what = (
        "does not accept this client certificate" if given else "asks for a client certificate, and gets none"
    )
    return Judged("client-certificate-required", f"the server {what}")


def certificate(trail: Trail, seen: TlsSeen) -> Judged:
    """The client does not accept the server's certificate."""
    code = seen.verify_code
    if seen.configured:
        name = trail.exporter.ca_from.name
        return Judged("tls-ca-shadowed", f"{name} replaces the CA that the exporter is given")
    if code == KEY_USAGE or (seen.lenient and trail.roots_without_key_usage):
        return Judged("tls-ca-without-key-usage", "the CA certificate lacks keyUsage")
    if code in EXPIRED:
        return Judged("tls-expired", "the server's certificate is outside its time of validity")
    if code in WRONG_HOST:
        return Judged("tls-wrong-host", "the server's certificate is for other names")
    if code in UNTRUSTED and trail.ca_missing:
        return Judged(
            "ca-file-missing", f"the file of {trail.ca_missing} does not exist; default roots are used"
        )
    if code in UNTRUSTED:
        what = "is self-signed" if code == 18 else "is not signed by a trusted issuer"
        return Judged("tls-untrusted", f"the server's certificate {what}")
    strict = ", which only strict verification minds" if seen.lenient else ""
    return Judged("tls-bad-certificate", f"the server's certificate is refused (X509 error {code}){strict}")


def no_handshake(trail: Trail, seen: TlsSeen) -> Judged:
    """There is no handshake, or none that leads to HTTP/2."""
    if seen.version or seen.alpn:
        return Judged("no-alpn-h2", f"the server offers {seen.alpn or 'no protocol'} instead of HTTP/2")
    if seen.reason == UNUSABLE_TRUST:
        return Judged("setting-invalid", "the CA file cannot be loaded as PEM certificates")
    if seen.first and not is_tls(seen.first):
        return Judged("tls-on-plaintext-port", "the port answers a TLS greeting in plaintext")
    if trail.other in (Speech.HTTP1, Speech.HTTP2, Speech.SSH, Speech.OTHER):
        return Judged("tls-on-plaintext-port", "the port speaks plaintext")
    if "CERTIFICATE_REQUIRED" in seen.reason or seen.asks_certificate:
        return client_certificate(trail)
    if "UNRECOGNIZED_NAME" in seen.reason:
        return Judged("tls-wrong-host", "the server has no certificate for this name")
    if any(word in seen.reason for word in ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "HANDSHAKE_FAILURE")):
        return Judged("tls-version-too-old", "client and server have no TLS version or cipher in common")
    if "ALPN" in seen.reason or "NO_APPLICATION_PROTOCOL" in seen.reason:
        return Judged("no-alpn-h2", "the server refuses HTTP/2 in the handshake")
    if seen.reason:
        return Judged("tls-bad-certificate", f"the handshake fails ({seen.reason})")
    return ended(trail, seen.ended)


def ended(trail: Trail, end: str) -> Judged:
    """Nothing came back: silence, or an end without a word."""
    if end == "silence":
        return Judged("hung", "the port accepts connections and says nothing")
    if trail.reset_at_once:
        return Judged("reset", "the connection is opened and reset before a byte is exchanged")
    return Judged("closed-without-reply", "the peer ends the connection without a word")
