"""Every wait ends with the deadline, whatever the peer does."""

from __future__ import annotations

import errno
import socket
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import HostFiles
from lens_preflight.probe import net
from lens_preflight.probe.model import Verdict
from lens_preflight.probe.net import Address, close_all, connect_all, resolve
from lens_preflight.probe.prober import Prober
from lens_preflight.probe.wire import PlainWire
from tests.faultlab import judge, netns, servers
from tests.probe.making import ENDPOINT, GRPC, HTTP, made, probed

SHORT = {"OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 900\r\n\r\n"


@pytest.mark.parametrize(
    ("serve", "env", "code"),
    [
        (servers.drip(b"", HEAD, 0.2), HTTP, "dripping"),
        (servers.drip(HEAD, b"a" * 900, 0.2), HTTP, "dripping"),
        (servers.flood(300 << 20), HTTP, "oversized-reply"),
        (servers.hang, HTTP, "hung"),
        (servers.hang, GRPC, "hung"),
    ],
    ids=["header drip", "body drip", "300 MB", "HTTP hang", "gRPC hang"],
)
def test_a_peer_that_never_ends(
    serve: Callable[[socket.socket], None], env: dict[str, str], code: str
) -> None:
    port = servers.raw(serve)
    result = probed({**env, **SHORT, ENDPOINT: f"http://127.0.0.1:{port}"})
    assert (result.verdict, result.code) == (Verdict.FAIL, code)


def test_the_deadline_of_the_run_cuts_a_long_time_out() -> None:
    port = servers.raw(servers.hang)
    env = {**GRPC, ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_TIMEOUT": "10000"}
    result = probed(env, seconds=6.0)
    assert (result.verdict, result.code) == (Verdict.FAIL, "hung")


def test_the_answer_comes_before_the_deadline_of_the_run() -> None:
    port = servers.raw(servers.hang)
    said = judge.judge({**GRPC, ENDPOINT: f"http://127.0.0.1:{port}"}, seconds=6.0)
    assert (said.verdict, said.code) == ("fail", "hung")


def test_no_time_at_all_is_unknown_and_not_a_verdict() -> None:
    port = servers.raw(servers.hang)
    result = probed({**GRPC, ENDPOINT: f"http://127.0.0.1:{port}"}, seconds=0.7)
    assert result.verdict is Verdict.UNKNOWN
    assert "--timeout" in result.message


def test_a_flood_is_not_kept_in_memory() -> None:
    port = servers.raw(servers.flood(300 << 20))
    tracemalloc.start()
    try:
        probed({**HTTP, **SHORT, ENDPOINT: f"http://127.0.0.1:{port}"})
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_resolver_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: release.wait(20) and [])
    found = resolve("collector", 4317, Deadline.after(0.2))
    release.set()
    assert (found.addresses, found.error) == ((), "timeout")


def test_a_name_with_300_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = [f"127.9.{n // 250}.{n % 250 + 1}" for n in range(300)]
    answers: list[Any] = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 9)) for host in hosts]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    found = resolve("many", 9, Deadline.after(5))
    assert len(found.addresses) == 300
    attempts = connect_all(found.addresses, Deadline.after(5))
    assert len(attempts) == net.MAX_ADDRESSES
    assert {a.error for a in attempts} == {errno.ECONNREFUSED}


def test_every_wait_for_bytes_takes_what_is_left_of_the_deadline() -> None:
    asked: list[float] = []

    class Fake:
        def settimeout(self, seconds: float) -> None:
            asked.append(seconds)

        def recv(self, _: int) -> bytes:
            raise TimeoutError

    class Once(Deadline):
        def remaining(self, cap: float = 1e9) -> float:
            return min(cap, 0.125) if len(asked) < 3 else 0.0

    heard = PlainWire(Fake()).hear(Once(), lambda _: False)  # type: ignore[arg-type]
    assert (heard.end, asked) == ("silence", [0.125] * 3)


def test_one_address_that_answers_and_one_that_is_closed() -> None:
    listening = servers.listen()
    port = listening.getsockname()[1]
    addresses = [Address(socket.AF_INET, (host, port)) for host in ("127.0.0.3", "127.0.0.1")]
    attempts = connect_all(addresses, Deadline.after(5))
    close_all(attempts)
    listening.close()
    assert [a.text for a in attempts] == ["ECONNREFUSED", "connected"]


def test_64_dead_endpoints_wait_side_by_side() -> None:
    """How many are open at once is what counts here; the ratio of times is measured by the bench."""
    open_now: list[int] = []
    most: list[int] = []

    def hang(peer: socket.socket) -> None:
        open_now.append(1)
        most.append(len(open_now))
        while peer.recv(4096):
            pass
        open_now.pop()

    port = servers.raw(hang)
    prober = Prober(Deadline.after(120), HostFiles())
    timeout = {"OTEL_EXPORTER_OTLP_TIMEOUT": "4"}
    envs = [
        {**GRPC, **timeout, ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_HEADERS": f"n={n}"}
        for n in range(64)
    ]
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda env: prober.result(made(env), Environment.of(env)), envs))
    prober.close()
    assert {r.code for r in results} == {"hung"}
    assert max(most) >= 64


@pytest.mark.root
@pytest.mark.skipif(not netns.possible(), reason="needs root for a network of its own")
def test_a_dead_name_server_is_bounded() -> None:
    routes = (
        "ip route add 10.0.2.53/32 dev hole table local\n"
        "echo 'nameserver 10.0.2.53' > $RESOLV && mount --bind $RESOLV /etc/resolv.conf\n"
    )
    script = "RESOLV=$(mktemp)\n" + routes
    envs = [{**env, **SHORT, ENDPOINT: "http://collector.example:4317"} for env in (HTTP, GRPC)]
    said = netns.run_inside("tests.faultlab.judge", envs, script)
    assert [(one.verdict, one.code) for one in said] == [("fail", "dns-failed")] * 2
