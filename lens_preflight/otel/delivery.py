"""The first export to a healthy collector: does it get there, and if not, with which error.

Sources: the exporters 1.45.2, grpcio 1.85.3, requests 2.34.2, executed. Only faults of the settings
themselves are told; whether the network lets a request through is the probe's business.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import LibraryFailure
from lens_preflight.otel.dial import dial
from lens_preflight.otel.exporter import Exporter
from lens_preflight.otel.proxies import requests_refusal
from lens_preflight.otel.wire import wire_url

_METADATA_NAME = re.compile(r"[0-9a-z_.-]+")
_METADATA_TEXT = re.compile(r"[\x20-\x7e]*")
_REQUEST_NAME = re.compile(r"[^:\s][^:\r\n]*")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_PARAMETERS = re.compile(r"[ \t]*([\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|\"[^\"]*\")[ \t]*(?:;[ \t]*|\Z))*", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9!$&'()*+,;=:%._~\[\]-]*")
"""What Go's net/http takes as the name and value of a header, and as a host."""

_REQUEST_TEXT = re.compile(r"\S[^\r\n]*|")
_STANDARD_PATH = re.compile(r"/v1/(traces|metrics|logs)/*\Z", re.IGNORECASE)
PROTOBUF = "application/x-protobuf"
SWALLOWED = ("te", "content-type", "user-agent")
"""Metadata that grpc sets itself; names that begin with ``grpc-`` are swallowed as well."""

LEAST = 1e-3
"""Seconds below which no gRPC call comes through, however near the collector."""

LATEST = 7e9
"""Seconds of a gRPC timeout behind which the deadline no longer fits into 64 bits of nanoseconds."""

LEAST_HTTP = 1e-6
"""Seconds below which nothing is left when the request is made."""

HANGS = "hangs"


@dataclass(frozen=True)
class Delivery:
    """What becomes of the first export.

    ``error`` is empty when it arrives; else the status of gRPC or HTTP, the exception, ``hangs``, or
    ``refused`` for a provider that the API does not take.
    ``variable`` is to blame, ``why`` says it in words; neither holds the value of a header.
    """

    error: str = ""
    variable: str = ""
    why: str = ""

    @property
    def arrives(self) -> bool:
        """True when a healthy collector gets the data."""
        return not self.error


def first_export(exporter: Exporter) -> Delivery:
    """What the settings of an exporter do to its first export."""
    if exporter.transport == "grpc":
        return _grpc(exporter)
    if exporter.transport == "http":
        return _http(exporter)
    return Delivery()


def received(exporter: Exporter) -> dict[str, str]:
    """The headers or metadata of the environment that a collector gets to see."""
    if exporter.transport == "http":
        return dict(exporter.headers)
    return {
        name: value
        for name, value in exporter.headers
        if name not in SWALLOWED and not name.startswith("grpc-")
    }


def _grpc(exporter: Exporter) -> Delivery:
    if problem := dial(exporter.target).problem:
        return Delivery("UNAVAILABLE", exporter.endpoint_from.name, problem)
    if problem := _grpc_proxy(exporter):
        return Delivery("UNAVAILABLE", exporter.proxy.variable, problem)
    blame = exporter.headers_from.name
    for name, value in exporter.headers:
        if name.endswith("-bin"):
            why = f"the header {name!r} must hold bytes, which no environment variable can give it"
            return Delivery("TypeError", blame, why)
        if not _METADATA_NAME.fullmatch(name) or not _METADATA_TEXT.fullmatch(value):
            return Delivery("INTERNAL", blame, f"gRPC refuses the header {name!r}: invalid metadata")
    seconds, variable = exporter.timeout, exporter.timeout_from.name
    if math.isnan(seconds) or math.isinf(seconds):
        return Delivery(HANGS, variable, f"with a timeout of {seconds} the first export never returns")
    if seconds > LATEST:
        why = (
            f"with a timeout of {seconds:g} s the deadline overflows, and the first export is tried for ever"
        )
        return Delivery(HANGS, variable, why)
    if seconds < LEAST:
        return Delivery("DEADLINE_EXCEEDED", variable, f"a timeout of {seconds:g} s is over at once")
    return Delivery()


def _grpc_proxy(exporter: Exporter) -> str:
    """Why gRPC cannot dial its proxy, empty when it can or has none."""
    place = (exporter.proxy.url or "")[len("http://") :].partition("/")[0].rpartition("@")[2]
    problem = dial(place).problem if place else ""
    return f"the proxy cannot be dialled: {problem}" if problem else ""


