"""The first stage: what the settings alone show, before a packet is sent."""

from __future__ import annotations

import contextlib
import ssl
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.otel.delivery import first_export, path_of_another
from lens_preflight.otel.files import Kind
from lens_preflight.otel.wire import wire
from lens_preflight.probe.address import Destination, Malformed, grpc_destination, http_destination
from lens_preflight.probe.model import Stage, State
from lens_preflight.probe.trail import Blame, Trail

if TYPE_CHECKING:
    from lens_preflight.core.variable import Environment
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.otel.files import Files


def configure(trail: Trail, files: Files, env: Environment | None = None) -> bool:
    """Fill in the destination and the proxy; False when nothing can be dialled."""
    exporter = trail.exporter
    if exporter.transport == "http" and env is not None:
        with contextlib.suppress(LibraryFailure, Undecided):
            trail.login_from = wire(exporter, env, files).authorization_from
    try:
        trail.destination = destination(exporter)
    except Malformed as malformed:
        trail.blame = Blame(malformed.code, malformed.text, exporter.endpoint_from.name)
    trail.proxy = proxy_destination(exporter)
    trail.tunnelled = trail.proxy is not None and (exporter.transport == "grpc" or exporter.tls)
    trail.blame = trail.blame or _settings(exporter) or _files(trail, files)
    if trail.blame is not None:
        trail.record(Stage.CONFIGURE, State.FAILED, trail.blame.text)
        return False
    text = f"{exporter.transport} {'with TLS' if exporter.tls else 'in plaintext'}"
    if trail.ca_missing:
        text += f"; {exporter.ca_from.name} names a file that does not exist, so the default roots are used"
    if exporter.proxy.url is not None:
        text += f", through the proxy of {exporter.proxy.variable}"
    trail.record(Stage.CONFIGURE, State.OK, text)
    return True


def destination(exporter: Exporter) -> Destination:
    """Where the exporter connects to.

    Raises:
        Malformed: it cannot dial its endpoint.
    """
    if exporter.transport == "grpc":
        return grpc_destination(exporter.target)
    return http_destination(exporter.target)


def proxy_destination(exporter: Exporter) -> Destination | None:
    """Where the proxy of the exporter listens, None without one; kind other: not looked into."""
    text = exporter.proxy.url
    if text is None:
        return None
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return Destination("other")
    if parts.scheme != "http" or not host:
        return Destination("other")
    default = 443 if exporter.transport == "grpc" else 80
    return Destination(host=host, port=default if port is None else port, port_given=port is not None)


def _settings(exporter: Exporter) -> Blame | None:
    """A time-out, header or path with which no export arrives, however healthy the collector."""
    for delivery in (first_export(exporter), path_of_another(exporter)):
        if not delivery.arrives:
            return Blame("setting-invalid", f"no export can arrive: {delivery.why}", delivery.variable)
    return None


def _files(trail: Trail, files: Files) -> Blame | None:
    exporter = trail.exporter
    if not exporter.tls:
        return None
    roots = exporter.verify if exporter.transport == "http" else exporter.ca
    if isinstance(roots, str):
        blame = _roots(exporter, files.kind(roots))
        if blame is not None:
            return blame
    if exporter.transport == "grpc" and exporter.ca is None and exporter.ca_from.value:
        trail.ca_missing = exporter.ca_from.name
    return _pair(exporter, files)


def _roots(exporter: Exporter, kind: Kind) -> Blame | None:
    name = exporter.ca_from.name
    if kind is Kind.MISSING:
        return Blame("ca-file-missing", "the CA file does not exist", name)
    if kind is Kind.UNREADABLE:
        return Blame("ca-file-missing", "the CA file may not be read", name)
    if kind is Kind.OTHER:
        return Blame("setting-invalid", "the CA file holds no PEM certificate", name)
    return None


def _pair(exporter: Exporter, files: Files) -> Blame | None:
    """A client pair that the client cannot load."""
    chain, key = exporter.client_cert, exporter.client_key
    if exporter.transport == "grpc" and (chain is None) is not (key is None):
        missing = exporter.client_cert_from if chain is None else exporter.client_key_from
        return Blame("client-pair-incomplete", "half a client pair aborts the process", missing.name)
    for path, variable in ((chain, exporter.client_cert_from), (key, exporter.client_key_from)):
        if path is not None and files.kind(path) not in (Kind.PEM, Kind.OTHER):
            return Blame("client-pair-incomplete", "a file of the client pair cannot be read", variable.name)
    if chain is None:
        return None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(chain, key, password=lambda: b"")
    except (OSError, ValueError):
        text = "client certificate and client key do not belong together, or are no PEM"
        return Blame("client-pair-incomplete", text, exporter.client_key_from.name)
    return None
