"""Names with several addresses, in a network and with a hosts file of their own (root)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faultlab import netns
from tests.probe.making import ENDPOINT, GRPC, HTTP

HOSTS = "127.0.0.1 localhost\n127.0.0.1 half\n127.0.0.9 half\n127.0.0.77 deaf\n127.0.0.1 deaf\n"


@pytest.mark.root
@pytest.mark.skipif(not netns.possible(), reason="needs root for a network of its own")
def test_one_dead_address_of_several(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text(HOSTS)
    routes = f"ip route add 127.0.0.77/32 dev hole table local\nmount --bind {hosts} /etc/hosts\n"
    here = {"OTEL_EXPORTER_OTLP_TIMEOUT": "3"}
    envs = [
        {**here, **GRPC, ENDPOINT: "http://half:4317"},
        {**here, **GRPC, ENDPOINT: "http://deaf:4317"},
        {**here, **HTTP, ENDPOINT: "http://half:4318"},
        {**here, **HTTP, ENDPOINT: "http://deaf:4318"},
    ]
    said = netns.run_inside("tests.faultlab.dialled", {"folder": str(tmp_path), "envs": envs}, routes)
    assert [(one.verdict, one.code) for one in said] == [
        ("warn", "partly-reachable"),
        ("fail", "syn-dropped"),  # grpcio does not give up the first address in time
        ("warn", "partly-reachable"),
        ("warn", "partly-reachable"),  # requests does, after its whole time-out
    ]
