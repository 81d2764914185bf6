"""Random endpoints, certificates, proxies, protocols and headers, each with its own server."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from tests.faultlab import servers
from tests.faultlab.recipes import PARTIAL
from tests.faultlab.tls import certificates

TIMEOUT = "1"


@dataclass
class Setting:
    """One environment, and what its server got.

    ``accepts``: the server takes what it gets. ``by_payload``: it treats an empty request otherwise.
    """

    env: dict[str, str]
    signal: str
    token: str
    kind: str
    accepts: bool
    by_payload: bool
    got: list[bytes] = field(default_factory=list)

    @property
    def arrived(self) -> bool:
        """True when the real exporter's item reached a server that takes it."""
        return self.accepts and any(self.token.encode() in _plain(data) for data in self.got)


@dataclass(frozen=True)
class Kind:
    """A sort of server: what it speaks, over TLS with which certificate, and what it makes of data."""

    name: str
    start: Callable[[Callable[[str, bytes], None]], int]
    speaks: str = ""
    tls: str = ""
    accepts: bool = False
    by_payload: bool = False


def _plain(data: bytes) -> bytes:
    for decode in (gzip.decompress, zlib.decompress):
        try:
            return decode(data)
        except (OSError, zlib.error, EOFError):
            continue
    return data


PATHS = ("/v1/traces", "/v1/metrics", "/otlp/v1/traces", "/otlp/v1/metrics")
_OTLP = (servers.PROTOBUF,)
_HTML = (("Content-Type", "text/html"),)


Seen = Callable[[str, bytes], None]


def _grpc(seen: Seen, *, code: str = "", tls: str = "") -> int:
    return servers.grpc(code, seen=seen, tls=tls)


def _http(seen: Seen, *, tls: str) -> int:
    return servers.otlp_http(seen=seen, tls=certificates().server(tls))


def _status(status: int, seen: Seen) -> int:
    return servers.http(status, seen=seen)


def _healthy() -> list[Kind]:
    made = certificates()
    kinds = [
        Kind("grpc", lambda seen: servers.grpc(seen=seen), "grpc", accepts=True),
        Kind("http", lambda seen: servers.otlp_http(seen=seen, paths=PATHS), "http", accepts=True),
        Kind("http 202", lambda seen: servers.http(202, _OTLP, seen=seen, paths=PATHS), "http", accepts=True),
        Kind("http slow", lambda seen: servers.otlp_http(seen=seen, wait=0.2), "http", accepts=True),
        Kind(
            "https 1.2",
            lambda seen: servers.otlp_http(seen=seen, tls=made.server("good", version="1.2")),
            "http",
            "good",
            accepts=True,
        ),
    ]
    for name in ("good", "self", "expired", "wrong", "oldleaf"):
        kinds.append(
            Kind(
                f"grpcs {name}",
                partial(_grpc, tls=name),
                "grpc",
                name,
                accepts=True,
            )
        )
        kinds.append(
            Kind(
                f"https {name}",
                partial(_http, tls=name),
                "http",
                name,
                accepts=True,
            )
        )
    for ask, speaks in (("grpcs", "grpc"), ("https", "http")):
        start = (
            (lambda seen: servers.grpc(seen=seen, tls="good", ask_client=True))
            if speaks == "grpc"
            else (lambda seen: servers.otlp_http(seen=seen, tls=made.server("good", ask_client=True)))
        )
        kinds.append(Kind(f"{ask} mutual", start, speaks, "good", accepts=True))
    return kinds


def _broken() -> list[Kind]:
    kinds = [
        Kind("closed", lambda _: servers.closed_port()),
        Kind("hang", lambda _: servers.raw(servers.hang)),
        Kind("reset", lambda _: servers.raw(servers.reset)),
        Kind("close", lambda _: servers.raw(servers.close)),
        Kind("ssh", lambda _: servers.raw(servers.say(b"SSH-2.0-x\r\n"))),
        Kind("http late", lambda seen: servers.otlp_http(seen=seen, wait=4.0), "http"),
        Kind("grpc late", lambda seen: servers.grpc(seen=seen, wait=4.0), "grpc"),
        Kind("html", lambda seen: servers.http(200, _HTML, b"<html>", seen=seen), "http"),
        Kind("partial", lambda seen: servers.http(200, _OTLP, PARTIAL, seen=seen), "http", by_payload=True),
        Kind("ingress", lambda _: servers.raw(servers.ingress(200, b"text/html")), "grpc"),
        Kind(
            "http size", lambda seen: servers.http(413, _OTLP, empty=200, seen=seen), "http", by_payload=True
        ),
        Kind(
            "grpc quota",
            lambda seen: servers.grpc("RESOURCE_EXHAUSTED", only_data=True, seen=seen),
            "grpc",
            by_payload=True,
        ),
    ]
    for status in (301, 401, 404, 500, 503):
        kinds.append(Kind(f"http {status}", partial(_status, status), "http"))
    for code in ("UNAUTHENTICATED", "UNIMPLEMENTED", "UNAVAILABLE", "INTERNAL"):
        kinds.append(Kind(f"grpc {code}", partial(_grpc, code=code), "grpc"))
    return kinds


