"""Settings that cannot work: explained, bounded, and never fatal to this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.probe.address import Malformed, http_destination
from lens_preflight.probe.model import Verdict
from tests.faultlab import judge, servers
from tests.faultlab.tls import certificates
from tests.probe.making import CA, ENDPOINT, GRPC, HTTP, made, probed

KEY, CHAIN = "OTEL_EXPORTER_OTLP_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"


@pytest.mark.parametrize(
    ("endpoint", "code"),
    [
        ("c:4318", "endpoint-no-scheme"),
        ("localhost:4318", "endpoint-no-scheme"),
        ("[::1]:4318", "endpoint-no-scheme"),
        ("//c:4318", "endpoint-no-scheme"),
        ("c", "endpoint-no-scheme"),
        ("http:c:4318", "endpoint-syntax"),
        ("http://:4318", "endpoint-syntax"),
        ("http://c:99999", "endpoint-syntax"),
        ("http://c:abc", "endpoint-syntax"),
        ("http://a:1,http://b:1", "endpoint-syntax"),
        ("http://[::1", "endpoint-syntax"),
        ("grpc://c:4317", "endpoint-syntax"),
        ("ftp://c", "endpoint-syntax"),
        ("http://c:4318 ", "endpoint-syntax"),
    ],
)
def test_an_endpoint_that_http_cannot_dial(endpoint: str, code: str) -> None:
    result = probed({**HTTP, ENDPOINT: endpoint})
    assert (result.verdict, result.code, result.stage.value) == (Verdict.FAIL, code, "configure")
    assert ENDPOINT in result.remedy


@pytest.mark.parametrize("url", ["http://c:4318/", "HTTP://COLLECTOR:4318", " http://c:4318", "http://c"])
def test_an_endpoint_that_http_can_dial(url: str) -> None:
    assert http_destination(f"{url}/v1/traces").host in ("c", "collector")


def test_a_malformed_url_says_why() -> None:
    with pytest.raises(Malformed, match="InvalidURL"):
        http_destination("http://[::1/v1/traces")


@pytest.mark.parametrize(
    ("endpoint", "code"),
    [
        ("http://user:hunter2@c:4317", "credentials-in-url"),
        ("http://a:1,b:2", "endpoint-syntax"),
        ('"http://c:4317"', "endpoint-syntax"),
        ("http://${OTEL_HOST}:4317", "endpoint-syntax"),
        ("http://:4317", "endpoint-syntax"),
        ("http://c:abc", "endpoint-syntax"),
        ("", "endpoint-syntax"),
    ],
)
def test_an_endpoint_that_grpc_cannot_dial(endpoint: str, code: str) -> None:
    result = probed({**GRPC, ENDPOINT: endpoint})
    assert (result.verdict, result.code, result.stage.value) == (Verdict.FAIL, code, "configure")
    assert "hunter2" not in repr((result.message, result.remedy, result.settings, result.stages))


@pytest.mark.parametrize("transport", ["http", "grpc"])
@pytest.mark.parametrize("content", ["hello", "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n"])
def test_a_ca_file_that_is_no_pem(tmp_path: Path, transport: str, content: str) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(content)
    port = servers.http(200, tls=certificates().server()) if transport == "http" else servers.grpc(tls="good")
    env = {**(HTTP if transport == "http" else GRPC), ENDPOINT: f"https://localhost:{port}", CA: str(file)}
    result = probed(env)
    assert (result.code, result.blame) == ("setting-invalid", CA)
    assert f"{CA}=" in result.remedy


def test_a_ca_that_is_a_directory(tmp_path: Path) -> None:
    http = servers.otlp_http(tls=certificates().server())
    env = {ENDPOINT: f"https://localhost:{http}", CA: str(tmp_path)}
    assert probed({**HTTP, **env}).code == "tls-untrusted"  # requests takes a folder of hashed CAs
    assert judge.judge({**GRPC, **env}).code == "ca-file-missing"  # the exporter raises


@pytest.mark.parametrize("env", [HTTP, GRPC])
def test_another_certificates_key(env: dict[str, str]) -> None:
    files = certificates()
    pair = {CA: files.path("ca.pem"), CHAIN: files.path("client.pem"), KEY: files.path("good.key")}
    result = probed({**env, ENDPOINT: "https://localhost:1", **pair})
    assert (result.code, result.blame) == ("client-pair-incomplete", KEY)


def test_half_a_client_pair_never_reaches_grpc() -> None:
    files = certificates()
    env = {**GRPC, ENDPOINT: "https://localhost:1", CA: files.path("ca.pem"), CHAIN: files.path("client.pem")}
    with pytest.raises(LibraryFailure) as caught:
        made(env)
    assert caught.value.harm is Harm.ABORTS
    said = judge.judge(env)
    assert (said.verdict, said.code) == ("fail", "client-pair-incomplete")


def test_a_client_pair_that_the_server_knows() -> None:
    files = certificates()
    port = servers.grpc(tls="good", ask_client=True)
    pair = {CHAIN: files.path("client.pem"), KEY: files.path("client.key")}
    env = {**GRPC, ENDPOINT: f"https://localhost:{port}", CA: files.path("ca.pem")}
    assert probed({**env, **pair}).code == "ok"
    stranger = {CHAIN: files.path("self.pem"), KEY: files.path("self.key")}
    result = probed({**env, **stranger})
    assert result.code == "client-certificate-required"
    assert "does not accept" in result.message


def test_a_proxy_that_is_the_collector_itself() -> None:
    port = servers.grpc()
    proxies = {"http_proxy": f"http://127.0.0.1:{port}"}
    assert probed({**GRPC, ENDPOINT: f"http://127.0.0.1:{port}", **proxies}).code == "proxy-refused"


def test_a_proxy_that_tunnels_to_itself_ends() -> None:
    made_proxy = servers.proxy()
    env = {**GRPC, ENDPOINT: f"http://127.0.0.1:{made_proxy}", "http_proxy": f"http://127.0.0.1:{made_proxy}"}
    assert probed({**env, "OTEL_EXPORTER_OTLP_TIMEOUT": "2"}).verdict is Verdict.FAIL


@pytest.mark.parametrize("timeout", ["0", "-1", "inf", "nan"])
@pytest.mark.parametrize("env", [HTTP, GRPC])
def test_a_time_out_with_which_nothing_arrives(env: dict[str, str], timeout: str) -> None:
    port = servers.otlp_http() if env is HTTP else servers.grpc()
    result = probed({**env, ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_TIMEOUT": timeout})
    assert (result.code, result.blame) == ("setting-invalid", "OTEL_EXPORTER_OTLP_TIMEOUT")


def test_a_header_that_grpc_cannot_send() -> None:
    port = servers.grpc()
    env = {**GRPC, ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_HEADERS": "key-bin=abc"}
    assert probed(env).code == "setting-invalid"
