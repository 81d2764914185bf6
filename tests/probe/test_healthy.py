"""Odd and healthy: these pass."""

from __future__ import annotations

import sys

import pytest

from lens_preflight.probe.model import Stage, State
from tests.faultlab import servers
from tests.faultlab.tls import certificates
from tests.probe.making import CA, ENDPOINT, GRPC, HTTP, decided, probed

needs_ipv6 = pytest.mark.skipif(not servers.has_ipv6(), reason="this host has no ::1")

ZERO_REJECTED = b"\x0a\x07\x12\x05hello"
"""partial_success with nothing rejected and a message."""


def test_202_with_a_protobuf_reply() -> None:
    port = servers.http(202, (servers.PROTOBUF,))
    assert probed({**HTTP, ENDPOINT: f"http://127.0.0.1:{port}"}).code == "ok"


def test_a_message_without_rejection_is_a_note() -> None:
    http = servers.http(200, (servers.PROTOBUF,), ZERO_REJECTED)
    grpc = servers.grpc(response=ZERO_REJECTED)
    for env in (
        {**HTTP, ENDPOINT: f"http://127.0.0.1:{http}"},
        {**GRPC, ENDPOINT: f"http://127.0.0.1:{grpc}"},
    ):
        result = probed(env)
        assert (result.code, result.notes) == ("ok", ("the server says: hello",))


@pytest.mark.parametrize("signal", ["traces", "metrics"])
def test_a_path_prefix(signal: str) -> None:
    port = servers.otlp_http(paths=(f"/otlp/v1/{signal}",))
    assert probed({**HTTP, ENDPOINT: f"http://127.0.0.1:{port}/otlp/"}, signal).code == "ok"


def test_tls_1_2_only() -> None:
    made = certificates()
    port = servers.otlp_http(tls=made.server("good", version="1.2"))
    result = probed({**HTTP, ENDPOINT: f"https://localhost:{port}", CA: made.path("ca.pem")})
    assert result.code == "ok"
    assert [r.state for r in result.stages if r.stage is Stage.TLS] == [State.OK]


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_the_certificate_of_the_server_itself_may_be_what_is_trusted(transport: str) -> None:
    made = certificates()
    http = transport == "http"
    port = servers.otlp_http(tls=made.server("good")) if http else servers.grpc(tls="good")
    env = {**(HTTP if http else GRPC), ENDPOINT: f"https://localhost:{port}", CA: made.path("good.pem")}
    accepted = not http or sys.version_info >= (3, 13)  # requests asks for the issuer before
    assert (probed(env).code == "ok") is accepted
    assert probed({**env, CA: made.path("expired.pem")}).code != "ok"


@needs_ipv6
@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_ipv6_only(transport: str) -> None:
    port = servers.otlp_http(host="::1") if transport == "http" else servers.grpc(host="::1")
    env = HTTP if transport == "http" else GRPC
    assert probed({**env, ENDPOINT: f"http://[::1]:{port}"}).code == "ok"


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_slow_within_the_time_out(transport: str) -> None:
    port = servers.otlp_http(wait=1.5) if transport == "http" else servers.grpc(wait=1.5)
    env = HTTP if transport == "http" else GRPC
    assert probed({**env, ENDPOINT: f"http://127.0.0.1:{port}"}).code == "ok"


@needs_ipv6
def test_localhost_that_listens_on_one_family_only_is_no_caution() -> None:
    port = servers.grpc(host="::1", port=servers.closed_port())  # nobody else's server on the other family
    result = decided({**GRPC, ENDPOINT: f"http://localhost:{port}"})
    assert result.code == "ok", result.message


def test_through_a_proxy_that_works() -> None:
    made = certificates()
    seen: list[str] = []
    proxy = servers.proxy(seen)
    plain, secure = servers.otlp_http(), servers.grpc(tls="good")
    http = {**HTTP, ENDPOINT: f"http://127.0.0.1:{plain}", "HTTP_PROXY": f"http://127.0.0.1:{proxy}"}
    grpc = {
        **GRPC,
        ENDPOINT: f"https://localhost:{secure}",
        CA: made.path("ca.pem"),
        "https_proxy": f"http://127.0.0.1:{proxy}",
    }
    assert [probed(http).code, probed(grpc).code] == ["ok", "ok"]
    assert f"POST http://127.0.0.1:{plain}/v1/traces" in seen
    assert f"CONNECT localhost:{secure}" in seen


def test_every_stage_is_recorded_in_order() -> None:
    made = certificates()
    port = servers.grpc(tls="good")
    result = probed({**GRPC, ENDPOINT: f"https://localhost:{port}", CA: made.path("ca.pem")})
    assert [r.stage.value for r in result.stages] == [
        "configure",
        "resolve",
        "connect",
        "tls",
        "protocol",
        "request",
        "reply",
    ]
    assert {r.state for r in result.stages} == {State.OK}
