"""The HTTP half of the sink: ``POST /v1/<signal>`` in protobuf, and two pages to look at."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lens_preflight.core.numbers import whole
from lens_preflight.probe import otlp
from lens_preflight.probe.sink.store import Store

MAX_BODY = 64 << 20
_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
}


class HttpReceiver:
    """Listens on ``host:port`` (0: a free port) and keeps what it gets in ``store``."""

    def __init__(self, store: Store, host: str, port: int) -> None:
        handler = type("Handler", (_Handler,), {"store": store})
        self._server = _Server((host, port), handler)
        self.port: int = self._server.server_address[1]

    def start(self) -> None:
        """Answer on a thread of its own."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """End the thread and close the port."""
        self._server.shutdown()
        self.close()

    def close(self) -> None:
        """Close the port of a receiver that was never started."""
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        if ":" in address[0]:
            import socket

            self.address_family = socket.AF_INET6
        super().__init__(address, handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is its own affair."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60.0
    store: Store

    def version_string(self) -> str:
        return "lens-preflight-sink"

    def do_POST(self) -> None:
        body = self._body()
        signal = next((s for s in otlp.SIGNALS if self.path == otlp.path(s)), None)
        if body is None:
            self._refuse(413, "the request is too large or its length is not given")
        elif signal is None:
            self._refuse(404, "OTLP lives under " + ", ".join(map(otlp.path, otlp.SIGNALS)))
        elif self.headers.get_content_type() != otlp.CONTENT_TYPE:
            self._refuse(415, f"send {otlp.CONTENT_TYPE}")
        else:
            self._take(signal, body)

    def _take(self, signal: str, body: bytes) -> None:
        decode = _DECODERS.get((self.headers.get("content-encoding") or "").strip().lower())
        request = otlp.request_type(signal)()
        try:
            if decode is None:
                raise ValueError("unknown content encoding")
            request.ParseFromString(decode(body))
        except Exception as error:  # whatever a codec or protobuf makes of foreign bytes
            self._refuse(400, f"cannot read the request: {type(error).__name__}")
            return
        self.store.add(signal, request, "http")
        self._send(200, otlp.CONTENT_TYPE, b"")

    def do_GET(self) -> None:
        if self.path != "/":
            self._refuse(
                404 if self.path not in map(otlp.path, otlp.SIGNALS) else 405, "GET / shows what came"
            )
            return
        text = json.dumps(self.store.summary(), indent=2, sort_keys=True) + "\n"
        self._send(200, "application/json", text.encode())

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length") or "0"
        if whole(length, MAX_BODY) is None or self.headers.get("transfer-encoding"):
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: int, text: str) -> None:
        # google.rpc.Status by hand: field 2 is the message
        message = text.encode()[:120]
        self._send(status, otlp.CONTENT_TYPE, b"\x12" + bytes([len(message)]) + message)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the owner of the sink asks the store."""
