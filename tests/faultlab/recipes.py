"""Which broken server a fault of the corpus means: read from its id, else from what was observed."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.faultlab import servers
from tests.faultlab.tls import certificates

PARTIAL = b"\x0a\x12\x08\x0a\x12\x0equota exceeded"
"""An Export response that says ten items were rejected."""

Fault = dict[str, Any]


@dataclass(frozen=True)
class Ready:
    """A fault with its server running: the environment to judge, placeholders filled in."""

    env: dict[str, str]
    namespace: bool = False


def ready(fault: Fault) -> Ready:
    """Start what a fault needs."""
    namespace = _elsewhere(fault["env"].get("OTEL_EXPORTER_OTLP_ENDPOINT", ""))
    default = 4318 if fault["transport"] == "http" else 4317
    needs_port = not namespace and any("PORT" in v for v in fault["env"].values())
    named = "no-such-host" in fault["env"].get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    port = server(fault) if needs_port and not named else default
    made = certificates()
    env = {}
    for key, value in fault["env"].items():
        if key.startswith("T_"):
            continue
        if "PROXYPORT" in value:
            value = value.replace("PROXYPORT", str(second(fault)))
        env[key] = value.replace("PORT", str(port)).replace("LAB", str(made.folder))
    return Ready(env, namespace)


def _elsewhere(endpoint: str) -> bool:
    """True when the endpoint is an address at which no server of ours listens: it needs its own network."""
    host = urlsplit(endpoint.replace("PROXYPORT", "1").replace("PORT", "1").strip()).hostname or ""
    try:
        return ipaddress.ip_address(host) not in (
            ipaddress.ip_address("127.0.0.1"),
            ipaddress.ip_address("::1"),
        )
    except ValueError:
        return False


def second(fault: Fault) -> int:
    """The port behind PROXYPORT: a proxy that answers a status, else a closed port."""
    status = re.search(r"proxy-(\d{3})$", fault["id"])
    return servers.http(int(status[1])) if status else servers.closed_port()


def server(fault: Fault) -> int:
    """Start the server of a fault; returns its port."""
    name = fault["id"]
    for pattern, start in RECIPES:
        found = re.search(pattern, name)
        if found is not None:
            return start(fault, found)
    return _observed(fault)


def _observed(fault: Fault) -> int:
    """A server for a fault whose id says nothing, after what the raw clients saw of it."""
    seen = fault.get("raw_client_error") or {}
    if isinstance(seen.get("status"), int) and fault["expected"] != "pass":
        found = re.match(r"(\d+)", str(seen["status"]))
        assert found is not None
        return _status(fault, found)
    if seen.get("code") not in (None, "OK", "UNAVAILABLE", "DEADLINE_EXCEEDED"):
        return servers.grpc(seen["code"], "as observed")
    return _healthy(fault)


def _healthy(fault: Fault, tls: str = "", **options: Any) -> int:
    if fault["transport"] == "grpc":
        return servers.grpc(tls=tls, **options)
    context = certificates().server(tls, **options) if tls else None
    return servers.otlp_http(tls=context)


def _tls(name: str, **options: Any) -> Callable[[Fault, re.Match[str]], int]:
    return lambda fault, _: _healthy(fault, name, **options)


def _raw(serve: Callable[[Any], None]) -> Callable[[Fault, re.Match[str]], int]:
    return lambda *_: servers.raw(serve)


def _status(fault: Fault, found: re.Match[str]) -> int:
    """An HTTP status, with the headers and a body of the kind that was observed."""
    seen = fault.get("raw_client_error") or {}
    status = int(found[1])
    headers = []
    if seen.get("content_type"):
        headers.append(("Content-Type", seen["content_type"]))
    if seen.get("location"):
        headers.append(("Location", seen["location"]))
    wait = re.search(r"retry-after-(\d+)", fault["id"])
    if wait:
        headers.append(("Retry-After", wait[1]))
    kind = seen.get("content_type") or ""
    body = PARTIAL if "partial" in fault["id"] else b""
    body = b"<html>Welcome</html>" if "html" in kind else body
    body = b'{"message":"ok"}' if "json" in kind else body
    tls = certificates().server() if fault["id"].startswith("https-") else None
    return servers.http(status, tuple(headers), body, tls=tls)


def _ingress(fault: Fault, found: re.Match[str]) -> int:
    status = int(found[1])
    return servers.raw(servers.ingress(status, b"text/html" if status in (200, 502) else b""))


def _grpc_code(fault: Fault, found: re.Match[str]) -> int:
    wait = re.search(r"retryinfo-(\d+)s", fault["id"])
    tls = "good" if fault["id"].startswith("grpcs-") else ""
    words = f"server says {found[1]}"
    return servers.grpc(found[1], words, retry=int(wait[1]) if wait else None, tls=tls)


def _slow(fault: Fault, found: re.Match[str]) -> int:
    seconds = float(found[1])
    if fault["transport"] == "grpc":
        return servers.grpc(wait=seconds)
    return servers.http(200, (servers.PROTOBUF,), wait=seconds)


def _partial(fault: Fault, found: re.Match[str]) -> int:
    if fault["transport"] == "http":
        return servers.http(200, (servers.PROTOBUF,), PARTIAL)
    return servers.grpc(response=PARTIAL)


def _old_tls(fault: Fault, found: re.Match[str]) -> int:
    return servers.http(200, tls=certificates().server("good", version=found[1]))


def _web_tls(alpn: tuple[str, ...]) -> Callable[[Fault, re.Match[str]], int]:
    return lambda *_: servers.http(200, tls=certificates().server("good", alpn=alpn))


def _drip_body(*_: object) -> int:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 40\r\n\r\n"
    return servers.raw(servers.drip(head, b"a" * 40, 1.0))


_BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

RECIPES: tuple[tuple[str, Callable[[Fault, re.Match[str]], int]], ...] = (
    (r"closed-port", lambda *_: servers.closed_port()),
    (r"accept-and-hang", _raw(servers.hang)),
    (r"-rst$", _raw(servers.reset)),
    (r"close-without-reply", _raw(servers.close)),
    (r"ssh-banner", _raw(servers.say(b"SSH-2.0-OpenSSH_9.2\r\n"))),
    (r"-banner$", _raw(servers.say(b"220 service ready\r\n"))),
    (r"drip-headers", _raw(servers.drip(b"", b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 200, 1.0))),
    (r"drip-body", _drip_body),
    (r"huge-response-(\d+)MB", lambda _, m: servers.raw(servers.flood(int(m[1]) << 20))),
    (r"huge-response-(\d+)GB", lambda _, m: servers.raw(servers.flood(int(m[1]) << 30))),
    (r"huge-response", lambda *_: servers.raw(servers.flood(300 << 20))),
    (r"without-key-usage", _tls("oldleaf")),
    (r"self-signed", _tls("self")),
    (r"expired", _tls("expired")),
    (r"wrong-host", _tls("wrong")),
    (r"tls(1\.[01])-only", _old_tls),
    (r"client-cert-required", _tls("good", ask_client=True)),
    (r"no-alpn", _web_tls(())),
    (r"alpn-http1-only", _web_tls(("http/1.1",))),
    (r"on-plaintext-port|no-scheme-means-tls", lambda fault, _: _healthy(fault)),
    (r"on-tls-port", _tls("good")),
    (r"http-client-on-grpc-port", lambda *_: servers.grpc()),
    (r"client-on-otlp-http-port", lambda *_: servers.otlp_http()),
    (r"client-on-http1-400", _raw(servers.say(_BAD_REQUEST))),
    (r"not-registered", lambda *_: servers.grpc(services=())),
    (r"partial-success", _partial),
    (r"slow-server-(\d+)s", _slow),
    (r"ingress-h2-(\d{3})", _ingress),
    (r"rst-stream", lambda *_: servers.raw(servers.ingress(200, reset_stream=7))),
    (r"goaway", lambda *_: servers.raw(servers.ingress(200, goaway=True))),
    (r"^grpcs?-([A-Z_]{4,})(?:-|$)", _grpc_code),
    (r"^https?-(\d{3})(?:-|$)", _status),
    (r"^(?:https|grpcs)-", _tls("good")),
)
"""Part of an id to server, first match; anything else gets a healthy one."""
