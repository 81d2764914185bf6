"""Broken servers on free ports of the loopback; they end with the test process."""

from __future__ import annotations

import atexit
import contextlib
import functools
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lens_preflight.probe import otlp
from tests.faultlab.tls import certificates

FOR_EVER = threading.Event()
"""Never set: what waits for it hangs until its time-out."""

PROTOBUF = ("Content-Type", "application/x-protobuf")

_KEEP: list[object] = []


@atexit.register
def stop_all() -> None:
    """Close every port; what is still talking is left to the end of the process."""
    for kept in _KEEP:
        if isinstance(kept, socket.socket):
            kept.close()
        elif isinstance(kept, ThreadingHTTPServer):
            kept.socket.close()
        else:
            kept.stop(0)  # type: ignore[attr-defined]


class Daemons(futures.Executor):
    """A thread per call that nobody waits for at the end of the interpreter."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Run a call."""
        future: futures.Future[Any] = futures.Future()

        def work() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # for whoever asks the future
                future.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        return future


def listen(host: str = "127.0.0.1") -> socket.socket:
    """A listening socket on a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, 0))
    sock.listen(512)
    return sock


def has_ipv6() -> bool:
    """Whether this host can listen on ::1."""
    try:
        listen("::1").close()
    except OSError:
        return False
    return True


def closed_port() -> int:
    """A port on which nothing listens: it stays bound, so that nobody else gets it."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    _KEEP.append(sock)
    return int(sock.getsockname()[1])


