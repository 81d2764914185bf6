"""The HTTP exporter: URLs, trust, what goes on the wire, and which proxy is taken."""

from __future__ import annotations

import pytest

from lens_preflight.core.errors import LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.files import Kind, MadeUpFiles
from lens_preflight.otel.netrc import authenticators
from lens_preflight.otel.proxies import ProxyDecision, grpc_proxy, requests_proxy, requests_refusal
from lens_preflight.otel.wire import authorization, wire, wire_url

X = "OTEL_EXPORTER_OTLP_"
HTTP = {f"{X}PROTOCOL": "http/protobuf"}
NETRC = "machine c login ada password lovelace\ndefault login any password one\n"
FILES = MadeUpFiles({"/ca": Kind.PEM}, {"/home/ada/.netrc": NETRC})


def built(env: dict[str, str], signal: str = "traces") -> Exporter:
    return exporter(Environment.of({**HTTP, **env}), signal, generation("0.1"), FILES)


@pytest.mark.parametrize(
    ("env", "url"),
    [
        ({}, "http://localhost:4318/v1/traces"),
        ({f"{X}ENDPOINT": "http://c:4318/"}, "http://c:4318/v1/traces"),
        ({f"{X}ENDPOINT": "http://c:4318/otlp"}, "http://c:4318/otlp/v1/traces"),
        ({f"{X}TRACES_ENDPOINT": "http://t:4318"}, "http://t:4318"),
        ({f"{X}TRACES_ENDPOINT": "", f"{X}ENDPOINT": "http://g:1"}, "http://g:1/v1/traces"),
    ],
)
def test_urls(env: dict[str, str], url: str) -> None:
    assert built(env).target == url


def test_what_requests_verifies_with() -> None:
    ca = {f"{X}ENDPOINT": "https://c:1", f"{X}CERTIFICATE": "/ca"}
    assert built({}).verify is True
    assert built(ca).verify == "/ca"
    found = built({**ca, "REQUESTS_CA_BUNDLE": "/etc/bundle"})
    assert (found.verify, found.ca_from.name) == ("/etc/bundle", "REQUESTS_CA_BUNDLE")
    assert "ca-overridden" in [r.code for r in found.remarks]


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({f"{X}ENDPOINT": "http://c:4318/v1/traces"}, ["path-doubled"]),
        ({f"{X}ENDPOINT": "http://c:4318?tenant=a"}, ["path-doubled"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318"}, ["path-missing"]),
        ({f"{X}ENDPOINT": "http://c:4318/v1/metrics"}, ["path-doubled"]),
        ({f"{X}ENDPOINT": "http://c:4318/gateway/v1/logs/"}, ["path-doubled"]),
        ({f"{X}ENDPOINT": "http://c:4318/gateway"}, []),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces/"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/trace"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318//v1/traces"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/V1/Traces"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces;x"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces%20"}, ["path-missing"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/tr%61ces"}, []),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces/tenant-a"}, []),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces/v1/traces"}, ["path-doubled"]),
        ({f"{X}TRACES_ENDPOINT": "http://c:4318/v1/traces?tenant=a"}, []),
        ({f"{X}TRACES_ENDPOINT": "https://o0.ingest.example/api/7/otlp/v1/traces/"}, []),
        ({f"{X}TRACES_ENDPOINT": "https://ingest.example/v2/trace/otlp"}, []),
        ({f"{X}ENDPOINT": "http://c:4317"}, ["http-on-grpc-port"]),
        ({f"{X}TIMEOUT": "10s"}, ["timeout-not-a-number"]),
        ({f"{X}COMPRESSION": "zstd"}, ["compression-unknown"]),
        ({f"{X}INSECURE": "true"}, ["insecure-ignored"]),
        ({f"{X}HEADERS": "content-type=text/plain"}, ["header-type"]),
        ({f"{X}HEADERS": "a=x,y"}, ["header-dropped"]),
        ({"http_proxy": "socks5h://p:1"}, ["proxy-socks"]),
        ({"http_proxy": "socks5h://p:1", "no_proxy": "localhost"}, []),
        ({f"{X}ENDPOINT": "https://c:1", f"{X}CERTIFICATE": "/gone"}, ["ca-not-pem"]),
        ({f"{X}ENDPOINT": "https://c:1", f"{X}CLIENT_KEY": "/k"}, ["client-pair-unused"]),
    ],
)
def test_remarks(env: dict[str, str], expected: list[str]) -> None:
    assert [r.code for r in built(env).remarks] == expected


@pytest.mark.parametrize(
    ("url", "exception"),
    [
        ("c:4318/v1/traces", None),
        ("http://c:99999/v1/traces", "InvalidURL"),
        ("c/v1/traces", "MissingSchema"),
        ("http:c:4318", "InvalidURL"),
        ("grpc://[::1", "ValueError"),
    ],
)
def test_urls_that_requests_refuses(url: str, exception: str | None) -> None:
    if exception is None:
        assert wire_url(url) == url
        return
    with pytest.raises(LibraryFailure) as caught:
        wire_url(url)
    assert caught.value.exception == exception


def test_plain_urls_are_decided_without_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "requests", None)
    assert wire_url("http://gateway.example:4318/v1/traces") == "http://gateway.example:4318/v1/traces"