def _http(exporter: Exporter) -> Delivery:
    try:
        url = wire_url(exporter.target)
    except LibraryFailure as failure:
        return Delivery(failure.exception, exporter.endpoint_from.name, "requests refuses the URL")
    if not url.lower().startswith(("http://", "https://")):
        why = "requests sends only to http:// and https://"
        return Delivery("InvalidSchema", exporter.endpoint_from.name, why)
    for name, value in exporter.headers:
        if not _REQUEST_NAME.fullmatch(name) or not _REQUEST_TEXT.fullmatch(value):
            return Delivery("InvalidHeader", exporter.headers_from.name, f"requests refuses {name!r}")
        if not name.isascii() or any(ord(c) > 255 for c in value):
            why = f"the header {name!r} has characters that HTTP cannot carry"
            return Delivery("UnicodeEncodeError", exporter.headers_from.name, why)
    error, why = requests_refusal(exporter.proxy.url or "localhost")
    if error and error != "SOCKS":
        return Delivery(error, exporter.proxy.variable, why)
    return _http_timeout(exporter)


def first_answer(exporter: Exporter) -> Delivery:
    """What a collector says to the first export that gets there.

    Over HTTP the path may be another signal's, and a header of the environment may be one that HTTP does
    not allow, or replace one that says what the body is: 400, 415, 417 or 501. Source: the OTLP
    receiver of Collector 0.148. Over gRPC it resets each stream with a header of HTTP/1's connections.
    """
    if exporter.transport == "grpc" and "connection" in dict(exporter.headers):
        why = "a server of HTTP/2 takes the header 'connection' for an error of the protocol"
        return Delivery("INTERNAL", exporter.headers_from.name, why)
    if exporter.transport != "http":
        return Delivery()
    elsewhere = path_of_another(exporter)
    if not elsewhere.arrives:
        return elsewhere
    why = next(_refused_headers(exporter), "")
    return Delivery("400", exporter.headers_from.name, why) if why else Delivery()


def _refused_headers(exporter: Exporter) -> Iterator[str]:
    """Why a server refuses the headers, or cannot read the body that they describe."""
    for name, value in exporter.headers:
        if not _TOKEN.fullmatch(name) or not _FIELD.fullmatch(value):
            yield f"a server refuses the header {name!r}: HTTP does not allow its characters"
    headers = dict(exporter.headers)
    kind, _, parameters = headers.get("content-type", PROTOBUF).partition(";")
    if kind.strip().lower() != PROTOBUF:
        yield f"the header 'content-type' says {kind.strip().lower()!r}, and the body is protobuf"
    if not _PARAMETERS.fullmatch(parameters):
        yield "the header 'content-type' cannot be read behind its ';'"
    coding = headers.get("content-encoding", "").strip().lower()
    sent = "" if exporter.compression == "none" else exporter.compression
    if coding != sent:  # a collector refuses the word identity as well
        yield f"the header 'content-encoding' says {coding!r}, and the body is sent as {sent or 'it is'!r}"
    if "transfer-encoding" in headers:
        yield "the header 'transfer-encoding' promises a body in pieces, and it is sent in one"
    if headers.get("expect", "").lower() not in ("", "100-continue"):
        yield "the header 'expect' asks for what no server does"
    if not _HOST.fullmatch(headers.get("host", "")):
        yield "the header 'host' holds no host"


def path_of_another(exporter: Exporter) -> Delivery:
    """Data of one signal sent to the standard path of another: 400 for each batch.

    An empty request is taken there all the same: it is a valid one of any signal.
    Source: the OTLP receiver of Collector 0.148.
    """
    try:
        path = unquote(urlsplit(wire_url(exporter.target)).path)
    except (LibraryFailure, ValueError):
        return Delivery()
    found = _STANDARD_PATH.search(path)
    if exporter.transport != "http" or found is None or found[1].lower() == exporter.signal:
        return Delivery()
    why = f"{exporter.signal} are sent to the path of {found[1].lower()}, where no server can read them"
    return Delivery("400", exporter.endpoint_from.name, why)


def _http_timeout(exporter: Exporter) -> Delivery:
    """What urllib3 and the socket below it say to a timeout."""
    seconds, variable = exporter.timeout, exporter.timeout_from.name
    if math.isnan(seconds):
        return Delivery("ValueError", variable, "a timeout of nan is refused")
    if seconds < LEAST_HTTP:
        return Delivery("ValueError", variable, f"a timeout of {seconds:g} s is refused")
    if seconds >= 2**63 / 1e9:
        return Delivery("OverflowError", variable, f"a timeout of {seconds:g} s is refused")
    return Delivery()
