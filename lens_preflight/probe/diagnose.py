"""From what the stages saw and what the real client got to one cause; the client decides."""

from __future__ import annotations

import errno
from collections.abc import Callable

from lens_preflight.probe import replies
from lens_preflight.probe.client import Answer
from lens_preflight.probe.diagnose_tls import certificate, client_certificate, ended, no_handshake
from lens_preflight.probe.model import Stage
from lens_preflight.probe.peer import Speech, banner
from lens_preflight.probe.replies import Judged
from lens_preflight.probe.trail import Trail

GRPC_NUMBERS = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
"""By their number on the wire."""

CONNECT = {
    errno.ECONNREFUSED: ("refused", "the host answers, and nothing listens on the port"),
    errno.ETIMEDOUT: ("syn-dropped", "no answer to the connection request"),
    errno.EHOSTUNREACH: ("firewall-reject", "a router or firewall refuses the connection"),
    errno.EACCES: ("firewall-reject", "this host forbids the connection"),
    errno.EPERM: ("firewall-reject", "this host forbids the connection"),
    errno.ECONNRESET: ("reset", "the connection is reset while it is opened"),
    errno.ENOENT: ("refused", "there is no such unix socket"),
}
"""errno of a connection attempt to cause; the others are unreachable."""

REFUSED_STREAM, ENHANCE_YOUR_CALM = 7, 11


def accepted(trail: Trail, answer: Answer) -> bool:
    """True when the exporter itself would report success."""
    if trail.exporter.transport == "grpc":
        return answer.code == "OK"
    return answer.status is not None and answer.status < 400


def diagnose(trail: Trail, answer: Answer) -> Judged | None:
    """The cause; None when the client failed and nothing that was seen explains it."""
    if accepted(trail, answer):
        return _success(trail, answer)
    if answer.status is not None:
        return _http_error(trail, answer.status)
    for look in _LOOKS:
        found = look(trail, answer)
        if found is not None:
            return found
    return None


def _success(trail: Trail, answer: Answer) -> Judged:
    judge = replies.judge_grpc if trail.exporter.transport == "grpc" else replies.judge_http
    judged = judge(trail.exporter.signal, answer)
    dead = [a for a in trail.attempts if a.error]
    loopback = trail.destination is not None and trail.destination.loopback
    if judged.code == "ok" and trail.reached and dead and not loopback:
        text = f"{len(dead)} of {len(trail.attempts)} addresses of the name do not answer ({dead[0].text})"
        return Judged("partly-reachable", text, judged.notes)
    return judged


def _http_error(trail: Trail, status: int) -> Judged:
    judged = replies.judge_http(trail.exporter.signal, Answer(status=status, ended="end"))
    if trail.proxy is not None and not trail.tunnelled and status in (400, 401, 403, 404, 405, 407, 501):
        reached = ", and the endpoint answers without it" if trail.direct else ""
        return Judged("proxy-refused", f"the proxy answers {status}{reached}")
    if status in (401, 403) and trail.login_from in ("netrc", "url"):
        source = "the netrc file" if trail.login_from == "netrc" else "the endpoint's user:password@"
        return Judged(judged.code, f"{judged.text} to the credentials of {source}", stage=judged.stage)
    if status == 400 and trail.other is Speech.TLS:
        return Judged("plaintext-on-tls-port", "the port speaks TLS and answers 400 to plaintext")
    return judged


def _settings(trail: Trail, answer: Answer) -> Judged | None:
    if trail.blame is not None:
        return Judged(trail.blame.code, trail.blame.text)
    classes = [name.rpartition(".")[2] for name in answer.error.get("chain", ())]
    if "InvalidHeader" in classes or (classes[:1] and classes[0] in ("TypeError", "UnicodeEncodeError")):
        return Judged("setting-invalid", "a header cannot be sent as it is")
    return None


def _resolve(trail: Trail, _: Answer) -> Judged | None:
    if trail.resolved is None or trail.resolved.addresses:
        return None
    if trail.proxy is not None:
        return Judged("proxy-down", "the name of the proxy has no address")
    silent = trail.resolved.error == "timeout"
    text = "the resolver does not answer" if silent else "the host name has no address on this host"
    return Judged("dns-failed", text)


def _connect(trail: Trail, answer: Answer) -> Judged | None:
    if trail.reached and (answer.silent or answer.code == "DEADLINE_EXCEEDED"):
        return _one_is_silent(trail)
    if not trail.attempts or trail.reached:
        return None
    error = trail.attempts[0].error
    code, text = CONNECT.get(error, ("unreachable", "no route to the address"))
    if code == "firewall-reject" and trail.neighbour_missing:
        code, text = "unreachable", "nobody on the local network has the address"
    if trail.proxy is not None:
        return Judged("proxy-down", f"the proxy cannot be reached: {text}")
    assert trail.destination is not None
    if not trail.destination.port_given and code in ("refused", "syn-dropped"):
        return Judged(
            "endpoint-no-port", f"no port is given, and nothing answers on port {trail.destination.port}"
        )
    return Judged(code, text)


def _one_is_silent(trail: Trail) -> Judged | None:
    """grpcio waits for one address before it tries the next, longer than an export lasts."""
    silent = sum(a.error == errno.ETIMEDOUT for a in trail.attempts)
    if not silent or trail.proxy is not None:
        return None
    text = (
        f"{silent} of {len(trail.attempts)} addresses of the name are silent, and the exporter waits for them"
    )
    return Judged("syn-dropped", text)


