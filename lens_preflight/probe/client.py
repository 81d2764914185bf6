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
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

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
        self.settled = threading.Event()
        """Set when the answer is complete."""

    def put(self, event: dict[str, Any] | None) -> None:
        """Hand over an event of the client process; None: it has ended."""
        self._events.put(event)
        if event is None or event["event"] == "end":
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
            else:
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
    """One process with one environment, answering any number of requests at once."""

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
        self._pending: dict[int, Pending] = {}
        self._ended = False
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def ended(self) -> bool:
        """True when the process answers no more."""
        return self._ended

    def send(self, request: Mapping[str, Any]) -> Pending:
        """Hand a request to the process; does not wait."""
        pending = Pending()
        with self._lock:
            number = next(self._numbers)
            self._pending[number] = pending
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(json.dumps({"id": number, **request}) + "\n")
                self._process.stdin.flush()
            except OSError:
                pending.put(None)
        if self._ended:
            pending.put(None)
        return pending

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            event = json.loads(line)
            with self._lock:
                pending = self._pending.get(event["id"])
            if pending is not None:
                pending.put(event)
        self._ended = True
        with self._lock:
            for pending in self._pending.values():
                pending.put(None)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
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


def request(exporter: Exporter, seconds: float) -> dict[str, Any]:
    """An empty Export of the exporter's signal, as the client process takes it."""
    common = {
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