def test_netrc_beats_the_url_which_beats_the_headers() -> None:
    token = {f"{X}HEADERS": "authorization=Bearer%20t"}
    both = {**token, f"{X}ENDPOINT": "http://u:p@c:1"}
    home = Environment.of({"HOME": "/home/ada"})
    assert authorization(built(both), home, FILES)[1] == "netrc"
    assert authorization(built(both), Environment(), FILES) == ("Basic dTpw", "url")
    assert authorization(built(token), Environment(), FILES) == ("Bearer t", "headers")
    assert authorization(built({}), Environment(), FILES) == (None, "")


def test_a_scheme_without_adapter_never_leaves_the_process() -> None:
    with pytest.raises(LibraryFailure, match="adapter"):
        wire(built({f"{X}ENDPOINT": "c:4318"}), Environment(), FILES)


@pytest.mark.parametrize(
    ("text", "host", "found"),
    [
        (NETRC, "c", ("ada", "lovelace")),
        (NETRC, "other", ("any", "one")),
        ("machine c account acme", "c", ("acme", "")),
        ('machine c login "a b" password "p\\"q"', "c", ("a b", 'p"q')),
        ("# machine c login x\nmachine d login y password z", "c", None),
        ("macdef init\ncd machine c\n\nmachine c login l password p", "c", ("l", "p")),
        ("machine c", "c", None),
        ("", "c", None),
    ],
)
def test_netrc_files(text: str, host: str, found: tuple[str, str] | None) -> None:
    assert authenticators(text, host) == found


PROXY = "http://p:3128"


@pytest.mark.parametrize(
    ("env", "url", "decision"),
    [
        ({}, "http://c:4318/", ProxyDecision()),
        ({"http_proxy": PROXY}, "http://c:4318/", ProxyDecision(PROXY, "http_proxy")),
        ({"HTTP_PROXY": PROXY, "http_proxy": ""}, "http://c:4318/", ProxyDecision()),
        ({"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, "http://c:4318/", ProxyDecision()),
        ({"all_proxy": PROXY}, "https://c:4318/", ProxyDecision(PROXY, "all_proxy")),
        ({"http_proxy": PROXY, "NO_PROXY": "c"}, "http://c:4318/", ProxyDecision(None, "NO_PROXY", "c")),
        ({"http_proxy": PROXY, "no_proxy": "*"}, "http://c:4318/", ProxyDecision(None, "no_proxy", "*")),
        ({"http_proxy": PROXY, "no_proxy": "10."}, "http://10.1.2.3/", ProxyDecision(PROXY, "http_proxy")),
        (
            {"http_proxy": PROXY, "no_proxy": "10.0.0.0/8"},
            "http://10.1.2.3/",
            ProxyDecision(None, "no_proxy", "10.0.0.0/8"),
        ),
        ({"http_proxy": PROXY}, "http://[::1", ProxyDecision()),
    ],
)
def test_the_proxy_of_requests(env: dict[str, str], url: str, decision: ProxyDecision) -> None:
    assert requests_proxy(Environment.of(env), url) == decision


@pytest.mark.parametrize(
    ("env", "target", "decision"),
    [
        ({"http_proxy": PROXY}, "c:4317", ProxyDecision(PROXY, "http_proxy")),
        ({"HTTP_PROXY": PROXY}, "c:4317", ProxyDecision()),
        ({"grpc_proxy": PROXY, "http_proxy": "http://q:1"}, "c:4317", ProxyDecision(PROXY, "grpc_proxy")),
        ({"http_proxy": PROXY, "NO_PROXY": "c"}, "c:4317", ProxyDecision(PROXY, "http_proxy")),
        ({"http_proxy": PROXY, "no_proxy": "*"}, "c:4317", ProxyDecision(PROXY, "http_proxy")),
        ({"http_proxy": PROXY, "no_proxy": "x, c"}, "c:4317", ProxyDecision(None, "no_proxy", "c")),
        (
            {"http_proxy": PROXY, "no_proxy": "127.0.0.0/8"},
            "127.0.0.1:4317",
            ProxyDecision(None, "no_proxy", "127.0.0.0/8"),
        ),
        ({"http_proxy": PROXY, "no_proxy": "localhost"}, "127.0.0.1:1", ProxyDecision(PROXY, "http_proxy")),
        ({"http_proxy": PROXY, "no_grpc_proxy": "c"}, "c:4317", ProxyDecision(None, "no_grpc_proxy", "c")),
        ({"http_proxy": PROXY}, "unix:/run/o.sock", ProxyDecision()),
        ({"http_proxy": "socks5://p:1"}, "c:4317", ProxyDecision()),
        ({"http_proxy": "http:///proxy"}, "c:4317", ProxyDecision()),
    ],
)
def test_the_proxy_of_grpc(env: dict[str, str], target: str, decision: ProxyDecision) -> None:
    assert grpc_proxy(Environment.of(env), target) == decision


@pytest.mark.parametrize("proxy", ["p", "p:3128", "http://p:31280/", "https://Ada:p%40w@Proxy.example:8080"])
def test_plain_proxies_are_decided_without_requests(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "requests.utils", None)
    assert requests_refusal(proxy) == ("", "")
