"""Settings of a gRPC exporter that do something else than they say.

Source: opentelemetry-exporter-otlp-proto-grpc 1.45.2 with grpcio 1.85.3, executed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lens_preflight.otel.delivery import SWALLOWED
from lens_preflight.otel.dial import dial
from lens_preflight.otel.files import Kind
from lens_preflight.otel.header_remarks import header_remarks
from lens_preflight.otel.precedence import otlp, otlp_all
from lens_preflight.otel.remark import Part, Remark, Volume

if TYPE_CHECKING:
    from lens_preflight.otel.grpc_exporter import GrpcSettings

TRUE_LOOKING = ("1", "true", "yes", "on", "y", "t", "enabled")
HTTP_PORT = 4318
LONG = 300.0
"""Seconds above which a timeout was most likely meant in milliseconds."""


def parts(settings: GrpcSettings) -> tuple[Part, ...]:
    """What there is to look at, each of which may raise Undecided or LibraryFailure by itself."""
    looks = (_endpoint, _insecure, _timeout, _trust, _headers)
    return tuple(partial(look, settings) for look in looks)


def _headers(settings: GrpcSettings) -> Iterator[Remark]:
    yield from header_remarks(settings.headers, settings.headers_from.name)
    for name, _ in settings.headers.items:
        if name in SWALLOWED or name.startswith("grpc-"):
            effect = f"grpc sets {name!r} itself and does not send yours"
            yield Remark("header-swallowed", settings.headers_from.name, Volume.SILENT, effect)


def _endpoint(settings: GrpcSettings) -> Iterator[Remark]:
    variable = settings.endpoint_from
    if variable.value is None:
        return
    places = dial(settings.target).places
    parts = urlsplit(variable.value)
    if parts.netloc and parts.path.strip("/"):
        yield Remark(
            "path-dropped", variable.name, Volume.SILENT, "gRPC does not use the path of the endpoint"
        )
    if places and places[0].port == HTTP_PORT:
        code = "logs-on-http-port" if settings.signal == "logs" else "grpc-on-http-port"
        effect = f"gRPC is spoken to port {HTTP_PORT}, where collectors expect HTTP"
        yield Remark(code, variable.name, Volume.SILENT, effect)
    if places and not places[0].port_given and not places[0].path:
        yield Remark("port-missing", variable.name, Volume.SILENT, "without a port gRPC dials 443, not 4317")
    plain = settings.insecure_from is variable and not settings.insecure
    if plain and settings.scheme != "https" and not settings.env.text(otlp_all("CERTIFICATE")):
        effect = "without http:// in front the connection is encrypted (TLS)"
        yield Remark("tls-implied", variable.name, Volume.SILENT, effect)


def _insecure(settings: GrpcSettings) -> Iterator[Remark]:
    names = (otlp(settings.signal, "INSECURE"), otlp_all("INSECURE"))
    asked = next((settings.env[n] for n in names if settings.env.text(n) is not None), None)
    if asked is None:
        return
    word = (asked.value or "").strip().lower()
    if settings.insecure_from is settings.endpoint_from:
        if word in TRUE_LOOKING:
            effect = "https:// in the endpoint wins: the connection is encrypted"
            yield Remark("insecure-ignored", asked.name, Volume.SILENT, effect)
    elif not settings.insecure and word in TRUE_LOOKING:
        effect = "only the exact word true means plaintext: the connection is encrypted"
        yield Remark("insecure-word", asked.name, Volume.SILENT, effect)
    elif not settings.insecure and settings.scheme == "http":
        code = "insecure-word" if not word else "insecure-false"
        effect = "it wins over http:// in the endpoint: the connection is encrypted"
        yield Remark(code, asked.name, Volume.SILENT, effect)


def _timeout(settings: GrpcSettings) -> Iterator[Remark]:
    own = settings.env.text(otlp(settings.signal, "TIMEOUT"))
    seconds = settings.timeout  # raises for a text that is no number
    if own is not None and float(own) == 0:
        effect = "0 counts as unset, and the timeout of all signals is used"
        yield Remark("timeout-zero", otlp(settings.signal, "TIMEOUT"), Volume.SILENT, effect)
    yield from long_timeout(seconds, settings.timeout_from.name)


def long_timeout(seconds: float, name: str) -> Iterator[Remark]:
    """A timeout that was most likely meant in milliseconds."""
    if LONG < seconds < float("inf"):
        effect = f"the unit is seconds, so one export may take {seconds / 60:.0f} minutes"
        yield Remark("timeout-long", name, Volume.SILENT, effect)


def _trust(settings: GrpcSettings) -> Iterator[Remark]:
    """Certificates that are not looked at, on an encrypted connection."""
    env, signal = settings.env, settings.signal
    if settings.insecure:
        return
    by_signal = env.text(otlp(signal, "CERTIFICATE")) is not None

    def name(key: str) -> str:
        return otlp(signal, key) if by_signal else otlp_all(key)

    path = env.text(name("CERTIFICATE"))
    pair = [k for k in ("CLIENT_KEY", "CLIENT_CERTIFICATE") if env.text(name(k))]
    if pair and not path:
        effect = f"it is read only when {name('CERTIFICATE')} is set: no client certificate is sent"
        yield Remark("client-pair-unused", name(pair[0]), Volume.SILENT, effect)
    if by_signal and not path and env.text(otlp_all("CERTIFICATE")):
        effect = f"empty, it hides {otlp_all('CERTIFICATE')}: the default roots are used"
        yield Remark("ca-hidden", name("CERTIFICATE"), Volume.SILENT, effect)
    if by_signal and path and not pair and env.text(otlp_all("CLIENT_KEY")):
        effect = f"it is not combined with {otlp(signal, 'CERTIFICATE')}: no client certificate is sent"
        yield Remark("client-pair-unused", otlp_all("CLIENT_KEY"), Volume.SILENT, effect)
    if path and settings.files.kind(path) is Kind.MISSING:
        effect = "the file is missing, so the default roots are used"
        yield Remark("ca-missing", name("CERTIFICATE"), Volume.WARNS, effect)
    if path and settings.files.kind(path) is Kind.OTHER:
        effect = "the file holds no PEM certificate: every export fails"
        yield Remark("ca-not-pem", name("CERTIFICATE"), Volume.SILENT, effect)
