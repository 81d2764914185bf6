"""The first export: what the settings alone decide about it, over gRPC and HTTP."""

from __future__ import annotations

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.delivery import Delivery, first_answer, first_export, received
from lens_preflight.otel.dial import Dial, Place, dial
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import AllThere
from lens_preflight.otel.headers import parse

X = "OTEL_EXPORTER_OTLP_"


def export(env: dict[str, str], protocol: str = "grpc") -> Delivery:
    texts = {f"{X}PROTOCOL": protocol, f"{X}ENDPOINT": "http://c:4317", **env}
    return first_export(exporter(Environment.of(texts), "traces", generation("0.1"), AllThere()))


@pytest.mark.parametrize(
    ("env", "error"),
    [
        ({}, ""),
        ({f"{X}TIMEOUT": "0"}, "DEADLINE_EXCEEDED"),
        ({f"{X}TIMEOUT": "-1"}, "DEADLINE_EXCEEDED"),
        ({f"{X}TIMEOUT": "nan"}, "hangs"),
        ({f"{X}TIMEOUT": "inf"}, "hangs"),
        ({f"{X}TIMEOUT": "9e9"}, "hangs"),
        ({f"{X}TIMEOUT": "2e9"}, ""),
        ({f"{X}HEADERS": "tok-bin=AA"}, "TypeError"),
        ({f"{X}HEADERS": "a=%C3%A9"}, "INTERNAL"),
        ({f"{X}ENDPOINT": '"http://c:4317"'}, "UNAVAILABLE"),
        ({"NEMO_LENS_EXPORTER": "console", f"{X}TIMEOUT": "0"}, ""),
        ({"http_proxy": "http://:3128"}, "UNAVAILABLE"),
        ({"http_proxy": "http://p:abc"}, "UNAVAILABLE"),
        ({"http_proxy": "http://ada:pw@p:3128/x"}, ""),
        ({"http_proxy": "ftp://p:1"}, ""),
    ],
)
def test_over_grpc(env: dict[str, str], error: str) -> None:
    assert export(env).error == error


@pytest.mark.parametrize(
    ("env", "error"),
    [
        ({}, ""),
        ({f"{X}TIMEOUT": "0"}, "ValueError"),
        ({f"{X}TIMEOUT": "nan"}, "ValueError"),
        ({f"{X}TIMEOUT": "inf"}, "OverflowError"),
        ({f"{X}HEADERS": "tok-bin=AA"}, ""),
        ({f"{X}HEADERS": "a=%C3%A9"}, ""),
        ({f"{X}HEADERS": "a=%E2%82%AC"}, "UnicodeEncodeError"),
        ({f"{X}HEADERS": "a=x%0Ay"}, "InvalidHeader"),
        ({f"{X}ENDPOINT": "c:4318"}, "InvalidSchema"),
        ({"http_proxy": "http:///proxy"}, "InvalidProxyURL"),
        ({"http_proxy": "http:/p:1"}, "InvalidProxyURL"),
        ({"http_proxy": "//"}, "InvalidProxyURL"),
        ({"http_proxy": "http://p:99999"}, "InvalidURL"),
        ({"http_proxy": " http://p:1"}, "InvalidURL"),
        ({"http_proxy": "ftp://p:1"}, "InvalidURL"),
        ({"all_proxy": "ftp://p:1"}, "InvalidURL"),
        ({"https_proxy": "ftp://p:1"}, ""),
        ({"http_proxy": "ftp://p:1", "no_proxy": "c"}, ""),
        ({"http_proxy": "p:3128"}, ""),
        ({"http_proxy": "HTTP://ada:pw@p:31280"}, ""),
        ({"http_proxy": "socks5://p:1"}, ""),
        ({f"{X}ENDPOINT": "http://c:abc"}, "InvalidURL"),
    ],
)
def test_over_http(env: dict[str, str], error: str) -> None:
    assert export(env, "http/protobuf").error == error


@pytest.mark.parametrize(
    ("headers", "compression", "error"),
    [
        ("content-encoding=gzip", "", "400"),
        ("content-encoding=gzip", "gzip", ""),
        ("content-encoding=deflate", "gzip", "400"),
        ("content-encoding=identity", "", "400"),
        ("content-type=application/json", "", "400"),
        ("Content-Type=application/x-protobuf", "", ""),
        ("x-team=a", "", ""),
        ("content-encoding=", "", ""),
        ("content-encoding=", "gzip", "400"),
        ("content-type=application/x-protobuf%3B%20x", "", "400"),
        ("content-type=application/x-protobuf%3B%20charset%3Dutf-8", "", ""),
        ("content-type=application/x-protobuf%3B", "", ""),
        ("x%20y=1", "", "400"),
        ("x%28=1", "", "400"),
        ("a=x%01", "", "400"),
        ("a=x%09y", "", ""),
        ("a=%C3%A9", "", ""),
        ("transfer-encoding=chunked", "", "400"),
        ("expect=100-continue", "", ""),
        ("expect=much", "", "400"),
        ("host=a%20b", "", "400"),
        ("host=other:4318", "", ""),
        ("connection=close", "", ""),
        ("content-length=5", "", ""),
    ],
)
def test_headers_that_say_what_the_body_is(headers: str, compression: str, error: str) -> None:
    texts = {f"{X}PROTOCOL": "http/protobuf", f"{X}HEADERS": headers, f"{X}COMPRESSION": compression}
    made = exporter(Environment.of(texts), "traces", generation("0.1"), AllThere())
    assert first_answer(made).error == error


