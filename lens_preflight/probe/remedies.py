"""Remedies that depend on the way to the endpoint: what to write into which variable."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.otel.exporter import Exporter
from lens_preflight.probe.trail import UNUSABLE_TRUST, Trail

Settings = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Advice:
    """A remedy, and the environment assignments it consists of (None: unset)."""

    text: str
    settings: Settings = ()


def _endpoint(exporter: Exporter, text: str, why: str) -> Advice:
    """Set the variable that decides to another text; without the text when it holds credentials."""
    name = exporter.endpoint_from.name
    if not text or "@" in text:
        return Advice(f"{why} in {name}")
    return Advice(f"{why}: {name}={text}", ((name, text),))


def _value(exporter: Exporter) -> str:
    """The endpoint as the user wrote it, or the default."""
    default = "http://localhost:4317" if exporter.transport == "grpc" else "http://localhost:4318"
    return exporter.endpoint_from.value or default


def _with_scheme(scheme: str) -> Callable[[Trail], Advice]:
    def make(trail: Trail) -> Advice:
        text = _value(trail.exporter).strip()
        rest = re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:)?//", "", text)
        return _endpoint(trail.exporter, f"{scheme}://{rest}", f"write {scheme}://")

    return make


def _no_scheme(trail: Trail) -> Advice:
    return _with_scheme("http")(trail)


def _no_tls(trail: Trail) -> Advice:
    exporter = trail.exporter
    asked = exporter.insecure_from
    if exporter.transport == "grpc" and asked.name != exporter.endpoint_from.name and asked.value is not None:
        return Advice(f"say that the connection is in plaintext: {asked.name}=true", ((asked.name, "true"),))
    return _with_scheme("http")(trail)


def _syntax(trail: Trail) -> Advice:
    exporter = trail.exporter
    name = exporter.endpoint_from.name
    if not (exporter.endpoint_from.value or "").strip():
        return Advice(f"give it a value, or remove it: unset {name}", ((name, None),))
    port = 4317 if exporter.transport == "grpc" else 4318
    return Advice(f"write exactly one address: {name}=http://HOST:{port}")


def _port(trail: Trail) -> Advice:
    port = 4317 if trail.exporter.transport == "grpc" else 4318
    text = _value(trail.exporter).strip()
    head, slashes, rest = text.partition("//")
    host, slash, path = (rest if slashes else head).partition("/")
    if "?" in host or "#" in host:
        return _endpoint(trail.exporter, "", f"write the port, such as :{port},")
    return _endpoint(
        trail.exporter, f"{head + slashes if slashes else ''}{host}:{port}{slash}{path}", "add the port"
    )


def _credentials(trail: Trail) -> Advice:
    name = trail.exporter.endpoint_from.name
    return Advice(
        f"take user:password@ out of {name} and send a header: "
        "OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20BASE64"
    )


def _variable(text: str, name: str) -> Advice:
    return Advice(f"{text}: ls -l ${name}" if name else text)


def _ca_missing(trail: Trail) -> Advice:
    name = trail.ca_missing or trail.exporter.ca_from.name
    return _variable("correct the path as the training node sees it", name)


def _invalid(trail: Trail) -> Advice:
    exporter = trail.exporter
    name = trail.blame.variable if trail.blame is not None else exporter.headers_from.name
    if trail.tls is not None and trail.tls.reason == UNUSABLE_TRUST:
        name = exporter.ca_from.name
    if name == exporter.timeout_from.name:
        return Advice(f"give a number of seconds above 0: {name}=10", ((name, "10"),))
    if name == exporter.proxy.variable:
        return Advice(f"write http://HOST:PORT, or go without a proxy: unset {name}", ((name, None),))
    if name == exporter.endpoint_from.name:
        return Advice(f"end it in the path of its own signal, /v1/{exporter.signal}: correct {name}")
    if name == exporter.ca_from.name:
        return Advice(f"point it to a PEM file of certificates: {name}=/path/ca.pem")
    return Advice(f"write name=value pairs in ASCII, percent-encoded: {name}=name=value")


def _bypass(trail: Trail) -> Advice:
    """Go around the proxy, in the spelling that both clients read."""
    host = trail.destination.host if trail.destination is not None else ""
    variable = trail.exporter.proxy.variable
    if not host:
        return Advice(f"unset the proxy for the job: unset {variable}")
    return Advice(
        f"go around the proxy in lower case: no_proxy={host} (added to what is there), or unset {variable}"
    )


def _untrusted(trail: Trail) -> Advice:
    exporter = trail.exporter
    bundles = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
    name = exporter.ca_from.name
    if name in bundles and exporter.ca_from.value:
        return Advice(f"add the issuer to the bundle that {name} names, or remove it: unset {name}")
    return Advice(f"trust the issuer: {name}=/path/ca.pem (the CA, or the self-signed certificate itself)")


def _shadowed(trail: Trail) -> Advice:
    name = trail.exporter.ca_from.name
    return Advice(f"remove it for the job, or add the CA to that bundle: unset {name}", ((name, None),))


def _wrong_host(trail: Trail) -> Advice:
    names = [n for n in (trail.tls.names if trail.tls else ()) if "*" not in n]
    exporter = trail.exporter
    if not names:
        return Advice(f"use a name that the certificate holds as the host in {exporter.endpoint_from.name}")
    listed = ", ".join(names[:3])
    return Advice(f"use a name of the certificate ({listed}) as the host in {exporter.endpoint_from.name}")


def _client_certificate(trail: Trail) -> Advice:
    names = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=/path/cert.pem OTEL_EXPORTER_OTLP_CLIENT_KEY=/path/key.pem"
    if trail.exporter.transport == "grpc":
        names = f"OTEL_EXPORTER_OTLP_CERTIFICATE=/path/ca.pem {names}"
    return Advice(f"give the client certificate that this server knows: {names}")


def _speak_grpc(trail: Trail) -> Advice:
    name = trail.exporter.protocol_from.name
    return Advice(f"speak gRPC to it: {name}=grpc, or give the HTTP port 4318", ((name, "grpc"),))


def _speak_http(trail: Trail) -> Advice:
    exporter = trail.exporter
    if exporter.signal == "logs":
        return Advice(
            "NeMo Lens sends logs over gRPC only; give them the collector's gRPC port: "
            "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://HOST:4317"
        )
    name = exporter.protocol_from.name
    return Advice(
        f"speak HTTP to it: {name}=http/protobuf, or give the gRPC port 4317", ((name, "http/protobuf"),)
    )


def _closed(trail: Trail) -> Advice:
    other = "http/protobuf" if trail.exporter.transport == "grpc" else "grpc"
    name = trail.exporter.protocol_from.name
    return Advice(
        f"try https:// in {trail.exporter.endpoint_from.name}, or the other protocol: {name}={other}"
    )


def _unauthorized(trail: Trail) -> Advice:
    name = trail.exporter.headers_from.name
    if trail.login_from == "netrc":
        return Advice(f"take the host out of the netrc file, which replaces {name}: NETRC=/dev/null")
    if trail.login_from == "url":
        return _credentials(trail)
    more = (
        " (and look for the host in ~/.netrc, which replaces it)"
        if trail.exporter.transport == "http"
        else ""
    )
    return Advice(f"give the credentials: {name}=authorization=Bearer%20TOKEN{more}")


def _path(trail: Trail) -> Advice:
    exporter = trail.exporter
    name, text = exporter.endpoint_from.name, _value(exporter).strip()
    suffix = f"/v1/{exporter.signal}"
    if exporter.transport == "grpc":
        return Advice("add the route of the OTLP gRPC services to the ingress in front of the collector")
    if exporter.target.rstrip("/").endswith(suffix + suffix):
        return _endpoint(exporter, text.rstrip("/").removesuffix(suffix), "the exporter adds the path itself")
    if name.endswith(f"_{exporter.signal.upper()}_ENDPOINT") and urlsplit(text).path in ("", "/"):
        return _endpoint(exporter, text.rstrip("/") + suffix, "this variable is used as it is; add the path")
    return Advice(f"compare the path with the server's OTLP path, and correct {name}")


def _content_type(trail: Trail) -> Advice:
    name = trail.exporter.headers_from.name
    if trail.exporter.transport == "grpc":
        return Advice(
            "this is no gRPC port: give the collector's gRPC port, 4317, in "
            f"{trail.exporter.endpoint_from.name}"
        )
    return Advice(f"remove content-type and content-encoding from {name}, or change the protocol")


def _pipeline(trail: Trail) -> Advice:
    signal = trail.exporter.signal
    switch = {"traces": "NEMO_LENS_TRACES_ENABLED", "metrics": "NEMO_LENS_METRICS_ENABLED"}.get(signal)
    off = f", or switch the signal off: {switch}=0" if switch else ""
    return Advice(f"add a {signal} pipeline with this receiver to the collector{off}")


def _redirect(trail: Trail) -> Advice:
    return Advice(f"use the target of the redirect (mostly https://) in {trail.exporter.endpoint_from.name}")


def _name(trail: Trail) -> Advice:
    if trail.native:
        return Advice(
            "let gRPC ask the system's resolver: GRPC_DNS_RESOLVER=native", (("GRPC_DNS_RESOLVER", "native"),)
        )
    return Advice("correct the name, or the resolver and search domain of this host: getent hosts NAME")


BY_CAUSE: dict[str, Callable[[Trail], Advice]] = {
    "dns-failed": _name,
    "endpoint-syntax": _syntax,
    "endpoint-no-scheme": _no_scheme,
    "endpoint-no-port": _port,
    "credentials-in-url": _credentials,
    "ca-file-missing": _ca_missing,
    "setting-invalid": _invalid,
    "proxy-down": _bypass,
    "proxy-refused": _bypass,
    "tls-untrusted": _untrusted,
    "tls-ca-shadowed": _shadowed,
    "tls-wrong-host": _wrong_host,
    "client-certificate-required": _client_certificate,
    "no-alpn-h2": _speak_http,
    "tls-on-plaintext-port": _no_tls,
    "plaintext-on-tls-port": _with_scheme("https"),
    "closed-without-reply": _closed,
    "http-on-grpc-port": _speak_grpc,
    "grpc-on-http-port": _speak_http,
    "unauthorized": _unauthorized,
    "path-not-found": _path,
    "content-type-refused": _content_type,
    "unimplemented": _pipeline,
    "redirect": _redirect,
}
"""Cause to the function that words its remedy for one way."""
