"""A canary through the real collector, looked for in the real Jaeger and the real Prometheus."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lens_preflight.backends import Marker, Scope, Word, open_backend, read_back
from lens_preflight.backends.jaeger import Jaeger
from lens_preflight.backends.prometheus import Prometheus
from lens_preflight.checks.backend_run_id import backend_run_id
from lens_preflight.checks.collector_health import collector_health
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import MadeUpFiles
from lens_preflight.probe.canary import RUN_ID, Canary, send
from lens_preflight.probe.sink.server import Sink
from tests.live import rotel_agent
from tests.live.stack.daemon import until
from tests.live.stack.services import Ports, collector, collector_config, prometheus_server, stack
from tests.making import outcomes, record, rules, subject

pytestmark = pytest.mark.live

LENS = {"NEMO_LENS_ENABLED": "1", "OTEL_SERVICE_NAME": "megatron-lm"}


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ports]:
    """A stack that does everything right."""
    with stack(tmp_path_factory.mktemp("stack")) as found:
        yield found


def canary_run(ports: Ports, seconds: float = 60.0) -> dict[str, Outcome]:
    """What ``backend-run-id`` says of each store after a canary."""
    what = subject(
        {**LENS, **ports.environment}, offline=False, lens="0.1", canary=True, backends=ports.backends
    )
    done = record([backend_run_id], what, deadline=Deadline.after(seconds))
    return {target.key: o for o in done.results for target in o.targets}


def sent(ports: Ports) -> Canary:
    env = Environment.of({**LENS, **ports.environment})
    exporters = [exporter(env, s, generation("0.1"), MadeUpFiles()) for s in ("traces", "metrics")]
    return send(exporters, env, {"service.name": "megatron-lm"}, Deadline.after(20))


def test_the_canary_is_found_and_the_bogus_id_is_not(ports: Ports) -> None:
    said = canary_run(ports)
    assert {name: o.status for name, o in said.items()} == {
        "jaeger": Status.PASS,
        "prometheus": Status.PASS,
    }, said
    assert all(o.evidence["bogus"].startswith("preflight-bogus-") for o in said.values())


def test_the_command_line_sends_a_canary_and_finds_it(ports: Ports, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    words = ["check", "--no-environ", "--select", "backend-run-id", "--send-canary", "--expect", "5"]
    words += ["--timeout", "60", "--lens", "0.1", "--report", f"json={report}"]
    for name, value in {**LENS, **ports.environment}.items():
        words += ["--set", f"{name}={value}"]
    for name, url in ports.backends.items():
        words += ["--backend", f"{name}={url}"]
    command = [sys.executable, "-m", "lens_preflight", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout + done.stderr
    items = {item["n"]: item["status"] for item in json.loads(report.read_text())["items"]}
    assert items[5] == "pass"


def test_jaeger_whose_v3_search_ignores_the_filter_is_not_passed_by_it(ports: Ports) -> None:
    canary = sent(ports)
    url = ports.backends["jaeger"]
    backend = open_backend("jaeger", url, Environment(), Deadline.after(60), scope=Scope(("megatron-lm",)))
    assert isinstance(backend, Jaeger)
    marker = Marker(canary.marker, canary.value)
    assert read_back(backend, RUN_ID, marker).reading.ok
    assert backend.negative(backend.bogus).word is Word.OK
    v3 = Jaeger("jaeger", backend.client, backend.scope, surface="v3")
    assert v3.positive(RUN_ID).ok
    assert v3.negative(v3.bogus).word is Word.FILTER_IGNORED
    grpc = Jaeger("jaeger", backend.client, backend.scope, surface="grpc", grpc_port=ports.jaeger_grpc)
    assert grpc.positive(RUN_ID).ok
    assert grpc.negative(grpc.bogus).word is Word.OK


def test_a_collector_that_passes_everything_on_is_healthy(ports: Ports) -> None:
    backends = {"collector": f"http://127.0.0.1:{ports.telemetry}"}
    (said,) = outcomes(
        collector_health, subject({**LENS, **ports.environment}, offline=False, lens="0.1", backends=backends)
    )
    assert said.status is Status.PASS, said


def test_a_label_that_is_not_promoted_is_named(tmp_path: Path) -> None:
    ports = Ports()
    config = collector_config(ports, promote=False, to_jaeger=False)
    with prometheus_server(ports, tmp_path), collector(config, ports, tmp_path):
        what = subject(
            {**LENS, **ports.environment},
            offline=False,
            lens="0.1",
            canary=True,
            backends={"prometheus": ports.backends["prometheus"]},
        )
        (said,) = record([backend_run_id], what, deadline=Deadline.after(60)).results
    assert rules(said) == ["not-filterable"]
    assert "resource_to_telemetry_conversion" in said.findings[0].finding.remedy


def test_what_is_accepted_and_goes_nowhere_is_never_found(tmp_path: Path) -> None:
    with stack(tmp_path, to_jaeger=False) as ports:
        said = canary_run(ports, 12.0)
    assert rules(said["jaeger"]) == ["never-found"]
    assert said["prometheus"].status is Status.PASS


def test_a_dead_sink_is_named_with_its_queue_and_failures(tmp_path: Path) -> None:
    ports = Ports()
    config = collector_config(ports, queue=5, retry=True)
    config["processors"]["batch"] = {"timeout": "0s", "send_batch_size": 1}
    backends = {"collector": f"http://127.0.0.1:{ports.telemetry}"}
    with collector(config, ports, tmp_path):
        for _ in range(12):
            sent(ports)
        (said,) = outcomes(
            collector_health,
            subject({**LENS, **ports.environment}, offline=False, lens="0.1", backends=backends),
        )
    assert said.status is Status.FAIL
    assert {"losing", "queue-saturated"} <= set(rules(said))
    assert all("otlp/jaeger" in judged.finding.message for judged in said.findings)


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_another_collector_hands_the_canary_on(protocol: str) -> None:
    if why := rotel_agent.lacking():
        pytest.skip(why)
    with Sink() as sink, rotel_agent.rotel(sink.grpc_url) as (grpc, http):
        port = grpc if protocol == "grpc" else http
        env = Environment.of(
            {
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
                "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            }
        )
        exporters = [exporter(env, s, generation("0.1"), MadeUpFiles()) for s in ("traces", "metrics")]
        canary = send(exporters, env, {"service.name": "megatron-lm"}, Deadline.after(20))
        assert canary.taken("traces")
        assert canary.taken("metrics")
        assert sink.store.wait("traces", 1, 20, RUN_ID)
        assert sink.store.wait("metrics", 1, 20, RUN_ID)


class _Frozen(BaseHTTPRequestHandler):
    """A gauge that never moves, without a time stamp, and a counter that moves when told to."""

    moving = False
    scrapes = 0

    def do_GET(self) -> None:
        type(self).scrapes += 1
        value = self.scrapes if self.moving else 7
        text = f'megatron_training_loss{{nemo_run_id="run-a"}} {value}\n'
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.mark.parametrize("moving", [False, True])
def test_a_frozen_gauge_is_stale_however_new_its_samples_are(moving: bool, tmp_path: Path) -> None:
    handler = type("Handler", (_Frozen,), {"moving": moving})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    ports = Ports()
    try:
        with prometheus_server(ports, tmp_path, target=server.server_address[1]):
            backend = open_backend(
                "prometheus",
                ports.backends["prometheus"],
                Environment(),
                Deadline.after(60),
                scope=Scope(moving=20),
            )
            assert isinstance(backend, Prometheus)
            until(lambda: handler.scrapes > 8, 40, "Prometheus scrapes")  # type: ignore[attr-defined]
            assert backend.positive("run-a").ok
            freshness = backend.freshness("run-a")
    finally:
        server.shutdown()
        server.server_close()
    assert freshness.word is (Word.OK if moving else Word.STALE), freshness
    assert float(freshness.evidence["age"].split()[0]) < 5.0