@pytest.mark.parametrize(
    ("endpoint", "error"),
    [
        ("http://c:4318/v1/traces", "400"),
        ("http://c:4318/v1/traces/", "400"),
        ("http://c:4318/otlp/v1/logs?tenant=a", "400"),
        ("http://c:4318/v1/metrics/../tr%61ces", "400"),
        ("http://c:4318/v1/metrics", ""),
        ("http://c:4318/v1/traces/v1/metrics", ""),
        ("http://c:4318/opentelemetry/api/v1/push", ""),
        ("http://c:4318/v2/datapoint/otlp", ""),
        ("http://c:4318", ""),
        ("http://c:abc/v1/traces", ""),
    ],
)
def test_a_path_of_another_signal(endpoint: str, error: str) -> None:
    texts = {f"{X}PROTOCOL": "http/protobuf", f"{X}METRICS_ENDPOINT": endpoint}
    found = first_answer(exporter(Environment.of(texts), "metrics", generation("0.1"), AllThere()))
    assert (found.error, found.variable) == (error, f"{X}METRICS_ENDPOINT" if error else "")


def test_grpc_has_no_path() -> None:
    texts = {f"{X}METRICS_ENDPOINT": "http://c:4317/v1/traces"}
    assert first_answer(exporter(Environment.of(texts), "metrics", generation("0.1"), AllThere())).arrives


@pytest.mark.parametrize(
    ("headers", "error"), [("connection=close", "INTERNAL"), ("te=gzip,host=x,keep-alive=1", "")]
)
def test_headers_of_the_connection_over_grpc(headers: str, error: str) -> None:
    made = exporter(Environment.of({f"{X}HEADERS": headers}), "traces", generation("0.1"), AllThere())
    assert first_answer(made).error == error


def test_no_secret_is_told() -> None:
    for env in ({f"{X}HEADERS": "tok-bin=hunter2"}, {f"{X}ENDPOINT": "http://u:hunter2@c:1"}):
        assert "hunter2" not in export(env).why


def test_metadata_that_grpc_sets_itself_is_not_received() -> None:
    texts = {f"{X}HEADERS": "a=1,te=x,grpc-timeout=1S,user-agent=me"}
    found = exporter(Environment.of(texts), "traces", generation("0.1"), AllThere())
    assert received(found) == {"a": "1"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("c:4317", Dial((Place("c", 4317),))),
        ("c", Dial((Place("c", 443, port_given=False),))),
        ("c:", Dial((Place("c", 443, port_given=False),))),
        ("c:99999", Dial((Place("c", 34463),))),
        ("c:http", Dial((Place("c", 80),))),
        ("[::1]:4317", Dial((Place("::1", 4317),))),
        ("::1:4317", Dial((Place("::1:4317", 443, port_given=False),))),
        ("dns:///c:1", Dial((Place("c", 1),))),
        ("dns:c:1", Dial((Place("c", 1),))),
        ("ipv4:10.0.0.1:1,10.0.0.2:2", Dial((Place("10.0.0.1", 1), Place("10.0.0.2", 2)))),
        ("unix:///run/o.sock", Dial((Place(path="/run/o.sock"),))),
        ("unix:run/o.sock", Dial((Place(path="run/o.sock"),))),
        ("xds:///c", Dial()),
    ],
)
def test_what_grpc_dials(target: str, expected: Dial) -> None:
    assert dial(target) == expected


@pytest.mark.parametrize(
    "target", [":4317", "c:abc", "a:1,b:2", "u:p@c:1", "http:c:1", "ipv4:c:1", "unix:", "${H}:1"]
)
def test_targets_that_lead_nowhere(target: str) -> None:
    found = dial(target)
    assert found.problem
    assert not found.places


def test_names_are_told_from_addresses() -> None:
    assert [dial(t).places[0].is_name for t in ("c:1", "10.0.0.1:1", "127.1:1", "[::1]:1", "unix:/x")] == [
        True,
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "items", "dropped", "cut"),
    [
        ("", (), (), False),
        ("a=1, B = 2 ", (("a", "1"), ("b", "2")), (), False),
        ("a=1,a=2", (("a", "2"),), (), False),
        ("a=b%20c", (("a", "b c"),), (), False),
        ("a=b c%20d", (("a", "b c%20d"),), (), False),
        ("a=b=c==", (("a", "b=c=="),), (), False),
        ("a=x,y", (("a", "x"),), (2,), True),
        ("y,a=x", (("a", "x"),), (1,), False),
        ('a="q",b:1,=v,a;b=1', (), (1, 2, 3, 4), False),
        ("a=,,b=", (("a", ""), ("b", "")), (), False),
    ],
)
def test_headers(text: str, items: tuple[tuple[str, str], ...], dropped: tuple[int, ...], cut: bool) -> None:
    found = parse(text)
    assert (found.items, found.dropped, found.after_comma) == (items, dropped, cut)