def raw(serve: Callable[[socket.socket], None], tls: ssl.SSLContext | None = None) -> int:
    """A server that treats each connection with a function."""
    sock = listen()

    def one(peer: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.closing(peer):
            if tls is None:
                serve(peer)
            else:
                with tls.wrap_socket(peer, server_side=True) as wrapped:
                    serve(wrapped)

    def loop() -> None:
        while True:
            try:
                peer, _ = sock.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(peer,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    _KEEP.append(sock)
    return int(sock.getsockname()[1])


def hang(peer: socket.socket) -> None:
    """Accept and say nothing."""
    FOR_EVER.wait(120)


def reset(peer: socket.socket) -> None:
    """Reset at once."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def close(peer: socket.socket) -> None:
    """Read a little and close."""
    peer.recv(10)


def say(words: bytes) -> Callable[[socket.socket], None]:
    """Say something, read once, and close after a while."""

    def serve(peer: socket.socket) -> None:
        peer.sendall(words)
        peer.recv(100)
        FOR_EVER.wait(0.3)

    return serve


def drip(head: bytes, words: bytes, pause: float = 0.4) -> Callable[[socket.socket], None]:
    """Answer with ``head`` at once and ``words`` byte by byte."""

    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(head)
        for byte in words:
            peer.sendall(bytes([byte]))
            FOR_EVER.wait(pause)

    return serve


def flood(size: int) -> Callable[[socket.socket], None]:
    """Answer with a body of ``size`` bytes."""

    def serve(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n" % size
        )
        block = b"x" * 65536
        for _ in range(size // len(block)):
            peer.sendall(block)

    return serve


def http(
    status: int,
    headers: tuple[tuple[str, str], ...] = (),
    body: bytes = b"",
    *,
    tls: ssl.SSLContext | None = None,
    wait: float = 0.0,
    host: str = "127.0.0.1",
    port: int = 0,
    seen: Callable[[str, bytes], None] | None = None,
    paths: tuple[str, ...] = (),
    empty: int | None = None,
) -> int:
    """An HTTP/1.1 server with one answer to everything; ``seen`` gets path and body of a POST.

    ``paths``: all others are not found. ``empty``: the status for an empty body, if another one.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length") or 0))
            known = not paths or self.path in paths
            if seen is not None and self.command == "POST" and known:
                seen(self.path, text)
            FOR_EVER.wait(wait)
            word = status if text or empty is None else empty
            self.send_response(word if known else 404)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET = do_PUT = answer  # noqa: N815 - names of the library

        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that go away are the point."""

    server = Server((host, port), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    _KEEP.append(server)
    return int(server.server_address[1])


def otlp_http(**options: Any) -> int:
    """An HTTP server that answers as an OTLP receiver does."""
    return http(200, (PROTOBUF,), **options)


def proxy(seen: list[str] | None = None) -> int:
    """A proxy that opens tunnels and passes on requests in absolute form."""

    def serve(peer: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = peer.recv(65536)
            if not piece:
                return
            head += piece
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        if seen is not None:
            seen.append(f"{method} {target}")
        if method != "CONNECT" and target.count("/") < 3:
            return
        where = target if method == "CONNECT" else target.split("/")[2]
        name, _, port = where.rpartition(":")
        with socket.create_connection((name.strip("[]"), int(port)), 5) as other:
            if method == "CONNECT":
                peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                other.sendall(head)
            threading.Thread(target=_pump, args=(other, peer), daemon=True).start()
            _pump(peer, other)

    return raw(serve)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def ingress(
    status: int, kind: bytes = b"", *, goaway: bool = False, reset_stream: int | None = None
) -> Callable[[socket.socket], None]:
    """Just enough HTTP/2 to answer each request with a status and no gRPC trailers."""

    def serve(peer: socket.socket) -> None:
        data = b""
        while len(data) < 24:
            piece = peer.recv(4096)
            if not piece:
                return
            data += piece
        data = data[24:]
        peer.sendall(_frame(4, 0, 0))
        if goaway:
            peer.sendall(_frame(7, 0, 0, struct.pack(">II", 0, 11) + b"too_many_pings"))
            FOR_EVER.wait(0.2)
            return
        while True:
            while len(data) < 9 or len(data) < 9 + int.from_bytes(data[:3], "big"):
                piece = peer.recv(65536)
                if not piece:
                    return
                data += piece
            length, what, flags = int.from_bytes(data[:3], "big"), data[3], data[4]
            stream = int.from_bytes(data[5:9], "big")
            data = data[9 + length :]
            if what == 4 and not flags & 1:
                peer.sendall(_frame(4, 1, 0))
            elif what == 6 and not flags & 1:
                peer.sendall(_frame(6, 1, 0, b"\0" * 8))
            elif what in (0, 1) and flags & 1:
                peer.sendall(_answer(stream, status, kind, reset_stream))

    return serve


def _answer(stream: int, status: int, kind: bytes, reset_stream: int | None) -> bytes:
    if reset_stream is not None:
        return _frame(3, 0, stream, struct.pack(">I", reset_stream))

    def literal(name: bytes, value: bytes) -> bytes:
        return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

    block = literal(b":status", str(status).encode())
    if kind:
        block += literal(b"content-type", kind)
    return _frame(1, 4, stream, block) + _frame(0, 1, stream, b"<html>x</html>")


def grpc(
    code: str | Callable[[], str] = "",
    words: str = "",
    *,
    wait: float = 0.0,
    response: bytes = b"",
    retry: int | None = None,
    services: tuple[str, ...] = otlp.SIGNALS,
    tls: str = "",
    ask_client: bool = False,
    host: str = "127.0.0.1",
    port: int = 0,
    seen: Callable[[str, bytes], None] | None = None,
    only_data: bool = False,
) -> int:
    """A gRPC server with one answer to every Export of ``services``.

    ``code`` may be a function that is asked each time. ``only_data``: an empty request is accepted
    whatever ``code`` says.
    """
    import grpc as library

    def export(signal: str, request: bytes, context: Any) -> bytes:
        if seen is not None:
            seen(signal, request)
        FOR_EVER.wait(wait)
        if retry is not None:
            # google.rpc.RetryInfo: field 1 is a Duration, whose field 1 are seconds
            info = b"\x0a\x02\x08" + bytes([retry])
            context.set_trailing_metadata((("google.rpc.retryinfo-bin", info),))
        word = code if isinstance(code, str) else code()
        if word and (request or not only_data):
            context.abort(getattr(library.StatusCode, word), words)
        return response

    server = library.server(Daemons(), options=(("grpc.so_reuseport", 0),))
    for signal in services:
        method = library.unary_unary_rpc_method_handler(functools.partial(export, signal))
        handler = library.method_handlers_generic_handler(otlp.service(signal), {"Export": method})
        server.add_generic_rpc_handlers((handler,))
    where = f"[{host}]:{port}" if ":" in host and not host.startswith("unix:") else f"{host}:{port}"
    where = host if host.startswith("unix:") else where
    if tls:
        made = certificates()
        pair = tuple((made.folder / f"{tls}.{end}").read_bytes() for end in ("key", "pem"))
        roots = (made.folder / "ca.pem").read_bytes() if ask_client else None
        credentials = library.ssl_server_credentials([pair], roots, ask_client)
        bound = server.add_secure_port(where, credentials)
    else:
        bound = server.add_insecure_port(where)
    server.start()
    _KEEP.append(server)
    return int(bound)
