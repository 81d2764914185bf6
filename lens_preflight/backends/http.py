"""One bounded HTTP client for all backends: no redirect, no endless body, a budget of calls."""

from __future__ import annotations

import email.utils
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from lens_preflight.backends.failures import unreachable
from lens_preflight.backends.words import Answered, Word
from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.numbers import json_integer, whole

MAX_BODY = 4 << 20
"""Bytes of an answer read at most; the largest that is asked for has some 100 kB."""

MAX_CALL = 10.0
"""Seconds that one call may take, from the connection to the last byte."""

MAX_CALLS = 120
"""Calls to one backend in one run; the strictest vendor allows 300 an hour."""

MAX_PAUSE = 20.0
"""Seconds of a Retry-After that are still waited for."""

SHORTEST = 6
"""Signs of a token that is looked for in answers; a shorter one would be found by chance."""

Params: TypeAlias = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Reply:
    """An answer as it came: ``headers`` with names in lower case, ``body`` complete."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def type(self) -> str:
        """The media type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text; bytes that are none become replacement signs."""
        return self.body.decode("utf-8", "replace")

    @property
    def html(self) -> bool:
        """True when this is a page for people."""
        start = self.body[:512].lstrip().lower()
        return self.type == "text/html" or start.startswith((b"<!doctype html", b"<html"))

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            Answered: it is none.
        """
        try:
            return json.loads(self.body, parse_int=json_integer)
        except (ValueError, RecursionError):
            raise Answered(
                Word.MALFORMED,
                "the answer is not JSON, or is cut short",
                "run lens-preflight again; if it stays, look at the proxy in front of the backend",
                status=self.status,
            ) from None


@dataclass(frozen=True)
class Access:
    """How to get in: request headers with tokens (secrets), proxies by scheme, and what to verify by."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)
    verify: str | bool = True


class Client:
    """Calls below one base URL until the deadline; safe to use from several threads.

    ``base`` has no trailing slash, no query and no credentials. ``seconds`` is what one call may take
    (MAX_CALL unless given). ``pause`` waits a number of seconds; tests hand in their own.
    """

    def __init__(
        self,
        base: str,
        access: Access,
        deadline: Deadline,
        *,
        calls: int = MAX_CALLS,
        seconds: float | None = None,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self.base = base
        self.deadline = deadline
        self.skew = 0.0
        self._access = access
        self._left = calls
        self._seconds = seconds
        self._pause = pause
        self._lock = threading.Lock()

    def now(self) -> float:
        """The time by the clock of the backend, in Unix seconds, as far as its answers tell it."""
        return time.time() + self.skew

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The headers as gRPC metadata; secrets."""
        return tuple((name.lower(), value) for name, value in self._access.headers.items())

    def wait(self, seconds: float) -> None:
        """Pause, never beyond the deadline."""
        self._pause(self.deadline.remaining(seconds))

    def get(self, path: str, params: Params = ()) -> Reply:
        """GET below the base URL; raises Answered when there is no answer to look at."""
        return self._call("GET", path, params, None)

    def post(self, path: str, body: Any = None, params: Params = ()) -> Reply:
        """POST of a JSON body below the base URL; raises Answered likewise."""
        return self._call("POST", path, params, body)

    def _call(self, method: str, path: str, params: Params, body: Any) -> Reply:
        for attempt in range(3):
            with self._lock:
                if self._left <= 0:
                    raise Answered(Word.INCONCLUSIVE, "the budget of calls to this backend is spent")
                self._left -= 1
            reply = self._without_ours(self._once(method, path, params, body))
            wait = retry_after(reply)
            if wait is None or attempt == 2 or wait > min(MAX_PAUSE, self.deadline.remaining() - 1.0):
                return reply
            self._pause(wait)
        raise AssertionError("unreachable")

    def _without_ours(self, reply: Reply) -> Reply:
        """The reply without our own tokens: a server that repeats them may be quoted, cut at any place."""
        body = reply.body
        for value in self._access.headers.values():
            for secret in (value, value.rpartition(" ")[2]):
                if len(secret) >= SHORTEST:
                    body = body.replace(secret.encode(), b"<redacted>")
        return replace(reply, body=body)

    def _once(self, method: str, path: str, params: Params, body: Any) -> Reply:
        import requests

        seconds = self.deadline.remaining(self._seconds or MAX_CALL)
        if seconds <= 0:
            raise Answered(Word.INCONCLUSIVE, "no time is left to ask it", "give --timeout more seconds")
        until = time.monotonic() + seconds
        with requests.Session() as session:
            session.trust_env = False  # no netrc, no proxy but the one that was decided
            try:
                reply = session.request(
                    method,
                    self.base + path,
                    params=params,
                    json=body,
                    headers={
                        "Accept": "application/json",
                        "User-Agent": "lens-preflight",
                        **self._access.headers,
                    },
                    proxies=dict(self._access.proxies),
                    verify=self._access.verify,
                    timeout=seconds,
                    allow_redirects=False,
                    stream=True,
                )
                headers = {name.lower(): value for name, value in reply.headers.items()}
                self._watch_clock(headers)
                return Reply(reply.status_code, headers, _read(reply, until))
            except (requests.RequestException, OSError, ValueError) as error:
                raise unreachable(error, self.base) from None

    def _watch_clock(self, headers: Mapping[str, str]) -> None:
        """Learn the backend's clock from its Date header, which is good to a second."""
        try:
            self.skew = email.utils.parsedate_to_datetime(headers["date"]).timestamp() - time.time()
        except (KeyError, ValueError, TypeError, OverflowError):
            return
        if abs(self.skew) < 2.0:
            self.skew = 0.0


def retry_after(reply: Reply) -> float | None:
    """Seconds to wait before the same call may be made again, None when it should not be."""
    if reply.status not in (429, 503):
        return None
    text = reply.headers.get("retry-after", "").strip()
    if (seconds := whole(text)) is not None:
        return float(seconds)
    if text:
        try:
            return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
        except (ValueError, TypeError, OverflowError):
            return None
    return None


def _read(reply: Any, until: float) -> bytes:
    """The body, piece by piece as it arrives, so that a dripping server cannot hold us."""
    import urllib3

    try:
        return _bounded(reply, until)
    except urllib3.exceptions.ReadTimeoutError:
        raise _slow(reply) from None
    except urllib3.exceptions.HTTPError:
        raise Answered(Word.MALFORMED, "the answer is cut short", "run lens-preflight again") from None


def _bounded(reply: Any, until: float) -> bytes:
    body = bytearray()
    for piece in _pieces(reply):
        body += piece
        if len(body) > MAX_BODY:
            raise Answered(
                Word.MALFORMED,
                f"the answer is larger than {MAX_BODY >> 20} MiB, far more than was asked for",
                "check that --backend names the API and not a file server",
                status=reply.status_code,
            )
        if time.monotonic() > until:
            raise _slow(reply)
    return bytes(body)


def _slow(reply: Any) -> Answered:
    return Answered(
        Word.INCONCLUSIVE,
        "the answer arrives too slowly to be read in time",
        "give --timeout more seconds, or ask those who run the backend",
        status=reply.status_code,
    )


def _pieces(reply: Any) -> Any:
    """Pieces of the decoded body, at most 64 KiB each, as soon as there is a byte of one."""
    raw = reply.raw
    if not hasattr(raw, "read1"):  # urllib3 1.26
        yield from reply.iter_content(1)
        return
    while piece := raw.read1(65536, decode_content=True):
        yield piece
