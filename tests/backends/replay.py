"""A loopback server that plays a backend: validates every request, answers from memory."""

from __future__ import annotations

import email.utils
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from lens_preflight.backends.http import Access, Client
from lens_preflight.core.deadline import Deadline
from tests.backends.schema import HEADERS, faults

NOW = 1795976465.0
"""The clock of the replayed backends, in Unix seconds: that of the recorded bodies."""

KEYS = {
    "honeycomb": {"X-Honeycomb-Team": "planted-key"},
    "datadog": {"DD-API-KEY": "planted-key", "DD-APPLICATION-KEY": "planted-app-key"},
    "weave": {"Authorization": "Basic cGxhbnRlZC1rZXk="},
}


@dataclass(frozen=True)
class Canned:
    """One answer."""

    body: bytes = b""
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


NO_ROUTE = Canned(b"404 page not found\n", 404, "text/plain; charset=utf-8")

Answers = dict[str, Canned | Callable[[str], Canned]]
"""``METHOD /path`` as a regular expression, to an answer or to a function of the whole request text."""


class Replay:
    """A backend of one kind on a loopback port; the first answer whose pattern fits is given."""

    def __init__(self, kind: str, answers: Answers, *, now: float | None = NOW) -> None:
        self.kind = kind
        self.answers = answers
        self.now = now
        self.violations: list[str] = []
        self.requests: list[str] = []
        handler = type("Handler", (_Handler,), {"replay": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def client(self, *, seconds: float = 20.0, pause: Callable[[float], object] | None = None) -> Client:
        """A client of this server with the keys that its kind wants; it does not really pause."""
        return Client(
            self.url,
            Access(KEYS.get(self.kind, {})),
            Deadline.after(seconds),
            pause=pause or (_no_pause),
        )

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> Canned:
        parts = urlsplit(target)
        params = parse_qsl(parts.query, keep_blank_values=True)
        text = f"{method} {unquote_plus(target)} {body.decode('utf-8', 'replace')}"
        self.requests.append(text)
        found = faults(self.kind, method, parts.path, params, body)
        found += [f"header {name} is missing" for name in HEADERS.get(self.kind, ()) if name not in headers]
        if found:
            self.violations += [f"{method} {parts.path}: {fault}" for fault in found]
            return Canned(b"violation", 400, "text/plain")
        for pattern, canned in self.answers.items():
            if re.fullmatch(pattern, f"{method} {parts.path}"):
                return canned(text) if callable(canned) else canned
        return NO_ROUTE


def _no_pause(_: float) -> None:
    """Tests do not wait."""


@contextmanager
def replayed(kind: str, answers: Answers, *, now: float | None = NOW) -> Iterator[Replay]:
    """A running replay server; a request that is not documented fails the test."""
    server = Replay(kind, answers, now=now)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert not server.violations, server.violations


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error here."""


class _Handler(BaseHTTPRequestHandler):
    replay: Replay
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def _serve(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        canned = self.replay.answer(method, self.path, self.headers, body)
        self.send_response_only(canned.status)
        if self.replay.now is not None:
            self.send_header("Date", email.utils.formatdate(self.replay.now, usegmt=True))
        self.send_header("Content-Type", canned.type)
        self.send_header("Content-Length", str(len(canned.body)))
        for name, value in canned.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(canned.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""
