"""The process in which the real clients run: requests and grpcio, with the job's own environment.

They run apart because they read proxies, resolvers and trust from the process environment, cannot
be interrupted, and grpcio can end the interpreter. Standard input takes one JSON object per request,
standard output gives JSON objects with the same ``id``; the end of the input ends the process.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

MAX_BODY = 64 << 10
"""Bytes of a reply read at most; an OTLP reply has a few dozen."""

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Answer requests until the input ends; never returns to the interpreter's slow exit."""
    lock = threading.Lock()
    out = sys.stdout

    def say(answer: dict[str, Any]) -> None:
        line = json.dumps(answer) + "\n"
        with lock:
            out.write(line)
            out.flush()

    for line in sys.stdin:
        threading.Thread(target=_serve, args=(json.loads(line), say), daemon=True).start()
    os._exit(0)


def _serve(request: dict[str, Any], say: Say) -> None:
    started = time.monotonic()
    send = _send_http if request["transport"] == "http" else _send_grpc

    def answer(event: dict[str, Any]) -> None:
        say({"id": request["id"], "seconds": time.monotonic() - started, **event})

    try:
        answer({"event": "end", **send(request, answer)})
    except Exception as error:  # whatever a client raises is the answer
        answer({"event": "end", "error": _describe(error)})


def _describe(error: BaseException) -> dict[str, Any]:
    """An exception and its causes, as class names and numbers; never its text, which may hold secrets."""
    names: list[str] = []
    facts: dict[str, Any] = {}
    todo: BaseException | None = error
    while (
        todo is not None and len(names) < 12 and f"{type(todo).__module__}.{type(todo).__name__}" not in names
    ):
        names.append(f"{type(todo).__module__}.{type(todo).__name__}")
        for name in ("errno", "verify_code", "reason"):
            value = getattr(todo, name, None)
            if isinstance(value, int) or (isinstance(value, str) and value.replace("_", "").isalnum()):
                facts.setdefault(name, value)
        inner = [getattr(todo, "reason", None), todo.__cause__, todo.__context__, *todo.args]
        todo = next((e for e in inner if isinstance(e, BaseException)), None)
    return {"chain": names, **facts}


def _send_http(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """One POST as the HTTP exporter makes it, with a bounded read."""
    import requests

    say({"event": "start"})
    session = requests.Session()
    session.verify = request["verify"]
    cert = request["cert"]
    session.cert = tuple(cert) if isinstance(cert, list) else cert
    if sys.version_info < (3, 13) and request["verify"] is not False:
        _verify_strictly(session)
    reply = session.request(
        "POST",
        request["target"],
        headers=dict(request["headers"]),
        data=_compressed(request["compression"], _payload(request)),
        timeout=request["timeout"],
        allow_redirects=False,
        stream=True,
    )
    with reply:
        head = {"status": reply.status_code, "headers": [list(p) for p in reply.headers.items()]}
        say({"event": "head", **head})
        body, complete = _read(reply, time.monotonic() + request["budget"])
    return {**head, "body": base64.b64encode(body).decode(), "complete": complete}


def _read(reply: Any, until: float) -> tuple[bytes, str]:
    """The body up to the limit, and why reading ended: end, limit, time, or cut."""
    body = bytearray()
    try:
        # byte by byte, since a longer read waits until all of it is there; a real reply is short
        for piece in itertools.chain(itertools.islice(reply.iter_content(1), 2048), reply.iter_content(2048)):
            body += piece
            if len(body) >= MAX_BODY:
                return bytes(body), "limit"
            if time.monotonic() > until:
                return bytes(body), "time"
    except Exception:  # cut short, wrongly encoded, or silent for too long
        return bytes(body), "time" if time.monotonic() > until else "cut"
    return bytes(body), "end"


def _payload(request: dict[str, Any]) -> bytes:
    """The serialized Export request; an empty one unless something is to be sent."""
    return base64.b64decode(request.get("payload", ""))


def _compressed(word: str, body: bytes) -> bytes:
    import gzip
    import zlib

    return gzip.compress(body) if word == "gzip" else zlib.compress(body) if word == "deflate" else body


def _verify_strictly(session: Any) -> None:
    """Judge certificates like Python 3.13, which every NeMo Lens process runs on, also on an older one."""
    import ssl

    from requests.adapters import HTTPAdapter
    from urllib3.util.ssl_ import create_urllib3_context

    class Strict(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **kwargs: Any) -> Any:
            return super().init_poolmanager(*args, **kwargs, ssl_context=_context())

        def proxy_manager_for(self, proxy: Any, **kwargs: Any) -> Any:
            return super().proxy_manager_for(proxy, **kwargs, ssl_context=_context())

    def _context() -> ssl.SSLContext:
        context = create_urllib3_context()
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    session.mount("https://", Strict())


def _send_grpc(request: dict[str, Any], say: Say) -> dict[str, Any]:
    """One unary call as the gRPC exporter makes it, without its retries."""
    import grpc

    say({"event": "start"})

    compression = (
        grpc.Compression.Gzip if request["compression"] == "gzip" else grpc.Compression.NoCompression
    )
    # a pool of its own: a failed attempt must not make the next one fail without trying
    options = (("grpc.use_local_subchannel_pool", 1),)
    if request["insecure"]:
        channel = grpc.insecure_channel(request["target"], compression=compression, options=options)
    else:
        parts = [_file(request[name]) for name in ("ca", "client_key", "client_cert")]
        if (parts[1] is None) is not (parts[2] is None):
            raise ValueError("half a client pair ends the interpreter")
        credentials = grpc.ssl_channel_credentials(*parts)
        channel = grpc.secure_channel(
            request["target"], credentials, compression=compression, options=options
        )
    with channel:
        call = channel.unary_unary(request["method"])
        metadata = [tuple(pair) for pair in request["headers"]]
        try:
            body, answer = call.with_call(_payload(request), metadata=metadata, timeout=request["timeout"])
        except grpc.RpcError as error:
            answer, body = error, b""
        return {
            "code": answer.code().name,
            "trailers": _names(answer),
            "body": base64.b64encode(body).decode(),
        }


def _names(answer: Any) -> list[str]:
    return [key for key, _ in answer.trailing_metadata() or ()]


def _file(path: str | None) -> bytes | None:
    """The content of a file, None when there is none; the exporter does the same."""
    try:
        with open(path or "", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    main()