def _proxy(trail: Trail, _: Answer) -> Judged | None:
    failed = trail.failed
    if trail.proxy is not None and trail.proxy.kind == "other":
        return Judged("proxy-down", "the client gets no answer through this kind of proxy")
    if trail.proxy is not None and not trail.tunnelled and trail.reached:
        return Judged("proxy-down", "the proxy accepts connections and gives no answer of HTTP")
    if failed is None or failed.stage is not Stage.PROXY:
        return None
    silent = (
        trail.proxy_heard is not None and not trail.proxy_heard.data and trail.proxy_heard.end == "silence"
    )
    return Judged("proxy-down" if silent else "proxy-refused", failed.text)


def _tls(trail: Trail, _: Answer) -> Judged | None:
    seen = trail.tls
    if trail.alert.endswith("CERTIFICATE_REQUIRED"):
        return client_certificate(trail)
    if trail.asks_certificate:
        return client_certificate(trail)
    if trail.alert:
        return Judged("client-certificate-required", f"the server refuses the client ({trail.alert})")
    if seen is None or seen.ok:
        return None
    if seen.verify_code:
        return certificate(trail, seen)
    return no_handshake(trail, seen)


def _protocol(trail: Trail, answer: Answer) -> Judged | None:
    said = trail.speech
    if said is None:
        return None
    grpc = trail.exporter.transport == "grpc"
    if trail.goaway is not None:
        return Judged("goaway", f"the peer sends GOAWAY with error {trail.goaway}")
    if trail.other is Speech.TLS and not trail.exporter.tls and said is not Speech.HTTP2:
        return Judged("plaintext-on-tls-port", "the port speaks TLS")
    handlers: dict[Speech, Callable[[], Judged | None]] = {
        Speech.TLS: lambda: Judged("plaintext-on-tls-port", "the port answers with a TLS alert"),
        Speech.NOTHING: lambda: ended(trail, "silence"),
        Speech.CLOSED: lambda: ended(trail, "eof"),
        Speech.RESET: lambda: ended(trail, "reset"),
        Speech.SSH: lambda: Judged("wrong-service", "an SSH server answers"),
        Speech.OTHER: lambda: Judged("wrong-service", "something that is not HTTP answers"),
        Speech.HTTP1: lambda: _http1(trail, answer, grpc),
        Speech.HTTP2: lambda: _http2(trail, answer, grpc),
    }
    return handlers[said]()


def _http1(trail: Trail, answer: Answer, grpc: bool) -> Judged | None:
    heard = trail.heard
    assert heard is not None
    if grpc:
        return Judged("grpc-on-http-port", "an HTTP/1 server answers the gRPC client")
    if b"\r\n\r\n" not in heard.data:
        if heard.end == "silence":
            return Judged("dripping", "the head of the reply trickles in and is not complete in time")
        return Judged("malformed-reply", f"the reply is cut short: {banner(heard.data)}")
    if answer.silent:
        return Judged(
            "slow-server", "the server speaks HTTP, and its answer to an export does not come in time"
        )
    return Judged("malformed-reply", "the server speaks HTTP, and its answer to an export does not parse")


def _http2(trail: Trail, answer: Answer, grpc: bool) -> Judged | None:
    if not grpc:
        return Judged("http-on-grpc-port", "an HTTP/2 server answers the HTTP/1 client")
    if trail.reply is not None:
        found = _stream(trail)
        if found is not None:
            return found
    if answer.silent or answer.code == "DEADLINE_EXCEEDED":
        return Judged(
            "slow-server", "the server speaks HTTP/2, and its answer to an export does not come in time"
        )
    return None


def _stream(trail: Trail) -> Judged | None:
    """What the server said on the request's own stream."""
    reply = trail.reply
    assert reply is not None
    if reply.goaway is not None:
        return Judged("goaway", f"the peer sends GOAWAY with error {reply.goaway}")
    if reply.reset is not None and reply.status is None:
        return Judged("stream-refused", f"the peer resets the request with error {reply.reset}")
    status, number = reply.status, reply.grpc_status
    if status is None:
        return None
    if status >= 400:
        text = f"something in between answers HTTP {status}, not gRPC"
        return Judged(replies.http_status(status), text, stage=Stage.REQUEST)
    if status >= 300:
        return Judged("redirect", f"something in between answers HTTP {status}")
    if number is None:
        if not reply.ended:
            return None
        kind = reply.headers.get("content-type", "")
        what = "a page" if "html" in kind else "a reply without a gRPC status"
        return Judged("not-otlp", f"the server answers HTTP {status} with {what}")
    name = GRPC_NUMBERS[number] if number < len(GRPC_NUMBERS) else "UNKNOWN"
    if name == "OK":
        return None
    return Judged(replies.grpc_status(name, reply.trailers or reply.headers), f"the server answers {name}")


def _status(trail: Trail, answer: Answer) -> Judged | None:
    """The client's own status, when the server could not be asked again."""
    if trail.native:
        return Judged("dns-failed", "gRPC's own resolver (c-ares) does not find the name, the system's does")
    if not answer.code or answer.code in ("UNAVAILABLE", "UNKNOWN", "INTERNAL"):
        return None
    return replies.judge_grpc(trail.exporter.signal, answer)


_LOOKS = (_settings, _resolve, _connect, _proxy, _tls, _protocol, _status)
