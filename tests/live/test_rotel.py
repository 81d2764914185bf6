"""What the probe says of a real collector, and what then happens to the spans of a real NeMo Lens job."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_preflight.probe.sink.server import Sink
from tests.faultlab import judge, servers
from tests.live.rotel_agent import lacking, rotel

ROOT = Path(__file__).parents[2]
REASON = lacking()
TARGETS = ("sink", "rotel")

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(bool(REASON), reason=REASON or "rotel is there"),
    pytest.mark.skipif(importlib.util.find_spec("nemo") is None, reason="nemo-lens needs Python 3.13"),
]


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    """Where everything ends up."""
    with Sink() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def ports(sink: Sink) -> Iterator[dict[tuple[str, str], int]]:
    """Collector and protocol to port."""
    with rotel(sink.grpc_url) as (grpc, http):
        yield {
            ("rotel", "grpc"): grpc,
            ("rotel", "http/protobuf"): http,
            ("sink", "grpc"): int(sink.grpc_url.rpartition(":")[2]),
            ("sink", "http/protobuf"): int(sink.http_url.rpartition(":")[2]),
        }


def quickstart(env: dict[str, str], token: str) -> None:
    """The first steps of NeMo Lens's own introduction, in a process of its own: one span, shutdown."""
    case = {"env": {"HOME": "/nonexistent", **env}, "signal": "traces", "token": token}
    subprocess.run(
        [sys.executable, "-m", "tests.faultlab.real_exporter"],
        input=json.dumps([case]),
        text=True,
        cwd=ROOT,
        timeout=60,
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
@pytest.mark.parametrize("target", TARGETS)
def test_all_three_signals_pass(ports: dict[tuple[str, str], int], target: str, protocol: str) -> None:
    env = {
        "NEMO_LENS_METRICS_ENABLED": "1",
        "NEMO_LENS_LOGS_ENABLED": "1",
        "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{ports[target, protocol]}",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": f"http://127.0.0.1:{ports[target, 'grpc']}",
    }
    record = judge.record(env)
    assert record.exit_code == 0, record.headline
    passed = {t.key for o in record.results for t in o.targets if o.status.value == "pass"}
    assert passed == {"traces", "metrics", "logs"}


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
@pytest.mark.parametrize("listens", ["grpc", "http/protobuf", "nothing"])
@pytest.mark.parametrize("target", TARGETS)
def test_what_the_probe_says_is_what_happens_to_the_spans(
    ports: dict[tuple[str, str], int], sink: Sink, target: str, listens: str, protocol: str
) -> None:
    port = servers.closed_port() if listens == "nothing" else ports[target, listens]
    run_id = f"{target}-{listens}-{protocol}".replace("/", "-")
    env = {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_METRICS_ENABLED": "0",
        "NEMO_LENS_RUN_ID": run_id,
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
        "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
    }
    said = judge.judge(env)
    quickstart(env, "train")
    arrived = sink.store.wait("traces", 1, 10.0 if said.verdict == "pass" else 0.5, run_id)
    assert (said.verdict == "pass") is arrived is (listens == protocol), said
    assert [r.name for r in sink.store.records("traces", run_id)] == (["train"] if arrived else [])


def test_a_wrong_path_is_not_found(ports: dict[tuple[str, str], int]) -> None:
    port = ports["rotel", "http/protobuf"]
    env = {
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}/v1/traces",
    }
    said = judge.judge(env)
    assert (said.verdict, said.code) == ("fail", "path-not-found")
    assert f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{port}" in said.text
