"""Whole jobs with the real NeMo Lens, judged on live evidence while they run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.backends import PromqlBackend, Scope, Word, open_backend
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.dashboards import read_dashboards
from lens_preflight.subject.panels import live_panels
from tests.corpus import corpus_root
from tests.live.stack.daemon import until
from tests.live.stack.services import Ports, collector_config, stack

pytestmark = pytest.mark.live

RUN = "live-run-7"

QUICKSTART = '''"""One process, one loop."""

import signal
import sys
import time

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry


def train(handle, steps):
    meter = handle.meter
    duration = meter.create_histogram("megatron.training.step_duration_ms", unit="ms")
    names = ("loss", "throughput_tflops", "grad_norm")
    gauges = {name: meter.create_gauge(f"megatron.training.{name}") for name in names}
    for step in range(steps):
        with managed_span("checkpoint", "megatron.checkpoint.save"):
            time.sleep(0.2)
            duration.record(200 + step)
            gauges["loss"].set(1.0 / (1 + step))
            gauges["throughput_tflops"].set(400.0 + step)
            gauges["grad_norm"].set(0.5 + step / 1000)


def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=1)

    def stop(signum, frame):
        handle.shutdown()
        sys.exit(128 + signum)

    try:
        signal.signal(signal.SIGTERM, stop)
        train(handle, int(sys.argv[1]))
    finally:
        handle.shutdown()


if __name__ == "__main__":
    main()
'''

MEGATRON = QUICKSTART.replace(
    "NemoLensConfig.from_env()", 'NemoLensConfig.from_env("MEGATRON_OTEL", fallback_prefix="NEMO_LENS")'
)


def panel(number: int, title: str, expression: str) -> dict[str, Any]:
    """A panel that filters by the run."""
    source = {"type": "prometheus", "uid": "prometheus"}
    target = {"refId": "A", "expr": expression, "datasource": source}
    return {"id": number, "type": "timeseries", "title": title, "datasource": source, "targets": [target]}


STEP = "megatron_training_step_duration_ms_milliseconds_bucket"
BOARD = {
    "uid": "live",
    "title": "Live",
    "schemaVersion": 39,
    "templating": {
        "list": [
            {
                "name": "run_id",
                "type": "query",
                "query": "label_values(megatron_training_loss, nemo_run_id)",
                "datasource": {"type": "prometheus", "uid": "prometheus"},
                "refresh": 2,
            }
        ]
    },
    "panels": [
        panel(
            1,
            "Step duration",
            f'histogram_quantile(0.9, sum by (le)(rate({STEP}{{nemo_run_id="$run_id"}}[$__rate_interval])))',
        ),
        panel(2, "Loss", 'megatron_training_loss{nemo_run_id="$run_id"}'),
        panel(3, "Throughput", 'megatron_training_throughput_tflops{nemo_run_id="$run_id"}'),
        panel(4, "Gradient norm", 'megatron_training_grad_norm{nemo_run_id="$run_id"}'),
    ],
}


def variables(ports: Ports, prefix: str) -> dict[str, str]:
    """The settings of the job: all that the checklist asks for."""
    return {
        **ports.environment,
        "NEMO_LENS_ENABLED": "1",
        f"{prefix}_RUN_ID": RUN,
        "OTEL_SERVICE_NAME": "megatron-lm",
        "OTEL_TRACES_SAMPLER": "parentbased_always_on",
        "OTEL_METRIC_EXPORT_INTERVAL": "500",
        "OTEL_BSP_SCHEDULE_DELAY": "500",
    }


@contextmanager
def training(folder: Path, name: str, text: str, environ: dict[str, str]) -> Iterator[Path]:
    """The job, running for as long as the block does."""
    pytest.importorskip("nemo.lens", reason="nemo-lens needs Python 3.13")
    script = folder / name
    script.write_text(text)
    log = folder / f"{name}.log"
    with log.open("wb") as out:
        words = [sys.executable, str(script), "100000"]
        process = subprocess.Popen(words, env={**os.environ, **environ}, stdout=out, stderr=out)
    try:
        yield script
        assert process.poll() is None, log.read_text()
    finally:
        process.terminate()
        process.wait()


def metrics_store(ports: Ports) -> PromqlBackend:
    backend = open_backend(
        "prometheus", ports.backends["prometheus"], Environment(), Deadline.after(300), scope=Scope(moving=30)
    )
    assert isinstance(backend, PromqlBackend)
    return backend


def seen(ports: Ports) -> None:
    """Wait until the run can be found and has moved in both stores."""
    backend = metrics_store(ports)

    def there() -> bool:
        backend.again()
        return backend.freshness(RUN).ok

    until(there, 90, "the run moves in Prometheus")
    traces = open_backend(
        "jaeger", ports.backends["jaeger"], Environment(), Deadline.after(90), scope=Scope(("megatron-lm",))
    )

    def found() -> bool:
        traces.again()
        return traces.positive(RUN).ok

    until(found, 60, "the run is in Jaeger")


def checked(
    ports: Ports, folder: Path, script: Path, environ: dict[str, str], *words: str
) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of ``lens-preflight check --profile node`` with all inputs."""
    board, config, report = folder / "board.json", folder / "collector.yaml", folder / "report.json"
    board.write_text(json.dumps(BOARD))
    config.write_text(json.dumps(collector_config(ports)))
    options = ["--dashboard", str(board), "--collector-config", str(config), "--report", f"json={report}"]
    for name, url in ports.backends.items():
        options += ["--backend", f"{name}={url}"]
    for name, value in environ.items():
        options += ["--set", f"{name}={value}"]
    command = [
        "check",
        str(script),
        "--profile",
        "node",
        "--world-size",
        "1",
        "--no-environ",
        *options,
        *words,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "lens_preflight", *command, "--timeout", "90"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert report.is_file(), done.stderr
    return done.returncode, json.loads(report.read_text()) | {"console": done.stdout}


SHAPES = [
    ("quickstart.py", QUICKSTART, "NEMO_LENS", "0.1", {3}),
    ("pretrain_gpt.py", MEGATRON, "MEGATRON_OTEL", "0.1", {3}),
    ("pretrain_gpt.py", MEGATRON, "MEGATRON_OTEL", "0.2", set()),
]


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ports]:
    with stack(tmp_path_factory.mktemp("stack")) as found:
        yield found


