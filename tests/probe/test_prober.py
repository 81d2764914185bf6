"""One probe per way to send, waiting for an endpoint, and nothing of the secrets."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import HostFiles
from lens_preflight.probe.client import ClientProcess
from lens_preflight.probe.model import Verdict
from lens_preflight.probe.prober import Prober, client_variables
from tests.faultlab import servers
from tests.faultlab.recipes import PARTIAL
from tests.faultlab.tls import certificates
from tests.probe.making import CA, ENDPOINT, GRPC, HTTP, decided, made, probed

SECRET = "hunter2"


def test_the_same_way_is_tried_once_by_all_who_ask() -> None:
    seen: list[bytes] = []
    port = servers.grpc(seen=lambda _, data: seen.append(data))
    prober = Prober(Deadline.after(20), HostFiles())
    env = {**GRPC, ENDPOINT: f"http://127.0.0.1:{port}"}
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: prober.result(made(env), Environment.of(env)), range(16)))
    prober.close()
    assert len(set(map(id, (result.stages for result in results)))) == 1
    assert seen == [b""]


def test_two_launches_that_send_the_same_way_share_a_probe() -> None:
    seen: list[bytes] = []
    port = servers.grpc(seen=lambda _, data: seen.append(data))
    prober = Prober(Deadline.after(20), HostFiles())
    url = f"http://127.0.0.1:{port}"
    lines = [Location.file("train.sbatch", n) for n in (3, 8)]
    for at in lines:
        env = Environment({ENDPOINT: Variable(ENDPOINT, State.VALUE, url, Origin("script", at))})
        result = prober.result(exporter(env, "traces", generation("0.1"), HostFiles()), env)
        assert (result.code, result.exporter.endpoint_from.location) == ("ok", at)
    prober.close()
    assert seen == [b""]


def test_each_signal_sends_its_own_empty_export() -> None:
    seen: list[str] = []
    port = servers.grpc(seen=lambda signal, _: seen.append(signal))
    for signal in ("traces", "metrics", "logs"):
        assert probed({**GRPC, ENDPOINT: f"http://127.0.0.1:{port}"}, signal).code == "ok"
    assert seen == ["traces", "metrics", "logs"]


def test_waiting_for_an_endpoint_that_comes_up() -> None:
    answers = ["UNAVAILABLE"] * 4
    port = servers.grpc(lambda: answers.pop() if answers else "")
    prober = Prober(Deadline.after(60), HostFiles(), wait=50.0)
    env = {**GRPC, ENDPOINT: f"http://127.0.0.1:{port}"}
    result = prober.result(made(env), Environment.of(env))
    prober.close()
    assert (result.code, answers) == ("ok", [])


def test_waiting_does_not_help_a_wrong_setting() -> None:
    prober = Prober(Deadline.after(60), HostFiles(), wait=50.0)
    env = {**HTTP, ENDPOINT: "collector:4318"}
    result = prober.result(made(env), Environment.of(env))
    prober.close()
    assert result.code == "endpoint-no-scheme"


def test_the_client_process_gets_what_clients_read_and_nothing_else() -> None:
    env = {
        "http_proxy": "http://p:1",
        "NO_PROXY": "x",
        "GRPC_DNS_RESOLVER": "native",
        "REQUESTS_CA_BUNDLE": "/b",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "PYTHONPATH": "/evil",
        "LD_PRELOAD": "/evil.so",
    }
    assert set(client_variables(Environment.of(env))) == {
        "http_proxy",
        "NO_PROXY",
        "GRPC_DNS_RESOLVER",
        "REQUESTS_CA_BUNDLE",
    }


def test_a_client_process_that_dies_is_an_answer() -> None:
    client = ClientProcess({})
    port = servers.raw(servers.hang)
    request = {"transport": "grpc", "target": f"127.0.0.1:{port}", "insecure": True, "headers": [],
               "timeout": 20, "compression": "none", "method": "/x/y"}  # fmt: skip
    pending = client.send(request)
    pending.started.wait(10)
    client.close()
    answer = pending.wait(10)
    assert answer is not None and answer.died
    late = client.send(request).wait(10)
    assert late is not None and late.died


@pytest.mark.parametrize("status", [200, 401, 500])
def test_no_secret_in_a_result(status: int) -> None:
    port = servers.http(status, (servers.PROTOBUF,), PARTIAL if status == 200 else SECRET.encode())
    result = probed(
        {
            **HTTP,
            ENDPOINT: f"http://user:{SECRET}@127.0.0.1:{port}",
            "OTEL_EXPORTER_OTLP_HEADERS": f"authorization={SECRET},x-key={SECRET}",
        }
    )
    plain = {k: str(v) for k, v in asdict(result).items() if k != "exporter"}
    assert SECRET not in json.dumps(plain)


def test_no_redirect_is_followed() -> None:
    seen: list[str] = []
    target = servers.otlp_http(seen=lambda path, _: seen.append(path))
    port = servers.http(307, (("Location", f"http://127.0.0.1:{target}/v1/traces"),))
    assert probed({**HTTP, ENDPOINT: f"http://127.0.0.1:{port}"}).code == "redirect"
    assert seen == []


def test_verification_is_never_switched_off_by_itself() -> None:
    port = servers.otlp_http(tls=certificates().server("self"))
    env = {**HTTP, ENDPOINT: f"https://localhost:{port}"}
    assert probed(env).code == "tls-untrusted"
    assert probed({**env, CA: certificates().path("self.pem")}).verdict is Verdict.PASS


def test_the_resolver_of_grpc_against_the_systems() -> None:
    port = servers.grpc()
    result = decided({**GRPC, ENDPOINT: f"http://127.1:{port}"})
    assert (result.code, result.settings) == ("dns-failed", (("GRPC_DNS_RESOLVER", "native"),))
    native = {"GRPC_DNS_RESOLVER": "native"}
    assert probed({**GRPC, ENDPOINT: f"http://127.1:{port}", **native}).code == "ok"


def test_a_netrc_entry_that_replaces_the_header_is_named(tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    env = {
        **HTTP,
        ENDPOINT: f"http://127.0.0.1:{servers.http(401)}",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20right",
        "HOME": str(tmp_path),
    }
    result = probed(env)
    assert (result.code, "netrc" in result.message, "netrc" in result.remedy) == ("unauthorized", True, True)
    assert SECRET not in result.message + result.remedy
