"""Runs the real clients in a process of their own and collects what they got."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import dataclass, field
from lens_preflight.probe import otlp

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter

_BOOT = (
    "import json, runpy, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "runpy.run_module('lens_preflight.probe.worker', run_name='__main__')"
)

MAX_REPLY = 64 << 10
"""Bytes of a reply that are looked at; ``worker.MAX_BODY`` is the same number."""

_OWN = ("PATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR")
"""What the interpreter itself needs; of this process, not of the job."""


@dataclass(frozen=True)
class Answer:
    """What one request of a real client came to.

    Over HTTP ``status``, ``headers`` (names in lower case) and ``body`` are the reply, over gRPC
    ``code`` is the name of the status code and ``trailers`` the names of the trailing metadata.
    ``ended``: end (complete), limit (too large), time (still arriving when the time was up), cut,
    or silent (nothing came back in time). ``error`` is set when the client raised: its exception
    classes and numbers. ``died`` is set when the client process ended instead of answering.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    trailers: tuple[str, ...] = ()
    body: bytes = b""
    ended: str = "silent"
    error: Mapping[str, Any] = field(default_factory=dict)
    died: bool = False
    seconds: float = 0.0

    @property
    def silent(self) -> bool:
        """True when the client got no word in the time it had."""
        return self.ended == "silent"


class Pending:
    """A request on its way."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._head: dict[str, Any] = {}
        self._started = monotonic()
        self._answer: Answer | None = None
        self.started = threading.Event()
        """Set when the client's libraries are loaded and it begins to send."""
        self.settled = threading.Event()
        """Set when the answer is complete."""
        self.pleased = threading.Event()
        """Set when it is one that the exporter counts as success."""

    def put(self, event: dict[str, Any] | None) -> None:
        """Hand over an event of the client process; None: it has ended."""
        self._events.put(event)
        self.started.set()
        if event is None or event["event"] == "end":
            if event is not None and (event.get("status", 999) < 400 or event.get("code") == "OK"):
                self.pleased.set()
            self.settled.set()

    def wait(self, seconds: float) -> Answer | None:
        """The answer, None when it has not come within ``seconds``."""
        until = monotonic() + seconds
        while self._answer is None:
            try:
                event = self._events.get(timeout=min(max(0.0, until - monotonic()), threading.TIMEOUT_MAX))
            except queue.Empty:
                return None
            if event is None:
                self._answer = Answer(died=True, ended="cut", seconds=monotonic() - self._started)
            elif event["event"] == "head":
                self._head = event
            elif event["event"] == "end":
                self._answer = _answer(event)
        return self._answer

    def give_up(self) -> Answer:
        """The answer as far as it has come; what arrives later is not looked at."""
        self._answer = self.wait(0.0) or self._partial()
        return self._answer

    def _partial(self) -> Answer:
        seconds = monotonic() - self._started
        if not self._head:
            return Answer(seconds=seconds)
        return Answer(
            status=self._head["status"], headers=_lower(self._head["headers"]), ended="time", seconds=seconds
        )


class ClientProcess:
    """One process with one environment, answering any number of requests at once.

    It ends with ``close``, or when nobody holds this object any more.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        own = {name: os.environ[name] for name in _OWN if name in os.environ}
        quiet = {"GRPC_VERBOSITY": "NONE", "GRPC_TRACE": ""}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, **own, **quiet},
            text=True,
            encoding="utf-8",
        )
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._mail = _Mail()
        threading.Thread(target=_listen, args=(self._process, self._mail), daemon=True).start()
        self.close = weakref.finalize(self, _end, self._process)
        """End the process; once is enough."""

    @property
    def ended(self) -> bool:
        """True when the process answers no more."""
        return self._mail.ended

    def send(self, request: Mapping[str, Any]) -> Pending:
        """Hand a request to the process; does not wait."""
        pending = Pending()
        with self._lock:
            number = next(self._numbers)
            self._mail.expect(number, pending)
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps({"id": number, **request}) + "\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                pending.put(None)
        return pending


class _Mail:
    """Whose answer is whose; knows nothing of the process, so that the process can be let go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[int, Pending] = {}
        self.ended = False

    def expect(self, number: int, pending: Pending) -> None:
        with self._lock:
            self._pending[number] = pending
            if self.ended:
                pending.put(None)

    def deliver(self, event: dict[str, Any]) -> None:
        with self._lock:
            pending = self._pending.get(event["id"])
        if pending is not None:
            pending.put(event)

    def end(self) -> None:
        with self._lock:
            self.ended = True
            for pending in self._pending.values():
                pending.put(None)


def _listen(process: subprocess.Popen[str], mail: _Mail) -> None:
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):  # closed in the middle of a line
        for line in process.stdout:
            mail.deliver(json.loads(line))
    mail.end()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.close()


def _lower(pairs: list[list[str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in pairs}


def _answer(event: dict[str, Any]) -> Answer:
    if "error" in event:
        return Answer(error=event["error"], ended="cut", seconds=event["seconds"])
    body = base64.b64decode(event["body"])
    if "code" in event:
        return Answer(
            code=event["code"],
            trailers=tuple(event["trailers"]),
            body=body,
            ended="end",
            seconds=event["seconds"],
        )
    return Answer(
        status=event["status"],
        headers=_lower(event["headers"]),
        body=body,
        ended=event["complete"],
        seconds=event["seconds"],
    )


def request(exporter: Exporter, seconds: float, payload: bytes = b"") -> dict[str, Any]:
    """An Export of the exporter's signal, as the client process takes it; empty without a payload."""
    common = {
        "payload": base64.b64encode(payload).decode(),
        "transport": exporter.transport,
        "target": exporter.target,
        "timeout": seconds,
        "compression": exporter.compression,
    }
    if exporter.transport == "grpc":
        return common | {
            "headers": exporter.headers,
            "method": otlp.method(exporter.signal),
            "insecure": exporter.insecure,
            "ca": exporter.ca,
            "client_key": exporter.client_key,
            "client_cert": exporter.client_cert,
        }
    chain, key = exporter.client_cert, exporter.client_key
    headers = dict(exporter.headers)
    if exporter.compression != "none":
        headers.setdefault("content-encoding", exporter.compression)
    return common | {
        "headers": list(headers.items()),
        "verify": exporter.verify,
        "cert": [chain, key] if chain and key else chain,
        "budget": seconds,
    }