@pytest.mark.parametrize(("name", "text", "prefix", "lens", "not_judged"), SHAPES)
def test_every_item_is_ready_on_live_evidence(
    name: str, text: str, prefix: str, lens: str, not_judged: set[int], ports: Ports, tmp_path: Path
) -> None:
    environ = variables(ports, prefix)
    with training(tmp_path, name, text, environ) as script:
        seen(ports)
        code, report = checked(ports, tmp_path, script, environ, "--lens", lens)
    items = {item["n"]: item["status"] for item in report["items"]}
    assert (code, report["verdict"]) == (0, "ready"), report["console"]
    assert {n for n, status in items.items() if status == "not-judged"} == not_judged, report["console"]
    assert not [n for n, status in items.items() if status in ("fail", "unknown")], report["console"]
    live = {r["check"]: r["status"] for r in report["results"] if r["check"] == "backend-run-id"}
    assert set(live.values()) == {"pass"}, report["console"]


def test_panels_of_good_dashboards_show_the_run_and_nothing_for_a_bogus_id(
    ports: Ports, tmp_path: Path
) -> None:
    folder = corpus_root() / "dashboards"
    boards = read_dashboards(sorted(folder.glob("good_*.json")))
    environ = variables(ports, "NEMO_LENS")
    with training(tmp_path, "quickstart.py", QUICKSTART, environ):
        seen(ports)
        panels = list(live_panels(boards, metrics_store(ports), RUN))
    assert panels
    assert [p.panel for p in panels if p.bogus.word is not Word.NOT_FOUND] == []
    shown = [p.panel for p in panels if p.run.ok]
    assert len(shown) >= 4 * len({p.at.what for p in panels if p.run.ok}), panels