def settings(seed: int, count: int) -> list[Setting]:
    """``count`` settings with their servers running; half of them or so should work."""
    random = Random(seed)
    healthy, broken = _healthy(), _broken()
    return [
        _setting(random, random.choice(healthy if random.random() < 0.75 else broken), f"token-{seed}-{n}")
        for n in range(count)
    ]


def _setting(random: Random, kind: Kind, token: str) -> Setting:
    speaks = kind.speaks or random.choice(("grpc", "http"))
    protocol = speaks if random.random() < 0.9 else random.choice(("grpc", "http"))
    signal = random.choice(("traces", "traces", "metrics"))
    env = {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_TRACES_ENABLED": "1" if signal == "traces" else "0",
        "NEMO_LENS_METRICS_ENABLED": "1" if signal == "metrics" else "0",
        "NEMO_LENS_LOGS_ENABLED": "0",
        "HOME": "/nonexistent",
        "PATH": "/usr/bin:/bin",
        "OTEL_EXPORTER_OTLP_TIMEOUT": TIMEOUT,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc" if protocol == "grpc" else "http/protobuf",
    }
    setting = Setting(env, signal, token, kind.name, kind.accepts, kind.by_payload)
    port = kind.start(lambda _, data: setting.got.append(data))
    env["OTEL_EXPORTER_OTLP_ENDPOINT"] = _endpoint(random, kind, port)
    _trust(random, kind, env)
    _proxies(random, env)
    _extras(random, env)
    return setting


def _endpoint(random: Random, kind: Kind, port: int) -> str:
    scheme = "https://" if kind.tls else "http://"
    if random.random() < 0.12:
        scheme = random.choice(("http://", "https://", "", "grpc://", "HTTP://"))
    host = random.choice(("localhost", "localhost", "127.0.0.1"))
    path = random.choices(("", "/", "/otlp", "/v1/traces", "/v1", " "), (82, 6, 6, 2, 2, 2))[0]
    return f"{scheme}{host}:{port}{path}"


def _trust(random: Random, kind: Kind, env: dict[str, str]) -> None:
    made = certificates()
    fits = {"self": "self.pem", "oldleaf": "oldca.pem"}.get(kind.tls, "ca.pem")
    if kind.tls and random.random() < 0.15:
        fits = f"{kind.tls}.pem"  # the certificate itself, without its issuer
    if kind.tls and random.random() < 0.85:
        env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = made.path(fits)
    elif random.random() < 0.1:
        other = random.choice(("otherca.pem", "missing.pem", "ca.pem", "good.key"))
        env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = made.path(other)
    if random.random() < (0.8 if "mutual" in kind.name else 0.08):
        env["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"] = made.path("client.pem")
        env["OTEL_EXPORTER_OTLP_CLIENT_KEY"] = made.path("client.key")
        if random.random() < 0.15:
            wrong = random.choice(("missing.key", "good.key"))
            env["OTEL_EXPORTER_OTLP_CLIENT_KEY"] = made.path(wrong)
        if random.random() < 0.1:
            del env["OTEL_EXPORTER_OTLP_CLIENT_KEY"]
    if random.random() < 0.08:
        env["REQUESTS_CA_BUNDLE"] = made.path(random.choice((fits, "otherca.pem")))


def _proxies(random: Random, env: dict[str, str]) -> None:
    if random.random() < 0.75:
        return
    name = random.choice(
        ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "grpc_proxy", "all_proxy", "ALL_PROXY")
    )
    dead = random.random() < 0.5
    env[name] = f"http://127.0.0.1:{servers.closed_port() if dead else servers.proxy()}"
    if random.random() < 0.5:
        bypass = random.choice(("no_proxy", "NO_PROXY", "no_grpc_proxy"))
        env[bypass] = random.choice(
            ("*", "127.0.0.1", "127.0.0.0/8", "localhost", "localhost,127.0.0.1", ".corp")
        )


def _extras(random: Random, env: dict[str, str]) -> None:
    if random.random() < 0.2:
        env["OTEL_EXPORTER_OTLP_HEADERS"] = random.choice(
            ("authorization=Bearer%20abc", "x-tenant=a,b=c", "data-bin=aGk", "x=%C3%A4", "a=b%0Ac", "garbage")
        )
    if random.random() < 0.15:
        env["OTEL_EXPORTER_OTLP_COMPRESSION"] = random.choice(("gzip", "gzip", "gzip", "none", "deflate"))
    if random.random() < 0.06:
        env["OTEL_EXPORTER_OTLP_INSECURE"] = random.choice(("true", "false", "1", "True"))
