"""Judges what the real client got: is it the answer of an OTLP server, and what does it say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.probe import otlp
from lens_preflight.probe.client import MAX_REPLY, Answer
from lens_preflight.probe.model import Stage

_SIGN_ON = re.compile(
    r"log-?in|sign-?(in|on)|\bsso\b|saml|oauth|oidc|auth(?!ority)|account|portal|captive", re.I
)

HTTP_CODES = {
    400: "bad-request",
    401: "unauthorized",
    402: "forbidden",
    403: "forbidden",
    404: "path-not-found",
    405: "method-not-allowed",
    406: "content-type-refused",
    407: "proxy-refused",
    408: "request-timeout",
    410: "path-not-found",
    413: "payload-too-large",
    415: "content-type-refused",
    429: "throttled",
    501: "wrong-service",
    502: "bad-gateway",
    503: "unavailable",
    504: "gateway-timeout",
    505: "wrong-service",
    511: "login-page",
    520: "bad-gateway",
    521: "bad-gateway",
    522: "gateway-timeout",
    523: "bad-gateway",
    524: "gateway-timeout",
}
"""HTTP status to cause; other 4xx are bad requests, other 5xx server errors."""

GRPC_CODES = {
    "CANCELLED": "stream-refused",
    "UNKNOWN": "server-error",
    "INVALID_ARGUMENT": "data-refused",
    "DEADLINE_EXCEEDED": "gateway-timeout",
    "NOT_FOUND": "path-not-found",
    "ALREADY_EXISTS": "server-error",
    "PERMISSION_DENIED": "forbidden",
    "RESOURCE_EXHAUSTED": "quota-or-size",
    "FAILED_PRECONDITION": "server-error",
    "ABORTED": "server-error",
    "OUT_OF_RANGE": "data-refused",
    "UNIMPLEMENTED": "unimplemented",
    "INTERNAL": "server-error",
    "UNAVAILABLE": "unavailable",
    "DATA_LOSS": "data-refused",
    "UNAUTHENTICATED": "unauthorized",
}
"""Status of a gRPC server to cause."""

RETRY_INFO = "google.rpc.retryinfo-bin"
"""With it, RESOURCE_EXHAUSTED is a throttle and not a limit."""


@dataclass(frozen=True)
class Judged:
    """The cause, one line about it, and remarks that do not weigh.

    ``stage`` is given when the cause showed at another stage than it mostly does.
    """

    code: str
    text: str
    notes: tuple[str, ...] = ()
    stage: Stage | None = None


def http_status(status: int) -> str:
    """The cause of an HTTP status of 400 and above."""
    return HTTP_CODES.get(status) or ("bad-request" if status < 500 else "server-error")


def judge_http(signal: str, answer: Answer) -> Judged:
    """The meaning of an HTTP reply; the exporter itself calls everything below 400 a success."""
    status = answer.status or 0
    if status >= 400:
        return Judged(http_status(status), f"the server answers {status}", stage=Stage.REQUEST)
    if status >= 300:
        return _redirect(answer)
    if status < 200:
        return Judged("malformed-reply", f"the server answers {status} and nothing else")
    if answer.ended == "limit":
        return Judged("oversized-reply", f"the reply is larger than {MAX_REPLY >> 10} KiB")
    if answer.ended in ("time", "silent"):
        return Judged("dripping", "the reply trickles in and is not complete when the time is up")
    if answer.ended == "cut":
        return Judged("malformed-reply", "the reply is cut short or wrongly encoded")
    return _success(signal, answer, status)


def _redirect(answer: Answer) -> Judged:
    target = answer.headers.get("location", "")
    if _SIGN_ON.search(target.partition("?")[0].partition("//")[2] or target):
        return Judged("login-page", f"the server answers {answer.status} with the way to a sign-on page")
    return Judged("redirect", f"the server answers {answer.status}, which the exporter counts as success")


def _success(signal: str, answer: Answer, status: int) -> Judged:
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == otlp.CONTENT_TYPE:
        return judge_message(signal, answer.body)
    if answer.body or kind not in ("", "application/octet-stream", "text/plain"):
        sign_on = b"<form" in answer.body.lower() and b"password" in answer.body.lower()
        code = "login-page" if sign_on else "not-otlp"
        what = "a sign-on page" if sign_on else f"{kind or 'something untyped'}, which is no OTLP reply"
        return Judged(code, f"the server answers {status} with {what}")
    return Judged("nonstandard-success", f"the server answers {status} without an OTLP reply")


def judge_message(signal: str, body: bytes) -> Judged:
    """The meaning of an Export response of an OTLP server."""
    from google.protobuf.message import DecodeError

    response: Any = otlp.response_type(signal)()
    try:
        response.ParseFromString(body)
    except DecodeError:
        return Judged("malformed-reply", "the reply does not decode as an OTLP response")
    if body and not response.HasField("partial_success"):
        return Judged("malformed-reply", "the reply decodes to nothing that OTLP knows")
    rejected = getattr(response.partial_success, otlp.REJECTED[signal])
    said = printable(response.partial_success.error_message)
    if rejected > 0:
        return Judged("partial-rejection", f"the server takes the request and rejects its items: {said}")
    notes = (f"the server says: {said}",) if said else ()
    return Judged("ok", "empty request accepted by an OTLP server", notes)


def judge_grpc(signal: str, answer: Answer) -> Judged:
    """The meaning of a gRPC status; only for a status that the server itself sent."""
    if answer.code == "OK" and len(answer.body) > MAX_REPLY:
        return Judged("oversized-reply", f"the reply is larger than {MAX_REPLY >> 10} KiB")
    if answer.code == "OK":
        return judge_message(signal, answer.body)
    return Judged(grpc_status(answer.code, answer.trailers), f"the server answers {answer.code}")


def grpc_status(code: str, trailers: tuple[str, ...] | Mapping[str, str]) -> str:
    """The cause of a gRPC status other than OK."""
    if code == "RESOURCE_EXHAUSTED" and RETRY_INFO in trailers:
        return "throttled"
    return GRPC_CODES.get(code, "server-error")


def printable(text: str) -> str:
    """A server's words on one short line."""
    return re.sub(r"[^ -~]", ".", text)[:120]
