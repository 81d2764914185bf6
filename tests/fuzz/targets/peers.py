"""A whole probe against a peer on the loopback that says anything: stages, second look, cause, advice."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import Kind, MadeUpFiles
from lens_preflight.probe.client import Pending
from lens_preflight.probe.probe import Probe
from lens_preflight.redact import Redactor
from tests.fuzz import mutate
from tests.fuzz.target import CANARY, Target
from tests.fuzz.targets.wire import frames, reply
from tests.probe.making import ENDPOINT, GRPC, HTTP, made

_ALERT = b"\x15\x03\x03\x00\x02\x02\x28"
_HELLO = (
    b"\x16\x03\x03\x00\x31\x02\x00\x00\x2d\x03\x03"
    + bytes(32)
    + b"\x00\x13\x01\x00\x00\x05\xff\x01\x00\x01\x00"
)
_BANNERS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: nginx\r\n\r\n<html>",
    b"HTTP/1.1 302 Found\r\nLocation: https://login.example/?next=/v1/traces\r\n\r\n",
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
    b"HTTP/1.1 200 Connection established\r\n\r\n",
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
    b"SSH-2.0-OpenSSH_9.2\r\n",
    b"-ERR unknown command\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    _ALERT,
    _HELLO,
    b"",
)
_ERRORS: tuple[dict[str, Any], ...] = (
    {"classes": ["ConnectionError", "NewConnectionError"], "numbers": [111]},
    {"classes": ["SSLError", "SSLCertVerificationError"], "numbers": [1, 20]},
    {"classes": ["ReadTimeout"], "numbers": []},
    {"classes": ["ProxyError", "OSError"], "numbers": [407]},
    {"classes": ["InvalidHeader"], "numbers": []},
    {"classes": [], "numbers": []},
)


class _Peer:
    """One listener of this process; each connection gets the next words, and then the end."""

    def __init__(self) -> None:
        self.words: list[bytes] = []
        self._sock = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._sock.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            peer, _ = self._sock.accept()
            with contextlib.suppress(OSError), peer:
                peer.settimeout(0.5)
                peer.sendall(self.words.pop(0) if len(self.words) > 1 else (self.words or [b""])[0])
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass


@cache
def _peer() -> _Peer:
    return _Peer()


@dataclass(frozen=True)
class Meeting:
    """The job's environment, what the peer says on each connection, what the real client got."""

    env: dict[str, str]
    signal: str
    words: tuple[bytes, ...]
    event: dict[str, Any] | None


def _words(random: Random) -> bytes:
    kind = random.randrange(4)
    if kind == 0:
        return frames(random)
    words = random.choice(_BANNERS)
    return mutate.octets(random, words) if kind == 1 else words


def _event(random: Random) -> dict[str, Any] | None:
    answer = reply(random)[1]
    end: dict[str, Any] = {"event": "end", "id": 0, "seconds": 0.1}
    if answer.died:
        return None
    if random.random() < 0.3:
        return end | {"error": random.choice(_ERRORS)}
    end["body"] = base64.b64encode(answer.body).decode()
    if random.random() < 0.5 or answer.status is None:
        return end | {"code": answer.code or "UNKNOWN", "trailers": list(answer.trailers)}
    headers = [[name.title(), value] for name, value in answer.headers.items()]
    return end | {"status": answer.status, "headers": headers, "complete": answer.ended}


def _meeting(random: Random) -> Meeting:
    env = dict(random.choice((GRPC, HTTP)))
    scheme = random.choice(("http", "http", "http", "https"))
    env[ENDPOINT] = f"{scheme}://{random.choice(('127.0.0.1', '127.0.0.1', 'localhost'))}:@port@"
    if random.random() < 0.2:
        env["http_proxy" if env["OTEL_EXPORTER_OTLP_PROTOCOL"] == "http/protobuf" else "grpc_proxy"] = (
            "http://127.0.0.1:@port@"
        )
        env[ENDPOINT] = f"{scheme}://c.example:4318"
    if random.random() < 0.3:
        env["OTEL_EXPORTER_OTLP_HEADERS"] = mutate.text(
            random, f"x-token={CANARY}", ("=", ",", "te=trailers")
        )
    if random.random() < 0.2:
        env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = random.choice(("/p/ca.pem", "/gone", ""))
    if random.random() < 0.2:
        env["OTEL_EXPORTER_OTLP_COMPRESSION"] = random.choice(("gzip", "deflate", "none"))
    env = {name: value.replace("\0", "") for name, value in env.items()}
    words = tuple(_words(random) for _ in range(random.choice((1, 1, 2, 5))))
    return Meeting(env, random.choice(("traces", "metrics", "logs")), words, _event(random))


def _use(made_up: Meeting) -> Iterator[str]:
    peer = _peer()
    peer.words = list(made_up.words)
    env = {name: value.replace("@port@", str(peer.port)) for name, value in made_up.env.items()}
    files = MadeUpFiles({"/p/ca.pem": Kind.PEM})

    def send(_request: dict[str, Any], _native: bool) -> Pending:
        pending = Pending()
        pending.put(made_up.event)
        return pending

    try:
        exporter = made({"HOME": "/nonexistent", **env}, made_up.signal, files)
    except (LibraryFailure, Undecided):
        return
    result = Probe(exporter, files, Deadline.after(5), send, env=Environment.of(env)).run()
    told = Redactor.of([env])
    for text in (result.message, result.remedy, *result.notes, *(r.text for r in result.stages)):
        assert "\n" not in text.strip() or text is result.remedy, f"several lines: {text!r}"
        yield told.redact(text)
    yield told.redact(f"{result.evidence} {[record.evidence for record in result.stages]} {result.settings}")


TARGETS = (Target("peers", 120, _meeting, _use),)
