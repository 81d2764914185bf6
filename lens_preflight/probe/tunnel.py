"""Words of HTTP/1 by hand: a tunnel through a proxy, and a request that no receiver counts."""

from __future__ import annotations

import base64
import socket
from urllib.parse import unquote, urlsplit

from lens_preflight.core.deadline import Deadline
from lens_preflight.otel.exporter import Exporter
from lens_preflight.probe.peer import http1
from lens_preflight.probe.trail import Trail
from lens_preflight.probe.wire import PlainWire


def open_tunnel(trail: Trail, sock: socket.socket, deadline: Deadline) -> bool:
    """Ask the proxy at the other end of ``sock`` for a way to the endpoint; notes what it said."""
    where = authority(trail)
    wire = PlainWire(sock)
    login = proxy_login(trail.exporter)
    wire.send(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n{login}\r\n".encode())
    heard = wire.hear(deadline, lambda data: b"\r\n\r\n" in data)
    reply = http1(heard.data)
    trail.proxy_heard = heard
    trail.proxy_status = reply.status if reply else None
    return reply is not None and 200 <= reply.status < 300


def hello(trail: Trail) -> bytes:
    """A request that every HTTP/1 server answers, for the endpoint or its proxy."""
    where = authority(trail)
    handed_over = trail.proxy is not None and not trail.tunnelled
    absolute = f"http://{where}" if handed_over else ""
    login = proxy_login(trail.exporter) if handed_over else ""
    return (
        f"GET {absolute}/ HTTP/1.1\r\nHost: {where}\r\n{login}"
        "User-Agent: lens-preflight\r\nConnection: close\r\n\r\n"
    ).encode()


def authority(trail: Trail) -> str:
    """Host and port of the endpoint."""
    assert trail.destination is not None
    host = trail.destination.host
    return f"[{host}]:{trail.destination.port}" if ":" in host else f"{host}:{trail.destination.port}"


def proxy_login(exporter: Exporter) -> str:
    """The header line for a proxy whose URL holds credentials, else nothing."""
    url = exporter.proxy.url or ""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
    except ValueError:  # no URL: ``http://[``
        return ""
    if parts.username is None:
        return ""
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode("latin-1", "replace")
    return f"Proxy-Authorization: Basic {base64.b64encode(login).decode()}\r\n"
