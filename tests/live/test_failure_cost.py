"""What the check failure-cost foresees, against the shutdown of a real NeMo Lens job."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.failure_cost import failure_cost
from tests.corpus import LINES
from tests.faultlab import servers
from tests.making import outcome

ROOT = Path(__file__).parents[2]
PAUSE = 1.2
"""The exporters make each pause between two tries up to this much longer or shorter."""
SLACK = 3.0
"""Seconds for starting threads and closing channels on a busy machine."""

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(importlib.util.find_spec("nemo") is None, reason="nemo-lens needs Python 3.13"),
]

BASE = {"NEMO_LENS_ENABLED": "1", "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
SETTINGS: dict[str, dict[str, str]] = {
    "traces": {"NEMO_LENS_METRICS_ENABLED": "0"},
    "metrics": {"NEMO_LENS_TRACES_ENABLED": "0"},
    "both": {},
    "both, short interval": {"OTEL_METRIC_EXPORT_INTERVAL": "2000"},
}


def foreseen(env: dict[str, str]) -> tuple[float, float]:
    """Seconds of a shutdown that the check names: port closed, nothing answers."""
    found = re.search(
        r"about (\d+) s if the port is closed, up to (\d+) s", outcome(failure_cost, env, lens="0.1").reason
    )
    assert found is not None
    return float(found[1]), float(found[2])


def measured(cases: list[dict[str, Any]]) -> list[float | None]:
    """Seconds that the real shutdowns take; None: longer than a minute and a half."""
    code = "import tests.faultlab.real_exporter as r; r.PATIENCE = 90.0; r.AT_ONCE = 16; r.main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=True,
    )
    seconds: list[float | None] = json.loads(done.stdout)
    return seconds


def test_a_real_shutdown_takes_no_longer_than_foreseen() -> None:
    closed, silent = servers.closed_port(), servers.raw(servers.hang)
    cases, limits, names = [], [], []
    for protocol in ("grpc", "http/protobuf"):
        for signal, switches in SETTINGS.items():
            for timeout in ("2", "4"):
                for port in (closed, silent):
                    env = {
                        **BASE,
                        **switches,
                        "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
                        "OTEL_EXPORTER_OTLP_TIMEOUT": timeout,
                        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
                    }
                    cases.append({"env": env, "signal": signal.partition(",")[0], "token": "step"})
                    limits.append(foreseen(env)[port == silent])
                    names.append(
                        f"{protocol} {signal} {timeout} s {'closed' if port == closed else 'silent'}"
                    )
    rows = list(zip(names, measured(cases), limits, strict=True))
    late = [row for row in rows if row[1] is None or row[1] > row[2] * PAUSE + SLACK]
    assert not late
    shares = [took / limit for _, took, limit in rows if took is not None and limit]
    LINES.append(
        f"failure-cost: {len(rows)} real shutdowns, longest {max(shares):.0%} and mean "
        f"{sum(shares) / len(shares):.0%} of what was foreseen"
    )


def test_a_full_queue_costs_an_export_per_batch() -> None:
    env = {
        **BASE,
        "NEMO_LENS_METRICS_ENABLED": "0",
        "NEMO_LENS_SPAN_GROUPS": "per_step",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{servers.raw(servers.hang)}",
    }
    (took,) = measured([{"env": env, "signal": "traces", "token": "step", "spans": 2000}])
    expected = foreseen(env)[1]
    assert took is not None
    assert expected * 0.7 <= took <= expected + SLACK
