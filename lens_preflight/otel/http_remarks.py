"""Settings of an HTTP exporter that do something else than they say.

Source: opentelemetry-exporter-otlp-proto-http 1.45.2 with requests 2.34.2, executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lens_preflight.otel.files import Kind
from lens_preflight.otel.grpc_remarks import long_timeout
from lens_preflight.otel.header_remarks import header_remarks
from lens_preflight.otel.precedence import otlp, otlp_all
from lens_preflight.otel.proxies import requests_proxy, requests_refusal
from lens_preflight.otel.remark import Part, Remark, Volume

if TYPE_CHECKING:
    from lens_preflight.otel.http_exporter import HttpSettings

GRPC_PORT = 4317
_HAS_PATH = re.compile(r"/v1(/(traces|metrics|logs))?/*\Z")
_NEAR = re.compile(r"/+v1/+(traces?|metrics?|logs?)(?:;.*|[\s/.]*)", re.IGNORECASE)
"""Paths that were meant to be the standard one, without any gateway's own path in front."""

OWN = ("content-type", "content-encoding")


def parts(settings: HttpSettings) -> tuple[Part, ...]:
    """What there is to look at, each of which may raise Undecided by itself."""
    looks = (_endpoint, _timeout, _compression, _trust, _headers, _proxy)
    return tuple(partial(look, settings) for look in looks)


def _headers(settings: HttpSettings) -> Iterator[Remark]:
    yield from header_remarks(settings.parsed_headers, settings.headers_from.name)
    for name, _ in settings.parsed_headers.items:
        if name in OWN:
            effect = f"it replaces the exporter's own {name!r}, which the collector decodes by"
            yield Remark("header-type", settings.headers_from.name, Volume.SILENT, effect)


def _proxy(settings: HttpSettings) -> Iterator[Remark]:
    proxy = requests_proxy(settings.env, settings.url)
    error, why = requests_refusal(proxy.url or "localhost")
    if error == "SOCKS":
        yield Remark("proxy-socks", proxy.variable, Volume.SILENT, why)


def _endpoint(settings: HttpSettings) -> Iterator[Remark]:
    variable, signal = settings.endpoint_from, settings.signal
    if not variable.value:
        return
    try:
        parts = urlsplit(settings.url.lstrip())
        port = parts.port
    except ValueError:
        return
    path = f"/v1/{signal}"
    general = variable.name == otlp_all("ENDPOINT")
    if parts.path.endswith(path) and _HAS_PATH.search(parts.path.removesuffix(path)):
        effect = f"{path} is appended to the general endpoint, so {parts.path} is requested"
        effect = effect if general else f"{parts.path} is requested as it is written, and not {path}"
        yield Remark("path-doubled", variable.name, Volume.SILENT, effect)
    if not general and parts.path in ("", "/"):
        effect = f"nothing is appended to the endpoint of one signal, so / is requested and not {path}"
        yield Remark("path-missing", variable.name, Volume.SILENT, effect)
    if general and (parts.query or parts.fragment):
        effect = f"{path} is appended behind the query or fragment"
        yield Remark("path-doubled", variable.name, Volume.SILENT, effect)
    near = _NEAR.fullmatch(unquote(parts.path))
    if not general and unquote(parts.path) != path and near is not None and near[1].lower() in signal:
        effect = f"{parts.path} is requested and not {path}, and a collector has no such path"
        yield Remark("path-missing", variable.name, Volume.SILENT, effect)
    if port == GRPC_PORT:
        effect = f"HTTP is spoken to port {GRPC_PORT}, where collectors expect gRPC"
        yield Remark("http-on-grpc-port", variable.name, Volume.SILENT, effect)


def _timeout(settings: HttpSettings) -> Iterator[Remark]:
    text = settings.timeout_from.value
    if text:
        try:
            float(text)
        except ValueError:
            effect = f"{text!r} is no number of seconds, so 10 is used"
            yield Remark("timeout-not-a-number", settings.timeout_from.name, Volume.WARNS, effect)
    yield from long_timeout(settings.timeout, settings.timeout_from.name)


def _compression(settings: HttpSettings) -> Iterator[Remark]:
    word = (settings.compression_from.value or "none").lower().strip()
    if word != settings.compression:
        effect = f"{word!r} is not known here, so nothing is compressed"
        yield Remark("compression-unknown", settings.compression_from.name, Volume.WARNS, effect)


def _trust(settings: HttpSettings) -> Iterator[Remark]:
    env, signal = settings.env, settings.signal
    for name in (otlp(signal, "INSECURE"), otlp_all("INSECURE")):
        if env.text(name):
            effect = "HTTP does not read it; the scheme of the endpoint decides"
            yield Remark("insecure-ignored", name, Volume.SILENT, effect)
    if not settings.url.lstrip().lower().startswith("https:"):
        return
    path, bundle = settings.ca_from.value, settings.bundle_from
    if path and bundle is not None and bundle.value != path:
        effect = f"{bundle.name} wins over it: requests takes that bundle"
        yield Remark("ca-overridden", settings.ca_from.name, Volume.SILENT, effect)
    verify = settings.verify
    if isinstance(verify, str):
        blame = (bundle or settings.ca_from).name
        kind = settings.files.kind(verify)
        if kind in (Kind.MISSING, Kind.UNREADABLE, Kind.OTHER):
            effect = "no certificate can be read from the file: every export fails"
            yield Remark("ca-not-pem", blame, Volume.SILENT, effect)
    key = env.text(otlp(signal, "CLIENT_KEY")) or env.text(otlp_all("CLIENT_KEY"))
    chain = env.text(otlp(signal, "CLIENT_CERTIFICATE")) or env.text(otlp_all("CLIENT_CERTIFICATE"))
    if key and not chain:
        effect = "a key without a certificate is not used: no client certificate is sent"
        yield Remark("client-pair-unused", otlp_all("CLIENT_KEY"), Volume.SILENT, effect)
