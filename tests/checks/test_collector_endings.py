"""collector-config: ways that end nowhere, labels that are no run id, limits that let nothing in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.backup_sink import backup_sink
from tests.checks.asking import Asked, ask
from tests.checks.test_collector_config import blockers, say, weighty
from tests.collector.configs import edited, read

PROM = "resource_to_telemetry_conversion: {enabled: true}"
STORE = "store.example.invalid:4317"


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (STORE, "localhost:4317", "feeds-itself"),
        ("https://second.example.invalid", "http://127.0.0.1:4318", "feeds-itself"),
        (PROM, f"{PROM}\n    const_labels: {{nemo_run_id: x}}", "run-id-constant"),
        (PROM, "const_labels: {nemo.run.id: x}", "run-id-constant"),
        (PROM, f"{PROM}\n    metric_expiration: 1s", "short-series"),
        ("limit_mib: 2000, spike_limit_mib: 400", "limit_mib: 1, spike_limit_mib: 0", "limiter-starves"),
        ("limit_mib: 2000, spike_limit_mib: 400", "limit_mib: 100, spike_limit_mib: 98", "limiter-starves"),
    ],
)
def test_what_is_lost_in_the_end(tmp_path: Path, old: str, new: str, rule: str) -> None:
    assert rule in weighty(say(tmp_path, edited(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (STORE, "localhost:14317"),
        (STORE, "gateway.example.invalid:4317"),
        (PROM, f"{PROM}\n    const_labels: {{cluster: x}}"),
        (PROM, f"{PROM}\n    metric_expiration: 5m"),
        ("limit_mib: 2000, spike_limit_mib: 400", "limit_mib: 64, spike_limit_mib: 16"),
    ],
)
def test_what_is_right(tmp_path: Path, old: str, new: str) -> None:
    assert weighty(say(tmp_path, edited(old, new))) == set()


def test_a_second_receiver_may_take_what_the_collector_sends(tmp_path: Path) -> None:
    text = edited(
        "receivers:\n",
        "receivers:\n  otlp/inner: {protocols: {grpc: {endpoint: 'localhost:14317'}}}\n",
        edited(
            "    traces:\n",
            "    traces/inner: {receivers: [otlp/inner], processors: [memory_limiter, batch], "
            "exporters: [otlphttp/second]}\n    traces:\n",
            edited(STORE, "localhost:14317"),
        ),
    )
    assert "feeds-itself" not in weighty(say(tmp_path, text))


def test_the_null_device_keeps_nothing(tmp_path: Path) -> None:
    text = edited(
        "exporters: [otlp/store, otlphttp/second]",
        "exporters: [file]",
        edited("exporters:\n", "exporters:\n  file: {path: /dev/null}\n"),
    )
    assert "signal-to-nowhere" in blockers(say(tmp_path, text))
    said = ask(backup_sink, Asked(collector=read(tmp_path, text)))
    assert all("file" not in shown for _, shown in said.evidence)
