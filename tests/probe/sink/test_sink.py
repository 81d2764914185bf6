"""The receiver: three signals, two transports, found again by run id."""

from __future__ import annotations

import gzip
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from lens_preflight.probe import otlp
from lens_preflight.probe.sink.server import Sink
from lens_preflight.probe.sink.store import Store
from tests.faultlab import servers
from tests.probe.making import ENDPOINT, GRPC, HTTP, probed


@pytest.fixture
def sink() -> Iterator[Sink]:
    with Sink() as receiver:
        yield receiver


def request(signal: str, name: str, run_id: str) -> Any:
    """An Export request with one item."""
    groups, scopes, items = {
        "traces": ("resource_spans", "scope_spans", "spans"),
        "metrics": ("resource_metrics", "scope_metrics", "metrics"),
        "logs": ("resource_logs", "scope_logs", "log_records"),
    }[signal]
    message = otlp.request_type(signal)()
    group = getattr(message, groups).add()
    group.resource.attributes.add(key="nemo.run.id").value.string_value = run_id
    item = getattr(getattr(group, scopes).add(), items).add()
    if signal == "logs":
        item.body.string_value = name
    else:
        item.name = name
    return message


def post(url: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    """Status and body of a POST."""
    given = {"Content-Type": "application/x-protobuf", **{k.replace("_", "-"): v for k, v in headers.items()}}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, given), timeout=5) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


@pytest.mark.parametrize("signal", otlp.SIGNALS)
def test_what_is_sent_is_found_by_run_id(sink: Sink, signal: str) -> None:
    import grpc

    message = request(signal, "step", "run-1").SerializeToString()
    assert post(f"{sink.http_url}/v1/{signal}", message) == (200, b"")
    packed = gzip.compress(request(signal, "other", "run-2").SerializeToString())
    assert post(f"{sink.http_url}/v1/{signal}", packed, Content_Encoding="gzip")[0] == 200
    with grpc.insecure_channel(sink.grpc_url.removeprefix("http://")) as channel:
        assert channel.unary_unary(otlp.method(signal))(message, timeout=5) == b""
    assert [r.transport for r in sink.store.records(signal, "run-1")] == ["http", "grpc"]
    assert sink.store.run_ids() == ("run-1", "run-2")
    assert sink.store.records(signal, "bogus") == ()


@pytest.mark.parametrize("signal", otlp.SIGNALS)
@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_an_empty_request_is_accepted(sink: Sink, signal: str, transport: str) -> None:
    url, env = (sink.grpc_url, GRPC) if transport == "grpc" else (sink.http_url, HTTP)
    if (signal, transport) == ("logs", "http"):
        url = sink.grpc_url  # logs are sent over gRPC, whatever the protocol
    assert probed({**env, ENDPOINT: url}, signal).code == "ok"
    assert sink.store.requests(signal) == 1
    assert sink.store.records(signal) == ()


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/", b"", {}, 404),
        ("/v1/traces/v1/traces", b"", {}, 404),
        ("/v1/traces", b"garbage", {}, 400),
        ("/v1/traces", b"{}", {"Content_Type": "application/json"}, 415),
        ("/v1/traces", b"", {"Content_Encoding": "br"}, 400),
        ("/v1/traces", b"no gzip", {"Content_Encoding": "gzip"}, 400),
    ],
)
def test_what_is_no_otlp_is_refused(
    sink: Sink, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert post(sink.http_url + path, body, **headers)[0] == status
    assert sink.store.requests("traces") == 0


def test_a_page_shows_what_came(sink: Sink) -> None:
    post(f"{sink.http_url}/v1/traces", request("traces", "train", "run-1").SerializeToString())
    with urllib.request.urlopen(f"{sink.http_url}/", timeout=5) as reply:
        summary = json.load(reply)
    assert summary["runs"] == {"run-1": {"traces": {"train": 1}}}


def test_a_port_that_is_taken(sink: Sink) -> None:
    port = int(sink.http_url.rpartition(":")[2])
    with pytest.raises(OSError, match=r"port|use"):
        Sink(http_port=port)
    with pytest.raises(OSError, match=r"port|use"):
        Sink(grpc_port=int(sink.grpc_url.rpartition(":")[2]))


@pytest.mark.skipif(not servers.has_ipv6(), reason="this host has no ::1")
def test_ipv6() -> None:
    with Sink(host="::1") as receiver:
        assert probed({**GRPC, ENDPOINT: receiver.grpc_url}).code == "ok"
        assert probed({**HTTP, ENDPOINT: receiver.http_url}).code == "ok"


def test_the_oldest_go_first() -> None:
    store = Store(limit=2)
    for n in range(4):
        store.add("traces", request("traces", f"span {n}", "r"), "grpc")
    assert [r.name for r in store.records("traces")] == ["span 2", "span 3"]
    assert store.requests("traces") == 4
    assert not store.wait("traces", 3, 0.01)
    store.clear()
    assert store.records("traces") == ()
